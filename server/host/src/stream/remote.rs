//! Items of channels whose tables are on other nodes. Links bring them; the outbound queue of the stream takes them.

use std::sync::Arc;

use super::queue::StreamQueue;
use crate::{Channel, HostError, ItemBatch};

/// The way of items from other nodes into the outbound queue of a stream.
#[derive(Clone, Debug)]
pub struct RemoteItems(Arc<StreamQueue>);

impl RemoteItems {
    pub(super) const fn new(queue: Arc<StreamQueue>) -> RemoteItems {
        RemoteItems(queue)
    }

    /// Waits until the client has read enough to be sent more. Until then, items stay where they come from.
    pub async fn wait_for_room(&self) {
        if !self.0.has_room() {
            self.0.wait_for_room().await;
        }
    }

    /// Queues items. Call it after [`RemoteItems::wait_for_room`]. `charged` bytes of them count towards the rate of
    /// attaching.
    pub fn push(&self, items: ItemBatch, charged: usize) {
        if !items.is_empty() {
            self.0.push_remote(items, charged);
        }
    }

    /// Closes a channel to another node, with its last item.
    pub fn close(&self, channel: Channel, closed: ItemBatch) {
        self.0.close_remote(channel, closed);
    }

    /// Ends the stream, after the queued items.
    pub fn end(&self, why: HostError) {
        self.0.end(why);
    }
}
