//! Faults of the log (held, failing, damaged): nothing is shown before it is durable, failed commands have no
//! effect, and games continue when the log recovers.

use std::sync::Arc;

use parlor_proto::v1::{self, AnswerStatus as Status, DecidedBy, ErrorReason as Reason, TableState as State};
use parlor_store::LogError;

use crate::faulty_log::{FaultyLog, damaged_error, io_error, no_space_error};
use crate::streams::{PlayStream, answer_index, answer_item, attach_item, play_seat, resume_after, spectate};
use crate::table_requests::{SeatedTable, act, cancel, clock, gap, get, join, timed};
use crate::test_server::{TestServer, ms};

async fn faulty_server() -> (Arc<FaultyLog>, TestServer) {
    let log = FaultyLog::new();
    let server = TestServer::with_log(log.clone(), |_| {}).await;
    (log, server)
}

/// A table with both seats and a spectator attached over one stream, and the first decision of seat 0.
async fn attached_table(
    server: &TestServer,
    request: v1::CreateTableRequest,
) -> (SeatedTable, PlayStream, v1::Decision) {
    let seated = server.new_seated_table(request).await;
    let mut stream = PlayStream::open(&server.client()).await;
    let all = [play_seat(&seated.tokens[0]), play_seat(&seated.tokens[1]), spectate(&seated.id)];
    stream.send((0..).zip(all).map(|(channel, attach)| attach_item(channel, attach)).collect()).await;
    for channel in 0..3 {
        stream.reader.snapshot(channel).await;
    }
    let decision = stream.reader.decision(0).await;
    (seated, stream, decision)
}

#[tokio::test]
async fn answer_is_not_acknowledged_or_shown_before_it_is_durable() {
    let (log, server) = faulty_server().await;
    let (seated, mut stream, decision) = attached_table(&server, gap(2)).await;
    log.hold_appends();
    stream.send(vec![answer_item(0, answer_index(decision.id, 0))]).await;
    log.wait_for_held_append().await;
    for channel in 0..3 {
        stream.assert_nothing_on(channel).await;
    }
    log.recover();
    assert_eq!(stream.reader.answered(0).await.status(), Status::Accepted);
    for channel in 0..3 {
        stream.reader.update(channel).await;
    }
    assert_eq!(server.client().table(&seated.id).await.state(), State::Playing);
}

#[tokio::test]
async fn reads_show_the_last_durable_state_while_an_append_waits() {
    let (log, server) = faulty_server().await;
    let client = server.client();
    let id = client.new_table(gap(2)).await;
    let before = client.table(&id).await;
    log.hold_appends();
    let joining = tokio::spawn({
        let (client, request) = (client.clone(), join(&id));
        async move { client.join_table(request).await }
    });
    log.wait_for_held_append().await;
    for _ in 0..2 {
        assert_eq!(client.table(&id).await, before, "the seat is not taken yet");
    }
    log.recover();
    joining.await.expect("a finished call").expect("a seat");
    assert_ne!(client.table(&id).await.seats[0].occupant, open_occupant());
}

#[tokio::test]
async fn failed_append_has_no_effect_and_is_answered_store_unavailable() {
    for error in [io_error(), no_space_error()] {
        let (log, server) = faulty_server().await;
        let client = server.client();
        let (seated, mut stream, decision) = attached_table(&server, gap(2)).await;
        let open = client.new_table(gap(2)).await;
        log.fail_appends(error);
        let over_stream = stream.answer(0, answer_index(decision.id, 0)).await;
        let over_act =
            client.act(act(&seated.tokens[0], answer_index(decision.id, 0))).await.unwrap().answered.unwrap();
        for refused in [over_stream, over_act] {
            assert_eq!((refused.status(), refused.number), (Status::Refused, 0));
            let refusal = refused.refusal.expect("a reason");
            assert_eq!(refusal.reason(), Reason::StoreUnavailable);
            let text = refusal.text.expect("a text");
            assert!(!text.en.contains("secret") && !text.de.contains("secret"), "{text:?}");
        }
        let refused = [
            client.create_table(gap(2)).await.map(|_| ()),
            client.join_table(join(&open)).await.map(|_| ()),
            client.cancel_table(cancel(&seated.id)).await.map(|_| ()),
        ];
        for refused in refused {
            let refused = refused.expect_err("a failed append");
            assert_eq!(refused.reason, Reason::StoreUnavailable);
            assert!(refused.retry.is_some() && !refused.message.contains("secret"), "{refused:?}");
        }
        // Reads need no append, and the tables are unchanged.
        assert_eq!(client.table(&seated.id).await.state(), State::Playing);
        assert_eq!(client.table(&open).await.seats[0].occupant, open_occupant());
        for channel in 0..3 {
            stream.assert_nothing_on(channel).await;
        }
        log.recover();
        let accepted = stream.answer(0, answer_index(decision.id, 1)).await;
        assert_eq!(accepted.status(), Status::Accepted, "a different answer: the first one had no effect");
        for channel in 0..3 {
            let update = stream.reader.update(channel).await;
            if channel == 0 {
                assert_eq!(
                    (update.number, update.decided.map(|made| made.index)),
                    (accepted.number, Some(1))
                );
            }
        }
        assert_eq!(client.join_table(join(&open)).await.unwrap().seat, 0);
    }
}

