//! A store that waits, fails or is damaged: nothing is shown before it is durable, nothing is half done, and games go on
//! when the store does.

use std::sync::Arc;

use parlor_proto::v1::{self, AnswerStatus as Status, DecidedBy, ErrorReason as Reason, TableState as State};
use parlor_store::LogError;

use crate::ask::{Seated, act, cancel, clock, gap, get, join, timed};
use crate::failing::{Failing, damage, full_disk, no_disk};
use crate::line::{Line, after, answering, attaching, index, rail, seat};
use crate::scene::{Scene, ms};

async fn scene() -> (Arc<Failing>, Scene) {
    let log = Failing::new();
    let scene = Scene::on(log.clone(), |_| {}).await;
    (log, scene)
}

/// Both seats and a spectator over one stream; the first decision of seat 0.
async fn watched(scene: &Scene, request: v1::CreateTableRequest) -> (Seated, Line, v1::Decision) {
    let seated = scene.seat_all(request).await;
    let mut line = Line::open(&scene.anyone()).await;
    let all = [seat(&seated.tokens[0]), seat(&seated.tokens[1]), rail(&seated.id)];
    line.say((0..).zip(all).map(|(channel, attach)| attaching(channel, attach)).collect()).await;
    for channel in 0..3 {
        line.heard.snapshot(channel).await;
    }
    let decision = line.heard.decision(0).await;
    (seated, line, decision)
}

#[tokio::test]
async fn nothing_is_shown_before_it_is_durable() {
    let (log, scene) = scene().await;
    let (seated, mut line, decision) = watched(&scene, gap(2)).await;
    log.hold();
    line.say(vec![answering(0, index(decision.id, 0))]).await;
    log.has_held().await;
    for channel in 0..3 {
        line.nothing_on(channel).await;
    }
    log.mend();
    assert_eq!(line.heard.answered(0).await.status(), Status::Accepted);
    for channel in 0..3 {
        line.heard.update(channel).await;
    }
    assert_eq!(scene.anyone().look(&seated.id).await.state(), State::Playing);
}

#[tokio::test]
async fn what_cannot_be_stored_has_not_happened() {
    for error in [no_disk(), full_disk()] {
        let (log, scene) = scene().await;
        let caller = scene.anyone();
        let (seated, mut line, decision) = watched(&scene, gap(2)).await;
        let open = caller.make(gap(2)).await;
        log.fail(error);
        let over_stream = line.answer(0, index(decision.id, 0)).await;
        let over_act =
            caller.act(act(&seated.tokens[0], index(decision.id, 0))).await.unwrap().answered.unwrap();
        for refused in [over_stream, over_act] {
            assert_eq!((refused.status(), refused.number), (Status::Refused, 0));
            let refusal = refused.refusal.expect("a reason");
            assert_eq!(refusal.reason(), Reason::StoreUnavailable);
            let text = refusal.text.expect("a text");
            assert!(!text.en.contains("secret") && !text.de.contains("secret"), "{text:?}");
        }
        let refused = [
            caller.create_table(gap(2)).await.map(|_| ()),
            caller.join_table(join(&open)).await.map(|_| ()),
            caller.cancel_table(cancel(&seated.id)).await.map(|_| ()),
        ];
        for refused in refused {
            let refused = refused.expect_err("no store");
            assert_eq!(refused.reason, Reason::StoreUnavailable);
            assert!(refused.retry.is_some() && !refused.message.contains("secret"), "{refused:?}");
        }
        // Looking needs no disk, and everything is as it was.
        assert_eq!(caller.look(&seated.id).await.state(), State::Playing);
        assert_eq!(caller.look(&open).await.seats[0].occupant, gap_seat());
        for channel in 0..3 {
            line.nothing_on(channel).await;
        }
        log.mend();
        let accepted = line.answer(0, index(decision.id, 1)).await;
        assert_eq!(accepted.status(), Status::Accepted, "another answer: the first one was never given");
        for channel in 0..3 {
            let update = line.heard.update(channel).await;
            if channel == 0 {
                assert_eq!(
                    (update.number, update.decided.map(|made| made.index)),
                    (accepted.number, Some(1))
                );
            }
        }
        assert_eq!(caller.join_table(join(&open)).await.unwrap().seat, 0);
    }
}

/// A table that could not be stored is no table: nothing stays of it that would want to be stored later.
#[tokio::test]
async fn a_table_that_could_not_be_made_is_forgotten() {
    let (log, scene) = scene().await;
    let caller = scene.anyone();
    let request = || v1::CreateTableRequest { fill_ms: Some(90_000), ..gap(2) };
    log.fail(full_disk());
    for _ in 0..8 {
        caller.create_table(request()).await.expect_err("no store");
    }
    log.mend();
    let id = caller.make(request()).await;
    let mut guest = Line::attached(&caller, 1, rail(&id)).await;
    guest.heard.snapshot(1).await;
    let tried = log.tried();
    scene.advance(ms(90_000));
    guest.heard.over(1).await;
    assert_eq!(log.tried() - tried, 1, "only the one that was made expires");
}

