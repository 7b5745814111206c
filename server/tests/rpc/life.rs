//! The life of a table: called off, deleted, expired, at rest, and kept for as long as the settings say.

use parlor_proto::v1::{self, AnswerStatus as Status, EndReason, ErrorReason as Reason, TableState as State};
use parlor_server::config::{RetentionPeriod, Span};
use parlor_store::Place;

use crate::ask::{act, cancel, clock, delete, fresh, gap, get, house, join, open, timed};
use crate::caller::why;
use crate::line::{Line, after, attaching, index, rail, seat, wanting};
use crate::scene::{Scene, ms, until};

#[tokio::test]
async fn a_table_can_be_called_off_at_any_time() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    for started in [false, true] {
        let id =
            if started { caller.seat_all(fresh(gap(2))).await.id } else { caller.make(fresh(gap(2))).await };
        let mut guest = Line::attached(&caller, 1, rail(&id)).await;
        guest.heard.snapshot(1).await;
        let request = v1::CancelTableRequest { note: "rain".to_owned(), ..cancel(&id) };
        let table = caller.cancel_table(request).await.unwrap().table.unwrap();
        let again = caller.cancel_table(cancel(&id)).await.unwrap().table.unwrap();
        assert_eq!(table, again, "now or before");
        let result = table.result.clone().expect("a result");
        assert_eq!((table.state(), result.reason()), (State::Cancelled, EndReason::Cancelled));
        assert_eq!((result.note.as_str(), result.seats.len()), ("rain", 0), "nobody scores");
        let shuffle = table.shuffle.clone().expect("a shuffle");
        assert_eq!((shuffle.server_seed.len(), shuffle.game_seed.is_empty()), (32, !started));
        let over = guest.heard.over(1).await;
        assert_eq!((over.result, over.shuffle), (Some(result), Some(shuffle)));
        assert_eq!(guest.heard.closed(1).await.reason(), Reason::Unspecified);
        assert_eq!((table.end_time.is_some(), table.start_time.is_some()), (true, started));
    }
    let long = v1::CancelTableRequest { note: "x".repeat(257), ..cancel(&caller.make(gap(2)).await) };
    assert_eq!(why(caller.cancel_table(long).await), Reason::InvalidField);
    let over = scene.play_out(gap(2)).await;
    assert_eq!(why(caller.cancel_table(cancel(&over.id)).await), Reason::TableOver, "it was finished");
}

#[tokio::test]
async fn a_table_that_is_over_can_be_deleted() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let seated = caller.seat_all(gap(2)).await;
    assert_eq!(why(caller.delete_table(delete(&seated.id)).await), Reason::TableNotOver);
    caller.cancel_table(cancel(&seated.id)).await.unwrap();
    let wants = v1::Wants { rematch: true, ..v1::Wants::default() };
    let mut waiting = Line::attached(&caller, 1, wanting(wants, rail(&seated.id))).await;
    waiting.heard.snapshot(1).await;
    caller.delete_table(delete(&seated.id)).await.unwrap();
    assert_eq!(
        waiting.heard.closed(1).await.reason(),
        Reason::TableNotFound,
        "nobody waits for a rematch of it"
    );
    assert_eq!(why(caller.delete_table(delete(&seated.id)).await), Reason::TableNotFound);
    assert_eq!(why(caller.get_table(get(&seated.id)).await), Reason::TableNotFound);
    assert_eq!(why(caller.act(act(&seated.tokens[0], index(1, 0))).await), Reason::TableNotFound);
    let mut line = Line::attached(&caller, 1, seat(&seated.tokens[0])).await;
    assert_eq!(line.heard.closed(1).await.reason(), Reason::TableNotFound);
    assert!(caller.list_tables(v1::ListTablesRequest::default()).await.unwrap().tables.is_empty());
}

#[tokio::test]
async fn a_table_that_does_not_fill_expires() {
    let scene = Scene::new().await;
    let caller = scene.anyone();
    let id = caller.make(v1::CreateTableRequest { fill_ms: Some(90_000), ..fresh(gap(2)) }).await;
    let filled = caller.make(v1::CreateTableRequest { fill_ms: Some(90_000), ..gap(2) }).await;
    let before = caller.look(&id).await;
    let seconds = |time: Option<prost_types::Timestamp>| time.expect("a time").seconds;
    assert_eq!(seconds(before.expire_time) - seconds(before.create_time), 90);
    caller.join_table(join(&id)).await.unwrap();
    for _ in 0..2 {
        caller.join_table(join(&filled)).await.unwrap();
    }
    let mut guest = Line::attached(&caller, 1, rail(&id)).await;
    guest.heard.snapshot(1).await;
    scene.sleeps_until(ms(90_000)).await;
    assert_eq!(caller.look(&id).await.state(), State::Open);
    scene.advance_to(ms(90_000));
    let over = guest.heard.over(1).await;
    assert_eq!(over.result.expect("a result").reason(), EndReason::Expired);
    assert_eq!(over.shuffle.expect("a shuffle").server_seed.len(), 32);
    let table = caller.look(&id).await;
    assert_eq!((table.state(), table.expire_time), (State::Expired, None));
    assert_eq!(seconds(table.end_time) - seconds(table.create_time), 90);
    assert_eq!(why(caller.join_table(join(&id)).await), Reason::TableOver);
    assert_eq!(caller.look(&filled).await.state(), State::Playing, "this one was filled in time");
}

/// Where the log keeps a table.
async fn place(scene: &Scene, id: &str) -> Place {
    scene.log.find(id.parse().expect("an id")).await.expect("a table").place
}

