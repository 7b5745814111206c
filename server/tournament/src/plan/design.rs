//! Balanced designs: lists of line-ups in which all pairs meet equally often.
//!
//! The points are the numbers modulo `v`. A *base block* is a set of `k` of them; adding 1, 2, ... to it gives `v`
//! line-ups, in which everyone plays `k` times, and two points meet as often as their difference occurs in the block. So
//! the meetings of all pairs are the counts of the `v - 1` differences in the base blocks, and a design is balanced if
//! these counts are.
//!
//! The counts of `t` base blocks sum up to `t k (k - 1)`. The sum of their squares is the least that it can be exactly if
//! no two counts differ by more than 1. `walk` goes downhill on this sum, one element of one block at a time, with a
//! step up now and then, from a fixed seed: the same design on every machine. What it gives was checked by its sum of
//! squares, so it is balanced to within 1, whatever way led there.
//!
//! Where a number of base blocks makes all counts equal, the design is exact (Fano's plane for 7 points and 3 players,
//! the projective planes for 13 and 4, 21 and 5, 31 and 6). Many meetings are copies of an exact design, and then one that
//! is balanced to within 1 for the rest: so the whole is balanced to within 1.

use parlor_engine::below;

use super::chance::{Chance, Draw};

/// A set of points, of which the others are made by addition.
pub(crate) type Block = Vec<usize>;

/// How many steps a search takes before it gives up, and how many more for each block.
const STEPS: (u32, u32) = (60_000, 2000);
/// How many numbers of blocks are tried, from the smallest that could do.
const TRIES: usize = 12;
/// How many times the smallest number of blocks that could be exact is tried.
const EXACT: usize = 6;

/// The designs of `size` players and `points` entrants, more than `size`.
pub(crate) struct Designs {
    points: usize,
    size: usize,
    /// A small exact design, of which large ones are copies. Empty if none is as small as what is asked for.
    exact: Vec<Block>,
}

impl Designs {
    /// Those with no more than about `count` base blocks.
    pub(crate) fn new(points: usize, size: usize, count: usize) -> Designs {
        // The counts of differences can be equal only if their sum is a multiple of their number.
        let step = (points - 1) / gcd(points - 1, size * (size - 1));
        let exact = (1..=EXACT.min(count / step)).find_map(|times| search(points, size, step * times));
        Designs { points, size, exact: exact.unwrap_or_default() }
    }

    /// So many base blocks, by which no pair meets more than once more often than another. None if none were found.
    pub(crate) fn blocks(&self, count: usize) -> Option<Vec<Block>> {
        let copies = count.checked_div(self.exact.len()).unwrap_or_default();
        let mut blocks: Vec<Block> = std::iter::repeat_n(&self.exact, copies).flatten().cloned().collect();
        let rest = count - blocks.len();
        if rest > 0 {
            blocks.extend(search(self.points, self.size, rest)?);
        }
        Some(blocks)
    }
}