fn gap_seat() -> Option<v1::table_seat::Occupant> {
    Some(v1::table_seat::Occupant::Open(v1::OpenSeat {}))
}

#[tokio::test]
async fn nobody_pays_for_the_time_in_which_nothing_can_be_stored() {
    let (log, scene) = scene().await;
    let (seated, mut line, decision) = watched(&scene, timed(clock(1_000, 0, 0, 1), gap(2))).await;
    log.fail(no_disk());
    scene.advance(ms(900));
    line.answer(0, index(decision.id, 0)).await;
    // Its clock began anew when the store had failed; so it runs out a second after that.
    let mut again = Line::attached(&scene.anyone(), 1, seat(&seated.tokens[0])).await;
    assert_eq!(again.heard.decision(1).await.time_left_ms, Some(1_000));
    scene.sleeps_until(ms(1_900)).await;
    scene.advance_to(ms(1_900));
    // It cannot be stored that it ran out. The table tries again, with its full time, until it can.
    scene.sleeps_until(ms(2_900)).await;
    log.mend();
    scene.advance_to(ms(2_900));
    let update = line.heard.update(0).await;
    let made = update.decided.expect("it was decided in the end");
    assert_eq!((made.decision_id, made.by(), made.think_ms), (decision.id, DecidedBy::Clock, 1_000));
}

#[tokio::test]
async fn a_server_that_is_busy_says_when_to_come_back() {
    let (log, scene) = scene().await;
    log.fail(LogError::QueueFull);
    let refused = scene.anyone().create_table(gap(2)).await.expect_err("busy");
    assert_eq!(refused.reason, Reason::RateLimited);
    assert!(refused.retry.is_some());
}

#[tokio::test]
async fn a_table_whose_data_is_damaged_is_refused_and_no_other() {
    let (log, scene) = scene().await;
    let caller = scene.anyone();
    let over = caller.make(gap(2)).await;
    caller.cancel_table(cancel(&over)).await.unwrap();
    let playing = caller.seat_all(gap(2)).await;
    for spoil in [false, true] {
        if spoil {
            log.spoil_reads(damage());
        } else {
            log.spoil_records(b"no record at all");
        }
        let refused = caller.get_table(get(&over)).await.expect_err("damaged");
        assert_eq!(refused.reason, Reason::TableDamaged);
        assert!(!refused.message.contains("secret") && !refused.message.contains("hash"), "{refused:?}");
        for number in [None, Some(0)] {
            let attach = number.map_or_else(|| rail(&over), |number| after(number, rail(&over)));
            let mut line = Line::attached(&caller, 1, attach).await;
            let closed = line.heard.closed(1).await;
            assert_eq!((closed.reason(), closed.retry), (Reason::TableDamaged, false));
        }
        // A listing has what can be read.
        let listed = caller.list_tables(v1::ListTablesRequest::default()).await.unwrap().tables;
        assert_eq!(listed.iter().map(|table| &table.table_id).collect::<Vec<_>>(), [&playing.id]);
        log.mend();
    }
    assert_eq!(caller.look(&over).await.state(), State::Cancelled, "it can be read again");
}

#[tokio::test]
async fn a_fault_of_the_server_says_nothing_of_its_inside() {
    let (log, scene) = scene().await;
    let caller = scene.anyone();
    let seated = scene.seat_all(gap(2)).await;
    log.fail(LogError::Invalid { what: "secret thing", allowed: "something else" });
    let refused = caller.create_table(gap(2)).await.expect_err("a fault");
    assert_eq!(refused.reason, Reason::ServerFault);
    assert!(!refused.message.contains("secret"), "{refused:?}");
    let answered = caller.act(act(&seated.tokens[0], index(1, 0))).await.unwrap().answered.unwrap();
    assert_eq!(answered.refusal.expect("a reason").reason(), Reason::ServerFault);
    log.mend();
    let answered = caller.act(act(&seated.tokens[0], index(1, 0))).await.unwrap().answered.unwrap();
    assert_eq!(answered.status(), Status::Accepted);
}

#[tokio::test]
async fn bots_wait_for_the_store_too() {
    let (log, scene) = scene().await;
    let caller = scene.anyone();
    let seats = vec![crate::ask::open(), crate::ask::house("random")];
    let seated = scene.seat_all(v1::CreateTableRequest { seats, ..gap(2) }).await;
    let mut line = Line::attached(&caller, 0, seat(&seated.tokens[0])).await;
    let decision = line.heard.decision(0).await;
    // The answer is stored, and then the disk goes away: the bot's decision is not.
    log.fail_after(1, no_disk());
    assert_eq!(line.answer(0, index(decision.id, 0)).await.status(), Status::Accepted);
    log.has_failed().await;
    log.mend();
    // A second later the table goes on.
    scene.sleeps_until(ms(1_000)).await;
    scene.advance_to(ms(1_000));
    assert_eq!(line.heard.decision(0).await.id, decision.id + 1);
}
