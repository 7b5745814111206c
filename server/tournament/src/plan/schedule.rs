//! Order in which the tables of a stage are played.
//!
//! A stage is a run of groups that may be played concurrently: all groups of a round robin or gauntlet, or the
//! groups of a round. It is divided into blocks ([`block_sizes`]), so that groups become complete in their
//! order from the start of a tournament on.
//!
//! Within a block the first rotations of all groups come first, in group order; then all second rotations in a
//! new random order, and so on. The distance between two tables of a deal leaves an agent with a memory little
//! to remember. A rotation starts only after all tables of earlier rotations of its block have started, and
//! never while another table of its deal is running.
//!
//! Tables are offered block by block: those of a later block are played when the earlier ones have none to
//! offer, because their tables run or wait for an entrant. So a block costs no time, and the earliest groups
//! become complete first.

use std::collections::BTreeSet;

use super::PlanVersion;
use super::random::{Purpose, RandomStreams};

/// A table of the tournament's plan, identified by its deal group and rotation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TableKey {
    /// Number of the group.
    pub group: u32,
    /// Rotation within the group, from 0.
    pub rotation: u8,
}

/// Maximum number of groups of a block. A block is small, so that its groups are soon complete, and large, so
/// that many tables are played between two tables of a deal.
const MAX_BLOCK_GROUPS: usize = 100;
/// Minimum number of groups of a block in a stage of several blocks.
const MIN_BLOCK_GROUPS: usize = 25;
/// Number of blocks of a stage that is large enough for it.
const MIN_BLOCKS: usize = 4;

/// Pending tables of a stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Schedule {
    /// Number of the first group.
    first: u32,
    groups: usize,
    rotations: u8,
    /// Blocks in group order; at least one.
    blocks: Vec<Block>,
    /// All blocks before this one are closed.
    first_open: usize,
    /// Groups are added to the last block until it has this many.
    max_block_groups: usize,
    /// Number of pending tables.
    pending: usize,
}

/// Pending tables of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Block {
    /// Number of the first group.
    first: u32,
    rotations: Vec<RotationQueue>,
    /// Number of pending tables.
    pending: usize,
}

/// Pending tables of one rotation of all groups of a block. Groups are relative to the first of the block.
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

/// Sizes of the blocks of a stage of so many groups: at most [`MAX_BLOCK_GROUPS`], and as few as a fourth of the
/// stage, but no fewer than [`MIN_BLOCK_GROUPS`] unless that is the whole stage. They differ by 1 at most.
fn block_sizes(groups: usize) -> impl Iterator<Item = usize> {
    let blocks = groups.div_ceil(MAX_BLOCK_GROUPS).max((groups / MIN_BLOCK_GROUPS).min(MIN_BLOCKS)).max(1);
    (0..blocks).map(move |block| groups * (block + 1) / blocks - groups * block / blocks)
}

impl Schedule {
    /// Schedule of a stage. In [`PlanVersion::V1`] it is one block.
    pub(crate) fn new(
        first: u32,
        groups: usize,
        rotations: u8,
        version: PlanVersion,
        random: &RandomStreams,
    ) -> Schedule {
        let (sizes, max_block_groups) = match version {
            PlanVersion::V1 => (vec![groups], usize::MAX),
            PlanVersion::V2 => (block_sizes(groups).collect(), MAX_BLOCK_GROUPS),
        };
        let mut next = first;
        let block = |groups: usize| {
            let block = Block::new(next, groups, rotations, random);
            next += groups as u32;
            block
        };
        Schedule {
            first,
            groups,
            rotations,
            blocks: sizes.into_iter().map(block).collect(),
            first_open: 0,
            max_block_groups,
            pending: groups * usize::from(rotations),
        }
    }

