//! Order in which the tables of a stage are played.
//!
//! A stage is a run of groups that may be played concurrently: all groups of a round robin, a block of them
//! if the tournament has a sequential test, or the groups of a round. The first rotations of all groups come
//! first, in group order; then all second rotations in a new random order, and so on. The distance between
//! two tables of a deal leaves an agent with a memory little to remember. A rotation starts only after all
//! tables of earlier rotations have started, and never while another table of its deal is running.

use std::collections::BTreeSet;

use super::random::{Purpose, RandomStreams};

/// A table of the tournament's plan, identified by its deal group and rotation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TableKey {
    /// Number of the group.
    pub group: u32,
    /// Rotation within the group, from 0.
    pub rotation: u8,
}

/// Pending tables of a stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Schedule {
    /// Number of the first group.
    first: u32,
    rotations: Vec<RotationQueue>,
    /// Number of pending tables.
    pending: usize,
}

/// Pending tables of one rotation of all groups. Groups are relative to the first of the stage.
#[derive(Clone, PartialEq, Eq, Debug)]
struct RotationQueue {
    /// Groups in play order.
    order: Vec<u32>,
    /// Position of each group in `order`.
    position: Vec<u32>,
    /// Bitset by position: the table is pending.
    pending: Vec<u64>,
    /// All words of `pending` before this one are 0.
    first_word: usize,
}

impl Schedule {
    pub(crate) fn new(first: u32, groups: usize, rotations: u8, random: &RandomStreams) -> Schedule {
        let queue = |rotation: u8| match rotation {
            0 => RotationQueue::new((0..groups as u32).collect()),
            _ => {
                let number = u64::from(rotation) << 32 | u64::from(first);
                RotationQueue::new(random.permutation(Purpose::RotationOrder, number, groups))
            }
        };
        let pending = groups * usize::from(rotations);
        Schedule { first, rotations: (0..rotations).map(queue).collect(), pending }
    }

    /// Adds a group, last in each rotation.
    pub(crate) fn push_group(&mut self) {
        for queue in &mut self.rotations {
            queue.push();
        }
        self.pending += self.rotations.len();
    }

    /// True if the group belongs to this stage.
    pub(crate) fn contains_group(&self, group: u32) -> bool {
        group
            .checked_sub(self.first)
            .is_some_and(|at| self.rotations.iter().all(|queue| (at as usize) < queue.order.len()))
    }

    /// Number of the first group.
    pub(crate) fn first_group(&self) -> u32 {
        self.first
    }

    /// True if the table belongs to this stage and has no result yet.
    pub(crate) fn is_pending(&self, table: TableKey) -> bool {
        self.contains_group(table.group)
            && self
                .rotations
                .get(usize::from(table.rotation))
                .is_some_and(|queue| queue.is_pending(table.group - self.first))
    }

    /// True if no table of the group is pending. The group must belong to this stage.
    pub(crate) fn is_group_closed(&self, group: u32) -> bool {
        self.rotations.iter().all(|queue| !queue.is_pending(group - self.first))
    }

    /// Removes a table that is over or whose group is void.
    pub(crate) fn close(&mut self, table: TableKey) {
        if self.is_pending(table) {
            self.rotations[usize::from(table.rotation)].close(table.group - self.first);
            self.pending -= 1;
        }
    }

    /// True if no table is pending.
    pub(crate) fn is_done(&self) -> bool {
        self.pending == 0
    }

    /// Tables that may start now, in order, given the running ones.
    pub(crate) fn ready<'a>(
        &'a self,
        running: &'a BTreeSet<TableKey>,
    ) -> impl Iterator<Item = TableKey> + 'a {
        let has_started = |rotation: u8| self.pending_of(rotation).all(|table| running.contains(&table));
        let rotation = (0..self.rotations.len() as u8).find(|&rotation| !has_started(rotation));
        let first_of = |group| TableKey { group, rotation: 0 };
        let deal_is_running = move |group: u32| {
            running.range(first_of(group)..).next().is_some_and(|table| table.group == group)
        };
        let pending = rotation.into_iter().flat_map(|rotation| self.pending_of(rotation));
        pending.filter(move |table| !deal_is_running(table.group))
    }

    /// Pending tables of a rotation, in play order.
    fn pending_of(&self, rotation: u8) -> impl Iterator<Item = TableKey> + '_ {
        let queue = &self.rotations[usize::from(rotation)];
        queue.pending().map(move |at| TableKey { group: self.first + at, rotation })
    }
}

impl RotationQueue {
    fn new(order: Vec<u32>) -> RotationQueue {
        let mut position = vec![0; order.len()];
        for (at, &group) in order.iter().enumerate() {
            position[group as usize] = at as u32;
        }
        let mut pending = vec![u64::MAX; order.len().div_ceil(64)];
        if let (Some(last), 1..) = (pending.last_mut(), order.len() % 64) {
            *last = (1 << (order.len() % 64)) - 1;
        }
        RotationQueue { order, position, pending, first_word: 0 }
    }

    fn push(&mut self) {
        let at = self.order.len() as u32;
        self.order.push(at);
        self.position.push(at);
        if at.is_multiple_of(64) {
            self.pending.push(0);
        }
        self.pending[at as usize / 64] |= 1 << (at % 64);
        self.first_word = self.first_word.min(at as usize / 64);
    }

    fn is_pending(&self, group: u32) -> bool {
        let at = self.position[group as usize];
        self.pending[at as usize / 64] >> (at % 64) & 1 == 1
    }

    fn close(&mut self, group: u32) {
        let at = self.position[group as usize];
        self.pending[at as usize / 64] &= !(1 << (at % 64));
        while self.pending.get(self.first_word) == Some(&0) {
            self.first_word += 1;
        }
    }

    fn pending(&self) -> impl Iterator<Item = u32> + '_ {
        let words = self.pending.iter().enumerate().skip(self.first_word).filter(|(_, word)| **word != 0);
        let positions = words.flat_map(|(at, word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit)
        });
        positions.map(|position| self.order[position])
    }
}
