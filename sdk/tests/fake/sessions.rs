//! Sessions over streams with every kind of fault: each update once and in order, each decision once, each
//! answer counted once.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::join_all;
use parlor_sdk::{ConnectionState, Event, Reason, Session, SessionSettings, wire};
use parlor_testkit::with_timeout;
use tonic::{Code, Status};

use super::calls::status_with_reason;
use super::fake_host::{Fault, FaultKind, Seat};
use super::fake_server::FakeServer;
use wire::ErrorReason;

const SEATS: u32 = 60;
const DECISIONS: u32 = 12;

/// Answer of a player: varies, but is deterministic.
fn choice(seat: u32, decision: u32) -> u32 {
    (seat * 7 + decision) % 3
}

/// Plays a seat to the end and checks every event.
async fn play(session: Session, number: u32) {
    let mut seat = session.seat(format!("seat {number}")).await.unwrap();
    assert_eq!((seat.table_id(), seat.number()), (format!("table of seat {number}").as_str(), 1));
    let (mut last, mut asked) = (None, 0);
    while let Some(event) = seat.next().await.unwrap() {
        match event {
            Event::Snapshot(snapshot) => {
                assert_eq!(last, None, "one snapshot, at the start");
                last = Some(snapshot.number);
            }
            Event::Update(update) => {
                assert_eq!(Some(update.number() - 1), last, "seat {number}");
                last = Some(update.number());
            }
            Event::Decision(decision) => {
                assert_eq!(decision.id(), asked + 1, "seat {number}");
                asked = decision.id();
                let choice = choice(number, decision.id());
                let answered = decision.choose_index(choice as usize).await.unwrap();
                assert_eq!(answered.decision_id, asked);
            }
            other => panic!("{other:?}"),
        }
    }
    // Updates: the start, each decision, the end.
    assert_eq!((last, asked), (Some(DECISIONS + 2), DECISIONS), "seat {number}");
    assert_eq!(seat.result().unwrap().reason(), wire::EndReason::PlayedOut);
    assert_eq!(seat.table().state(), wire::TableState::Finished);
    assert_eq!(seat.next().await.unwrap().map(|_| ()), None, "the end is final");
}

/// Plays all seats over one session with these faults, and returns the number of streams used.
async fn play_through(faults: Vec<Fault>) -> usize {
    let fake = FakeServer::start().await;
    fake.host.change(|state| {
        for number in 0..SEATS {
            state.seats.insert(format!("seat {number}"), Seat::new(DECISIONS));
        }
        state.faults = faults.into();
    });
    let session = fake.client().await.session();
    let players = (0..SEATS).map(|number| tokio::spawn(play(session.clone(), number)));
    for player in with_timeout(join_all(players)).await {
        player.unwrap();
    }
    let state = fake.host.look();
    for (number, seat) in (0..SEATS).map(|number| (number, &state.seats[&format!("seat {number}")])) {
        let expected: Vec<u32> = (1..=DECISIONS).map(|decision| choice(number, decision)).collect();
        assert_eq!(seat.decided.values().copied().collect::<Vec<_>>(), expected);
    }
    assert_eq!(state.faults.len(), 0, "every fault was committed");
    assert!((2..=1024).contains(&state.most_items), "{} items in a message", state.most_items);
    state.streams
}

fn faults(kind: FaultKind, after: impl IntoIterator<Item = usize>) -> Vec<Fault> {
    after.into_iter().map(|after| Fault { after, kind: kind.clone() }).collect()
}

#[tokio::test]
async fn session_uses_one_stream_without_faults() {
    assert_eq!(play_through(Vec::new()).await, 1);
}

#[tokio::test]
async fn session_survives_cut_connections() {
    // Cuts before any item, with_timeout a batch, and between an answer and its acknowledgement.
    let streams = play_through(faults(FaultKind::Cut, [0, 1, 30, 61, 62, 131, 200, 77, 7])).await;
    assert_eq!(streams, 10);
}

