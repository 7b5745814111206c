//! A place at a table, held for as long as somebody needs it.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::shared::SlotId;
use super::{Handle, Told};
use crate::{Answered, Client, Error, wire};

/// A slot of a session, and the session with it. The server is told when it is dropped.
pub(crate) struct Channel {
    session: Arc<Handle>,
    slot: SlotId,
}

impl Channel {
    pub(super) fn new(
        session: Arc<Handle>,
        viewer: wire::attach::Viewer,
        wants: Option<wire::Wants>,
        after: Option<u32>,
    ) -> Result<Channel, Error> {
        let slot = session.shared.add(viewer, wants, after)?;
        Ok(Channel { session, slot })
    }

    /// The slot of a seat that the server gave.
    pub(super) fn given(session: Arc<Handle>, slot: SlotId) -> Channel {
        Channel { session, slot }
    }

    /// The client of the session.
    pub(crate) fn client(&self) -> &Client {
        &self.session.client
    }

    /// Waits for the snapshot that comes first, and leaves it to be read.
    pub(super) async fn first_snapshot(&self) -> Result<(wire::Viewer, wire::Table), Error> {
        let look = |told: &Told| match told {
            Told::Snapshot(snapshot) => Some((snapshot.viewer?, snapshot.table.clone()?)),
            _ => None,
        };
        let first = poll_fn(|context| self.session.shared.poll_peek(self.slot, context, look)).await?;
        first.flatten().ok_or_else(|| Error::lacks("snapshot"))
    }

    /// The next thing told; `Ok(None)` at the end.
    pub(crate) fn poll_read(&self, context: &Context<'_>) -> Poll<Result<Option<Told>, Error>> {
        self.session.shared.poll_read(self.slot, context)
    }

    /// Sends an answer and waits for what becomes of it.
    pub(crate) async fn answer(&self, answer: wire::Answer) -> Result<Answered, Error> {
        self.session.shared.answer(self.slot, answer).await
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.session.shared.remove(self.slot);
    }
}
