//! A slow disk: the time in which appends wait is charged to nobody.

use std::sync::Arc;
use std::time::Duration;

use parlor_engine::GameId;
use parlor_proto::v1::{self, AnswerStatus as Status, SeatFinish, stream_item::Item};

use crate::faulty_log::FaultyLog;
use crate::streams::{ALL_WANTS, PlayStream, answer_index, answer_item, attach_item, play_seat, with_wants};
use crate::table_requests::{SeatedTable, clock, gap, table, timed};
use crate::test_server::{TestServer, ms};

async fn slow_server() -> (Arc<FaultyLog>, TestServer) {
    let log = FaultyLog::new();
    let server = TestServer::with_log(log.clone(), |_| {}).await;
    // Past the time in which no seat counts as disconnected.
    server.advance(ms(60_000));
    (log, server)
}

/// Attaches these seats over one stream, each on the channel of its number, with all wants.
async fn attach_seats(server: &TestServer, seated: &SeatedTable, seats: &[u32]) -> PlayStream {
    let mut stream = PlayStream::open(&server.client()).await;
    let attach = |seat: &u32| {
        let token = &seated.tokens[*seat as usize];
        attach_item(*seat, with_wants(ALL_WANTS, play_seat(token)))
    };
    stream.send(seats.iter().map(attach).collect()).await;
    stream
}

/// Sends an answer whose append is held; returns once it is.
async fn answer_with_held_append(log: &FaultyLog, stream: &mut PlayStream, seat: u32, decision: u32) {
    log.hold_appends();
    stream.send(vec![answer_item(seat, answer_index(decision, 0))]).await;
    log.wait_for_held_append().await;
}

/// The think time of the next decision of this seat that is decided. Items before it are dropped.
async fn next_think_ms(stream: &mut PlayStream, seat: u32) -> u32 {
    loop {
        if let Item::Update(update) = stream.reader.next_on(seat).await
            && let Some(decided) = update.decided
        {
            return decided.think_ms;
        }
    }
}

/// The next presence of this seat, as channel 0 is told. Items before it are dropped.
async fn next_presence(stream: &mut PlayStream, seat: u32, connected: bool) -> v1::Presence {
    loop {
        let presence = stream.reader.presence(0).await;
        if (presence.seat, presence.connected) == (seat, connected) {
            return presence;
        }
    }
}

#[tokio::test]
async fn seats_that_answer_at_once_do_not_time_out_on_a_slow_disk() {
    let (log, server) = slow_server().await;
    let seated = server.new_seated_table(timed(clock(2_000, 0, 0, 1), gap(2))).await;
    let mut stream = attach_seats(&server, &seated, &[0, 1]).await;
    for seat in [0, 1, 0, 1, 0, 1] {
        let decision = stream.reader.decision(seat).await;
        assert_eq!(decision.time_left_ms, Some(2_000));
        answer_with_held_append(&log, &mut stream, seat, decision.id).await;
        server.advance(ms(3_000));
        log.recover();
        assert_eq!(stream.reader.answered(seat).await.status(), Status::Accepted);
        assert_eq!(next_think_ms(&mut stream, seat).await, 0);
    }
    let shown = server.client().table(&seated.id).await;
    let forfeited: Vec<SeatFinish> = shown.seats.iter().map(v1::TableSeat::forfeited).collect();
    assert_eq!(forfeited, [SeatFinish::Unspecified; 2]);
    // The clock of the next seat has its full time from the moment of its prompt.
    stream.reader.decision(0).await;
    let prompted = Duration::from_secs(60 + 6 * 3);
    server.advance_to_deadline(prompted + ms(2_000)).await;
}

#[tokio::test]
async fn answer_is_charged_until_it_arrives() {
    let (log, server) = slow_server().await;
    let seated = server.new_seated_table(timed(clock(2_000, 0, 0, 3), table(GameId::HabeFertig, 3))).await;
    let mut stream = attach_seats(&server, &seated, &[0, 1, 2]).await;
    for seat in [0, 1, 2] {
        assert_eq!(stream.reader.decision(seat).await.id, 1, "simultaneous first decisions");
    }
    server.advance(ms(100));
    answer_with_held_append(&log, &mut stream, 0, 1).await;
    server.advance(ms(200));
    stream.send(vec![answer_item(1, answer_index(1, 0))]).await;
    // The answer has arrived, and waits for the append before it.
    stream.discard_presence().await;
    stream.assert_nothing_on(1).await;
    server.advance(ms(3_000));
    log.recover();
    assert_eq!(stream.reader.answered(1).await.status(), Status::Accepted);
    assert_eq!(next_think_ms(&mut stream, 0).await, 100);
    assert_eq!(next_think_ms(&mut stream, 1).await, 300);
}

#[tokio::test]
async fn grace_is_used_until_the_player_is_back() {
    let (log, server) = slow_server().await;
    let clock = clock(2_000, 0, 10_000, 1);
    let seated = server.new_seated_table(timed(clock, table(GameId::HabeFertig, 2))).await;
    let mut stream = attach_seats(&server, &seated, &[0]).await;
    let first = attach_seats(&server, &seated, &[1]).await;
    let decision = stream.reader.decision(0).await;
    next_presence(&mut stream, 1, true).await;
    drop(first);
    next_presence(&mut stream, 1, false).await;
    server.advance(ms(1_000));
    answer_with_held_append(&log, &mut stream, 0, decision.id).await;
    let mut again = attach_seats(&server, &seated, &[1]).await;
    again.assert_nothing_on(1).await;
    server.advance(ms(3_000));
    log.recover();
    again.reader.decision(1).await;
    let back = next_presence(&mut stream, 1, true).await;
    assert_eq!(back.grace_left_ms, Some(9_000));
}
