//! Subscriptions to one table: those of its seats, and those of spectators.
//!
//! A seat has few subscriptions, and a move goes to all of them, so they are in one array. Spectators come and go in any
//! number: attaching and detaching one takes a time that hardly depends on how many there are.

use std::collections::{BTreeMap, btree_map};

use parlor_engine::{Seat, Viewer};

use super::subscription::Subscription;
use crate::limits::{CallerKey, LimitExceeded, LimitedResource};
use crate::stream::channels::Attachment;

/// Maximum number of subscriptions of one seat. Another one takes the place of the oldest, which is most likely that of a
/// connection that the client has lost.
const MAX_SUBSCRIPTIONS_PER_SEAT: usize = 64;

/// Subscriptions to one table.
#[derive(Default)]
pub(crate) struct Subscriptions {
    /// Ordered by attachment.
    seats: Vec<Subscription>,
    spectators: BTreeMap<Attachment, Spectator>,
    /// Number of spectators of each caller.
    callers: BTreeMap<CallerKey, usize>,
}

/// Subscription of a spectator.
struct Spectator {
    subscription: Subscription,
    /// The caller that it counts for, if callers are limited.
    caller: Option<CallerKey>,
}

/// Limits of the spectators of one table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpectatorLimits {
    /// Spectators in all.
    pub(crate) per_table: usize,
    /// Spectators of one caller.
    pub(crate) per_caller: usize,
}

impl Subscriptions {
    /// Reserves memory for one subscription of each player: most tables have no other viewers.
    pub(crate) fn reserve_for(&mut self, players: u8) {
        let players = usize::from(players);
        if self.seats.len() < players {
            self.seats.reserve_exact(players - self.seats.len());
        }
    }

    /// Adds a subscription of a caller, regardless of the limits of spectators. Returns the oldest one of the same seat if
    /// the seat had as many as it may.
    pub(crate) fn insert(
        &mut self,
        subscription: Subscription,
        caller: Option<CallerKey>,
    ) -> Option<Subscription> {
        let Viewer::Seat(seat) = subscription.viewer else {
            caller.iter().for_each(|caller| *self.callers.entry(*caller).or_default() += 1);
            self.spectators.insert(subscription.attachment, Spectator { subscription, caller });
            return None;
        };
        let is_of_seat = |other: &Subscription| other.viewer.is(seat);
        let is_full =
            self.seats.iter().filter(|other| is_of_seat(other)).count() >= MAX_SUBSCRIPTIONS_PER_SEAT;
        let oldest = self.seats.iter().position(is_of_seat).filter(|_| is_full);
        let replaced = oldest.map(|place| self.seats.remove(place));
        let place = self.seats.partition_point(|other| other.attachment < subscription.attachment);
        self.seats.insert(place, subscription);
        replaced
    }

    /// Removes the subscription of an attachment.
    pub(crate) fn remove(&mut self, attachment: Attachment) -> Option<Subscription> {
        match self.seat_place(attachment) {
            Some(place) => Some(self.seats.remove(place)),
            None => self.remove_spectator(attachment),
        }
    }

    fn remove_spectator(&mut self, attachment: Attachment) -> Option<Subscription> {
        let Spectator { subscription, caller } = self.spectators.remove(&attachment)?;
        if let Some(btree_map::Entry::Occupied(mut count)) = caller.map(|caller| self.callers.entry(caller)) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
        Some(subscription)
    }

    /// The subscription of an attachment.
    pub(crate) fn get(&self, attachment: Attachment) -> Option<&Subscription> {
        match self.seat_place(attachment) {
            Some(place) => Some(&self.seats[place]),
            None => self.spectators.get(&attachment).map(|spectator| &spectator.subscription),
        }
    }

    fn seat_place(&self, attachment: Attachment) -> Option<usize> {
        self.seats.binary_search_by_key(&attachment, |subscription| subscription.attachment).ok()
    }

