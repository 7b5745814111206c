//! What those who play and watch are told of a change. It is written down while the change is made and all of it is at
//! hand, as it goes over the wire, and sent when the change is durable.

use std::ops::Range;

use parlor_engine::Viewer;

use super::channels::Attachment;
use super::item_batch::{ItemBatch, ItemEncoder};
use crate::shard::table_actor::Subscription;
use crate::{Answered, StreamItem, Wants};

/// Initial capacity of a batch in bytes: more than most moves take for a subscriber that wants everything, and a size class of
/// the allocator.
const BATCH_CAPACITY: usize = 384;

/// What is to be told, and to whom.
pub(crate) struct Notifications {
    encoder: &'static dyn ItemEncoder,
    /// In the order of the attachments.
    each: Vec<SubscriberItems>,
    /// How often somebody is told something.
    count: usize,
}

/// What somebody is told.
struct SubscriberItems {
    to: Attachment,
    viewer: Viewer,
    wants: Wants,
    /// All of it, as it goes over the wire.
    items: ItemBatch,
    /// How often somebody was told something before the last of it, and where that stands.
    last: (usize, Range<usize>),
}

impl Notifications {
    /// With room for something for all of these.
    pub(crate) fn new(encoder: &'static dyn ItemEncoder, subs: &[Subscription]) -> Notifications {
        Notifications { encoder, each: Vec::with_capacity(subs.len()), count: 0 }
    }

    /// Whether somebody is told something.
    pub(crate) fn has(&self, sub: &Subscription) -> bool {
        self.each.binary_search_by_key(&sub.attachment, |entry| entry.to).is_ok()
    }

    /// How often somebody is told something.
    pub(crate) const fn count(&self) -> usize {
        self.count
    }

    /// Somebody is told something.
    pub(crate) fn add(&mut self, sub: &Subscription, what: &StreamItem<'_>) {
        let (count, encoder) = (self.count, self.encoder);
        let entry = self.to(sub);
        entry.last = (count, entry.items.push(encoder, sub.stream, sub.channel, what));
        self.count += 1;
    }

    /// What somebody is told so far.
    fn to(&mut self, sub: &Subscription) -> &mut SubscriberItems {
        let place = match self.each.binary_search_by_key(&sub.attachment, |entry| entry.to) {
            Ok(place) => place,
            Err(place) => {
                let Subscription { attachment: to, viewer, wants, .. } = *sub;
                let entry = SubscriberItems {
                    to,
                    viewer,
                    wants,
                    items: ItemBatch::with_capacity(BATCH_CAPACITY),
                    last: (0, 0..0),
                };
                self.each.insert(place, entry);
                place
            }
        };
        &mut self.each[place]
    }

    /// Tells somebody what was told to another who sees and wants the same, since there were so many notifications. AgentProfile
    /// whether there is one.
    pub(crate) fn repeat(&mut self, sub: &Subscription, since: usize) -> bool {
        let is_same = |entry: &&SubscriberItems| {
            entry.last.0 >= since && entry.viewer == sub.viewer && entry.wants == sub.wants
        };
        let same = self.each.iter().find(is_same);
        let Some(said) = same.map(|same| same.items.as_bytes()[same.last.1.clone()].to_vec()) else {
            return false;
        };
        let (count, encoder) = (self.count, self.encoder);
        let entry = self.to(sub);
        entry.items.push_encoded(encoder, sub.stream, sub.channel, &said);
        entry.last = (count, entry.items.len() - said.len()..entry.items.len());
        self.count += 1;
        true
    }

    /// Sends what is to be told, to each of those who play and watch at once, and first to one of them what became of its
    /// answer. They are in the order of their attachments.
    pub(crate) fn send(mut self, subs: &[Subscription], answered: Option<(Attachment, Answered)>) {
        if let Some((to, answered)) = answered
            && let Ok(place) = subs.binary_search_by_key(&to, |sub| sub.attachment)
        {
            let sub = &subs[place];
            let (encoder, item) = (self.encoder, StreamItem::Answered(&answered));
            self.to(sub).items.push_front(encoder, sub.stream, sub.channel, &item);
        }
        for SubscriberItems { to, items, .. } in self.each {
            // Whoever has gone meanwhile is told nothing.
            if let Ok(place) = subs.binary_search_by_key(&to, |sub| sub.attachment) {
                subs[place].queue.push_all(to, subs[place].channel, items);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use parlor_engine::Seat;

    use super::*;
    use crate::stream::StreamKind;
    use crate::stream::channels::{Attached, Place};
    use crate::stream::item_batch::test_encoder::TestEncoder;
    use crate::stream::queue::{QueueLimits, StreamQueue};
    use crate::table::DecisionId;
    use crate::{AnswerOutcome, AnswerRefused, Channel, HostError, Presence};

    fn sub(number: u64, viewer: Viewer, wants: Wants) -> Subscription {
        let queue = StreamQueue::new(QueueLimits {
            items: 10,
            message: 1000,
            kind: StreamKind::Client,
            encoder: &TestEncoder,
        });
        let table = crate::TableId::from_bytes([1; 16]);
        let (attachment, place) = (Attachment(number), Place::Rail(table));
        let _new = queue.attach(Channel(1), Attached { attachment, place, given: None }, 1);
        Subscription {
            queue,
            channel: Channel(1),
            stream: StreamKind::Client,
            attachment,
            viewer,
            generation: None,
            wants,
            agent: None,
            number: 0,
        }
    }

    fn heard(sub: &Subscription) -> ItemBatch {
        let next = std::future::poll_fn(|context| sub.queue.poll_take(context));
        futures_util::FutureExt::now_or_never(next).flatten().map(|batch| batch.items).unwrap_or_default()
    }

    #[test]
    fn those_who_see_and_want_the_same_are_told_the_same_bytes() {
        let all = Wants { time_left: true, ..Wants::default() };
        let seat = Viewer::Seat(Seat::FIRST);
        let subs = [
            sub(1, Viewer::Spectator, Wants::default()),
            sub(2, seat, Wants::default()),
            sub(3, Viewer::Spectator, Wants::default()),
            sub(4, Viewer::Spectator, all),
        ];
        let presence =
            StreamItem::Presence(Presence { seat: Seat::FIRST, connected: true, grace_left: None });
        let mut notifications = Notifications::new(&TestEncoder, &subs);
        notifications.add(&subs[0], &presence);
        let before = notifications.count();
        assert!(!notifications.repeat(&subs[2], before), "that was of something else");
        notifications.add(&subs[0], &presence);
        assert!(!notifications.repeat(&subs[1], before) && !notifications.repeat(&subs[3], before));
        assert!(notifications.repeat(&subs[2], before));
        notifications.add(&sub(9, seat, all), &presence);
        let outcome = AnswerOutcome::Refused(AnswerRefused::Host(HostError::Stopping));
        let answered = Answered { decision: DecisionId(5), outcome };
        notifications.send(&subs, Some((Attachment(3), answered.clone())));

        let mut expected = ItemBatch::default();
        for item in [&StreamItem::Answered(&answered), &presence] {
            expected.push(&TestEncoder, StreamKind::Client, Channel(1), item);
        }
        assert_eq!(heard(&subs[2]), expected, "first what was first");
        let mut expected = ItemBatch::default();
        expected.push(&TestEncoder, StreamKind::Client, Channel(1), &presence);
        expected.push(&TestEncoder, StreamKind::Client, Channel(1), &presence);
        assert_eq!(heard(&subs[0]), expected);
        assert!(heard(&subs[1]).is_empty() && heard(&subs[3]).is_empty());
    }
}