#[tokio::test]
async fn a_table_that_nobody_uses_rests_and_comes_back() {
    let scene = Scene::with(|settings| settings.table.idle = Span::from_ms(10_000)).await;
    let caller = scene.anyone();
    let seated = caller.seat_all(gap(2)).await;
    let mut line = Line::open(&caller).await;
    line.say(vec![attaching(0, seat(&seated.tokens[0])), attaching(1, seat(&seated.tokens[1]))]).await;
    let decision = line.heard.decision(0).await;
    assert_eq!(line.answer(0, index(decision.id, 0)).await.status(), Status::Accepted);
    let open = line.heard.decision(1).await;
    // While somebody watches, it stays.
    scene.advance(ms(60_000));
    caller.look(&seated.id).await;
    assert_eq!(place(&scene, &seated.id).await, Place::InPlay);
    drop(line);
    until("rest", async || {
        scene.advance(ms(10_000));
        place(&scene, &seated.id).await == Place::AtRest { wakes_at: None }
    })
    .await;
    // It is all there when somebody comes: for whoever looks, acts, attaches anew or resumes.
    assert_eq!(caller.look(&seated.id).await.state(), State::Playing);
    let again = caller.act(act(&seated.tokens[0], index(decision.id, 0))).await.unwrap().answered.unwrap();
    assert_eq!(again.status(), Status::Repeated);
    let mut line = Line::attached(&caller, 1, after(again.number, seat(&seated.tokens[1]))).await;
    let now = line.heard.decision(1).await;
    assert_eq!((now.id, now.view, now.legal_actions), (open.id, open.view, open.legal_actions));
    assert_eq!(line.answer(1, index(open.id, 0)).await.status(), Status::Accepted);
    assert_eq!(place(&scene, &seated.id).await, Place::InPlay, "it is in play again");
    drop(line);
    let players = scene.play_seats(&seated).await;
    assert!(players.iter().all(|seen| seen.over().result.is_some()));
}

#[tokio::test]
async fn a_clock_wakes_a_table_that_rests() {
    let scene = Scene::with(|settings| settings.table.idle = Span::from_ms(10_000)).await;
    let caller = scene.anyone();
    let open = caller.make(v1::CreateTableRequest { fill_ms: Some(3_600_000), ..gap(2) }).await;
    // A correspondence game: a day for each decision, and nobody there.
    let day = 24 * 3_600_000;
    let slow = caller.seat_all(timed(clock(day as u32, 0, 0, 1), gap(2))).await;
    scene.advance(ms(30_000));
    until("rest", async || {
        let places = [place(&scene, &open).await, place(&scene, &slow.id).await];
        places.iter().all(|place| matches!(place, Place::AtRest { wakes_at: Some(_) }))
    })
    .await;
    scene.advance_to(ms(3_600_000));
    until("its end", async || place(&scene, &open).await == Place::Finished).await;
    assert_eq!(caller.look(&open).await.state(), State::Expired);
    scene.advance_to(ms(day));
    until("a forfeit", async || {
        caller.look(&slow.id).await.seats[0].forfeited() == v1::SeatFinish::Disconnected
    })
    .await;
}

#[tokio::test]
async fn a_clock_goes_on_while_its_table_rests() {
    let scene = Scene::with(|settings| settings.table.idle = Span::from_ms(10_000)).await;
    let caller = scene.anyone();
    let seated = caller.seat_all(timed(clock(3_600_000, 0, 0, 1), gap(2))).await;
    scene.advance(ms(30_000));
    until("rest", async || matches!(place(&scene, &seated.id).await, Place::AtRest { .. })).await;
    scene.advance_to(ms(1_000_000));
    let mut line = Line::attached(&caller, 0, seat(&seated.tokens[0])).await;
    assert_eq!(line.heard.decision(0).await.time_left_ms, Some(2_600_000), "resting stops no clock");
}

#[tokio::test]
async fn a_table_that_cannot_rest_yet_does_not_keep_the_server_busy() {
    // Nobody is there, it is idle, and its clock will run out before long: it stays in memory until then.
    let scene = Scene::with(|settings| settings.table.idle = Span::from_ms(10_000)).await;
    let caller = scene.anyone();
    let seated = caller.seat_all(timed(clock(15_000, 0, 0, 1), gap(2))).await;
    scene.sleeps_until(ms(15_000)).await;
    assert_eq!(place(&scene, &seated.id).await, Place::InPlay);
    scene.advance_to(ms(15_000));
    until("a forfeit", async || caller.look(&seated.id).await.seats[0].forfeited != 0).await;
}

#[tokio::test]
async fn what_is_over_is_kept_as_long_as_the_settings_say() {
    let scene = Scene::with(|settings| settings.retention.finished = RetentionPeriod::For(Span::from_ms(900_000))).await;
    let caller = scene.anyone();
    let bots = v1::CreateTableRequest { seats: vec![house("random"), house("random")], ..gap(2) };
    let old = caller.make(bots.clone()).await;
    until("its end", async || caller.look(&old).await.result.is_some()).await;
    scene.sleeps_until(ms(600_000)).await;
    scene.advance_to(ms(600_000));
    let newer = caller.make(bots).await;
    until("its end", async || caller.look(&newer).await.result.is_some()).await;
    let playing = caller.seat_all(v1::CreateTableRequest { seats: vec![open(), open()], ..gap(2) }).await;
    scene.sleeps_until(ms(1_200_000)).await;
    assert!(caller.get_table(get(&old)).await.is_ok(), "it was too young ten minutes ago");
    scene.advance_to(ms(1_200_000));
    until("removal", async || caller.get_table(get(&old)).await.is_err()).await;
    assert_eq!(why(caller.get_table(get(&old)).await), Reason::TableNotFound);
    assert_eq!(caller.look(&newer).await.state(), State::Finished);
    assert_eq!(caller.look(&playing.id).await.state(), State::Playing);
}