    /// All subscriptions, those of the seats first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Subscription> {
        self.seats.iter().chain(self.spectators.values().map(|spectator| &spectator.subscription))
    }

    /// All subscriptions.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Subscription> {
        self.seats.iter_mut().chain(self.spectators.values_mut().map(|spectator| &mut spectator.subscription))
    }

    /// Subscriptions of a seat.
    pub(crate) fn of_seat(&self, seat: Seat) -> impl Iterator<Item = &Subscription> {
        self.seats.iter().filter(move |subscription| subscription.viewer.is(seat))
    }

    /// Number of subscriptions.
    pub(crate) fn len(&self) -> usize {
        self.seats.len() + self.spectators.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes and returns the subscriptions that fulfil a condition.
    pub(crate) fn extract(&mut self, mut condition: impl FnMut(&Subscription) -> bool) -> Vec<Subscription> {
        let mut extracted: Vec<_> =
            self.seats.extract_if(.., |subscription| condition(subscription)).collect();
        let is_extracted = |(_, spectator): &(&_, &Spectator)| condition(&spectator.subscription);
        let attachments: Vec<_> =
            self.spectators.iter().filter(is_extracted).map(|(attachment, _)| *attachment).collect();
        extracted.extend(attachments.into_iter().filter_map(|attachment| self.remove_spectator(attachment)));
        extracted
    }

    /// Adds a subscription of a caller, and closes the oldest of its seat if the seat has too many. Fails if it is one
    /// spectator too many.
    pub(crate) fn admit(
        &mut self,
        subscription: Subscription,
        caller: Option<CallerKey>,
        limits: SpectatorLimits,
    ) -> Result<(), LimitExceeded> {
        self.check_room(subscription.viewer, caller, limits)?;
        if let Some(oldest) = self.insert(subscription, caller) {
            let max = MAX_SUBSCRIPTIONS_PER_SEAT as u32;
            oldest.close(Some(LimitExceeded::Count { resource: LimitedResource::SeatChannels, max }.into()));
        }
        Ok(())
    }

    /// Returns an error if there is no room for another subscription of this viewer.
    pub(crate) fn check_room(
        &self,
        viewer: Viewer,
        caller: Option<CallerKey>,
        SpectatorLimits { per_table, per_caller }: SpectatorLimits,
    ) -> Result<(), LimitExceeded> {
        let of_caller = caller.and_then(|caller| self.callers.get(&caller)).copied().unwrap_or_default();
        if viewer != Viewer::Spectator {
            Ok(())
        } else if self.spectators.len() >= per_table {
            Err(LimitExceeded::Spectators { max: per_table })
        } else if of_caller >= per_caller {
            let max = u32::try_from(per_caller).unwrap_or(u32::MAX);
            Err(LimitExceeded::Count { resource: LimitedResource::CallerSpectators, max })
        } else {
            Ok(())
        }
    }

    /// Removes and returns all subscriptions, with the callers of spectators.
    pub(crate) fn into_all(self) -> impl Iterator<Item = (Subscription, Option<CallerKey>)> {
        let spectators = self.spectators.into_values();
        let spectators = spectators.map(|Spectator { subscription, caller }| (subscription, caller));
        self.seats.into_iter().map(|subscription| (subscription, None)).chain(spectators)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Wants;
    use crate::shard::subscription::test_subscription::subscription;

    const LIMITS: SpectatorLimits = SpectatorLimits { per_table: 4, per_caller: 2 };

    fn seat(number: u8) -> Viewer {
        Viewer::Seat(Seat::new(number).expect("a seat"))
    }

    fn attachments(subscriptions: &Subscriptions) -> Vec<u64> {
        subscriptions.iter().map(|subscription| subscription.attachment.0).collect()
    }

    #[test]
    fn subscriptions_are_found_by_attachment() {
        let mut subscriptions = Subscriptions::default();
        for (number, viewer) in
            [(4, Viewer::Spectator), (3, seat(0)), (1, seat(1)), (2, Viewer::Spectator), (5, seat(1))]
        {
            subscriptions.admit(subscription(number, viewer, Wants::default()), None, LIMITS).expect("room");
        }
        assert_eq!(attachments(&subscriptions), [1, 3, 5, 2, 4]);
        let of_seat = |place| subscriptions.of_seat(Seat::new(place).expect("a seat")).count();
        assert_eq!([0, 1, 2].map(of_seat), [1, 2, 0]);
        assert!((1..=5).all(|number| subscriptions.get(Attachment(number)).is_some()));
        for number in [3, 4] {
            assert_eq!(subscriptions.remove(Attachment(number)).map(|gone| gone.attachment.0), Some(number));
            assert!(subscriptions.remove(Attachment(number)).is_none());
        }
        let spectators = subscriptions.extract(|subscription| subscription.viewer == Viewer::Spectator);
        assert_eq!((spectators.len(), subscriptions.len(), subscriptions.is_empty()), (1, 2, false));
        let rest = subscriptions.into_all().map(|(subscription, _)| subscription.attachment.0);
        assert_eq!(rest.collect::<Vec<_>>(), [1, 5]);
    }

    #[test]
    fn spectators_are_limited_in_all_and_for_each_caller() {
        let mut subscriptions = Subscriptions::default();
        let mut admit = |number, caller| {
            let spectator = subscription(number, Viewer::Spectator, Wants::default());
            subscriptions.admit(spectator, Some(CallerKey::Connection(caller)), LIMITS)
        };
        let caller_is_full = LimitExceeded::Count { resource: LimitedResource::CallerSpectators, max: 2 };
        assert_eq!([(1, 7), (2, 7)].map(|(number, caller)| admit(number, caller)), [Ok(()); 2]);
        assert_eq!((admit(3, 7), admit(3, 8)), (Err(caller_is_full), Ok(())));
        assert_eq!((admit(4, 9), admit(5, 9)), (Ok(()), Err(LimitExceeded::Spectators { max: 4 })));
        subscriptions.remove(Attachment(1)).expect("a subscription");
        subscriptions.extract(|subscription| subscription.attachment == Attachment(3));
        assert_eq!(
            subscriptions.callers.into_iter().collect::<Vec<_>>(),
            [(CallerKey::Connection(7), 1), (CallerKey::Connection(9), 1)]
        );
    }

    #[test]
    fn another_subscription_of_a_seat_takes_the_place_of_the_oldest() {
        let mut subscriptions = Subscriptions::default();
        let most = MAX_SUBSCRIPTIONS_PER_SEAT as u64;
        subscriptions.admit(subscription(0, seat(1), Wants::default()), None, LIMITS).expect("room");
        let first = subscription(1, seat(0), Wants::default());
        let queue = first.queue.clone();
        subscriptions.admit(first, None, LIMITS).expect("room");
        for number in 2..=most {
            subscriptions.admit(subscription(number, seat(0), Wants::default()), None, LIMITS).expect("room");
        }
        assert!(queue.attached(crate::Channel(1)).is_some());
        subscriptions.admit(subscription(most + 1, seat(0), Wants::default()), None, LIMITS).expect("room");
        assert!(queue.attached(crate::Channel(1)).is_none(), "its channel is closed");
        assert_eq!(attachments(&subscriptions), [0].into_iter().chain(2..=most + 1).collect::<Vec<_>>());
    }
}
