//! Time: for a decision, in the bank, while a player is away; and what becomes of those who run out of it.

use parlor_proto::v1::{self, AnswerStatus as Status, DecidedBy, SeatFinish, table_event::Event};

use crate::streams::{EVERYTHING, Line, attaching, index, seat, wanting};
use crate::table_requests::{Seated, act, clock, gap, timed};
use crate::test_server::{Scene, ms};

/// Both seats of a table over one stream, each on the channel of its number, told everything.
async fn both(scene: &Scene, seated: &Seated) -> Line {
    let mut line = Line::open(&scene.anyone()).await;
    let seats = (0..).zip(&seated.tokens);
    line.say(seats.map(|(channel, token)| attaching(channel, wanting(EVERYTHING, seat(token)))).collect())
        .await;
    line
}

/// What is decided next on this channel. What comes before it is dropped.
async fn decided(line: &mut Line, channel: u32) -> (v1::Update, v1::Decided) {
    loop {
        if let v1::stream_item::Item::Update(update) = line.heard.on(channel).await
            && let Some(decided) = update.decided.clone()
        {
            return (update, decided);
        }
    }
}

/// Plays the first action for a seat, when it is asked.
async fn move_on(line: &mut Line, channel: u32) {
    let decision = line.heard.decision(channel).await;
    assert_eq!(line.answer(channel, index(decision.id, 0)).await.status(), Status::Accepted);
}

#[tokio::test]
async fn a_decision_has_its_time_and_then_the_bank() {
    let scene = Scene::new().await;
    let seated = scene.seat_all(timed(clock(1_000, 2_000, 0, 3), gap(2))).await;
    let mut line = both(&scene, &seated).await;

    let first = line.heard.decision(0).await;
    assert_eq!((first.time_left_ms, first.bank_left_ms), (Some(1_000), Some(2_000)));
    scene.advance(ms(400));
    let answer = v1::Answer { think_ms: Some(7), ..index(first.id, 0) };
    line.answer(0, answer).await;
    let (_, made) = decided(&mut line, 0).await;
    assert_eq!((made.think_ms, made.bank_left_ms, made.by()), (400, Some(2_000), DecidedBy::Player));

    let second = line.heard.decision(1).await;
    assert_eq!((second.time_left_ms, second.bank_left_ms), (Some(1_000), Some(2_000)));
    scene.advance(ms(1_700));
    line.answer(1, index(second.id, 0)).await;
    let (_, made) = decided(&mut line, 1).await;
    assert_eq!((made.think_ms, made.bank_left_ms), (1_700, Some(1_300)), "700 beyond the decision's own");

    // Seat 0 has all of its time: the decision's own, and the bank.
    let third = line.heard.decision(0).await;
    scene.sleeps_until(ms(5_100)).await;
    scene.advance_to(ms(5_100));
    let (update, made) = decided(&mut line, 0).await;
    let ran_out = v1::ClockRanOut { seat: 0, times: 1 };
    assert_eq!(update.table_events, [v1::TableEvent { event: Some(Event::ClockRanOut(ran_out)) }]);
    assert_eq!((made.decision_id, made.index, made.by()), (third.id, third.default_index, DecidedBy::Clock));
    assert_eq!((made.think_ms, made.bank_left_ms), (3_000, Some(0)));
    assert_eq!(made.action.as_ref(), third.legal_actions.get(third.default_index as usize));

    // Whoever answers then is late.
    let other = (third.default_index + 1) % third.legal_count;
    let late = line.answer(0, index(third.id, other)).await;
    assert_eq!((late.status(), late.action, late.number), (Status::Conflict, made.action, update.number));
    assert_eq!(line.answer(0, index(third.id, third.default_index)).await.status(), Status::Repeated);

    let fourth = line.heard.decision(1).await;
    assert_eq!((fourth.time_left_ms, fourth.bank_left_ms), (Some(1_000), Some(1_300)));
    // Whoever looks in the middle sees what is left.
    scene.advance(ms(1_100));
    let mut again = Line::attached(&scene.anyone(), 5, seat(&seated.tokens[1])).await;
    let snapshot = again.heard.snapshot(5).await;
    let time = v1::SeatTime { seat: 1, decision_ms: 0, bank_ms: 1_200, running: true };
    assert_eq!(snapshot.time_left, Some(v1::TimeLeft { seats: vec![time] }));
    let seen = again.heard.decision(5).await;
    assert_eq!((seen.id, seen.time_left_ms, seen.bank_left_ms), (fourth.id, Some(0), Some(1_200)));
}

