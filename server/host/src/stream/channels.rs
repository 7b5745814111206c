//! Channels of a stream and their attachments.

use crate::Channel;
use crate::agents::SeatAssignment;
use crate::identity::VerifiedSeatToken;
use parlor_store::FastMap;

use crate::TableId;

/// Identifies one attachment of a channel. A channel can be attached again; items for an earlier attachment
/// are dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Attachment(pub(crate) u64);

/// State of an attached channel.
#[derive(Debug)]
pub(crate) struct AttachedChannel {
    pub(crate) attachment: Attachment,
    pub(crate) target: AttachmentTarget,
    /// The seat assignment, if the channel is an agent's.
    pub(crate) assignment: Option<Box<SeatAssignment>>,
}

/// Target of an attachment.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AttachmentTarget {
    /// A seat, with its token.
    Seat(VerifiedSeatToken),
    /// A table, as a spectator.
    Spectator(TableId),
    /// A table of another node, to which a link carries the channel.
    Remote(TableId),
}

impl AttachmentTarget {
    pub(crate) const fn table(&self) -> TableId {
        match self {
            AttachmentTarget::Seat(token) => token.table(),
            AttachmentTarget::Spectator(table) | AttachmentTarget::Remote(table) => *table,
        }
    }

    /// The table, if it is one of this host.
    pub(crate) const fn local_table(&self) -> Option<TableId> {
        if let AttachmentTarget::Remote(_) = self { None } else { Some(self.table()) }
    }

    /// The token of a seat.
    pub(crate) const fn token(&self) -> Option<VerifiedSeatToken> {
        if let AttachmentTarget::Seat(token) = self { Some(*token) } else { None }
    }
}

/// The attached channels of a stream. Most streams have one channel, which is stored inline to avoid another
/// memory access.
#[derive(Debug, Default)]
pub(crate) struct ChannelMap {
    first: Option<(Channel, AttachedChannel)>,
    others: Option<Box<FastMap<Channel, AttachedChannel>>>,
}

impl ChannelMap {
    /// Number of channels.
    pub(crate) fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.as_ref().map_or(0, |others| others.len())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn get(&self, channel: Channel) -> Option<&AttachedChannel> {
        match &self.first {
            Some((first, attached)) if *first == channel => Some(attached),
            _ => self.others.as_ref()?.get(&channel),
        }
    }

    /// Attaches a channel. Returns its previous attachment.
    pub(crate) fn insert(&mut self, channel: Channel, attached: AttachedChannel) -> Option<AttachedChannel> {
        let before = self.remove(channel);
        if self.first.is_none() {
            self.first = Some((channel, attached));
        } else {
            self.others.get_or_insert_default().insert(channel, attached);
        }
        before
    }

    pub(crate) fn remove(&mut self, channel: Channel) -> Option<AttachedChannel> {
        match self.first.take_if(|(first, _)| *first == channel) {
            Some((_, attached)) => Some(attached),
            None => self.others.as_mut()?.remove(&channel),
        }
    }

    /// Removes and returns all attachments.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = AttachedChannel> {
        let others = self.others.take().into_iter().flat_map(|others| *others);
        self.first.take().into_iter().chain(others).map(|(_, attached)| attached)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn channel_map_keeps_the_last_attachment_of_each_channel() {
        let (mut channels, mut expected) = (ChannelMap::default(), BTreeMap::new());
        // Few channels, so that each of them is stored inline now and then.
        let mut number = 0_u64;
        for step in 0..1000_u64 {
            let channel = Channel((step * step / 7 % 5) as u32);
            let before = if step % 3 == 0 {
                assert_eq!(channels.remove(channel).map(|gone| gone.attachment.0), expected.remove(&channel));
                None
            } else {
                number += 1;
                let target = AttachmentTarget::Spectator(TableId::from_bytes([1; 16]));
                let attached = AttachedChannel { attachment: Attachment(number), target, assignment: None };
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