/// A table whose creation failed leaves nothing behind that appends later.
#[tokio::test]
async fn failed_table_creation_leaves_no_timers() {
    let (log, server) = faulty_server().await;
    let client = server.client();
    let request = || v1::CreateTableRequest { fill_ms: Some(90_000), ..gap(2) };
    log.fail_appends(no_space_error());
    for _ in 0..8 {
        client.create_table(request()).await.expect_err("a failed append");
    }
    log.recover();
    let id = client.new_table(request()).await;
    let mut spectator = PlayStream::open_attached(&client, 1, spectate(&id)).await;
    spectator.reader.snapshot(1).await;
    let before = log.append_count();
    server.advance(ms(90_000));
    spectator.reader.table_over(1).await;
    assert_eq!(log.append_count() - before, 1, "only the created table expires");
}

fn open_occupant() -> Option<v1::table_seat::Occupant> {
    Some(v1::table_seat::Occupant::Open(v1::OpenSeat {}))
}

#[tokio::test]
async fn store_downtime_is_not_charged_to_clocks() {
    let (log, server) = faulty_server().await;
    let (seated, mut stream, decision) = attached_table(&server, timed(clock(1_000, 0, 0, 1), gap(2))).await;
    log.fail_appends(io_error());
    server.advance(ms(900));
    stream.answer(0, answer_index(decision.id, 0)).await;
    // The failed append restarted the decision time: the clock runs out a second later.
    let mut again = PlayStream::open_attached(&server.client(), 1, play_seat(&seated.tokens[0])).await;
    assert_eq!(again.reader.decision(1).await.time_left_ms, Some(1_000));
    server.advance_to_deadline(ms(1_900)).await;
    server.advance_to(ms(1_900));
    // The timeout cannot be stored either. The table retries after the full decision time.
    server.advance_to_deadline(ms(2_900)).await;
    log.recover();
    server.advance_to(ms(2_900));
    let update = stream.reader.update(0).await;
    let made = update.decided.expect("a decided decision");
    assert_eq!((made.decision_id, made.by(), made.think_ms), (decision.id, DecidedBy::Clock, 1_000));
}

#[tokio::test]
async fn busy_log_is_answered_rate_limited_with_a_retry_delay() {
    let (log, server) = faulty_server().await;
    log.fail_appends(LogError::QueueFull);
    let refused = server.client().create_table(gap(2)).await.expect_err("busy");
    assert_eq!(refused.reason, Reason::RateLimited);
    assert!(refused.retry.is_some());
}

#[tokio::test]
async fn damaged_table_is_refused_and_others_are_unaffected() {
    let (log, server) = faulty_server().await;
    let client = server.client();
    let over = client.new_table(gap(2)).await;
    client.cancel_table(cancel(&over)).await.unwrap();
    let playing = client.new_seated_table(gap(2)).await;
    for fail_reads in [false, true] {
        if fail_reads {
            log.fail_reads(damaged_error());
        } else {
            log.corrupt_records(b"no record at all");
        }
        let refused = client.get_table(get(&over)).await.expect_err("damaged");
        assert_eq!(refused.reason, Reason::TableDamaged);
        assert!(!refused.message.contains("secret") && !refused.message.contains("hash"), "{refused:?}");
        for number in [None, Some(0)] {
            let attach =
                number.map_or_else(|| spectate(&over), |number| resume_after(number, spectate(&over)));
            let mut stream = PlayStream::open_attached(&client, 1, attach).await;
            let closed = stream.reader.closed(1).await;
            assert_eq!((closed.reason(), closed.retry), (Reason::TableDamaged, false));
        }
        // A listing omits what cannot be read.
        let listed = client.list_tables(v1::ListTablesRequest::default()).await.unwrap().tables;
        assert_eq!(listed.iter().map(|table| &table.table_id).collect::<Vec<_>>(), [&playing.id]);
        log.recover();
    }
    assert_eq!(client.table(&over).await.state(), State::Cancelled, "readable again");
}

#[tokio::test]
async fn server_fault_does_not_leak_internals() {
    let (log, server) = faulty_server().await;
    let client = server.client();
    let seated = server.new_seated_table(gap(2)).await;
    log.fail_appends(LogError::Invalid { what: "secret thing", allowed: "something else" });
    let refused = client.create_table(gap(2)).await.expect_err("a fault");
    assert_eq!(refused.reason, Reason::ServerFault);
    assert!(!refused.message.contains("secret"), "{refused:?}");
    let answered = client.act(act(&seated.tokens[0], answer_index(1, 0))).await.unwrap().answered.unwrap();
    assert_eq!(answered.refusal.expect("a reason").reason(), Reason::ServerFault);
    log.recover();
    let answered = client.act(act(&seated.tokens[0], answer_index(1, 0))).await.unwrap().answered.unwrap();
    assert_eq!(answered.status(), Status::Accepted);
}

#[tokio::test]
async fn house_bot_decision_is_retried_after_a_failed_append() {
    let (log, server) = faulty_server().await;
    let client = server.client();
    let seats = vec![crate::table_requests::open(), crate::table_requests::house("random")];
    let seated = server.new_seated_table(v1::CreateTableRequest { seats, ..gap(2) }).await;
    let mut stream = PlayStream::open_attached(&client, 0, play_seat(&seated.tokens[0])).await;
    let decision = stream.reader.decision(0).await;
    // The answer is stored; the append of the bot's decision fails.
    log.fail_appends_after(1, io_error());
    assert_eq!(stream.answer(0, answer_index(decision.id, 0)).await.status(), Status::Accepted);
    log.wait_for_failed_append().await;
    log.recover();
    // The table retries after a second.
    server.advance_to_deadline(ms(1_000)).await;
    server.advance_to(ms(1_000));
    assert_eq!(stream.reader.decision(0).await.id, decision.id + 1);
}