#[tokio::test]
async fn session_survives_ended_streams() {
    let mut plan = faults(FaultKind::End, [0, 5, 100, 150]);
    plan.extend(faults(FaultKind::Ending(ErrorReason::ServerStopping), [0, 40, 133]));
    plan.extend(faults(FaultKind::Ending(ErrorReason::TooSlow), [90]));
    assert_eq!(play_through(plan).await, 9);
}

#[tokio::test]
async fn session_survives_error_statuses() {
    let codes = [
        Code::Unavailable,
        Code::Internal,
        Code::Unknown,
        Code::Cancelled,
        Code::ResourceExhausted,
        Code::Aborted,
    ];
    let plan = codes.into_iter().zip([0, 20, 99, 130, 61, 3]);
    let plan = plan.map(|(code, after)| Fault { after, kind: FaultKind::Status(code) });
    assert_eq!(play_through(plan.collect()).await, 7);
}

#[tokio::test]
async fn session_reattaches_closed_channels() {
    let reasons = [ErrorReason::TooSlow, ErrorReason::StoreUnavailable, ErrorReason::ServerStopping];
    for (reason, after) in reasons.into_iter().zip([1, 200, 0]) {
        assert_eq!(
            play_through(faults(FaultKind::CloseAll(reason), [after])).await,
            1,
            "the stream stays open"
        );
    }
}

#[tokio::test]
async fn session_handles_repeated_and_skipped_items() {
    assert_eq!(play_through(faults(FaultKind::RepeatDecisions, [200])).await, 1);
    assert_eq!(play_through(faults(FaultKind::RepeatUpdate, [200])).await, 1);
    assert_eq!(play_through(faults(FaultKind::SkipUpdate, [200])).await, 1);
}

/// A fake server with one seat, and a session.
async fn one_seat(seat: Seat) -> (FakeServer, Session) {
    let fake = FakeServer::start().await;
    fake.host.change(|state| state.seats.insert("a".into(), seat));
    let session = fake.client().await.session();
    (fake, session)
}

#[tokio::test]
async fn temporarily_refused_answer_is_resent() {
    let (fake, session) = one_seat(Seat::new(1)).await;
    let reasons = [ErrorReason::StoreUnavailable, ErrorReason::RateLimited, ErrorReason::ServerStopping];
    fake.host.change(|state| state.seats.get_mut("a").unwrap().refusals = reasons.into());
    let mut seat = with_timeout(session.seat("a")).await.unwrap();
    let decision = with_timeout(seat.next_decision()).await.unwrap().unwrap();
    with_timeout(decision.choose_index(2)).await.unwrap();
    assert_eq!(with_timeout(seat.next_decision()).await.unwrap().map(|_| ()), None);
}

#[tokio::test]
async fn illegal_answer_leaves_the_decision_open() {
    let (_fake, session) = one_seat(Seat::new(1)).await;
    let mut seat = with_timeout(session.seat("a")).await.unwrap();
    let decision = with_timeout(seat.next_decision()).await.unwrap().unwrap();
    let error = with_timeout(decision.choose_index(9)).await.unwrap_err();
    assert_eq!((error.reason(), error.rule()), (Reason::IllegalAction, Some("fake.index")));
    with_timeout(decision.choose_index(0)).await.unwrap();
}

#[tokio::test]
async fn decision_made_by_the_clock_is_a_conflict() {
    let (fake, session) = one_seat(Seat::new(2)).await;
    let mut seat = with_timeout(session.seat("a")).await.unwrap();
    let decision = with_timeout(seat.next_decision()).await.unwrap().unwrap();
    fake.host.change(|state| state.seats.get_mut("a").unwrap().decide(1, 0));
    let error = with_timeout(decision.choose_index(1)).await.unwrap_err();
    assert_eq!(error.reason(), Reason::DecidedOtherwise);
    assert_eq!(with_timeout(seat.next_decision()).await.unwrap().unwrap().id(), 2);
}

