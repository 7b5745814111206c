//! SessionHandle of one subscription.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::shared::SubscriptionId;
use super::{InboxItem, SessionHandle};
use crate::{AcceptedAnswer, Client, Error, wire};

/// SessionHandle of one subscription; keeps the session open. Detaches when dropped.
pub(crate) struct SubscriptionHandle {
    session: Arc<SessionHandle>,
    subscription: SubscriptionId,
}

impl SubscriptionHandle {
    pub(super) fn new(
        session: Arc<SessionHandle>,
        viewer: wire::attach::Viewer,
        wants: Option<wire::Wants>,
        after: Option<u32>,
    ) -> Result<SubscriptionHandle, Error> {
        let subscription = session.shared.subscribe(viewer, wants, after)?;
        Ok(SubscriptionHandle { session, subscription })
    }

    /// SessionHandle of a seat that the server assigned to an agent.
    pub(super) fn assigned(session: Arc<SessionHandle>, subscription: SubscriptionId) -> SubscriptionHandle {
        SubscriptionHandle { session, subscription }
    }

    /// Client of the session.
    pub(crate) fn client(&self) -> &Client {
        &self.session.client
    }

    /// Waits for the first snapshot, and leaves it in the inbox.
    pub(super) async fn first_snapshot(&self) -> Result<(wire::Viewer, wire::Table), Error> {
        let peek = |item: &InboxItem| match item {
            InboxItem::Snapshot(snapshot) => Some((snapshot.viewer?, snapshot.table.clone()?)),
            _ => None,
        };
        let first =
            poll_fn(|context| self.session.shared.poll_peek(self.subscription, context, peek)).await?;
        first.flatten().ok_or_else(|| Error::missing_field("snapshot"))
    }

    /// Next inbox item; `Ok(None)` at the end.
    pub(crate) fn poll_read(&self, context: &Context<'_>) -> Poll<Result<Option<InboxItem>, Error>> {
        self.session.shared.poll_read(self.subscription, context)
    }

    /// Sends an answer and waits for its acknowledgement.
    pub(crate) async fn answer(&self, answer: wire::Answer) -> Result<AcceptedAnswer, Error> {
        self.session.shared.answer(self.subscription, answer).await
    }
}

impl Drop for SubscriptionHandle {
    fn drop(&mut self) {
        self.session.shared.unsubscribe(self.subscription);
    }
}
