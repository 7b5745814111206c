//! The life cycle of a table: cancelled, deleted, expired, evicted from memory and restored, and retention.

use parlor_proto::v1::{self, AnswerStatus as Status, EndReason, ErrorReason as Reason, TableState as State};
use parlor_server::config::{RetentionPeriod, Span};
use parlor_store::Place;

use crate::client::error_reason;
use crate::streams::{PlayStream, answer_index, attach_item, play_seat, resume_after, spectate, with_wants};
use crate::table_requests::{act, cancel, clock, delete, fresh, gap, get, house, join, open, timed};
use crate::test_server::{TestServer, ms, wait_until};

#[tokio::test]
async fn table_can_be_cancelled_before_and_after_its_start() {
    let server = TestServer::new().await;
    let client = server.client();
    for started in [false, true] {
        let id = if started {
            client.new_seated_table(fresh(gap(2))).await.id
        } else {
            client.new_table(fresh(gap(2))).await
        };
        let mut spectator = PlayStream::open_attached(&client, 1, spectate(&id)).await;
        spectator.reader.snapshot(1).await;
        let request = v1::CancelTableRequest { note: "rain".to_owned(), ..cancel(&id) };
        let table = client.cancel_table(request).await.unwrap().table.unwrap();
        let again = client.cancel_table(cancel(&id)).await.unwrap().table.unwrap();
        assert_eq!(table, again, "cancelling is idempotent");
        let result = table.result.clone().expect("a result");
        assert_eq!((table.state(), result.reason()), (State::Cancelled, EndReason::Cancelled));
        assert_eq!(
            (result.note.as_str(), result.seats.len()),
            ("rain", 0),
            "a cancelled table has no scores"
        );
        let shuffle = table.shuffle.clone().expect("a shuffle");
        assert_eq!((shuffle.server_seed.len(), shuffle.game_seed.is_empty()), (32, !started));
        let over = spectator.reader.table_over(1).await;
        assert_eq!((over.result, over.shuffle), (Some(result), Some(shuffle)));
        assert_eq!(spectator.reader.closed(1).await.reason(), Reason::Unspecified);
        assert_eq!((table.end_time.is_some(), table.start_time.is_some()), (true, started));
    }
    let long = v1::CancelTableRequest { note: "x".repeat(257), ..cancel(&client.new_table(gap(2)).await) };
    assert_eq!(error_reason(client.cancel_table(long).await), Reason::InvalidField);
    let over = server.play_to_end(gap(2)).await;
    assert_eq!(
        error_reason(client.cancel_table(cancel(&over.id)).await),
        Reason::TableOver,
        "a finished table cannot be cancelled"
    );
}

#[tokio::test]
async fn only_a_table_that_is_over_can_be_deleted() {
    let server = TestServer::new().await;
    let client = server.client();
    let seated = client.new_seated_table(gap(2)).await;
    assert_eq!(error_reason(client.delete_table(delete(&seated.id)).await), Reason::TableNotOver);
    client.cancel_table(cancel(&seated.id)).await.unwrap();
    let wants = v1::Wants { rematch: Some(true), ..v1::Wants::default() };
    let mut waiting = PlayStream::open_attached(&client, 1, with_wants(wants, spectate(&seated.id))).await;
    waiting.reader.snapshot(1).await;
    client.delete_table(delete(&seated.id)).await.unwrap();
    assert_eq!(
        waiting.reader.closed(1).await.reason(),
        Reason::TableNotFound,
        "deletion closes channels that wait for a rematch"
    );
    assert_eq!(error_reason(client.delete_table(delete(&seated.id)).await), Reason::TableNotFound);
    assert_eq!(error_reason(client.get_table(get(&seated.id)).await), Reason::TableNotFound);
    assert_eq!(
        error_reason(client.act(act(&seated.tokens[0], answer_index(1, 0))).await),
        Reason::TableNotFound
    );
    let mut stream = PlayStream::open_attached(&client, 1, play_seat(&seated.tokens[0])).await;
    assert_eq!(stream.reader.closed(1).await.reason(), Reason::TableNotFound);
    assert!(client.list_tables(v1::ListTablesRequest::default()).await.unwrap().tables.is_empty());
}

