//! An agent, as a client sees it: a stream on which seats are given.

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use parlor_engine::GameId;
use parlor_proto::v1::{self, stream_item::Item};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::client::{Caller, Refused};
use crate::streams::{Heard, answering, index};
use crate::test_server::soon;

/// A hello with which anyone is let in.
pub(crate) fn hello(name: &str) -> v1::AgentHello {
    v1::AgentHello {
        name: name.to_owned(),
        version: "1".to_owned(),
        agent_key: vec![7; 32],
        games: GameId::ALL.iter().map(|game| game.info().id.to_owned()).collect(),
        max_tables: 10,
        ..v1::AgentHello::default()
    }
}

/// What an agent has of a seat.
pub(crate) fn bookmark(table_id: &str, seat: u32, after: u32) -> v1::AgentBookmark {
    v1::AgentBookmark { table_id: table_id.to_owned(), seat, after }
}

/// A seat for an agent.
pub(crate) fn agent_seat(name: &str) -> v1::SeatSetup {
    let seat = v1::AgentSeat { name: name.to_owned(), version: String::new() };
    v1::SeatSetup { occupant: Some(v1::seat_setup::Occupant::Agent(seat)) }
}

/// A table with a seat for each of these.
pub(crate) fn seats(seats: Vec<v1::SeatSetup>, request: v1::CreateTableRequest) -> v1::CreateTableRequest {
    v1::CreateTableRequest { seats, ..request }
}

/// An agent that is connected.
pub(crate) struct Agent {
    says: Option<mpsc::Sender<v1::ConnectRequest>>,
    pub(crate) heard: Heard,
    pub(crate) welcome: v1::AgentWelcome,
    /// Why it was set aside, as it was told on the stream.
    pub(crate) asides: Arc<Mutex<Vec<v1::SetAside>>>,
}

impl Agent {
    /// Connects, and is welcomed.
    pub(crate) async fn connect(caller: &Caller, hello: v1::AgentHello) -> Agent {
        Agent::try_connect(caller, hello).await.expect("a welcome")
    }

    pub(crate) async fn try_connect(caller: &Caller, hello: v1::AgentHello) -> Result<Agent, Refused> {
        let first = v1::ConnectRequest { hello: Some(hello), items: Vec::new() };
        Agent::saying(caller, first).await
    }

    /// Connects with this as its first message.
    pub(crate) async fn saying(caller: &Caller, first: v1::ConnectRequest) -> Result<Agent, Refused> {
        let (says, said) = mpsc::channel(16);
        soon(says.send(first)).await.expect("a stream that is open");
        let opened = soon(caller.agents().connect(ReceiverStream::new(said))).await;
        let mut stream = opened.map_err(|status| Refused::of(&status))?.into_inner();
        let first = soon(stream.message()).await.map_err(|status| Refused::of(&status))?;
        let first = first.expect("a first message");
        let welcome = first.welcome.expect("a welcome");
        assert!(first.items.is_empty() && first.ending.is_none());
        let asides = Arc::new(Mutex::new(Vec::new()));
        let told = asides.clone();
        let messages = stream.map(move |message| {
            message.map(|message| {
                assert!(message.welcome.is_none(), "an agent is welcomed once");
                told.lock().expect("a lock").extend(message.set_aside);
                (message.items, message.ending)
            })
        });
        Ok(Agent { says: Some(says), heard: Heard::new(messages), welcome, asides })
    }

    /// Says some things at once.
    pub(crate) async fn say(&mut self, items: Vec<v1::PlayRequestItem>) {
        self.send(v1::ConnectRequest { hello: None, items }).await;
    }

    pub(crate) async fn send(&mut self, message: v1::ConnectRequest) {
        let says = self.says.as_ref().expect("a stream that is not finished");
        // A stream that has ended says why on its other side.
        let _ = soon(says.send(message)).await;
    }

    /// Waits until it is told that it is set aside.
    pub(crate) async fn set_aside(&mut self) -> v1::SetAside {
        loop {
            if let Some(aside) = self.asides.lock().expect("a lock").pop() {
                return aside;
            }
            self.heard.wait().await;
        }
    }

    /// Ends its side of the stream.
    pub(crate) fn finish(&mut self) {
        self.says = None;
    }

    /// The next seat that it is given, and the channel.
    pub(crate) async fn given(&mut self) -> (u32, v1::SeatGiven) {
        self.heard
            .find(|(channel, item)| match item {
                Item::SeatGiven(given) => Some((*channel, given.clone())),
                _ => None,
            })
            .await
    }

    /// The next decision, on any channel: the channel, and the id of the decision. What else comes waits.
    pub(crate) async fn asked(&mut self) -> (u32, u32) {
        self.heard
            .find(|(channel, item)| match item {
                Item::Decision(decision) => Some((*channel, decision.id)),
                _ => None,
            })
            .await
    }

    /// Answers, and waits for what becomes of it.
    pub(crate) async fn answer(&mut self, channel: u32, answer: v1::Answer) -> v1::Answered {
        self.say(vec![answering(channel, answer)]).await;
        self.heard.answered(channel).await
    }

    /// Plays the first legal action of every decision, until so many channels are closed.
    pub(crate) async fn play(&mut self, tables: usize) {
        let mut closed = 0;
        while closed < tables {
            match self.heard.next().await {
                (channel, Item::Decision(decision)) => {
                    self.say(vec![answering(channel, index(decision.id, 0))]).await;
                }
                (_, Item::Closed(end)) => {
                    assert_eq!(end.reason(), v1::ErrorReason::Unspecified, "{end:?}");
                    closed += 1;
                }
                (_, Item::Answered(answered)) => {
                    assert_eq!(answered.status(), v1::AnswerStatus::Accepted, "{answered:?}");
                }
                _ => {}
            }
        }
    }
}

/// An agent of this name, as it is listed.
pub(crate) async fn listed(caller: &Caller, name: &str) -> v1::Agent {
    let page = caller.list_agents(v1::ListAgentsRequest::default()).await.expect("a list");
    page.agents.into_iter().find(|agent| agent.name == name).expect("an agent of that name")
}
