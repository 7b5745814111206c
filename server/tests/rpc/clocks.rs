//! Clocks: time per decision, bank, grace while disconnected, timeouts and forfeits.

use parlor_proto::v1::{self, AnswerStatus as Status, DecidedBy, SeatFinish, table_event::Event};

use crate::streams::{ALL_WANTS, PlayStream, answer_index, attach_item, play_seat, with_wants};
use crate::table_requests::{SeatedTable, act, clock, gap, resign, timed};
use crate::test_server::{TestServer, ms};

/// Attaches both seats of a table over one stream, each on the channel of its number, with all wants.
async fn attach_both(server: &TestServer, seated: &SeatedTable) -> PlayStream {
    let mut stream = PlayStream::open(&server.client()).await;
    let seats = (0..).zip(&seated.tokens);
    stream
        .send(
            seats
                .map(|(channel, token)| attach_item(channel, with_wants(ALL_WANTS, play_seat(token))))
                .collect(),
        )
        .await;
    stream
}

/// The next update with a decided decision on this channel. Items before it are dropped.
async fn next_decided(stream: &mut PlayStream, channel: u32) -> (v1::Update, v1::Decided) {
    loop {
        if let v1::stream_item::Item::Update(update) = stream.reader.next_on(channel).await
            && let Some(decided) = update.decided.clone()
        {
            return (update, decided);
        }
    }
}

/// Answers the next decision of a seat with the first action.
async fn play_first_action(stream: &mut PlayStream, channel: u32) {
    let decision = stream.reader.decision(channel).await;
    assert_eq!(stream.answer(channel, answer_index(decision.id, 0)).await.status(), Status::Accepted);
}

#[tokio::test]
async fn decision_time_is_used_before_the_bank() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(timed(clock(1_000, 2_000, 0, 3), gap(2))).await;
    let mut stream = attach_both(&server, &seated).await;

    let first = stream.reader.decision(0).await;
    assert_eq!((first.time_left_ms, first.bank_left_ms), (Some(1_000), Some(2_000)));
    server.advance(ms(400));
    let answer = v1::Answer { think_ms: Some(7), ..answer_index(first.id, 0) };
    stream.answer(0, answer).await;
    let (_, made) = next_decided(&mut stream, 0).await;
    assert_eq!((made.think_ms, made.bank_left_ms, made.by()), (400, Some(2_000), DecidedBy::Player));

    let second = stream.reader.decision(1).await;
    assert_eq!((second.time_left_ms, second.bank_left_ms), (Some(1_000), Some(2_000)));
    server.advance(ms(1_700));
    stream.answer(1, answer_index(second.id, 0)).await;
    let (_, made) = next_decided(&mut stream, 1).await;
    assert_eq!(
        (made.think_ms, made.bank_left_ms),
        (1_700, Some(1_300)),
        "the bank pays 700 ms beyond the decision time"
    );

    // Seat 0 uses up its decision time and its bank.
    let third = stream.reader.decision(0).await;
    server.advance_to_deadline(ms(5_100)).await;
    server.advance_to(ms(5_100));
    let (update, made) = next_decided(&mut stream, 0).await;
    let ran_out = v1::ClockRanOut { seat: 0, times: 1 };
    assert_eq!(update.table_events, [v1::TableEvent { event: Some(Event::ClockRanOut(ran_out)) }]);
    assert_eq!((made.decision_id, made.index, made.by()), (third.id, third.default_index, DecidedBy::Clock));
    assert_eq!((made.think_ms, made.bank_left_ms), (3_000, Some(0)));
    assert_eq!(made.action.as_ref(), third.legal_actions.get(third.default_index as usize));

    // Answers after the timeout.
    let other = (third.default_index + 1) % third.legal_count;
    let late = stream.answer(0, answer_index(third.id, other)).await;
    assert_eq!((late.status(), late.action, late.number), (Status::Conflict, made.action, update.number));
    assert_eq!(
        stream.answer(0, answer_index(third.id, third.default_index)).await.status(),
        Status::Repeated
    );

    let fourth = stream.reader.decision(1).await;
    assert_eq!((fourth.time_left_ms, fourth.bank_left_ms), (Some(1_000), Some(1_300)));
    // A snapshot during the decision has the time left.
    server.advance(ms(1_100));
    let mut again = PlayStream::open_attached(&server.client(), 5, play_seat(&seated.tokens[1])).await;
    let snapshot = again.reader.snapshot(5).await;
    let time = v1::SeatTime { seat: 1, decision_ms: 0, bank_ms: 1_200, running: true };
    assert_eq!(snapshot.time_left, Some(v1::TimeLeft { seats: vec![time] }));
    let seen = again.reader.decision(5).await;
    assert_eq!((seen.id, seen.time_left_ms, seen.bank_left_ms), (fourth.id, Some(0), Some(1_200)));
}

