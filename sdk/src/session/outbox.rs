//! The request stream: all pending items, batched.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::Stream;

use super::shared::SharedSession;
use crate::wire;

/// Maximum number of items in a message, as the API defines it.
const MAX_ITEMS_PER_MESSAGE: usize = 1024;

/// Request stream of one connection. Polled when the connection can take more; each item batches everything
/// pending by then.
pub(super) struct Outbox {
    pub(super) shared: Arc<SharedSession>,
    pub(super) stream: u64,
}

impl Stream for Outbox {
    type Item = Vec<wire::PlayRequestItem>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.shared.poll_send(self.stream, MAX_ITEMS_PER_MESSAGE, context)
    }
}
