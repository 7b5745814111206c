//! Items that a change produces for its subscribers. They are encoded while the change is applied, and sent
//! when it is durable.

use std::ops::Range;

use parlor_engine::Viewer;

use super::channels::Attachment;
use super::item_batch::{ItemBatch, ItemEncoder};
use crate::shard::subscription::Subscription;
use crate::{Answered, StreamItem, Wants};

/// Initial capacity of a batch in bytes: more than most moves take for a subscriber that wants everything,
/// and a size class of the allocator.
const BATCH_CAPACITY: usize = 384;

/// The pending items of one change, per subscription.
pub(crate) struct Notifications {
    encoder: &'static dyn ItemEncoder,
    /// Ordered by attachment.
    subscribers: Vec<SubscriberItems>,
    /// Number of items of all subscriptions.
    count: usize,
}

/// The pending items of one subscription.
struct SubscriberItems {
    attachment: Attachment,
    viewer: Viewer,
    wants: Wants,
    items: ItemBatch,
    /// Sequence number of the last item among all of the change, and the byte range of its
    /// channel-independent part.
    last: (usize, Range<usize>),
}

impl Notifications {
    /// Empty, with capacity for these subscriptions.
    pub(crate) fn new(encoder: &'static dyn ItemEncoder, subscriptions: &[Subscription]) -> Notifications {
        Notifications { encoder, subscribers: Vec::with_capacity(subscriptions.len()), count: 0 }
    }

    /// Returns whether there is an item for the subscription.
    pub(crate) fn contains(&self, subscription: &Subscription) -> bool {
        self.subscribers.binary_search_by_key(&subscription.attachment, |entry| entry.attachment).is_ok()
    }

    /// Number of items of all subscriptions.
    pub(crate) const fn count(&self) -> usize {
        self.count
    }

    /// Encodes an item for the subscription.
    pub(crate) fn push(&mut self, subscription: &Subscription, item: &StreamItem<'_>) {
        let (count, encoder) = (self.count, self.encoder);
        let entry = self.entry(subscription);
        entry.last = (count, entry.items.push(encoder, subscription.stream, subscription.channel, item));
        self.count += 1;
    }

    /// Items of a subscription, inserted if new.
    fn entry(&mut self, subscription: &Subscription) -> &mut SubscriberItems {
        let place =
            match self.subscribers.binary_search_by_key(&subscription.attachment, |entry| entry.attachment) {
                Ok(place) => place,
                Err(place) => {
                    let Subscription { attachment, viewer, wants, .. } = *subscription;
                    let entry = SubscriberItems {
                        attachment,
                        viewer,
                        wants,
                        items: ItemBatch::with_capacity(BATCH_CAPACITY),
                        last: (0, 0..0),
                    };
                    self.subscribers.insert(place, entry);
                    place
                }
            };
        &mut self.subscribers[place]
    }

    /// Repeats for a subscription the item that another one with the same viewer and wants got as number
    /// `since` or later. Returns false if there is none.
    pub(crate) fn repeat_for(&mut self, subscription: &Subscription, since: usize) -> bool {
        let is_same = |entry: &&SubscriberItems| {
            entry.last.0 >= since && entry.viewer == subscription.viewer && entry.wants == subscription.wants
        };
        let same = self.subscribers.iter().find(is_same);
        let Some(encoded) = same.map(|same| same.items.as_bytes()[same.last.1.clone()].to_vec()) else {
            return false;
        };
        let (count, encoder) = (self.count, self.encoder);
        let entry = self.entry(subscription);
        entry.items.push_encoded(encoder, subscription.stream, subscription.channel, &encoded);
        entry.last = (count, entry.items.len() - encoded.len()..entry.items.len());
        self.count += 1;
        true
    }