/// Plays a table to its end while seat 0 times out `times` times and forfeits; returns the result.
async fn play_with_silent_seat(
    server: &TestServer,
    seated: &SeatedTable,
    stream: &mut PlayStream,
    times: u32,
) -> v1::TableResult {
    for time in 1..=times {
        let decision = stream.reader.decision(0).await;
        server.advance(ms(1_000));
        let (update, made) = next_decided(stream, 0).await;
        assert_eq!((made.decision_id, made.by()), (decision.id, DecidedBy::Clock));
        let events: Vec<Event> = update.table_events.into_iter().filter_map(|event| event.event).collect();
        assert_eq!(events.first(), Some(&Event::ClockRanOut(v1::ClockRanOut { seat: 0, times: time })));
        let forfeited = v1::SeatForfeited { seat: 0, why: SeatFinish::TimedOut.into() };
        assert_eq!(events.get(1), (time == times).then_some(&Event::SeatForfeited(forfeited)));
        play_first_action(stream, 1).await;
    }
    let table = server.client().table(&seated.id).await;
    assert_eq!(table.seats[0].forfeited(), SeatFinish::TimedOut);
    // From now on the server plays default actions for seat 0 at once.
    loop {
        match stream.reader.next_on(1).await {
            v1::stream_item::Item::Decision(decision) => {
                stream.answer(1, answer_index(decision.id, 0)).await;
            }
            v1::stream_item::Item::Update(update) => {
                let over = update.table_events.iter().find_map(|event| match &event.event {
                    Some(Event::Over(over)) => over.result.clone(),
                    _ => None,
                });
                if let Some(result) = over {
                    return result;
                }
            }
            _ => {}
        }
    }
}

#[tokio::test]
async fn seat_forfeits_after_too_many_timeouts() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(timed(clock(1_000, 0, 0, 2), gap(2))).await;
    let mut stream = attach_both(&server, &seated).await;
    let result = play_with_silent_seat(&server, &seated, &mut stream, 2).await;
    assert_eq!(result.reason(), v1::EndReason::PlayedOut);
    let [zero, one] = &result.seats[..] else { panic!("{result:?}") };
    assert_eq!((zero.place, zero.finish(), zero.clocks_run_out), (2, SeatFinish::TimedOut, 2));
    assert_eq!((one.place, one.finish(), one.clocks_run_out), (1, SeatFinish::PlayedOut, 0));
    assert_eq!((zero.think_ms, one.think_ms), (2_000, 0), "default actions take no time");
    // The player of the forfeited seat still receives updates, but no decisions.
    loop {
        match stream.reader.next_on(0).await {
            v1::stream_item::Item::Update(update) => {
                assert_eq!(update.decided, None, "a default action of a forfeited seat decides no decision");
                if update.table_events.iter().any(|event| matches!(event.event, Some(Event::Over(_)))) {
                    return;
                }
            }
            v1::stream_item::Item::Decision(decision) => {
                panic!("a decision for a forfeited seat: {decision:?}")
            }
            _ => {}
        }
    }
}

#[tokio::test]
async fn result_has_the_total_think_time() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(timed(clock(60_000, 0, 0, 3), gap(2))).await;
    let mut stream = attach_both(&server, &seated).await;
    let mut thought = [0, 0];
    let result = 'over: loop {
        let (channel, item) = stream.reader.next().await;
        match item {
            v1::stream_item::Item::Decision(decision) => {
                let time = 100 + decision.id;
                server.advance(ms(time.into()));
                thought[channel as usize] += time;
                stream.send(vec![crate::streams::answer_item(channel, answer_index(decision.id, 0))]).await;
            }
            v1::stream_item::Item::Update(update) => {
                for event in update.table_events {
                    if let Some(Event::Over(over)) = event.event {
                        break 'over over.result.expect("a result");
                    }
                }
            }
            _ => {}
        }
    };
    assert_eq!([result.seats[0].think_ms, result.seats[1].think_ms], thought);
}

/// A table with a stream for each seat and a decision for seat 0, after the 30 s in which no seat counts as
/// disconnected.
async fn two_streams(server: &TestServer, clock: v1::ClockSettings) -> (SeatedTable, PlayStream, PlayStream) {
    server.advance(ms(60_000));
    let seated = server.new_seated_table(timed(clock, gap(2))).await;
    let attaches =
        [0, 1].map(|place| (place, with_wants(ALL_WANTS, play_seat(&seated.tokens[place as usize]))));
    let [zero, one] = attaches;
    let mut one = PlayStream::open_attached(&server.client(), one.0, one.1).await;
    one.reader.snapshot(1).await;
    let mut zero = PlayStream::open_attached(&server.client(), zero.0, zero.1).await;
    zero.reader.snapshot(0).await;
    assert_eq!(one.reader.presence(1).await, presence(1, true, 5_000), "seat 1 connects");
    assert_eq!(one.reader.presence(1).await, presence(0, true, 5_000));
    (seated, zero, one)
}