#[tokio::test]
async fn closed_seat_reports_its_error_and_leaves_others_open() {
    let (fake, session) = one_seat(Seat::new(1)).await;
    fake.host.change(|state| state.seats.insert("b".into(), Seat::new(1)));
    let (a, b) =
        (with_timeout(session.seat("a")).await.unwrap(), with_timeout(session.seat("b")).await.unwrap());
    fake.host.change(|state| state.seats.get_mut("a").unwrap().closed = Some(ErrorReason::TokenExpired));
    let events: Vec<_> = with_timeout(a.collect()).await;
    let error = events.into_iter().next_back().unwrap().unwrap_err();
    assert_eq!(error.reason(), Reason::TokenExpired);
    assert_eq!(with_timeout(session.seat("nobody")).await.unwrap_err().reason(), Reason::TokenInvalid);
    let mut b = b;
    with_timeout(with_timeout(b.next_decision()).await.unwrap().unwrap().choose_index(0)).await.unwrap();
}

#[tokio::test]
async fn invalid_api_key_ends_the_session() {
    let (fake, session) = one_seat(Seat::new(1)).await;
    fake.host
        .change(|state| state.refuse.push_back(status_with_reason(Code::Unauthenticated, "KEY_INVALID")));
    assert_eq!(with_timeout(session.seat("a")).await.unwrap_err().reason(), Reason::KeyInvalid);
    assert_eq!(with_timeout(session.seat("a")).await.unwrap_err().reason(), Reason::KeyInvalid);
    let mut connection = session.connection();
    with_timeout(connection.wait_for(|connection| *connection == ConnectionState::Ended)).await.unwrap();
}

#[tokio::test]
async fn session_waits_for_an_unavailable_server() {
    let (fake, session) = one_seat(Seat::new(1)).await;
    fake.host.change(|state| state.refuse.extend((0..3).map(|_| Status::unavailable("starting"))));
    let mut connection = session.connection();
    let seat = tokio::spawn(session.seat("a").into_future());
    with_timeout(connection.wait_for(|connection| matches!(connection, ConnectionState::Broken { .. })))
        .await
        .unwrap();
    with_timeout(seat).await.unwrap().unwrap();
    assert_eq!(*connection.borrow(), ConnectionState::Open);
}

#[tokio::test]
async fn keepalive_detects_a_stalled_connection() {
    let fake = FakeServer::start().await;
    fake.host.change(|state| state.seats.insert("a".into(), Seat::new(4)));
    let interval = Duration::from_millis(250);
    let session = fake.builder().keepalive(interval, interval).connect().await.unwrap().session();
    let mut seat = with_timeout(session.seat("a")).await.unwrap();
    while let Some(decision) = with_timeout(seat.next_decision()).await.unwrap() {
        fake.proxy.stall();
        with_timeout(decision.choose_index(0)).await.unwrap();
    }
    assert!(fake.host.look().streams >= 5);
}

