//! Sessions: any number of seats and spectators over one stream that reconnects automatically.
//!
//! - `subscription.rs`: state of one subscription (a seat or spectator): inbox, position and unacknowledged
//!   answers.
//! - `shared.rs`: all subscriptions, shared by the tasks that read and answer and the task that owns the
//!   stream.
//! - `outbox.rs`: the request stream, which batches all pending items.
//! - `driver.rs`: the task that opens the stream, reads it, and reopens it.
//! - `agent.rs`: the agent variant, in which the server opens the channels.

mod agent;
mod attach;
mod driver;
mod outbox;
mod shared;
mod subscription;
mod subscription_handle;

use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::error::Reason;
use crate::{Client, Error, SeatToken, SpectatorToken, wire};
pub(crate) use agent::AgentMessage;
pub use attach::{AttachBuilder, Bookmark};
use shared::SharedSession;
pub(crate) use shared::SubscriptionId;
pub(crate) use subscription::InboxItem;
pub(crate) use subscription_handle::SubscriptionHandle;

/// Any number of seats and spectators over one stream. Clones share the session.
///
/// After any break of the connection or restart of the server, the session reopens the stream and every seat
/// resumes: each update arrives once and in order, each decision once, and unacknowledged answers are
/// re-sent, which is harmless. A seat only notices the delay. [`connection`](Session::connection) reports the
/// state of the stream.
///
/// Everything is bounded: at most [`queue_capacity`](SessionSettings::queue_capacity) unread messages per
/// seat, with the rest left on the server and fetched when there is room; at most 16 unacknowledged answers
/// per seat; at most 1024 items per message.
///
/// The stream closes when the session and all its seats, spectators and decisions are dropped.
///
/// ```no_run
/// # async fn example(client: parlor_sdk::Client, token: parlor_sdk::SeatToken) -> Result<(), parlor_sdk::Error> {
/// let session = client.session();
/// let mut seat = session.seat(token).await?;
/// let mut spectator = session.watch("01hf7yat000w3ge1r70w3ge1r7").await?;
/// while let Some(event) = seat.next().await? {
///     println!("{event:?}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Session {
    pub(crate) handle: Arc<SessionHandle>,
}

/// Owner of the stream: dropping the last reference closes it.
pub(crate) struct SessionHandle {
    pub(crate) client: Client,
    pub(crate) shared: Arc<SharedSession>,
    connection: watch::Receiver<ConnectionState>,
    driver: AbortHandle,
}

impl SessionHandle {
    fn open(
        call: impl driver::StreamCall,
        client: &Client,
        shared: Arc<SharedSession>,
    ) -> Arc<SessionHandle> {
        let (status, connection) = watch::channel(ConnectionState::Opening);
        let driver = driver::start(call, client, Arc::clone(&shared), status);
        Arc::new(SessionHandle { client: client.clone(), shared, connection, driver })
    }

    /// Watches the state of the stream.
    pub(crate) fn connection(&self) -> watch::Receiver<ConnectionState> {
        self.connection.clone()
    }
}

impl Drop for SessionHandle {
    fn drop(&mut self) {
        // The request half must end too, or the server keeps the stream open.
        self.shared.end(&Error::new(Reason::Closed, "the session is closed: open another one"));
        self.driver.abort();
    }
}

/// Settings of a session.
///
/// ```
/// let settings = parlor_sdk::SessionSettings::default().queue_capacity(1024);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionSettings {
    queue_capacity: usize,
}

impl Default for SessionSettings {
    fn default() -> SessionSettings {
        SessionSettings { queue_capacity: 256 }
    }
}

impl SessionSettings {
    /// Maximum number of unread messages per seat. Default 256, minimum 2.
    #[must_use]
    pub fn queue_capacity(mut self, messages: usize) -> SessionSettings {
        self.queue_capacity = messages.max(2);
        self
    }
}

/// State of a session's stream.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ConnectionState {
    /// Being opened, or not needed yet.
    Opening,
    /// Open.
    Open,
    /// Broken, about to be reopened.
    Broken {
        /// Cause, one line for people.
        why: String,
    },
    /// Ended for good; the seats have received the error.
    Ended,
}

impl Session {
    pub(crate) fn open(client: &Client, settings: SessionSettings) -> Session {
        let shared = Arc::new(SharedSession::new(settings.queue_capacity));
        Session { handle: SessionHandle::open(client.play.clone(), client, shared) }
    }

    /// Attaches a seat. `session.seat(token).await` returns a [`Seat`](crate::Seat) once the server has sent
    /// the first snapshot.
    pub fn seat(&self, token: impl Into<SeatToken>) -> AttachBuilder<crate::Seat> {
        let token = token.into();
        AttachBuilder::new(self, wire::attach::Viewer::SeatToken(token.reveal().into()))
    }

    /// Watches a public table, or one that the client's key owns, by its id.
    pub fn watch(&self, table_id: impl Into<String>) -> AttachBuilder<crate::Spectator> {
        AttachBuilder::new(self, wire::attach::Viewer::TableId(table_id.into()))
    }

    /// Watches a private table with a spectator token from its owner.
    pub fn watch_private(&self, token: impl Into<SpectatorToken>) -> AttachBuilder<crate::Spectator> {
        let token = token.into();
        AttachBuilder::new(self, wire::attach::Viewer::SpectatorToken(token.reveal().into()))
    }

    /// Watches the state of the stream, to show it to a person. Programs need not react to it.
    #[must_use]
    pub fn connection(&self) -> watch::Receiver<ConnectionState> {
        self.handle.connection.clone()
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let connection = self.handle.connection.borrow();
        f.debug_struct("Session").field("connection", &*connection).finish_non_exhaustive()
    }
}
