//! What those who play and watch are told of a change. It is written down while the change is made and all of it is at
//! hand, as it goes over the wire, and sent when the change is durable.

use std::ops::Range;

use parlor_engine::Viewer;
use parlor_proto::write::{Fields, Write};

use super::live::Sub;
use super::outbox::Attachment;
use super::{Wants, What};

/// How much is made room for: as much as a move mostly comes to, for two who want to know everything.
const ROOM: usize = 640;

/// What is to be told, and to whom.
#[derive(Default)]
pub(super) struct Tellings {
    bytes: Vec<u8>,
    each: Vec<Telling>,
}

#[derive(Clone)]
struct Telling {
    to: Attachment,
    viewer: Viewer,
    wants: Wants,
    /// Where it stands.
    said: Range<usize>,
}

impl Tellings {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.each.len()
    }

    /// Somebody is told something.
    pub(super) fn add(&mut self, sub: &Sub, what: &What) {
        let said = self.write(what);
        self.each.push(Telling { to: sub.attachment, viewer: sub.viewer, wants: sub.wants, said });
    }

    /// Somebody is told something before everything else.
    pub(super) fn add_first(&mut self, to: Attachment, what: &What) {
        let said = self.write(what);
        self.each.insert(0, Telling { to, viewer: Viewer::Spectator, wants: Wants::default(), said });
    }

    fn write(&mut self, what: &What) -> Range<usize> {
        let start = self.bytes.len();
        if start == 0 {
            self.bytes.reserve(ROOM);
        }
        what.write(&mut Fields::of(&mut self.bytes));
        start..self.bytes.len()
    }

    /// Tells somebody what was told to another who sees and wants the same, since there were so many tellings. Says
    /// whether there is one.
    pub(super) fn repeat(&mut self, sub: &Sub, since: usize) -> bool {
        let is_same = |telling: &&Telling| telling.viewer == sub.viewer && telling.wants == sub.wants;
        let same = self.each[since..].iter().find(is_same).cloned();
        let again = same.map(|same| Telling { to: sub.attachment, ..same });
        again.map(|again| self.each.push(again)).is_some()
    }

    /// Sends what is to be told, to each of those who play and watch at once. They are in the order of their attachments.
    pub(super) fn send(mut self, subs: &[Sub]) {
        self.each.sort_by_key(|telling| telling.to);
        let mut all = self.each.as_slice();
        for sub in subs {
            // Whoever has gone meanwhile is told nothing.
            all = &all[all.partition_point(|telling| telling.to < sub.attachment)..];
            let (mine, others) = all.split_at(all.partition_point(|telling| telling.to == sub.attachment));
            if !mine.is_empty() {
                let said = mine.iter().map(|telling| &self.bytes[telling.said.clone()]);
                sub.out.push(sub.attachment, sub.channel, said);
            }
            all = others;
        }
    }
}

#[cfg(test)]
mod tests {
    use parlor_engine::Seat;
    use parlor_proto::frame::{Field, Frame};

    use super::*;
    use crate::host::outbox::{Attached, Bounds, Out, Place, closed};
    use crate::host::{Channel, Presence};

    fn sub(number: u64, viewer: Viewer, wants: Wants) -> Sub {
        let out = Out::new(Bounds { items: 10, message: 1000, field: Field::PLAY });
        let table = crate::TableId::from_bytes([1; 16]);
        let (attachment, place) = (Attachment(number), Place::Rail(table));
        let _new = out.attach(Channel(1), Attached { attachment, place, given: None }, 1);
        Sub { out, channel: Channel(1), attachment, viewer, generation: None, wants, agent: None, number: 0 }
    }

    fn heard(sub: &Sub) -> Frame {
        let next = std::future::poll_fn(|context| sub.out.poll_take(context));
        futures_util::FutureExt::now_or_never(next).flatten().map(|batch| batch.frame).unwrap_or_default()
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
        let presence = What::Presence(Presence { seat: Seat::FIRST, connected: true, grace_left: None });
        let mut tellings = Tellings::default();
        tellings.add(&subs[0], &presence);
        let before = tellings.count();
        assert!(!tellings.repeat(&subs[2], before), "that was of something else");
        tellings.add(&subs[0], &presence);
        let length = tellings.bytes.len();
        assert!(!tellings.repeat(&subs[1], before) && !tellings.repeat(&subs[3], before));
        assert!(tellings.repeat(&subs[2], before));
        assert_eq!(tellings.bytes.len(), length, "nothing is written twice");
        tellings.add_first(Attachment(3), &What::Closed(closed(None, 5)));
        tellings.add(&sub(9, seat, all), &presence);
        tellings.send(&subs);

        let mut expected = Frame::default();
        expected.put(Field::PLAY, 1, &What::Closed(closed(None, 5)).said());
        expected.put(Field::PLAY, 1, &presence.said());
        assert_eq!(heard(&subs[2]), expected, "first what was first");
        let mut expected = Frame::default();
        expected.put(Field::PLAY, 1, &presence.said());
        expected.put(Field::PLAY, 1, &presence.said());
        assert_eq!(heard(&subs[0]), expected);
        assert!(heard(&subs[1]).is_empty() && heard(&subs[3]).is_empty());
    }
}
