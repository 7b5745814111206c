//! Bots on seats: one, many over one stream, and those that fail.

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use parlor_sdk::{
    AsyncBot, Bot, BotError, Choice, End, Offloaded, Question, Reason, SeatToken, Start, Update, async_trait,
    wire,
};

use super::host::{Fault, Kind, Seat};
use super::tables::Fake;
use super::within;

/// Writes down all that happens to it.
#[derive(Clone, Default)]
struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    fn note(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

impl Bot for Diary {
    fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        self.note(format!("asked {}", question.id()));
        Ok(Choice::Index(1))
    }
    fn start(&mut self, start: &Start<'_>) {
        self.note(format!(
            "seat {} of {} at {} of {}",
            start.seat, start.players, start.table_id, start.game
        ));
    }
    fn observe(&mut self, update: &Update) {
        self.note(format!("update {}", update.number()));
    }
    fn end(&mut self, end: &End<'_>) {
        self.note(format!("over: {:?}", end.result.map(wire::TableResult::reason)));
    }
}

async fn fake_with(seats: &[(&str, u32)]) -> Fake {
    let fake = Fake::start().await;
    fake.host.change(|state| {
        state
            .seats
            .extend(seats.iter().map(|(token, decisions)| ((*token).to_owned(), Seat::new(*decisions))));
    });
    fake
}

#[tokio::test]
async fn a_bot_is_told_of_everything_in_order() {
    let fake = fake_with(&[("a", 2)]).await;
    fake.host.change(|state| state.faults.push_back(Fault { after: 4, kind: Kind::Cut }));
    let diary = Diary::default();
    let session = fake.client().await.session();
    let finished = within(session.play("a", &mut diary.clone())).await.unwrap();
    assert_eq!(finished.result().unwrap().reason(), wire::EndReason::PlayedOut);
    assert_eq!(finished.own(), None);
    let told = diary.0.lock().unwrap().join(", ");
    assert_eq!(
        told,
        "seat 1 of 2 at table of a of gap, update 1, asked 1, update 2, asked 2, update 3, update 4, over: Some(PlayedOut)"
    );
}

#[tokio::test]
async fn many_seats_are_played_over_one_stream_within_the_capacity() {
    let seats: Vec<String> = (0..200).map(|number| format!("seat {number}")).collect();
    let fake = fake_with(&seats.iter().map(|token| (token.as_str(), 3)).collect::<Vec<_>>()).await;
    let session = fake.client().await.session();
    let tokens = seats.iter().map(|token| SeatToken::new(token.as_str())).collect::<Vec<_>>();
    let mut played: Vec<String> = within(
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

struct Failing;

#[async_trait]
impl AsyncBot for Failing {
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
async fn a_bot_that_fails_takes_nobody_with_it() {
    let fake = fake_with(&[("error", 2), ("panic", 2), ("illegal", 2), ("fine", 2)]).await;
    let session = fake.client().await.session();
    let tokens = ["error", "panic", "illegal", "fine"].map(SeatToken::new);
    let played: Vec<_> = within(session.play_all(tokens, 4, || Failing).collect()).await;
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
async fn a_bot_that_the_clock_overtook_plays_on() {
    let fake = fake_with(&[("a", 2)]).await;
    let host = Arc::clone(&fake.host);
    let mut late = move |question: &Question| {
        // The clock decides while the bot thinks, the first time.
        if question.id() == 1 {
            host.change(|state| state.seats.get_mut("a").unwrap().decide(1, 0));
        }
        Choice::Index(1)
    };
    within(fake.client().await.session().play("a", &mut late)).await.unwrap();
    assert_eq!(fake.host.look().seats["a"].decided, [(1, 0), (2, 1)].into());
}

#[tokio::test]
async fn a_bot_can_think_elsewhere_and_be_chosen_at_run_time() {
    let fake = fake_with(&[("a", 2), ("b", 2)]).await;
    let session = fake.client().await.session();
    let diary = Diary::default();
    within(session.play("a", &mut Offloaded::new(diary.clone()))).await.unwrap();
    assert_eq!(diary.0.lock().unwrap().len(), 8);
    let mut bot: Box<dyn AsyncBot> = Box::new(diary.clone());
    within(session.play("b", &mut bot)).await.unwrap();
    assert_eq!(diary.0.lock().unwrap().len(), 16);
}

#[tokio::test]
async fn dropping_the_stream_leaves_all_seats() {
    let fake = fake_with(&[("a", 2), ("b", 2)]).await;
    let session = fake.client().await.session();
    {
        let tokens = ["a", "b"].map(SeatToken::new);
        let thinks_for_ever = || Pondering;
        let mut played = std::pin::pin!(session.play_all(tokens, 2, thinks_for_ever));
        tokio::select! {
            _ = played.next() => panic!("they never answer"),
            () = fake.host.until(|state| state.attached == 2) => {}
        }
    }
    fake.host.until(|state| state.detached == 2).await;
}

/// Never comes to a decision.
struct Pondering;

#[async_trait]
impl AsyncBot for Pondering {
    async fn decide(&mut self, _: &Question) -> Result<Choice, BotError> {
        std::future::pending().await
    }
}
