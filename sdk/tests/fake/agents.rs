//! Agents over streams with every kind of fault: every table is played to its end, and each decision is
//! answered once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::TryStreamExt;
use parlor_sdk::{
    AgentEvent, AgentFilter, AgentRunner, AgentSettings, AsyncBot, Bot, BotError, Choice, GameEnd, Question,
    Reason, Update, async_trait, wire,
};
use parlor_testkit::with_timeout;
use tokio::sync::Notify;
use tonic::Code;
use wire::ErrorReason;

use super::calls::status_with_reason;
use super::fake_host::{Fault, FaultKind, Seat};
use super::fake_server::FakeServer;

const SEATS: u32 = 40;
const DECISIONS: u32 = 10;

fn settings() -> AgentSettings {
    AgentSettings::new("ada").version("1.2").key("0123456789abcdef").games(["gap"]).max_tables(50)
}

/// Checks that updates and decisions come in order, each once.
#[derive(Clone, Default)]
struct OrderCheckingBot {
    last: Option<u32>,
    asked: u32,
    ended: Arc<Mutex<u32>>,
}

impl Bot for OrderCheckingBot {
    fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        assert_eq!(question.id(), self.asked + 1);
        self.asked += 1;
        Ok(Choice::Index(question.id() as usize % 3))
    }
    fn observe(&mut self, update: &Update) {
        assert!(self.last.is_none_or(|last| last + 1 == update.number()));
        self.last = Some(update.number());
    }
    fn end(&mut self, _: &GameEnd<'_>) {
        *self.ended.lock().unwrap() += 1;
    }
}

/// Runs until this many tables are over, and counts the events.
async fn until_over(agent: &mut AgentRunner, tables: usize) -> BTreeMap<&'static str, usize> {
    let mut seen = BTreeMap::new();
    while seen.get("over").copied().unwrap_or(0) < tables {
        let event = with_timeout(agent.next()).await.unwrap().expect("the agent runs on");
        let name = match event {
            AgentEvent::Connected(_) => "connected",
            AgentEvent::Disconnected { .. } => "disconnected",
            AgentEvent::SeatGiven(_) => "given",
            AgentEvent::TableOver(finished) => {
                assert_eq!(finished.result().unwrap().reason(), wire::EndReason::PlayedOut);
                "over"
            }
            other => panic!("{other:?}"),
        };
        *seen.entry(name).or_default() += 1;
    }
    seen
}

async fn play_through(faults: Vec<Fault>) -> usize {
    let fake = FakeServer::start().await;
    fake.host.change(|state| {
        state.seats.extend((0..SEATS).map(|number| (format!("seat {number}"), Seat::new(DECISIONS))));
        state.faults = faults.into();
    });
    let bot = OrderCheckingBot::default();
    let ended = Arc::clone(&bot.ended);
    let mut agent = fake.client().await.start_agent(settings(), move |_| bot.clone()).unwrap();
    let seen = until_over(&mut agent, SEATS as usize).await;
    assert_eq!((seen["given"], *ended.lock().unwrap()), (SEATS as usize, SEATS), "a bot for each seat, once");
    let state = fake.host.look();
    let expected: Vec<u32> = (1..=DECISIONS).map(|decision| decision % 3).collect();
    for seat in state.seats.values() {
        assert_eq!(seat.decided.values().copied().collect::<Vec<_>>(), expected);
    }
    assert_eq!(
        (state.faults.len(), state.detached),
        (0, 0),
        "every fault was committed, and no seat resigned"
    );
    state.streams
}

fn faults(kind: FaultKind, after: impl IntoIterator<Item = usize>) -> Vec<Fault> {
    after.into_iter().map(|after| Fault { after, kind: kind.clone() }).collect()
}

#[tokio::test]
async fn agent_uses_one_stream_without_faults() {
    assert_eq!(play_through(Vec::new()).await, 1);
}

#[tokio::test]
async fn agent_survives_cut_connections() {
    assert_eq!(play_through(faults(FaultKind::Cut, [0, 1, 45, 61, 131, 200, 7])).await, 8);
}

#[tokio::test]
async fn agent_survives_ended_streams() {
    let mut plan = faults(FaultKind::End, [0, 5, 100]);
    plan.extend(faults(FaultKind::Ending(ErrorReason::ServerStopping), [0, 133]));
    plan.extend(faults(FaultKind::Status(Code::Unavailable), [150]));
    assert_eq!(play_through(plan).await, 7);
}

#[tokio::test]
async fn agent_reconnects_for_missing_items() {
    let mut plan = faults(FaultKind::CloseAll(ErrorReason::TooSlow), [200]);
    plan.extend(faults(FaultKind::SkipUpdate, [200]));
    assert_eq!(play_through(plan).await, 3);
}