fn presence(seat: u32, connected: bool, grace: u32) -> v1::Presence {
    v1::Presence { seat, connected, grace_left_ms: Some(grace) }
}

/// The next time left on this channel. Items before it are dropped.
async fn time_left(stream: &mut PlayStream, channel: u32) -> v1::SeatTime {
    loop {
        if let v1::stream_item::Item::TimeLeft(left) = stream.reader.next_on(channel).await {
            return left.seats[0];
        }
    }
}

#[tokio::test]
async fn clock_stops_while_disconnected_for_at_most_the_grace() {
    let server = TestServer::new().await;
    let (seated, mut zero, mut one) = two_streams(&server, clock(1_000, 0, 5_000, 1)).await;
    let asked = zero.reader.decision(0).await;
    server.advance(ms(300));
    drop(zero);
    assert_eq!(one.reader.presence(1).await, presence(0, false, 5_000));
    let left = time_left(&mut one, 1).await;
    assert_eq!((left.seat, left.decision_ms, left.running), (0, 700, false));
    server.advance_to(ms(63_300));
    let mut zero =
        PlayStream::open_attached(&server.client(), 0, with_wants(ALL_WANTS, play_seat(&seated.tokens[0])))
            .await;
    let snapshot = zero.reader.snapshot(0).await;
    assert_eq!(snapshot.time_left.expect("time").seats[0].decision_ms, 700);
    assert_eq!(one.reader.presence(1).await, presence(0, true, 2_000));
    let again = zero.reader.decision(0).await;
    assert_eq!((again.id, again.time_left_ms), (asked.id, Some(700)));
    server.advance(ms(100));
    zero.answer(0, answer_index(asked.id, 0)).await;
    let (_, made) = next_decided(&mut zero, 0).await;
    assert_eq!(
        (made.think_ms, made.by()),
        (400, DecidedBy::Player),
        "time while disconnected is not charged"
    );

    // The grace is counted over the whole game. When it is used up, the clock runs again.
    play_first_action(&mut one, 1).await;
    zero.reader.decision(0).await;
    drop(zero);
    assert_eq!(one.reader.presence(1).await, presence(0, false, 2_000));
    server.advance_to_deadline(ms(65_400)).await;
    server.advance_to(ms(65_400));
    server.advance_to_deadline(ms(66_400)).await;
    server.advance_to(ms(66_400));
    let why = one
        .reader
        .event(1, |event| match event {
            Event::SeatForfeited(forfeited) => Some(forfeited.why()),
            _ => None,
        })
        .await;
    assert_eq!(why, SeatFinish::Disconnected);
    loop {
        play_first_action(&mut one, 1).await;
        let table = server.client().table(&seated.id).await;
        if let Some(result) = table.result {
            assert_eq!((result.seats[0].finish(), result.seats[0].place), (SeatFinish::Disconnected, 2));
            return;
        }
    }
}

#[tokio::test]
async fn seat_is_connected_until_its_last_stream_ends() {
    let server = TestServer::new().await;
    let (seated, zero, mut one) = two_streams(&server, clock(1_000, 0, 5_000, 1)).await;
    let client = server.client();
    let mut follower =
        crate::streams::open_follow(&client, vec![(3, play_seat(&seated.tokens[0]))]).await.unwrap();
    follower.snapshot(3).await;
    drop(zero);
    let mut third = PlayStream::open_attached(&client, 0, play_seat(&seated.tokens[0])).await;
    let snapshot = third.reader.snapshot(0).await;
    assert!(snapshot.presence.iter().all(|presence| presence.connected), "{:?}", snapshot.presence);
    third.send(vec![crate::streams::detach_item(0)]).await;
    third.reader.decision(0).await;
    third.reader.closed(0).await;
    drop(follower);
    assert_eq!(one.reader.presence(1).await, presence(0, false, 5_000), "the first presence change");
}

#[tokio::test]
async fn no_seat_is_disconnected_for_30_s_after_a_start() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(timed(clock(1_000, 0, 5_000, 1), gap(2))).await;
    server.advance_to_deadline(ms(35_000)).await;
    server.advance_to(ms(30_000));
    let mut stream = attach_both(&server, &seated).await;
    assert_eq!(stream.reader.decision(0).await.time_left_ms, Some(1_000));
    assert_eq!(stream.reader.presence(1).await.grace_left_ms, Some(5_000));
}

