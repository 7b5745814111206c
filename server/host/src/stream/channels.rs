//! What is attached to the channels of a stream.

use crate::Channel;
use crate::agents::SeatAssignment;
use crate::identity::VerifiedSeatToken;
use parlor_store::FastMap;

use crate::TableId;

/// One attaching of a channel. A channel can be attached again; what was meant for the earlier one is dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Attachment(pub(crate) u64);

/// What is attached to a channel.
#[derive(Debug)]
pub(crate) struct Attached {
    pub(crate) attachment: Attachment,
    pub(crate) place: Place,
    /// What an agent was given, if it is one.
    pub(crate) given: Option<Box<SeatAssignment>>,
}

/// Where a channel is attached.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// At a seat, with its token.
    Seat(VerifiedSeatToken),
    /// Where one only looks on.
    Rail(TableId),
}

impl Place {
    pub(crate) const fn table(&self) -> TableId {
        match self {
            Place::Seat(pass) => pass.table(),
            Place::Rail(table) => *table,
        }
    }

    /// The token, if it is a seat.
    pub(crate) const fn pass(&self) -> Option<VerifiedSeatToken> {
        if let Place::Seat(pass) = self { Some(*pass) } else { None }
    }
}

/// What is attached to the channels of a stream. Many streams have one channel: that is kept here, and is not looked for
/// elsewhere in memory.
#[derive(Debug, Default)]
pub(crate) struct Channels {
    first: Option<(Channel, Attached)>,
    others: Option<Box<FastMap<Channel, Attached>>>,
}

impl Channels {
    /// How many channels there are.
    pub(crate) fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.as_ref().map_or(0, |others| others.len())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn get(&self, channel: Channel) -> Option<&Attached> {
        match &self.first {
            Some((first, attached)) if *first == channel => Some(attached),
            _ => self.others.as_ref()?.get(&channel),
        }
    }

    /// Attaches something to a channel, and gives what was attached to it before.
    pub(crate) fn insert(&mut self, channel: Channel, attached: Attached) -> Option<Attached> {
        let before = self.remove(channel);
        if self.first.is_none() {
            self.first = Some((channel, attached));
        } else {
            self.others.get_or_insert_default().insert(channel, attached);
        }
        before
    }

    pub(crate) fn remove(&mut self, channel: Channel) -> Option<Attached> {
        match self.first.take_if(|(first, _)| *first == channel) {
            Some((_, attached)) => Some(attached),
            None => self.others.as_mut()?.remove(&channel),
        }
    }

    /// Gives everything. Nothing is left.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Attached> {
        let others = self.others.take().into_iter().flat_map(|others| *others);
        self.first.take().into_iter().chain(others).map(|(_, attached)| attached)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn each_channel_has_what_was_attached_last() {
        let (mut channels, mut expected) = (Channels::default(), BTreeMap::new());
        // All of few channels, so that each is the first one now and then.
        let mut number = 0_u64;
        for step in 0..1000_u64 {
            let channel = Channel((step * step / 7 % 5) as u32);
            let before = if step % 3 == 0 {
                assert_eq!(channels.remove(channel).map(|gone| gone.attachment.0), expected.remove(&channel));
                None
            } else {
                number += 1;
                let place = Place::Rail(TableId::from_bytes([1; 16]));
                let attached = Attached { attachment: Attachment(number), place, given: None };
                let before = channels.insert(channel, attached).map(|before| before.attachment.0);
                assert_eq!(before, expected.insert(channel, number));
                Some(number)
            };
            assert_eq!(channels.get(channel).map(|attached| attached.attachment.0), before);
            assert_eq!((channels.len(), channels.is_empty()), (expected.len(), expected.is_empty()));
        }
        assert!(expected.len() > 1);
        let mut left: Vec<_> = channels.drain().map(|attached| attached.attachment.0).collect();
        left.sort_unstable();
        let mut all: Vec<_> = expected.into_values().collect();
        all.sort_unstable();
        assert_eq!(left, all);
        assert!(channels.is_empty());
    }
}
