//! Subscriptions of stream channels to tables.

use std::sync::Arc;

use parlor_engine::Viewer;

use crate::agents::Agent;
use crate::stream::StreamKind;
use crate::stream::channels::Attachment;
use crate::stream::queue::{StreamQueue, channel_closed};
use crate::{Channel, HostError, StreamItem, Wants};

/// Subscription of one stream channel to a table, as a player or a spectator.
pub(crate) struct Subscription {
    pub(crate) queue: Arc<StreamQueue>,
    pub(crate) channel: Channel,
    pub(crate) stream: StreamKind,
    pub(crate) attachment: Attachment,
    pub(crate) viewer: Viewer,
    /// Generation of the token that admitted the viewer; `None` where no token was needed.
    pub(crate) generation: Option<u32>,
    pub(crate) wants: Wants,
    /// The agent, if an agent plays the seat.
    pub(crate) agent: Option<Arc<Agent>>,
    /// Number of the last update that the client had when it attached; `None` if it was sent a snapshot.
    pub(crate) resumed_after: Option<u64>,
    /// Number of the last update sent.
    pub(crate) number: u64,
}

impl Subscription {
    /// Returns whether the client has the view of the game after this update from an update or from the
    /// snapshot of the channel.
    pub(crate) fn has_view_after(&self, number: u64) -> bool {
        self.wants.update_views && self.resumed_after.is_none_or(|after| after < number)
    }

    pub(crate) fn send(&self, item: &StreamItem<'_>) {
        self.queue.push(self.attachment, self.channel, item);
    }

    /// Sends an item that the client has requested by attaching. Returns whether the client may be sent more now.
    pub(crate) fn send_requested(&self, item: &StreamItem<'_>) -> bool {
        self.queue.push_catch_up(self.attachment, self.channel, item)
    }

    pub(crate) fn close(&self, why: Option<HostError>) {
        self.queue.close(self.attachment, self.channel, channel_closed(why, self.number));
    }
}

/// A subscription for tests.
#[cfg(test)]
pub(crate) mod test_subscription {
    use super::*;
    use crate::TableId;
    use crate::limits::ByteReservation;
    use crate::stream::channels::{AttachedChannel, AttachmentTarget};
    use crate::stream::item_batch::test_encoder::TestEncoder;
    use crate::stream::queue::QueueLimits;

    /// A subscription with this attachment, on channel 1 of a stream of its own.
    pub(crate) fn subscription(number: u64, viewer: Viewer, wants: Wants) -> Subscription {
        let limits = QueueLimits {
            max_items: 10,
            max_bytes: 10_000,
            max_batch_bytes: 1000,
            kind: StreamKind::Client,
            encoder: &TestEncoder,
        };
        let queue = StreamQueue::new(limits, ByteReservation::default());
        let target = AttachmentTarget::Spectator(TableId::from_bytes([1; 16]));
        let attachment = Attachment(number);
        let _new = queue.attach(Channel(1), AttachedChannel { attachment, target, assignment: None }, 1);
        Subscription {
            queue,
            channel: Channel(1),
            stream: StreamKind::Client,
            attachment,
            viewer,
            generation: None,
            wants,
            agent: None,
            resumed_after: None,
            number: 0,
        }
    }
}