#[tokio::test]
async fn unfilled_table_expires() {
    let server = TestServer::new().await;
    let client = server.client();
    let id = client.new_table(v1::CreateTableRequest { fill_ms: Some(90_000), ..fresh(gap(2)) }).await;
    let filled = client.new_table(v1::CreateTableRequest { fill_ms: Some(90_000), ..gap(2) }).await;
    let before = client.table(&id).await;
    let seconds = |time: Option<prost_types::Timestamp>| time.expect("a time").seconds;
    assert_eq!(seconds(before.expire_time) - seconds(before.create_time), 90);
    client.join_table(join(&id)).await.unwrap();
    for _ in 0..2 {
        client.join_table(join(&filled)).await.unwrap();
    }
    let mut spectator = PlayStream::open_attached(&client, 1, spectate(&id)).await;
    spectator.reader.snapshot(1).await;
    server.advance_to_deadline(ms(90_000)).await;
    assert_eq!(client.table(&id).await.state(), State::Open);
    server.advance_to(ms(90_000));
    let over = spectator.reader.table_over(1).await;
    assert_eq!(over.result.expect("a result").reason(), EndReason::Expired);
    assert_eq!(over.shuffle.expect("a shuffle").server_seed.len(), 32);
    let table = client.table(&id).await;
    assert_eq!((table.state(), table.expire_time), (State::Expired, None));
    assert_eq!(seconds(table.end_time) - seconds(table.create_time), 90);
    assert_eq!(error_reason(client.join_table(join(&id)).await), Reason::TableOver);
    assert_eq!(client.table(&filled).await.state(), State::Playing, "filled in time");
}

/// The storage place of a table in the log.
async fn place(server: &TestServer, id: &str) -> Place {
    server.log.find(id.parse().expect("an id")).await.expect("a table").place
}

#[tokio::test]
async fn idle_table_is_evicted_and_restored_on_access() {
    let server = TestServer::with_settings(|settings| settings.table.idle = Span::from_ms(10_000)).await;
    let client = server.client();
    let seated = client.new_seated_table(gap(2)).await;
    let mut stream = PlayStream::open(&client).await;
    stream
        .send(vec![
            attach_item(0, play_seat(&seated.tokens[0])),
            attach_item(1, play_seat(&seated.tokens[1])),
        ])
        .await;
    let decision = stream.reader.decision(0).await;
    assert_eq!(stream.answer(0, answer_index(decision.id, 0)).await.status(), Status::Accepted);
    let open = stream.reader.decision(1).await;
    // A table with an attached viewer stays in memory.
    server.advance(ms(60_000));
    client.table(&seated.id).await;
    assert_eq!(place(&server, &seated.id).await, Place::InPlay);
    drop(stream);
    wait_until("rest", async || {
        server.advance(ms(10_000));
        place(&server, &seated.id).await == Place::AtRest { wakes_at: None }
    })
    .await;
    // GetTable, Act, a new attachment and a resumed one all restore it.
    assert_eq!(client.table(&seated.id).await.state(), State::Playing);
    let again =
        client.act(act(&seated.tokens[0], answer_index(decision.id, 0))).await.unwrap().answered.unwrap();
    assert_eq!(again.status(), Status::Repeated);
    let mut stream =
        PlayStream::open_attached(&client, 1, resume_after(again.number, play_seat(&seated.tokens[1]))).await;
    let now = stream.reader.decision(1).await;
    assert_eq!((now.id, now.view, now.legal_actions), (open.id, open.view, open.legal_actions));
    assert_eq!(stream.answer(1, answer_index(open.id, 0)).await.status(), Status::Accepted);
    assert_eq!(place(&server, &seated.id).await, Place::InPlay, "in play again");
    drop(stream);
    let players = server.play_seats(&seated).await;
    assert!(players.iter().all(|seen| seen.over().result.is_some()));
}

