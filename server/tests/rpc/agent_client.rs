//! `AgentClient`: the client side of AgentService.Connect, on which the server assigns seats.

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use parlor_engine::GameId;
use parlor_proto::v1::{self, stream_item::Item, tournament_entropy::Step};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::client::{Client, RpcError};
use crate::streams::{StreamReader, answer_index, answer_item};
use crate::test_server::with_timeout;

/// A valid hello of an agent that plays every game, at up to 10 tables.
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

/// The cursor of a seat: the agent has its updates up to `after`.
pub(crate) fn bookmark(table_id: &str, seat: u32, after: u32) -> v1::AgentBookmark {
    v1::AgentBookmark { table_id: table_id.to_owned(), seat, after }
}

/// A seat for an agent of any version.
pub(crate) fn agent_seat(name: &str) -> v1::SeatSetup {
    let seat = v1::AgentSeat { name: name.to_owned(), version: String::new() };
    v1::SeatSetup { occupant: Some(v1::seat_setup::Occupant::Agent(seat)) }
}

pub(crate) fn with_seats(
    seats: Vec<v1::SeatSetup>,
    request: v1::CreateTableRequest,
) -> v1::CreateTableRequest {
    v1::CreateTableRequest { seats, ..request }
}

/// A connected agent.
pub(crate) struct AgentClient {
    requests: Option<mpsc::Sender<v1::ConnectRequest>>,
    pub(crate) reader: StreamReader,
    pub(crate) welcome: v1::AgentWelcome,
    /// The `set_aside` messages received on the stream and not yet taken.
    pub(crate) set_asides: Arc<Mutex<Vec<v1::SetAside>>>,
}

impl AgentClient {
    /// Connects, and reads the welcome.
    pub(crate) async fn connect(client: &Client, hello: v1::AgentHello) -> AgentClient {
        AgentClient::try_connect(client, hello).await.expect("a welcome")
    }

    pub(crate) async fn try_connect(client: &Client, hello: v1::AgentHello) -> Result<AgentClient, RpcError> {
        let first = v1::ConnectRequest { hello: Some(hello), items: Vec::new() };
        AgentClient::connect_with(client, first).await
    }

    /// Connects with this first message.
    pub(crate) async fn connect_with(
        client: &Client,
        first: v1::ConnectRequest,
    ) -> Result<AgentClient, RpcError> {
        let (requests, receiver) = mpsc::channel(16);
        with_timeout(requests.send(first)).await.expect("an open stream");
        let opened = with_timeout(client.agents().connect(ReceiverStream::new(receiver))).await;
        let mut stream = opened.map_err(|status| RpcError::from_status(&status))?.into_inner();
        let first = with_timeout(stream.message()).await.map_err(|status| RpcError::from_status(&status))?;
        let first = first.expect("a first message");
        let welcome = first.welcome.expect("a welcome");
        assert!(first.items.is_empty() && first.ending.is_none());
        let set_asides = Arc::new(Mutex::new(Vec::new()));
        let received = set_asides.clone();
        let messages = stream.map(move |message| {
            message.map(|message| {
                assert!(message.welcome.is_none(), "a second welcome");
                received.lock().expect("an unpoisoned lock").extend(message.set_aside);
                (message.items, message.ending)
            })
        });
        Ok(AgentClient { requests: Some(requests), reader: StreamReader::new(messages), welcome, set_asides })
    }

    /// Sends these items in one message.
    pub(crate) async fn send(&mut self, items: Vec<v1::PlayRequestItem>) {
        self.send_message(v1::ConnectRequest { hello: None, items }).await;
    }

    pub(crate) async fn send_message(&mut self, message: v1::ConnectRequest) {
        let requests = self.requests.as_ref().expect("a stream whose request side is open");
        // The error of a stream that has ended shows on its response side.
        let _ = with_timeout(requests.send(message)).await;
    }

    /// Waits for the next `set_aside` message.
    pub(crate) async fn next_set_aside(&mut self) -> v1::SetAside {
        loop {
            if let Some(set_aside) = self.set_asides.lock().expect("an unpoisoned lock").pop() {
                return set_aside;
            }
            self.reader.wait().await;
        }
    }

    /// Ends the request side of the stream.
    pub(crate) fn end_requests(&mut self) {
        self.requests = None;
    }

    /// The next seat that the server assigns, with its channel. Other items stay buffered.
    pub(crate) async fn next_seat(&mut self) -> (u32, v1::SeatGiven) {
        self.reader
            .find(|(channel, item)| match item {
                Item::SeatGiven(given) => Some((*channel, given.clone())),
                _ => None,
            })
            .await
    }

    /// The channel and the id of the next decision on any channel. Other items stay buffered.
    pub(crate) async fn next_decision(&mut self) -> (u32, u32) {
        self.reader
            .find(|(channel, item)| match item {
                Item::Decision(decision) => Some((*channel, decision.id)),
                _ => None,
            })
            .await
    }

    /// The next request to add entropy to the shuffles of a tournament.
    pub(crate) async fn next_entropy_asked(&mut self) -> v1::TournamentEntropyAsked {
        self.reader
            .find(|(channel, item)| match item {
                Item::EntropyAsked(asked) => {
                    assert_eq!(*channel, 0);
                    Some(asked.clone())
                }
                _ => None,
            })
            .await
    }

    /// Answers a request to add entropy.
    pub(crate) async fn add_entropy(&mut self, id: &str, step: Step) {
        let entropy = v1::TournamentEntropy { tournament_id: id.to_owned(), step: Some(step) };
        let item = v1::play_request_item::Item::TournamentEntropy(entropy);
        self.send(vec![v1::PlayRequestItem { channel: 0, item: Some(item) }]).await;
    }

    /// Sends an answer, and returns its outcome.
    pub(crate) async fn answer(&mut self, channel: u32, answer: v1::Answer) -> v1::Answered {
        self.send(vec![answer_item(channel, answer)]).await;
        self.reader.answered(channel).await
    }

    /// Plays the first legal action of every decision, until `tables` channels are closed.
    pub(crate) async fn play(&mut self, tables: usize) {
        let mut closed = 0;
        while closed < tables {
            match self.reader.next().await {
                (channel, Item::Decision(decision)) => {
                    self.send(vec![answer_item(channel, answer_index(decision.id, 0))]).await;
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

/// The entry of the agent with this name in ListAgents.
pub(crate) async fn find_agent(client: &Client, name: &str) -> v1::Agent {
    let page = client.list_agents(v1::ListAgentsRequest::default()).await.expect("a page");
    page.agents.into_iter().find(|agent| agent.name == name).expect("an agent of that name")
}
