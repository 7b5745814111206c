//! Items that a change produces for its subscribers. They are encoded while the change is applied, and sent
//! when it is durable.

use std::ops::Range;

use parlor_engine::Viewer;

use super::channels::Attachment;
use super::item_batch::{ItemBatch, ItemEncoder};
use crate::shard::subscription::Subscription;
use crate::shard::subscriptions::Subscriptions;
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
    /// Empty, with capacity for so many subscriptions.
    pub(crate) fn new(encoder: &'static dyn ItemEncoder, subscriptions: usize) -> Notifications {
        Notifications { encoder, subscribers: Vec::with_capacity(subscriptions), count: 0 }
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

    /// Encodes an item once for all of these subscriptions; with `only_notified` for those that have another item.
    pub(crate) fn push_to_all<'a>(
        &mut self,
        subscriptions: impl Iterator<Item = &'a Subscription>,
        only_notified: bool,
        item: &StreamItem<'_>,
    ) {
        let mut first: Option<&Subscription> = None;
        let mut encoded = Vec::new();
        for subscription in subscriptions {
            if only_notified && !self.contains(subscription) {
                continue;
            }
            let Some(first) = first else {
                self.push(subscription, item);
                first = Some(subscription);
                continue;
            };
            if encoded.is_empty() {
                let entry = self.entry(first);
                encoded = entry.items.as_bytes()[entry.last.1.clone()].to_vec();
            }
            self.push_encoded(subscription, &encoded);
        }
    }

    /// Adds an item for a subscription from its channel-independent bytes.
    fn push_encoded(&mut self, subscription: &Subscription, encoded: &[u8]) {
        let (count, encoder) = (self.count, self.encoder);
        let entry = self.entry(subscription);
        entry.items.push_encoded(encoder, subscription.stream, subscription.channel, encoded);
        entry.last = (count, entry.items.len() - encoded.len()..entry.items.len());
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
        self.push_encoded(subscription, &encoded);
        true
    }

    /// Sends each subscription its items as one batch; the batch of the answerer begins with the outcome of
    /// its answer.
    pub(crate) fn send(mut self, subscriptions: &Subscriptions, answered: Option<(Attachment, Answered)>) {
        if let Some((to, answered)) = answered
            && let Some(subscription) = subscriptions.get(to)
        {
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
            if let Some(subscription) = subscriptions.get(attachment) {
                subscription.queue.push_batch(attachment, subscription.channel, items);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use parlor_engine::{Lang, Seat};

    use super::*;
    use crate::shard::subscription::test_subscription::subscription;
    use crate::stream::StreamKind;
    use crate::stream::item_batch::test_encoder::TestEncoder;
    use crate::table::DecisionId;
    use crate::{AnswerOutcome, AnswerRefused, Channel, HostError, Presence};

    fn received(subscription: &Subscription) -> ItemBatch {
        let next = std::future::poll_fn(|context| subscription.queue.poll_next(context));
        futures_util::FutureExt::now_or_never(next).flatten().map(|batch| batch.items).unwrap_or_default()
    }

    #[test]
    fn subscriptions_with_equal_viewer_and_wants_get_the_same_bytes() {
        let all = Wants { time_left: true, ..Wants::default() };
        let seat = Viewer::Seat(Seat::FIRST);
        let mut table = Subscriptions::default();
        for (number, viewer, wants) in [
            (1, Viewer::Spectator, Wants::default()),
            (2, seat, Wants::default()),
            (3, Viewer::Spectator, Wants::default()),
            (4, Viewer::Spectator, all),
        ] {
            table.insert(subscription(number, viewer, wants), None);
        }
        let of = |number| table.get(Attachment(number)).expect("a subscription");
        let presence =
            StreamItem::Presence(Presence { seat: Seat::FIRST, connected: true, grace_left: None });
        let mut notifications = Notifications::new(&TestEncoder, table.len());
        notifications.push(of(1), &presence);
        let before = notifications.count();
        assert!(!notifications.repeat_for(of(3), before), "the earlier item belongs to another step");
        notifications.push(of(1), &presence);
        assert!(!notifications.repeat_for(of(2), before) && !notifications.repeat_for(of(4), before));
        for wants in
            [Wants { texts: Some(Lang::De), ..Wants::default() }, Wants { board: true, ..Wants::default() }]
        {
            assert!(!notifications.repeat_for(&subscription(5, Viewer::Spectator, wants), before));
        }
        assert!(notifications.repeat_for(of(3), before));
        notifications.push(&subscription(9, seat, all), &presence);
        let outcome = AnswerOutcome::Refused(AnswerRefused::Host(HostError::Stopping));
        let answered = Answered { decision: DecisionId(5), outcome };
        notifications.send(&table, Some((Attachment(3), answered.clone())));

        let mut expected = ItemBatch::default();
        for item in [&StreamItem::Answered(&answered), &presence] {
            expected.push(&TestEncoder, StreamKind::Client, Channel(1), item);
        }
        assert_eq!(received(of(3)), expected, "the outcome of the answer comes first");
        let mut expected = ItemBatch::default();
        expected.push(&TestEncoder, StreamKind::Client, Channel(1), &presence);
        expected.push(&TestEncoder, StreamKind::Client, Channel(1), &presence);
        assert_eq!(received(of(1)), expected);
        assert!(received(of(2)).is_empty() && received(of(4)).is_empty());

        let mut notifications = Notifications::new(&TestEncoder, table.len());
        notifications.push(of(2), &presence);
        notifications.push_to_all(table.iter(), true, &presence);
        notifications.push_to_all(table.iter(), false, &presence);
        notifications.send(&table, None);
        let received = [1, 2, 3, 4].map(|number| received(of(number)));
        assert_eq!(received.each_ref().map(ItemBatch::items), [1, 3, 1, 1]);
        let mut expected = ItemBatch::default();
        expected.push(&TestEncoder, StreamKind::Client, Channel(1), &presence);
        assert!([0, 2, 3].iter().all(|place| received[*place] == expected));
    }
}