/// Base blocks by which each pair meets at least `meetings` times, and none more than once more often than another: about
/// as few as there can be. For tables of up to six it is always found; if not, what comes nearest.
pub(crate) fn design(points: usize, size: usize, meetings: u32) -> Vec<Block> {
    let needed = (meetings as usize * (points - 1)).div_ceil(size * (size - 1));
    let designs = Designs::new(points, size, needed);
    let found = (needed..needed + TRIES).find_map(|count| designs.blocks(count));
    found.unwrap_or_else(|| walk(points, size, needed).0)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Looks for `count` base blocks whose counts of differences are within 1 of each other.
fn search(points: usize, size: usize, count: usize) -> Option<Vec<Block>> {
    let (blocks, balanced) = walk(points, size, count);
    balanced.then_some(blocks)
}

/// Walks downhill from random base blocks. Gives where it came to, and whether that is the ground.
fn walk(points: usize, size: usize, count: usize) -> (Vec<Block>, bool) {
    let name = (points as u64) << 40 | (size as u64) << 32 | count as u64;
    let mut rng = Chance::seeded([0; 32]).stream(Draw::Design, name);
    let mut below = |bound: usize| below(bound as u32, &mut rng) as usize;
    let mut counts = Counts { of: vec![0; points] };
    let mut blocks: Vec<Block> = Vec::with_capacity(count);
    for _ in 0..count {
        let mut block = Block::new();
        while block.len() < size {
            let point = below(points);
            if !block.contains(&point) {
                block.push(point);
            }
        }
        blocks.push(block);
    }
    for block in &blocks {
        for (i, &a) in block.iter().enumerate() {
            for &b in &block[..i] {
                counts.change(a, b, 1);
            }
        }
    }
    let noise = 400 * count;
    let (sum, pairs) = (count * size * (size - 1), points - 1);
    let (low, higher) = (sum / pairs, sum % pairs);
    let least = (higher * (low + 1) * (low + 1) + (pairs - higher) * low * low) as i64;
    let mut squares: i64 = counts.of.iter().map(|&count| i64::from(count) * i64::from(count)).sum();
    for _ in 0..STEPS.0 + STEPS.1 * count as u32 {
        if squares == least {
            return (blocks, true);
        }
        let (block, place, new) = (below(count), below(size), below(points));
        let block = &mut blocks[block];
        if block.contains(&new) {
            continue;
        }
        let old = block[place];
        let mut change = 0;
        for &other in block.iter().filter(|&&other| other != old) {
            change += counts.change(old, other, -1);
            change += counts.change(new, other, 1);
        }
        // Up now and then, so that no hollow holds the walk for good; the more blocks there are, the more rarely, or it
        // would never come down to the ground.
        if change <= 0 || (change <= 8 && below(noise) == 0) {
            block[place] = new;
            squares += change;
        } else {
            for &other in block.iter().filter(|&&other| other != old) {
                counts.change(new, other, -1);
                counts.change(old, other, 1);
            }
        }
    }
    (blocks, squares == least)
}

/// How often each difference occurs, from 1 to `points - 1`; the first count is unused and 0.
struct Counts {
    of: Vec<i32>,
}

impl Counts {
    /// Counts the differences of two points in both directions, and says by how much the sum of squares changes.
    fn change(&mut self, a: usize, b: usize, by: i32) -> i64 {
        let points = self.of.len();
        let difference = (a + points - b) % points;
        let mut change = 0;
        for difference in [difference, points - difference] {
            let count = &mut self.of[difference];
            change += i64::from(2 * *count * by + 1);
            *count += by;
        }
        change
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often the differences occur, the least and the most.
    fn spread(points: usize, blocks: &[Block]) -> (u32, u32) {
        let mut met = vec![0; points];
        for block in blocks {
            for &a in block {
                for &b in block.iter().filter(|b| **b != a) {
                    met[(a + points - b) % points] += 1;
                }
            }
        }
        let met = &met[1..];
        (*met.iter().min().unwrap(), *met.iter().max().unwrap())
    }

    #[test]
    fn all_pairs_meet_equally_often_to_within_one_at_every_size() {
        for size in 3..=6 {
            for points in size + 1..=20 {
                for meetings in (1..=8).chain([30, 61, 1000]) {
                    let blocks = design(points, size, meetings);
                    let (least, most) = spread(points, &blocks);
                    assert!(
                        least >= meetings && most - least <= 1,
                        "{size} of {points}, {meetings}: {least} to {most}"
                    );
                    assert!(least <= meetings + 4, "{size} of {points}, {meetings}: {least} is far too much");
                }
            }
        }
    }

    #[test]
    fn the_planes_are_found() {
        for (points, size) in [(7, 3), (13, 4), (19, 3), (21, 5), (31, 6)] {
            assert_eq!(spread(points, &design(points, size, 1)), (1, 1), "{size} of {points}");
        }
    }

    #[test]
    fn large_fields_are_balanced_too() {
        for (points, size) in [(64, 3), (100, 4), (256, 6)] {
            for meetings in [1, 31] {
                let (least, most) = spread(points, &design(points, size, meetings));
                assert!(least >= meetings && most - least <= 1, "{size} of {points}: {least} to {most}");
            }
        }
    }
}