/// Plays a table to its end, in which seat 0 is silent; gives the result.
async fn silent(scene: &Scene, seated: &Seated, line: &mut Line, times: u32) -> v1::TableResult {
    for time in 1..=times {
        let decision = line.heard.decision(0).await;
        scene.advance(ms(1_000));
        let (update, made) = decided(line, 0).await;
        assert_eq!((made.decision_id, made.by()), (decision.id, DecidedBy::Clock));
        let events: Vec<Event> = update.table_events.into_iter().filter_map(|event| event.event).collect();
        assert_eq!(events.first(), Some(&Event::ClockRanOut(v1::ClockRanOut { seat: 0, times: time })));
        let forfeited = v1::SeatForfeited { seat: 0, why: SeatFinish::TimedOut.into() };
        assert_eq!(events.get(1), (time == times).then_some(&Event::SeatForfeited(forfeited)));
        move_on(line, 1).await;
    }
    let table = scene.anyone().look(&seated.id).await;
    assert_eq!(table.seats[0].forfeited(), SeatFinish::TimedOut);
    // From now on the house plays for seat 0, at once.
    loop {
        match line.heard.on(1).await {
            v1::stream_item::Item::Decision(decision) => {
                line.answer(1, index(decision.id, 0)).await;
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
async fn a_seat_that_runs_out_of_time_too_often_forfeits() {
    let scene = Scene::new().await;
    let seated = scene.seat_all(timed(clock(1_000, 0, 0, 2), gap(2))).await;
    let mut line = both(&scene, &seated).await;
    let result = silent(&scene, &seated, &mut line, 2).await;
    assert_eq!(result.reason(), v1::EndReason::PlayedOut);
    let [zero, one] = &result.seats[..] else { panic!("{result:?}") };
    assert_eq!((zero.place, zero.finish(), zero.clocks_run_out), (2, SeatFinish::TimedOut, 2));
    assert_eq!((one.place, one.finish(), one.clocks_run_out), (1, SeatFinish::PlayedOut, 0));
    assert_eq!((zero.think_ms, one.think_ms), (2_000, 0), "what the house plays takes no time");
    // Its player goes on watching, and is asked nothing.
    loop {
        match line.heard.on(0).await {
            v1::stream_item::Item::Update(update) => {
                assert_eq!(update.decided, None, "what the house plays was not asked of anybody");
                if update.table_events.iter().any(|event| matches!(event.event, Some(Event::Over(_)))) {
                    return;
                }
            }
            v1::stream_item::Item::Decision(decision) => panic!("the house plays: {decision:?}"),
            _ => {}
        }
    }
}

#[tokio::test]
async fn think_time_is_summed_up_in_the_result() {
    let scene = Scene::new().await;
    let seated = scene.seat_all(timed(clock(60_000, 0, 0, 3), gap(2))).await;
    let mut line = both(&scene, &seated).await;
    let mut thought = [0, 0];
    let result = 'over: loop {
        let (channel, item) = line.heard.next().await;
        match item {
            v1::stream_item::Item::Decision(decision) => {
                let time = 100 + u64::from(decision.id);
                scene.advance(ms(time));
                thought[channel as usize] += time;
                line.say(vec![crate::streams::answering(channel, index(decision.id, 0))]).await;
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

/// A table on a server that has been up for a while, so that whoever is not there is away; seat 0 is asked. Each seat
/// has a stream of its own.
async fn two_lines(scene: &Scene, clock: v1::ClockSettings) -> (Seated, Line, Line) {
    scene.advance(ms(60_000));
    let seated = scene.seat_all(timed(clock, gap(2))).await;
    let lines = [0, 1].map(|place| (place, wanting(EVERYTHING, seat(&seated.tokens[place as usize]))));
    let [zero, one] = lines;
    let mut one = Line::attached(&scene.anyone(), one.0, one.1).await;
    one.heard.snapshot(1).await;
    let mut zero = Line::attached(&scene.anyone(), zero.0, zero.1).await;
    zero.heard.snapshot(0).await;
    assert_eq!(one.heard.presence(1).await, presence(1, true, 5_000), "seat 1 itself");
    assert_eq!(one.heard.presence(1).await, presence(0, true, 5_000));
    (seated, zero, one)
}

fn presence(seat: u32, connected: bool, grace: u32) -> v1::Presence {
    v1::Presence { seat, connected, grace_left_ms: Some(grace) }
}

/// How much time is left, as told next on this channel. What comes before it is dropped.
async fn time_left(line: &mut Line, channel: u32) -> v1::SeatTime {
    loop {
        if let v1::stream_item::Item::TimeLeft(left) = line.heard.on(channel).await {
            return left.seats[0];
        }
    }
}

#[tokio::test]
async fn a_clock_stands_still_while_its_player_is_away() {
    let scene = Scene::new().await;
    let (seated, mut zero, mut one) = two_lines(&scene, clock(1_000, 0, 5_000, 1)).await;
    let asked = zero.heard.decision(0).await;
    scene.advance(ms(300));
    drop(zero);
    assert_eq!(one.heard.presence(1).await, presence(0, false, 5_000));
    let left = time_left(&mut one, 1).await;
    assert_eq!((left.seat, left.decision_ms, left.running), (0, 700, false));
    scene.advance_to(ms(63_300));
    let mut zero = Line::attached(&scene.anyone(), 0, wanting(EVERYTHING, seat(&seated.tokens[0]))).await;
    let snapshot = zero.heard.snapshot(0).await;
    assert_eq!(snapshot.time_left.expect("time").seats[0].decision_ms, 700);
    assert_eq!(one.heard.presence(1).await, presence(0, true, 2_000));
    let again = zero.heard.decision(0).await;
    assert_eq!((again.id, again.time_left_ms), (asked.id, Some(700)));
    scene.advance(ms(100));
    zero.answer(0, index(asked.id, 0)).await;
    let (_, made) = decided(&mut zero, 0).await;
    assert_eq!((made.think_ms, made.by()), (400, DecidedBy::Player), "away is not thinking");

    // What is left of the grace is all there is, for the whole game. The clock goes on when it is used up.
    move_on(&mut one, 1).await;
    zero.heard.decision(0).await;
    drop(zero);
    assert_eq!(one.heard.presence(1).await, presence(0, false, 2_000));
    scene.sleeps_until(ms(65_400)).await;
    scene.advance_to(ms(65_400));
    scene.sleeps_until(ms(66_400)).await;
    scene.advance_to(ms(66_400));
    let why = one
        .heard
        .event(1, |event| match event {
            Event::SeatForfeited(forfeited) => Some(forfeited.why()),
            _ => None,
        })
        .await;
    assert_eq!(why, SeatFinish::Disconnected);
    loop {
        move_on(&mut one, 1).await;
        let table = scene.anyone().look(&seated.id).await;
        if let Some(result) = table.result {
            assert_eq!((result.seats[0].finish(), result.seats[0].place), (SeatFinish::Disconnected, 2));
            return;
        }
    }
}

#[tokio::test]
async fn a_player_with_two_streams_is_there_until_the_last_one_ends() {
    let scene = Scene::new().await;
    let (seated, zero, mut one) = two_lines(&scene, clock(1_000, 0, 5_000, 1)).await;
    let caller = scene.anyone();
    let mut watching = crate::streams::follow(&caller, vec![(3, seat(&seated.tokens[0]))]).await.unwrap();
    watching.snapshot(3).await;
    drop(zero);
    let mut third = Line::attached(&caller, 0, seat(&seated.tokens[0])).await;
    let snapshot = third.heard.snapshot(0).await;
    assert!(snapshot.presence.iter().all(|presence| presence.connected), "{:?}", snapshot.presence);
    third.say(vec![crate::streams::detaching(0)]).await;
    third.heard.decision(0).await;
    third.heard.closed(0).await;
    drop(watching);
    assert_eq!(one.heard.presence(1).await, presence(0, false, 5_000), "the first thing heard of it");
}

#[tokio::test]
async fn nobody_is_away_before_they_could_come() {
    // After a start everyone has half a minute to come back, whatever their clocks say.
    let scene = Scene::new().await;
    let seated = scene.seat_all(timed(clock(1_000, 0, 5_000, 1), gap(2))).await;
    scene.sleeps_until(ms(35_000)).await;
    scene.advance_to(ms(30_000));
    let mut line = both(&scene, &seated).await;
    assert_eq!(line.heard.decision(0).await.time_left_ms, Some(1_000));
    assert_eq!(line.heard.presence(1).await.grace_left_ms, Some(5_000));
}

#[tokio::test]
async fn whoever_never_comes_is_played_for() {
    let scene = Scene::new().await;
    scene.advance(ms(60_000));
    let seated = scene.seat_all(timed(clock(1_000, 500, 5_000, 1), gap(2))).await;
    scene.sleeps_until(ms(65_000)).await;
    scene.advance_to(ms(65_000));
    scene.sleeps_until(ms(66_500)).await;
    scene.advance_to(ms(66_500));
    // Seat 0 has forfeited, and it is for seat 1 now, which has not come either.
    scene.sleeps_until(ms(71_500)).await;
    scene.advance_to(ms(71_500));
    scene.sleeps_until(ms(73_000)).await;
    scene.advance_to(ms(73_000));
    let mut guest = Line::attached(&scene.anyone(), 1, crate::streams::rail(&seated.id)).await;
    let table = guest.heard.snapshot(1).await.table.expect("a table");
    let result = match table.result {
        Some(result) => result,
        None => guest.heard.over(1).await.result.expect("a result"),
    };
    assert_eq!(result.reason(), v1::EndReason::PlayedOut);
    for seat in &result.seats {
        assert_eq!((seat.place, seat.finish(), seat.clocks_run_out), (1, SeatFinish::Disconnected, 1));
    }
}

#[tokio::test]
async fn a_table_without_a_clock_waits() {
    let scene = Scene::new().await;
    let seated = scene.seat_all(gap(2)).await;
    let mut line = both(&scene, &seated).await;
    let decision = line.heard.decision(0).await;
    assert_eq!((decision.time_left_ms, decision.bank_left_ms), (None, None));
    scene.advance(ms(40 * 24 * 3_600_000));
    let acted = scene.anyone().act(act(&seated.tokens[0], index(decision.id, 0))).await.unwrap();
    assert_eq!(acted.answered.expect("an answer").status(), Status::Accepted);
    let (_, made) = decided(&mut line, 0).await;
    assert_eq!((made.by(), made.bank_left_ms), (DecidedBy::Player, None));
}

#[tokio::test]
async fn what_the_owner_does_not_say_is_the_servers_default() {
    let scene = Scene::new().await;
    let defaults = v1::ClockSettings {
        decision_ms: Some(30_000),
        bank_ms: Some(120_000),
        grace_ms: Some(120_000),
        forfeit_after: Some(3),
        hidden_window_ms: Some(5_000),
        constant_hidden_windows: Some(false),
    };
    let said = v1::ClockSettings { bank_ms: Some(0), ..v1::ClockSettings::default() };
    let cases = [
        (None, defaults),
        (Some(v1::ClockSettings::default()), defaults),
        (Some(said), v1::ClockSettings { bank_ms: Some(0), ..defaults }),
    ];
    for (clock, shown) in cases {
        let request = v1::CreateTableRequest { clock, ..gap(2) };
        let table = scene.anyone().make(request).await;
        assert_eq!(scene.anyone().look(&table).await.clock, Some(shown));
    }
}