    /// Adds a group, last in each rotation of the last block, or in a block of its own if that is full.
    pub(crate) fn push_group(&mut self) {
        let last = self.blocks.len() - 1;
        if self.blocks[last].groups() < self.max_block_groups {
            self.blocks[last].push_group();
            self.first_open = self.first_open.min(last);
        } else {
            let queue = || RotationQueue::new(vec![0]);
            let (first, rotations) = (self.first + self.groups as u32, usize::from(self.rotations));
            let rotations = std::iter::repeat_with(queue).take(rotations).collect();
            self.blocks.push(Block { first, rotations, pending: usize::from(self.rotations) });
        }
        self.groups += 1;
        self.pending += usize::from(self.rotations);
    }

    /// True if the group belongs to this stage.
    pub(crate) fn contains_group(&self, group: u32) -> bool {
        group.checked_sub(self.first).is_some_and(|at| (at as usize) < self.groups)
    }

    /// Number of the first group.
    pub(crate) fn first_group(&self) -> u32 {
        self.first
    }

    /// True if the table belongs to this stage and has no result yet.
    pub(crate) fn is_pending(&self, table: TableKey) -> bool {
        self.contains_group(table.group) && self.blocks[self.block_of(table.group)].is_pending(table)
    }

    /// True if no table of the group is pending. The group must belong to this stage.
    pub(crate) fn is_group_closed(&self, group: u32) -> bool {
        let block = &self.blocks[self.block_of(group)];
        (0..self.rotations).all(|rotation| !block.is_pending(TableKey { group, rotation }))
    }

    /// Removes a table that is over or whose group is void.
    pub(crate) fn close(&mut self, table: TableKey) {
        if self.is_pending(table) {
            let block = self.block_of(table.group);
            self.blocks[block].close(table);
            self.pending -= 1;
            while self.blocks.get(self.first_open).is_some_and(|block| block.pending == 0) {
                self.first_open += 1;
            }
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
        let open = self.blocks.iter().skip(self.first_open).filter(|block| block.pending > 0);
        open.flat_map(|block| block.ready(running))
    }

    /// Index of the block of a group of this stage.
    fn block_of(&self, group: u32) -> usize {
        self.blocks.partition_point(|block| block.first <= group).saturating_sub(1)
    }
}

impl Block {
    fn new(first: u32, groups: usize, rotations: u8, random: &RandomStreams) -> Block {
        let queue = |rotation: u8| match rotation {
            0 => RotationQueue::new((0..groups as u32).collect()),
            _ => {
                let number = u64::from(rotation) << 32 | u64::from(first);
                RotationQueue::new(random.permutation(Purpose::RotationOrder, number, groups))
            }
        };
        let pending = groups * usize::from(rotations);
        Block { first, rotations: (0..rotations).map(queue).collect(), pending }
    }

    /// Number of groups.
    fn groups(&self) -> usize {
        self.rotations.first().map_or(0, |queue| queue.order.len())
    }

    fn push_group(&mut self) {
        for queue in &mut self.rotations {
            queue.push();
        }
        self.pending += self.rotations.len();
    }

    fn is_pending(&self, table: TableKey) -> bool {
        let queue = self.rotations.get(usize::from(table.rotation));
        queue.is_some_and(|queue| queue.is_pending(table.group - self.first))
    }

    fn close(&mut self, table: TableKey) {
        self.rotations[usize::from(table.rotation)].close(table.group - self.first);
        self.pending -= 1;
    }

    /// Tables of the first rotation that has not started whole, unless another table of their deal is running.
    fn ready<'a>(&'a self, running: &'a BTreeSet<TableKey>) -> impl Iterator<Item = TableKey> + 'a {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_at_most_a_hundred_groups_and_a_small_stage_has_smaller_ones() {
        let sizes = |groups| block_sizes(groups).collect::<Vec<_>>();
        for (groups, expected) in [
            (0, vec![0]),
            (1, vec![1]),
            (49, vec![49]),
            (50, vec![25, 25]),
            (100, vec![25; 4]),
            (101, vec![25, 25, 25, 26]),
            (400, vec![100; 4]),
            (401, vec![80, 80, 80, 80, 81]),
            (600, vec![100; 6]),
        ] {
            assert_eq!(sizes(groups), expected);
        }
    }
}