    /// Sends each subscription its items as one batch; the batch of the answerer begins with the outcome of
    /// its answer. `subscriptions` must be ordered by attachment.
    pub(crate) fn send(mut self, subscriptions: &[Subscription], answered: Option<(Attachment, Answered)>) {
        if let Some((to, answered)) = answered
            && let Ok(place) = subscriptions.binary_search_by_key(&to, |subscription| subscription.attachment)
        {
            let subscription = &subscriptions[place];
            let (encoder, item) = (self.encoder, StreamItem::Answered(&answered));
            self.entry(subscription).items.push_front(
                encoder,
                subscription.stream,
                subscription.channel,
                &item,
            );
        }
        for SubscriberItems { attachment, items, .. } in self.subscribers {
            // Items of a subscription that has ended meanwhile are dropped.
            if let Ok(place) =
                subscriptions.binary_search_by_key(&attachment, |subscription| subscription.attachment)
            {
                subscriptions[place].queue.push_batch(attachment, subscriptions[place].channel, items);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use parlor_engine::{Lang, Seat};

    use super::*;
    use crate::stream::StreamKind;
    use crate::stream::channels::{AttachedChannel, AttachmentTarget};
    use crate::stream::item_batch::test_encoder::TestEncoder;
    use crate::stream::queue::{QueueLimits, StreamQueue};
    use crate::table::DecisionId;
    use crate::{AnswerOutcome, AnswerRefused, Channel, HostError, Presence};

    fn subscription(number: u64, viewer: Viewer, wants: Wants) -> Subscription {
        let queue = StreamQueue::new(QueueLimits {
            max_items: 10,
            max_batch_bytes: 1000,
            kind: StreamKind::Client,
            encoder: &TestEncoder,
        });
        let table = crate::TableId::from_bytes([1; 16]);
        let (attachment, target) = (Attachment(number), AttachmentTarget::Spectator(table));
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

    fn received(subscription: &Subscription) -> ItemBatch {
        let next = std::future::poll_fn(|context| subscription.queue.poll_next(context));
        futures_util::FutureExt::now_or_never(next).flatten().map(|batch| batch.items).unwrap_or_default()
    }

    #[test]
    fn subscriptions_with_equal_viewer_and_wants_get_the_same_bytes() {
        let all = Wants { time_left: true, ..Wants::default() };
        let seat = Viewer::Seat(Seat::FIRST);
        let subscriptions = [
            subscription(1, Viewer::Spectator, Wants::default()),
            subscription(2, seat, Wants::default()),
            subscription(3, Viewer::Spectator, Wants::default()),
            subscription(4, Viewer::Spectator, all),
        ];
        let presence =
            StreamItem::Presence(Presence { seat: Seat::FIRST, connected: true, grace_left: None });
        let mut notifications = Notifications::new(&TestEncoder, &subscriptions);
        notifications.push(&subscriptions[0], &presence);
        let before = notifications.count();
        assert!(
            !notifications.repeat_for(&subscriptions[2], before),
            "the earlier item belongs to another step"
        );
        notifications.push(&subscriptions[0], &presence);
        assert!(
            !notifications.repeat_for(&subscriptions[1], before)
                && !notifications.repeat_for(&subscriptions[3], before)
        );
        for wants in
            [Wants { texts: Some(Lang::De), ..Wants::default() }, Wants { board: true, ..Wants::default() }]
        {
            assert!(!notifications.repeat_for(&subscription(5, Viewer::Spectator, wants), before));
        }
        assert!(notifications.repeat_for(&subscriptions[2], before));
        notifications.push(&subscription(9, seat, all), &presence);
        let outcome = AnswerOutcome::Refused(AnswerRefused::Host(HostError::Stopping));
        let answered = Answered { decision: DecisionId(5), outcome };
        notifications.send(&subscriptions, Some((Attachment(3), answered.clone())));

        let mut expected = ItemBatch::default();
        for item in [&StreamItem::Answered(&answered), &presence] {
            expected.push(&TestEncoder, StreamKind::Client, Channel(1), item);
        }
        assert_eq!(received(&subscriptions[2]), expected, "the outcome of the answer comes first");
        let mut expected = ItemBatch::default();
        expected.push(&TestEncoder, StreamKind::Client, Channel(1), &presence);
        expected.push(&TestEncoder, StreamKind::Client, Channel(1), &presence);
        assert_eq!(received(&subscriptions[0]), expected);
        assert!(received(&subscriptions[1]).is_empty() && received(&subscriptions[3]).is_empty());
    }
}