#[tokio::test]
async fn seats_that_never_connect_time_out_as_disconnected() {
    let server = TestServer::new().await;
    server.advance(ms(60_000));
    let seated = server.new_seated_table(timed(clock(1_000, 500, 5_000, 1), gap(2))).await;
    server.advance_to_deadline(ms(65_000)).await;
    server.advance_to(ms(65_000));
    server.advance_to_deadline(ms(66_500)).await;
    server.advance_to(ms(66_500));
    // Seat 0 has forfeited; the next decision is that of seat 1, which has not connected either.
    server.advance_to_deadline(ms(71_500)).await;
    server.advance_to(ms(71_500));
    server.advance_to_deadline(ms(73_000)).await;
    server.advance_to(ms(73_000));
    let mut spectator =
        PlayStream::open_attached(&server.client(), 1, crate::streams::spectate(&seated.id)).await;
    let table = spectator.reader.snapshot(1).await.table.expect("a table");
    let result = match table.result {
        Some(result) => result,
        None => spectator.reader.table_over(1).await.result.expect("a result"),
    };
    assert_eq!(result.reason(), v1::EndReason::PlayedOut);
    // Seat 1 forfeited later, and so ranks higher.
    for (seat, place) in result.seats.iter().zip([2, 1]) {
        assert_eq!((seat.place, seat.finish(), seat.clocks_run_out), (place, SeatFinish::Disconnected, 1));
    }
}

#[tokio::test]
async fn table_without_a_clock_never_times_out() {
    let server = TestServer::new().await;
    let seated = server.new_seated_table(gap(2)).await;
    let mut stream = attach_both(&server, &seated).await;
    let decision = stream.reader.decision(0).await;
    assert_eq!((decision.time_left_ms, decision.bank_left_ms), (None, None));
    server.advance(ms(40 * 24 * 3_600_000));
    let acted = server.client().act(act(&seated.tokens[0], answer_index(decision.id, 0))).await.unwrap();
    assert_eq!(acted.answered.expect("an answer").status(), Status::Accepted);
    let (_, made) = next_decided(&mut stream, 0).await;
    assert_eq!((made.by(), made.bank_left_ms), (DecidedBy::Player, None));
}

#[tokio::test]
async fn unset_clock_fields_get_the_server_defaults() {
    let server = TestServer::new().await;
    let defaults = v1::ClockSettings {
        decision_ms: Some(30_000),
        bank_ms: Some(120_000),
        grace_ms: Some(120_000),
        forfeit_after: Some(3),
        hidden_window_ms: Some(5_000),
        constant_hidden_windows: Some(false),
    };
    let no_bank = v1::ClockSettings { bank_ms: Some(0), ..v1::ClockSettings::default() };
    let cases = [
        (None, defaults),
        (Some(v1::ClockSettings::default()), defaults),
        (Some(no_bank), v1::ClockSettings { bank_ms: Some(0), ..defaults }),
    ];
    for (clock, shown) in cases {
        let request = v1::CreateTableRequest { clock, ..gap(2) };
        let table = server.client().new_table(request).await;
        assert_eq!(server.client().table(&table).await.clock, Some(shown));
    }
}

/// Away when it was to decide: the grace that a seat used is in its result.
#[tokio::test]
async fn time_away_is_shown_in_the_result() {
    let server = TestServer::new().await;
    let (seated, mut zero, mut one) = two_streams(&server, clock(10_000, 0, 5_000, 100)).await;
    let decision = zero.reader.decision(0).await;
    drop(zero);
    assert_eq!(one.reader.presence(1).await, presence(0, false, 5_000));
    server.advance(ms(1_500));
    let mut zero = PlayStream::open_attached(&server.client(), 0, play_seat(&seated.tokens[0])).await;
    assert_eq!(zero.reader.decision(0).await.time_left_ms, Some(10_000));
    zero.answer(0, answer_index(decision.id, 0)).await;
    for (token, stream) in [(0, zero), (1, one)] {
        drop(stream);
        server.client().resign_seat(resign(&seated.tokens[token])).await.expect("a seat");
    }
    let result = server.client().table(&seated.id).await.result.expect("a result");
    assert_eq!(
        [0, 1].map(|seat: usize| (result.seats[seat].away_ms, result.seats[seat].think_ms)),
        [(1_500, 0), (0, 0)]
    );
    let record = server.client().record(crate::records::get(&seated.id)).await;
    assert_eq!(record.result, Some(result));
}
