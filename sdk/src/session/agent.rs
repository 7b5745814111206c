//! The stream of an agent: it says hello first, and the server opens the channels.

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::ready;
use futures_util::stream::once;
use parlor_proto::v1::agent_service_client::AgentServiceClient;
use tokio::sync::mpsc;
use tonic::{Response, Status, Streaming};

use super::driver::{Call, Heard};
use super::outbox::Outbox;
use super::shared::{Shared, SlotId};
use super::{Channel, Handle};
use crate::connect::Transport;
use crate::{Client, Error, Seat, wire};

/// How many messages wait for each seat of an agent to be read. More than a player has, because what does not fit costs
/// all seats of the agent another stream.
const ROOM: usize = 1024;

/// How many tables a hello names, at most: what fits into one message with room to spare. Others begin with a snapshot.
const MOST_BOOKMARKS: usize = 2000;

/// At how many tables an agent plays at once, at most, as the wire has it.
const MOST_TABLES: u32 = 10_000;

/// What the server gives to an agent.
pub(crate) enum Given {
    /// It is connected.
    Welcome(wire::AgentWelcome),
    /// It is set aside.
    SetAside(wire::SetAside),
    /// It has a seat.
    Seat(SlotId, wire::SeatGiven),
}

/// The call of an agent.
struct Connecting {
    rpc: AgentServiceClient<Transport>,
    hello: wire::AgentHello,
    shared: Arc<Shared>,
}

impl Call for Connecting {
    type Message = wire::ConnectResponse;

    async fn open(&mut self, outbox: Outbox) -> Result<Response<Streaming<wire::ConnectResponse>>, Status> {
        let mut bookmarks = self.shared.bookmarks();
        bookmarks.truncate(MOST_BOOKMARKS);
        let hello = wire::AgentHello { bookmarks, ..self.hello.clone() };
        let first = wire::ConnectRequest { hello: Some(hello), items: Vec::new() };
        let others = outbox.map(|items| wire::ConnectRequest { hello: None, items });
        self.rpc.connect(once(ready(first)).chain(others)).await
    }

    fn hear(&mut self, message: wire::ConnectResponse) -> Heard {
        if let Some(welcome) = message.welcome {
            self.shared.welcome(welcome);
        }
        if let Some(aside) = message.set_aside {
            self.shared.set_aside(aside);
        }
        Heard { items: message.items, ending: message.ending }
    }
}

impl Handle {
    /// Opens the stream of an agent, and says where it learns what it is given.
    pub(crate) fn of_agent(client: &Client, hello: wire::AgentHello) -> (Arc<Handle>, mpsc::Receiver<Given>) {
        // As many seats as there can be, and some words of welcome.
        let (arrivals, given) = mpsc::channel(hello.max_tables.clamp(1, MOST_TABLES) as usize + 64);
        let shared = Arc::new(Shared::new(ROOM, Some(arrivals)));
        let call = Connecting { rpc: client.agents.clone(), hello, shared: Arc::clone(&shared) };
        (Handle::open(call, client, shared), given)
    }

    /// The seat that was given, once the server has said how its table stands.
    pub(crate) async fn given_seat(self: Arc<Handle>, slot: SlotId, seat: u32) -> Result<Seat, Error> {
        let channel = Channel::given(self, slot);
        let (_, table) = channel.first_snapshot().await?;
        Ok(Seat::new(channel, seat, table, 0))
    }
}
