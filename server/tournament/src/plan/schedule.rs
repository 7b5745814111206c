//! Which tables of a stage come when.
//!
//! A stage is a run of groups that may be played side by side: all of a round robin, or a block of them where a question is to
//! be answered, or those of a round. First come the first rotations of all its groups, in the
//! order of the groups, then the second ones in a new random order, and so on: so much has been played in between that
//! little is left of a deal in anyone's memory. A rotation is begun only when all tables of the rotations before it were
//! begun, and never while another table of its deal is running.

use std::collections::BTreeSet;

use super::chance::{Chance, Draw};

/// The name of a table of a tournament.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TableId {
    /// The number of its group.
    pub group: u32,
    /// Which table of the group it is, the first being 0.
    pub rotation: u8,
}

/// The tables of a stage that are still to be played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Schedule {
    /// The number of the first group.
    first: u32,
    layers: Vec<Layer>,
    left: usize,
}

/// One rotation of all groups.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Layer {
    /// The groups, from the first of the stage, in the order in which they are played.
    order: Vec<u32>,
    /// The place of each group in this order.
    place: Vec<u32>,
    /// One bit a place: whether the table is still to be played.
    open: Vec<u64>,
    /// All words of bits before this one are 0.
    from: usize,
}

impl Schedule {
    pub(crate) fn new(first: u32, groups: usize, rotations: u8, chance: &Chance) -> Schedule {
        let layer = |rotation: u8| match rotation {
            0 => Layer::new((0..groups as u32).collect()),
            _ => {
                Layer::new(chance.order(Draw::Rotation, u64::from(rotation) << 32 | u64::from(first), groups))
            }
        };
        let layers = (0..rotations).map(layer).collect();
        Schedule { first, layers, left: groups * usize::from(rotations) }
    }

    /// Adds a group. It comes last in each rotation.
    pub(crate) fn push(&mut self) {
        for layer in &mut self.layers {
            layer.push();
        }
        self.left += self.layers.len();
    }

    /// Whether a group belongs to this stage.
    pub(crate) fn has(&self, group: u32) -> bool {
        group
            .checked_sub(self.first)
            .is_some_and(|at| self.layers.iter().all(|l| (at as usize) < l.order.len()))
    }

    /// The number of the first group.
    pub(crate) fn first(&self) -> u32 {
        self.first
    }

    /// Whether a table is still to be played.
    pub(crate) fn is_open(&self, table: TableId) -> bool {
        self.has(table.group)
            && self
                .layers
                .get(usize::from(table.rotation))
                .is_some_and(|l| l.is_open(table.group - self.first))
    }

    /// Whether all tables of a group of this stage were closed.
    pub(crate) fn is_played(&self, group: u32) -> bool {
        self.layers.iter().all(|layer| !layer.is_open(group - self.first))
    }

    /// Takes a table out: it is over, or its group is void.
    pub(crate) fn close(&mut self, table: TableId) {
        if self.is_open(table) {
            self.layers[usize::from(table.rotation)].close(table.group - self.first);
            self.left -= 1;
        }
    }

    /// Whether nothing is left to be played.
    pub(crate) fn is_done(&self) -> bool {
        self.left == 0
    }

    /// What may be begun now, in order.
    pub(crate) fn ready<'a>(&'a self, running: &'a BTreeSet<TableId>) -> impl Iterator<Item = TableId> + 'a {
        let begun = |rotation: u8| self.open(rotation).all(|table| running.contains(&table));
        let rotation = (0..self.layers.len() as u8).find(|&rotation| !begun(rotation));
        let first_of = |group| TableId { group, rotation: 0 };
        let dealt = move |group: u32| {
            running.range(first_of(group)..).next().is_some_and(|table| table.group == group)
        };
        rotation.into_iter().flat_map(|rotation| self.open(rotation)).filter(move |table| !dealt(table.group))
    }

    /// The tables of a rotation that are still to be played, in order.
    fn open(&self, rotation: u8) -> impl Iterator<Item = TableId> + '_ {
        let layer = &self.layers[usize::from(rotation)];
        layer.open().map(move |at| TableId { group: self.first + at, rotation })
    }
}

impl Layer {
    fn new(order: Vec<u32>) -> Layer {
        let mut place = vec![0; order.len()];
        for (at, &group) in order.iter().enumerate() {
            place[group as usize] = at as u32;
        }
        let mut open = vec![u64::MAX; order.len().div_ceil(64)];
        if let (Some(last), 1..) = (open.last_mut(), order.len() % 64) {
            *last = (1 << (order.len() % 64)) - 1;
        }
        Layer { order, place, open, from: 0 }
    }

    fn push(&mut self) {
        let at = self.order.len() as u32;
        self.order.push(at);
        self.place.push(at);
        if at.is_multiple_of(64) {
            self.open.push(0);
        }
        self.open[at as usize / 64] |= 1 << (at % 64);
        self.from = self.from.min(at as usize / 64);
    }

    fn is_open(&self, group: u32) -> bool {
        let at = self.place[group as usize];
        self.open[at as usize / 64] >> (at % 64) & 1 == 1
    }

    fn close(&mut self, group: u32) {
        let at = self.place[group as usize];
        self.open[at as usize / 64] &= !(1 << (at % 64));
        while self.open.get(self.from) == Some(&0) {
            self.from += 1;
        }
    }

    fn open(&self) -> impl Iterator<Item = u32> + '_ {
        let words = self.open.iter().enumerate().skip(self.from).filter(|(_, word)| **word != 0);
        let places = words.flat_map(|(at, word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit)
        });
        places.map(|place| self.order[place])
    }
}
