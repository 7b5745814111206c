//! What goes to the server: all that is ready, in one message.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::Stream;

use super::shared::Shared;
use crate::wire;

/// The most items of a message, as the wire has it.
const MOST_ITEMS: usize = 1024;

/// What the requests of one stream carry. It is polled when the connection can take more, and gathers what has come up till then.
pub(super) struct Outbox {
    pub(super) shared: Arc<Shared>,
    pub(super) stream: u64,
}

impl Stream for Outbox {
    type Item = Vec<wire::PlayRequestItem>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.shared.poll_send(self.stream, MOST_ITEMS, context)
    }
}