#[tokio::test]
async fn clock_wakes_an_evicted_table() {
    let server = TestServer::with_settings(|settings| settings.table.idle = Span::from_ms(10_000)).await;
    let client = server.client();
    let open = client.new_table(v1::CreateTableRequest { fill_ms: Some(3_600_000), ..gap(2) }).await;
    // A correspondence game: a day for each decision, and no connected player.
    let day = 24 * 3_600_000;
    let slow = client.new_seated_table(timed(clock(day as u32, 0, 0, 1), gap(2))).await;
    server.advance(ms(30_000));
    wait_until("rest", async || {
        let places = [place(&server, &open).await, place(&server, &slow.id).await];
        places.iter().all(|place| matches!(place, Place::AtRest { wakes_at: Some(_) }))
    })
    .await;
    server.advance_to(ms(3_600_000));
    wait_until("its end", async || place(&server, &open).await == Place::Finished).await;
    assert_eq!(client.table(&open).await.state(), State::Expired);
    // For 30 s after the start the clock of an absent seat stands still.
    server.advance_to(ms(day + 30_000));
    wait_until("a forfeit", async || {
        client.table(&slow.id).await.seats[0].forfeited() == v1::SeatFinish::Disconnected
    })
    .await;
}

#[tokio::test]
async fn clock_runs_while_its_table_is_evicted() {
    let server = TestServer::with_settings(|settings| settings.table.idle = Span::from_ms(10_000)).await;
    server.advance(ms(30_000));
    let client = server.client();
    let seated = client.new_seated_table(timed(clock(3_600_000, 0, 0, 1), gap(2))).await;
    server.advance(ms(30_000));
    wait_until("rest", async || matches!(place(&server, &seated.id).await, Place::AtRest { .. })).await;
    server.advance_to(ms(1_030_000));
    let mut stream = PlayStream::open_attached(&client, 0, play_seat(&seated.tokens[0])).await;
    assert_eq!(
        stream.reader.decision(0).await.time_left_ms,
        Some(2_600_000),
        "eviction does not stop the clock"
    );
}

#[tokio::test]
async fn idle_table_with_a_near_deadline_stays_in_memory_without_polling() {
    // No viewer, and the clock runs out soon: the table stays in memory until then, with that as its only
    // deadline.
    let server = TestServer::with_settings(|settings| settings.table.idle = Span::from_ms(10_000)).await;
    server.advance(ms(30_000));
    let client = server.client();
    let seated = client.new_seated_table(timed(clock(15_000, 0, 0, 1), gap(2))).await;
    server.advance_to_deadline(ms(45_000)).await;
    assert_eq!(place(&server, &seated.id).await, Place::InPlay);
    server.advance_to(ms(45_000));
    wait_until("a forfeit", async || client.table(&seated.id).await.seats[0].forfeited != 0).await;
}

#[tokio::test]
async fn retention_deletes_finished_tables_by_age() {
    let server = TestServer::with_settings(|settings| {
        settings.retention.finished = RetentionPeriod::For(Span::from_ms(900_000));
    })
    .await;
    let client = server.client();
    let bots = v1::CreateTableRequest { seats: vec![house("random"), house("random")], ..gap(2) };
    let old = client.new_table(bots.clone()).await;
    wait_until("its end", async || client.table(&old).await.result.is_some()).await;
    server.advance_to_deadline(ms(600_000)).await;
    server.advance_to(ms(600_000));
    let newer = client.new_table(bots).await;
    wait_until("its end", async || client.table(&newer).await.result.is_some()).await;
    let playing =
        client.new_seated_table(v1::CreateTableRequest { seats: vec![open(), open()], ..gap(2) }).await;
    server.advance_to_deadline(ms(1_200_000)).await;
    assert!(client.get_table(get(&old)).await.is_ok(), "too young at the sweep ten minutes ago");
    server.advance_to(ms(1_200_000));
    wait_until("removal", async || client.get_table(get(&old)).await.is_err()).await;
    assert_eq!(error_reason(client.get_table(get(&old)).await), Reason::TableNotFound);
    assert_eq!(client.table(&newer).await.state(), State::Finished);
    assert_eq!(client.table(&playing.id).await.state(), State::Playing);
}
