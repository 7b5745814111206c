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