#[tokio::test]
async fn agent_ignores_repeated_items() {
    assert_eq!(play_through(faults(FaultKind::RepeatDecisions, [200])).await, 1);
    assert_eq!(play_through(faults(FaultKind::RepeatUpdate, [200])).await, 1);
}

#[tokio::test]
async fn hello_carries_settings_and_bookmarks() {
    let fake = FakeServer::start().await;
    fake.host.change(|state| {
        state.seats.insert("a".into(), Seat::new(2));
        state.faults = faults(FaultKind::Cut, [6]).into();
    });
    let settings =
        || settings().seated_by(wire::SeatedBy::Tournaments).min_decision(Duration::from_millis(250));
    let mut agent = fake.client().await.start_agent(settings(), |_| |_: &Question| Choice::Index(0)).unwrap();
    until_over(&mut agent, 1).await;
    let hellos = fake.host.look().hellos.clone();
    assert_eq!(hellos.len(), 2);
    let hello = &hellos[0];
    assert_eq!((hello.name.as_str(), hello.version.as_str(), hello.max_tables), ("ada", "1.2", 50));
    assert_eq!(
        (hello.agent_key.as_slice(), hello.games.as_slice()),
        (&b"0123456789abcdef"[..], &["gap".into()][..])
    );
    assert!(hello.adds_entropy && hello.bookmarks.is_empty());
    assert_eq!((hello.seated_by(), hello.min_decision_ms), (wire::SeatedBy::Tournaments, 250));
    assert_eq!(hellos[1].bookmarks.len(), 1);
    assert_eq!(hellos[1].bookmarks[0].table_id, "table of a");
    assert!(!format!("{:?}", settings()).contains("01234"));
}

#[tokio::test]
async fn agent_accepts_seats_while_connected() {
    let fake = FakeServer::start().await;
    let mut agent = fake.client().await.start_agent(settings(), |_| |_: &Question| Choice::Index(1)).unwrap();
    let AgentEvent::Connected(welcome) = with_timeout(agent.next()).await.unwrap().unwrap() else {
        panic!("it connects first")
    };
    assert_eq!((welcome.max_tables, welcome.seats), (7, 0));
    for round in 0..3 {
        fake.host.change(|state| state.seats.insert(format!("seat {round}"), Seat::new(3)));
        let seen = until_over(&mut agent, 1).await;
        assert_eq!((seen["given"], seen.len()), (1, 2));
    }
    assert_eq!(fake.host.look().streams, 1);
}

#[tokio::test]
async fn agent_reports_its_suspension() {
    let fake = FakeServer::start().await;
    fake.host.change(|state| state.suspends_agents = true);
    let mut agent = fake.client().await.start_agent(settings(), |_| |_: &Question| Choice::Index(1)).unwrap();
    let AgentEvent::Connected(_) = with_timeout(agent.next()).await.unwrap().unwrap() else {
        panic!("it connects first")
    };
    match with_timeout(agent.next()).await.unwrap().unwrap() {
        AgentEvent::SetAside(aside) => assert_eq!(aside.message, "too slow"),
        other => panic!("{other:?}"),
    }
    fake.host.change(|state| state.seats.insert("a".into(), Seat::new(3)));
    assert_eq!(until_over(&mut agent, 1).await["given"], 1, "it keeps the seats it has");
}

#[tokio::test]
async fn table_that_ended_while_disconnected_is_reported_over() {
    for forgets in [false, true] {
        let fake = FakeServer::start().await;
        fake.host.change(|state| {
            state.forgets_finished_tables = forgets;
            state.seats.insert("a".into(), Seat::new(1));
        });
        let thinking = Arc::new(Notify::new());
        let bot = Arc::clone(&thinking);
        let mut agent =
            fake.client().await.start_agent(settings(), move |_| SignallingBot(Arc::clone(&bot))).unwrap();
        // The clock decides and the table ends while the connection is cut and the bot computes.
        let cut = async {
            thinking.notified().await;
            fake.host.change(|state| {
                fake.proxy.cut();
                state.seats.get_mut("a").unwrap().decide(1, 0);
            });
        };
        let mut over = None;
        let ((), ()) = tokio::join!(with_timeout(cut), async {
            while over.is_none() {
                if let AgentEvent::TableOver(finished) = with_timeout(agent.next()).await.unwrap().unwrap() {
                    over = Some(finished);
                }
            }
        });
        // The agent then fetches the table by a call, where the fake server has no result.
        assert_eq!(over.unwrap().result().is_some(), !forgets);
    }
}

/// Signals its decision and yields, so that the connection is cut meanwhile.
struct SignallingBot(Arc<Notify>);

#[async_trait]
impl AsyncBot for SignallingBot {
    async fn decide(&mut self, _: &Question) -> Result<Choice, BotError> {
        self.0.notify_one();
        tokio::task::yield_now().await;
        Ok(Choice::Index(2))
    }
}

