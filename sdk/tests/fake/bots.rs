//! Bots on seats: one, many over one stream, and failing ones.

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use parlor_sdk::{
    AsyncBot, BlockingBot, Bot, BotError, Choice, GameEnd, GameStart, Question, Reason, SeatToken, Update,
    async_trait, wire,
};
use parlor_testkit::with_timeout;

use super::fake_host::{Fault, FaultKind, Seat};
use super::fake_server::FakeServer;

/// Records all calls of its methods.
#[derive(Clone, Default)]
struct RecordingBot(Arc<Mutex<Vec<String>>>);

impl RecordingBot {
    fn note(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

impl Bot for RecordingBot {
    fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        self.note(format!("asked {}", question.id()));
        Ok(Choice::Index(1))
    }
    fn start(&mut self, start: &GameStart<'_>) {
        self.note(format!(
            "seat {} of {} at {} of {}",
            start.seat, start.players, start.table_id, start.game
        ));
    }
    fn observe(&mut self, update: &Update) {
        self.note(format!("update {}", update.number()));
    }
    fn end(&mut self, end: &GameEnd<'_>) {
        self.note(format!("over: {:?}", end.result.map(wire::TableResult::reason)));
    }
}

async fn server_with_seats(seats: &[(&str, u32)]) -> FakeServer {
    let fake = FakeServer::start().await;
    fake.host.change(|state| {
        state
            .seats
            .extend(seats.iter().map(|(token, decisions)| ((*token).to_owned(), Seat::new(*decisions))));
    });
    fake
}

#[tokio::test]
async fn bot_callbacks_come_in_order_through_a_reconnect() {
    let fake = server_with_seats(&[("a", 2)]).await;
    fake.host.change(|state| state.faults.push_back(Fault { after: 4, kind: FaultKind::Cut }));
    let log = RecordingBot::default();
    let session = fake.client().await.session();
    let finished = with_timeout(session.play("a", &mut log.clone())).await.unwrap();
    assert_eq!(finished.result().unwrap().reason(), wire::EndReason::PlayedOut);
    assert_eq!(finished.own_result(), None);
    let calls = log.0.lock().unwrap().join(", ");
    assert_eq!(
        calls,
        "seat 1 of 2 at table of a of gap, update 1, asked 1, update 2, asked 2, update 3, update 4, over: Some(PlayedOut)"
    );
}

#[tokio::test]
async fn play_all_plays_many_seats_over_one_stream() {
    let seats: Vec<String> = (0..200).map(|number| format!("seat {number}")).collect();
    let fake = server_with_seats(&seats.iter().map(|token| (token.as_str(), 3)).collect::<Vec<_>>()).await;
    let session = fake.client().await.session();
    let tokens = seats.iter().map(|token| SeatToken::new(token.as_str())).collect::<Vec<_>>();
    let mut played: Vec<String> = with_timeout(
        session
            .play_all(tokens, 50, || |_: &Question| Choice::Index(2))
            .map(|played| {
                played.outcome.unwrap();
                played.token.reveal().to_owned()
            })
            .collect(),
    )
    .await;
    played.sort();
    let mut expected = seats;
    expected.sort();
    assert_eq!(played, expected);
    let state = fake.host.look();
    assert_eq!(state.streams, 1);
    assert!(state.seats.values().all(|seat| seat.over && seat.decided.values().all(|index| *index == 2)));
}

struct FailingBot;

#[async_trait]
impl AsyncBot for FailingBot {
    async fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        match question.table_id() {
            "table of error" => Err("out of ideas".into()),
            "table of panic" => panic!("on purpose"),
            "table of illegal" => Ok(Choice::Index(99)),
            _ => Ok(question.default_index().into()),
        }
    }
}

#[tokio::test]
async fn failing_bot_affects_its_own_seat_only() {
    let fake = server_with_seats(&[("error", 2), ("panic", 2), ("illegal", 2), ("fine", 2)]).await;
    let session = fake.client().await.session();
    let tokens = ["error", "panic", "illegal", "fine"].map(SeatToken::new);
    let played: Vec<_> = with_timeout(session.play_all(tokens, 4, || FailingBot).collect()).await;
    for played in played {
        let outcome = played.outcome.map_err(|error| (error.reason(), error.to_string()));
        match (played.token.reveal(), outcome) {
            ("error", Err((Reason::Bot, text))) => assert_eq!(text, "the bot failed: out of ideas"),
            ("panic", Err((Reason::Bot, text))) => assert!(text.contains("panicked"), "{text}"),
            ("illegal", Err((Reason::IllegalAction, _))) | ("fine", Ok(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn bot_plays_on_after_the_clock_decided_for_it() {
    let fake = server_with_seats(&[("a", 2)]).await;
    let host = Arc::clone(&fake.host);
    let mut late = move |question: &Question| {
        // The clock decides first, while the bot computes its first decision.
        if question.id() == 1 {
            host.change(|state| state.seats.get_mut("a").unwrap().decide(1, 0));
        }
        Choice::Index(1)
    };
    with_timeout(fake.client().await.session().play("a", &mut late)).await.unwrap();
    assert_eq!(fake.host.look().seats["a"].decided, [(1, 0), (2, 1)].into());
}

#[tokio::test]
async fn blocking_and_boxed_bots_play() {
    let fake = server_with_seats(&[("a", 2), ("b", 2)]).await;
    let session = fake.client().await.session();
    let log = RecordingBot::default();
    with_timeout(session.play("a", &mut BlockingBot::new(log.clone()))).await.unwrap();
    assert_eq!(log.0.lock().unwrap().len(), 8);
    let mut bot: Box<dyn AsyncBot> = Box::new(log.clone());
    with_timeout(session.play("b", &mut bot)).await.unwrap();
    assert_eq!(log.0.lock().unwrap().len(), 16);
}

#[tokio::test]
async fn dropping_play_all_detaches_all_seats() {
    let fake = server_with_seats(&[("a", 2), ("b", 2)]).await;
    let session = fake.client().await.session();
    {
        let tokens = ["a", "b"].map(SeatToken::new);
        let make_bot = || NeverDecidingBot;
        let mut played = std::pin::pin!(session.play_all(tokens, 2, make_bot));
        tokio::select! {
            _ = played.next() => panic!("they never answer"),
            () = fake.host.until(|state| state.attached == 2) => {}
        }
    }
    fake.host.until(|state| state.detached == 2).await;
}

/// Never decides.
struct NeverDecidingBot;

#[async_trait]
impl AsyncBot for NeverDecidingBot {
    async fn decide(&mut self, _: &Question) -> Result<Choice, BotError> {
        std::future::pending().await
    }
}
