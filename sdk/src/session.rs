//! A session: any number of seats and spectators over one stream, which comes back by itself.
//!
//! - `slot.rs`: one seat or spectator: what it was told and has said, and what of it still has to be sent.
//! - `shared.rs`: all of them, between the tasks that read and answer and the one that has the stream.
//! - `outbox.rs`: what goes to the server, gathered.
//! - `driver.rs`: the task that opens the stream, reads it, and opens it again.
//! - `agent.rs`: what is different where the stream is an agent's, and the server opens the channels.

mod agent;
mod attach;
mod channel;
mod driver;
mod outbox;
mod shared;
mod slot;

use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::AbortHandle;

use crate::error::Reason;
use crate::{Client, Error, SeatToken, SpectatorToken, wire};
pub(crate) use agent::Given;
pub use attach::{Attaching, Bookmark};
pub(crate) use channel::Channel;
use shared::Shared;
pub(crate) use shared::SlotId;
pub(crate) use slot::Told;

/// Any number of seats and spectators over one stream. Clones are the same session.
///
/// Whatever happens to the connection or to the server, the session opens the stream again and every seat goes on where
/// it was: each update comes once and in order, each decision once, and an answer that was not acknowledged is sent
/// again, which is harmless. A seat notices a gap in time and nothing else. [`connection`](Session::connection) tells
/// those who want to know.
///
/// Nothing grows without bound. For each seat at most [`queue`](SessionSettings::queue) messages wait to be read; what
/// comes beyond that is left at the server and fetched when there is room. At most 16 answers of a seat wait to be
/// acknowledged. All that is ready goes out in one message, of at most 1024 items.
///
/// The stream is closed when the session and all its seats, spectators and decisions are dropped.
#[derive(Clone)]
pub struct Session {
    pub(crate) handle: Arc<Handle>,
}

/// What keeps the stream open.
pub(crate) struct Handle {
    pub(crate) client: Client,
    pub(crate) shared: Arc<Shared>,
    connection: watch::Receiver<Connection>,
    driver: AbortHandle,
}

impl Handle {
    fn open(call: impl driver::Call, client: &Client, shared: Arc<Shared>) -> Arc<Handle> {
        let (status, connection) = watch::channel(Connection::Opening);
        let driver = driver::start(call, client, Arc::clone(&shared), status);
        Arc::new(Handle { client: client.clone(), shared, connection, driver })
    }

    /// How the stream is.
    pub(crate) fn connection(&self) -> watch::Receiver<Connection> {
        self.connection.clone()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // What goes to the server must end too: a stream of which one half is left stays open at the server.
        self.shared.end(&Error::new(Reason::Closed, "the session is closed: open another one"));
        self.driver.abort();
    }
}

/// How a session behaves.
///
/// ```
/// let settings = parlor_sdk::SessionSettings::default().queue(1024);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SessionSettings {
    queue: usize,
}

impl Default for SessionSettings {
    fn default() -> SessionSettings {
        SessionSettings { queue: 256 }
    }
}

impl SessionSettings {
    /// How many messages wait for each seat to be read, at most: 256 unless said otherwise, and at least 2.
    #[must_use]
    pub fn queue(mut self, messages: usize) -> SessionSettings {
        self.queue = messages.max(2);
        self
    }
}

/// How a session's stream is.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Connection {
    /// It is being opened, or nothing has needed it yet.
    Opening,
    /// It is open.
    Open,
    /// It broke, and is about to be opened again.
    Broken {
        /// Why, for people: one line.
        why: String,
    },
    /// It ended for good: the seats have got the reason.
    Ended,
}

impl Session {
    pub(crate) fn open(client: &Client, settings: SessionSettings) -> Session {
        let shared = Arc::new(Shared::new(settings.queue, None));
        Session { handle: Handle::open(client.play.clone(), client, shared) }
    }

    /// Takes a seat: `session.seat(token).await` gives a [`Seat`](crate::Seat), once the server has said how its table
    /// stands.
    pub fn seat(&self, token: impl Into<SeatToken>) -> Attaching<crate::Seat> {
        let token = token.into();
        Attaching::new(self, wire::attach::Viewer::SeatToken(token.reveal().into()))
    }

    /// Watches a public table, or one that the client's key owns, by its id.
    pub fn watch(&self, table_id: impl Into<String>) -> Attaching<crate::Spectator> {
        Attaching::new(self, wire::attach::Viewer::TableId(table_id.into()))
    }

    /// Watches a private table, with a token that its owner gave.
    pub fn watch_private(&self, token: impl Into<SpectatorToken>) -> Attaching<crate::Spectator> {
        let token = token.into();
        Attaching::new(self, wire::attach::Viewer::SpectatorToken(token.reveal().into()))
    }

    /// How the stream is: the latest, and a way to wait for a change. For those who show it to a person; nobody else
    /// needs to know.
    #[must_use]
    pub fn connection(&self) -> watch::Receiver<Connection> {
        self.handle.connection.clone()
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let connection = self.handle.connection.borrow();
        f.debug_struct("Session").field("connection", &*connection).finish_non_exhaustive()
    }
}