#[tokio::test]
async fn slow_reader_loses_nothing_and_delays_no_other_seat() {
    let fake = FakeServer::start().await;
    const UPDATES: u32 = 500;
    fake.host.change(|state| {
        let mut long = Seat::new(1);
        for seat in 0..UPDATES {
            long.tell(wire::table_event::Event::ClockRanOut(wire::ClockRanOut { seat, times: 1 }));
        }
        state.seats.insert("long".into(), long);
        state.seats.insert("a".into(), Seat::new(3));
    });
    let session = fake.client().await.session_with(SessionSettings::default().queue_capacity(8));
    let bookmark = parlor_sdk::Bookmark { table_id: "table of long".into(), seat: Some(1), number: 0 };
    let mut long = with_timeout(session.seat("long").resume(bookmark)).await.unwrap();
    // The other seat plays to its end while this one is not read.
    let mut a = with_timeout(session.seat("a")).await.unwrap();
    while let Some(decision) = with_timeout(a.next_decision()).await.unwrap() {
        with_timeout(decision.choose_index(0)).await.unwrap();
    }
    let (mut numbers, mut decision) = (Vec::new(), None);
    while numbers.len() < UPDATES as usize + 1 {
        match with_timeout(long.next()).await.unwrap().unwrap() {
            Event::Update(update) => numbers.push(update.number()),
            Event::Decision(asked) => decision = Some(asked),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(numbers, (1..=UPDATES + 1).collect::<Vec<_>>());
    assert!(fake.host.look().attached > 10, "overflowed items were fetched again");
    // Answering works although unread items followed the decision.
    let decision = match decision {
        Some(decision) => decision,
        None => with_timeout(long.next_decision()).await.unwrap().unwrap(),
    };
    with_timeout(decision.choose_index(1)).await.unwrap();
    assert_eq!(with_timeout(long.next_decision()).await.unwrap().map(|_| ()), None);
    assert_eq!(long.bookmark().number, UPDATES + 3);
}

#[tokio::test]
async fn bookmark_resumes_after_the_last_update() {
    let (_fake, session) = one_seat(Seat::new(5)).await;
    let mut seat = with_timeout(session.seat("a")).await.unwrap();
    for _ in 0..2 {
        with_timeout(with_timeout(seat.next_decision()).await.unwrap().unwrap().choose_index(0))
            .await
            .unwrap();
    }
    let bookmark = seat.bookmark();
    drop(seat);
    let mut seat = with_timeout(session.seat("a").resume(bookmark.clone())).await.unwrap();
    assert_eq!((seat.number(), seat.bookmark()), (1, bookmark.clone()));
    let Some(Event::Update(update)) = with_timeout(seat.next()).await.unwrap() else {
        panic!("an update comes first")
    };
    assert_eq!(update.number(), bookmark.number + 1);
    assert_eq!(
        with_timeout(seat.next_decision()).await.unwrap().unwrap().id(),
        3,
        "the unanswered decision is sent again"
    );
}

#[tokio::test]
async fn dropped_seat_detaches_once_its_decisions_are_dropped() {
    let (fake, session) = one_seat(Seat::new(2)).await;
    let mut seat = with_timeout(session.seat("a")).await.unwrap();
    let decision = with_timeout(seat.next_decision()).await.unwrap().unwrap();
    drop(seat);
    with_timeout(decision.choose_index(0)).await.unwrap();
    assert_eq!(fake.host.look().detached, 0);
    drop(decision);
    fake.host.until(|state| state.detached == 1).await;
}

#[tokio::test]
async fn unacknowledged_answers_are_limited() {
    let (fake, session) = one_seat(Seat::new(1)).await;
    let mut seat = with_timeout(session.seat("a")).await.unwrap();
    let decision = Arc::new(with_timeout(seat.next_decision()).await.unwrap().unwrap());
    // Refused answers, so they pile up.
    fake.host.change(|state| {
        state.seats.get_mut("a").unwrap().refusals =
            std::iter::repeat_n(ErrorReason::IllegalAction, 40).collect();
    });
    let answers = (0..40).map(|_| decision.choose_index(0));
    let reasons: Vec<_> = with_timeout(join_all(answers))
        .await
        .into_iter()
        .map(|answer| answer.unwrap_err().reason())
        .collect();
    let refused = reasons.iter().filter(|reason| **reason == Reason::IllegalAction).count();
    let too_many = reasons.iter().filter(|reason| **reason == Reason::TooManyAnswers).count();
    assert_eq!((refused, too_many), (16, 24));
}

#[tokio::test]
async fn spectator_watches_a_table_to_its_end() {
    let (fake, session) = one_seat(Seat::new(1)).await;
    let mut spectator = with_timeout(session.watch("a")).await.unwrap();
    assert_eq!(spectator.table_id(), "table of a");
    fake.host.change(|state| state.seats.get_mut("a").unwrap().end());
    let mut last = 0;
    while let Some(event) = with_timeout(spectator.next()).await.unwrap() {
        if let Event::Update(update) = event {
            last = update.number();
        }
    }
    assert_eq!(
        (last, spectator.result().map(wire::TableResult::reason)),
        (2, Some(wire::EndReason::PlayedOut))
    );
}