#[tokio::test]
async fn replaced_agent_does_not_reconnect() {
    let fake = FakeServer::start().await;
    fake.host.change(|state| {
        state.seats.insert("a".into(), Seat::new(3));
        state.faults = faults(FaultKind::Ending(ErrorReason::AgentReplaced), [3]).into();
    });
    let client = fake.client().await;
    let error =
        with_timeout(client.serve_agent(settings(), |_| |_: &Question| Choice::Index(0))).await.unwrap_err();
    assert_eq!((error.reason(), error.message()), (Reason::AgentReplaced, "the fake server ends the stream"));
    assert_eq!(fake.host.look().streams, 1, "it does not reconnect");
}

#[tokio::test]
async fn rejected_agent_reports_the_reason() {
    let fake = FakeServer::start().await;
    let client = fake.client().await;
    for (code, name, reason) in [
        (Code::PermissionDenied, "AGENT_NAME_TAKEN", Reason::AgentNameTaken),
        (Code::InvalidArgument, "INVALID_FIELD", Reason::InvalidField),
        (Code::NotFound, "GAME_NOT_FOUND", Reason::GameNotFound),
        (Code::Unauthenticated, "CREDENTIALS_MISSING", Reason::CredentialsMissing),
    ] {
        fake.host.change(|state| state.refuse.push_back(status_with_reason(code, name)));
        let mut agent = client.start_agent(settings(), |_| |_: &Question| Choice::Index(0)).unwrap();
        assert_eq!(with_timeout(agent.next()).await.unwrap_err().reason(), reason);
        assert!(with_timeout(agent.next()).await.unwrap().is_none(), "the error is the last item");
    }
}

#[tokio::test]
async fn refused_answer_is_replaced_by_the_default() {
    let fake = FakeServer::start().await;
    fake.host.change(|state| state.seats.insert("a".into(), Seat::new(2)));
    let mut agent = fake.client().await.start_agent(settings(), |_| |_: &Question| Choice::Index(9)).unwrap();
    until_over(&mut agent, 1).await;
    assert_eq!(fake.host.look().seats["a"].decided, [(1, 0), (2, 0)].into());
}

#[tokio::test]
async fn failing_bot_affects_its_own_table_only() {
    let fake = FakeServer::start().await;
    fake.host.change(|state| {
        for token in ["error", "fine", "panic"] {
            state.seats.insert(token.into(), Seat::new(2));
        }
    });
    let make = |given: &wire::SeatGiven| {
        let table = given.table_id.clone();
        move |_: &Question| if table.ends_with("panic") { panic!("on purpose") } else { Choice::Index(0) }
    };
    let mut agent = fake.client().await.start_agent(settings(), make).unwrap();
    let (mut failed, mut over) = (0, 0);
    while failed < 1 || over < 2 {
        match with_timeout(agent.next()).await.unwrap().unwrap() {
            AgentEvent::BotFailed { given, error } => {
                assert_eq!((given.table_id.as_str(), error.reason()), ("table of panic", Reason::Bot));
                failed += 1;
            }
            AgentEvent::TableOver(_) => over += 1,
            _ => {}
        }
    }
    assert_eq!(agent.active_tables(), 0);
}

#[tokio::test]
async fn stop_waits_for_the_decision_in_progress() {
    let fake = FakeServer::start().await;
    fake.host.change(|state| state.seats.insert("a".into(), Seat::new(5)));
    let mut agent = {
        type Stop = Box<dyn Fn() + Send>;
        let stop: Arc<Mutex<Option<Stop>>> = Arc::default();
        let stop_handle = Arc::clone(&stop);
        let agent = fake
            .client()
            .await
            .start_agent(settings(), move |_| {
                let stop_handle = Arc::clone(&stop_handle);
                move |question: &Question| {
                    if question.id() == 2 {
                        stop_handle.lock().unwrap().as_ref().expect("the handle is set")();
                    }
                    Choice::Index(1)
                }
            })
            .unwrap();
        *stop.lock().unwrap() = Some(Box::new(agent.stop_handle()));
        agent
    };
    while with_timeout(agent.next()).await.unwrap().is_some() {}
    let state = fake.host.look();
    assert_eq!(state.seats["a"].decided, [(1, 1), (2, 1)].into());
    assert_eq!((state.seats["a"].open, state.detached), (Some(3), 0), "the seat stays the agent's");
}

#[tokio::test]
async fn agent_listing_fetches_all_pages() {
    let fake = FakeServer::start().await;
    let agents = fake.client().await.agents(AgentFilter::new().game("gap").page_size(3));
    let names: Vec<String> = with_timeout(agents.map_ok(|agent| agent.name).try_collect()).await.unwrap();
    assert_eq!(names, (0..7).map(|number| format!("gap {number}")).collect::<Vec<_>>());
}
