//! The stream of an agent: starts with a hello, and the server opens the channels.

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::ready;
use futures_util::stream::once;
use parlor_proto::v1::agent_service_client::AgentServiceClient;
use tokio::sync::mpsc;
use tonic::{Response, Status, Streaming};

use super::driver::{StreamCall, StreamMessage};
use super::outbox::Outbox;
use super::shared::{SharedSession, SubscriptionId};
use super::{SessionHandle, SubscriptionHandle};
use crate::connect::Transport;
use crate::{Client, Error, Seat, wire};

/// Inbox capacity of each seat of an agent. Larger than a player's, because an overflow costs all seats of
/// the agent a new stream.
const INBOX_CAPACITY: usize = 1024;

/// Maximum number of bookmarks in a hello, so that it fits into one message. Further tables start with a
/// snapshot.
const MAX_BOOKMARKS: usize = 2000;

/// Maximum number of simultaneous tables of an agent, as the API defines it.
const MAX_TABLES: u32 = 10_000;

/// A message of the server for an agent.
pub(crate) enum AgentMessage {
    /// Connected.
    Welcome(wire::AgentWelcome),
    /// Suspended.
    SetAside(wire::SetAside),
    /// Asked for entropy for a tournament, which the session answers.
    EntropyAsked(wire::TournamentEntropyAsked),
    /// Assigned a seat.
    Seat(SubscriptionId, wire::SeatGiven),
}

/// The Connect call of an agent.
struct ConnectCall {
    rpc: AgentServiceClient<Transport>,
    hello: wire::AgentHello,
    shared: Arc<SharedSession>,
}

impl StreamCall for ConnectCall {
    type Message = wire::ConnectResponse;

    async fn open(&mut self, outbox: Outbox) -> Result<Response<Streaming<wire::ConnectResponse>>, Status> {
        let mut bookmarks = self.shared.bookmarks();
        bookmarks.truncate(MAX_BOOKMARKS);
        let hello = wire::AgentHello { bookmarks, ..self.hello.clone() };
        let first = wire::ConnectRequest { hello: Some(hello), items: Vec::new() };
        let others = outbox.map(|items| wire::ConnectRequest { hello: None, items });
        self.rpc.connect(once(ready(first)).chain(others)).await
    }

    fn unpack(&mut self, message: wire::ConnectResponse) -> StreamMessage {
        if let Some(welcome) = message.welcome {
            self.shared.receive_welcome(welcome);
        }
        if let Some(suspension) = message.set_aside {
            self.shared.receive_suspension(suspension);
        }
        StreamMessage { items: message.items, ending: message.ending }
    }
}

impl SessionHandle {
    /// Opens the stream of an agent; the receiver gets the server's messages for it.
    pub(crate) fn open_agent(
        client: &Client,
        hello: wire::AgentHello,
    ) -> (Arc<SessionHandle>, mpsc::Receiver<AgentMessage>) {
        // Room for every seat, and for some welcomes.
        let (messages_in, messages) = mpsc::channel(hello.max_tables.clamp(1, MAX_TABLES) as usize + 64);
        let shared = Arc::new(SharedSession::for_agent(INBOX_CAPACITY, messages_in, hello.wants));
        let call = ConnectCall { rpc: client.agents.clone(), hello, shared: Arc::clone(&shared) };
        (SessionHandle::open(call, client, shared), messages)
    }

    /// The assigned seat, once its first snapshot has arrived.
    pub(crate) async fn assigned_seat(
        self: Arc<SessionHandle>,
        subscription: SubscriptionId,
        seat: u32,
    ) -> Result<Seat, Error> {
        let subscription = SubscriptionHandle::assigned(self, subscription);
        let (_, table) = subscription.first_snapshot().await?;
        Ok(Seat::new(subscription, seat, table, 0))
    }
}
