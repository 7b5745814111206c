//! Balanced block designs: lists of line-ups in which all pairs meet equally often.
//!
//! The points are the integers modulo `v`. A *base block* is a set of `k` points. Its `v` translates (adding
//! 1, 2, ...) are line-ups in which every point occurs `k` times, and two points meet as often as their
//! difference occurs in the block. So the meetings of all pairs are the counts of the `v - 1` differences in
//! the base blocks, and the design is balanced if these counts are.
//!
//! The counts of `t` base blocks sum to `t k (k - 1)`. The sum of their squares is minimal exactly if no two
//! counts differ by more than 1. `local_search` minimises this sum, replacing one element of one block at a
//! time with an occasional step up, from a fixed seed: the same design on every machine. A result is accepted
//! by its sum of squares alone, so it is balanced to within 1.
//!
//! A design is exact if all counts are equal (the Fano plane for 7 points and 3 players, the projective
//! planes for 13 and 4, 21 and 5, 31 and 6). Many meetings are built of copies of an exact design plus one
//! that is balanced to within 1 for the rest, so the whole is balanced to within 1.

use parlor_engine::below;

use super::random::{Purpose, RandomStreams};

/// A set of points; a base block is developed into line-ups by addition.
pub(crate) type Block = Vec<usize>;

/// Maximum steps of a local search: `BASE_STEPS + STEPS_PER_BLOCK * blocks`.
const BASE_STEPS: u32 = 60_000;
const STEPS_PER_BLOCK: u32 = 2000;
/// Numbers of base blocks to try, from the smallest that could suffice.
const BLOCK_COUNTS_TO_TRY: usize = 12;
/// Multiples of the smallest number of base blocks that could be exact to try.
const EXACT_MULTIPLES_TO_TRY: usize = 6;

/// Designs of `points` entrants in line-ups of `size`, for `points > size`.
pub(crate) struct Designs {
    points: usize,
    size: usize,
    /// A small exact design, copied to build large ones. Empty if there is none within the requested number
    /// of base blocks.
    exact: Vec<Block>,
}

impl Designs {
    /// Designs of up to about `count` base blocks.
    pub(crate) fn new(points: usize, size: usize, count: usize) -> Designs {
        // The counts of differences can be equal only if their sum is a multiple of their number.
        let step = (points - 1) / gcd(points - 1, size * (size - 1));
        let mut multiples = 1..=EXACT_MULTIPLES_TO_TRY.min(count / step);
        let exact = multiples.find_map(|times| find_balanced(points, size, step * times));
        Designs { points, size, exact: exact.unwrap_or_default() }
    }

    /// `count` base blocks by which the meetings of any two pairs differ by at most 1, or `None` if none were
    /// found.
    pub(crate) fn blocks(&self, count: usize) -> Option<Vec<Block>> {
        let copies = count.checked_div(self.exact.len()).unwrap_or_default();
        let mut blocks: Vec<Block> = std::iter::repeat_n(&self.exact, copies).flatten().cloned().collect();
        let rest = count - blocks.len();
        if rest > 0 {
            blocks.extend(find_balanced(self.points, self.size, rest)?);
        }
        Some(blocks)
    }
}

/// Base blocks by which each pair meets at least `meetings` times and the meetings of any two pairs differ by
/// at most 1, about as few as possible. For tables of up to six such a design is always found; otherwise the
/// result is the best found.
pub(crate) fn design(points: usize, size: usize, meetings: u32) -> Vec<Block> {
    let needed = (meetings as usize * (points - 1)).div_ceil(size * (size - 1));
    let designs = Designs::new(points, size, needed);
    let found = (needed..needed + BLOCK_COUNTS_TO_TRY).find_map(|count| designs.blocks(count));
    found.unwrap_or_else(|| local_search(points, size, needed).0)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Searches for `count` base blocks whose difference counts are within 1 of each other.
fn find_balanced(points: usize, size: usize, count: usize) -> Option<Vec<Block>> {
    let (blocks, balanced) = local_search(points, size, count);
    balanced.then_some(blocks)
}

/// Minimises the sum of squared difference counts from random base blocks. Returns the blocks, and whether
/// the minimum was reached.
fn local_search(points: usize, size: usize, count: usize) -> (Vec<Block>, bool) {
    let number = (points as u64) << 40 | (size as u64) << 32 | count as u64;
    let mut rng = RandomStreams::from_seed([0; 32]).stream(Purpose::DesignSearch, number);
    let mut below = |bound: usize| below(bound as u32, &mut rng) as usize;
    let mut counts = DifferenceCounts { counts: vec![0; points] };
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
                counts.adjust(a, b, 1);
            }
        }
    }
    let upward_odds = 400 * count;
    let (sum, pairs) = (count * size * (size - 1), points - 1);
    let (low, higher) = (sum / pairs, sum % pairs);
    let least = (higher * (low + 1) * (low + 1) + (pairs - higher) * low * low) as i64;
    let mut squares: i64 = counts.counts.iter().map(|&count| i64::from(count) * i64::from(count)).sum();
    for _ in 0..BASE_STEPS + STEPS_PER_BLOCK * count as u32 {
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
            change += counts.adjust(old, other, -1);
            change += counts.adjust(new, other, 1);
        }
        // Occasional upward steps escape local minima; rarer with more blocks, or the search would never
        // reach the minimum.
        if change <= 0 || (change <= 8 && below(upward_odds) == 0) {
            block[place] = new;
            squares += change;
        } else {
            for &other in block.iter().filter(|&&other| other != old) {
                counts.adjust(new, other, -1);
                counts.adjust(old, other, 1);
            }
        }
    }
    (blocks, squares == least)
}

/// Number of occurrences of each difference, by difference. Index 0 is unused and 0.
struct DifferenceCounts {
    counts: Vec<i32>,
}

impl DifferenceCounts {
    /// Adds `by` to the counts of both differences of two points. Returns the change of the sum of squares.
    fn adjust(&mut self, a: usize, b: usize, by: i32) -> i64 {
        let points = self.counts.len();
        let difference = (a + points - b) % points;
        let mut change = 0;
        for difference in [difference, points - difference] {
            let count = &mut self.counts[difference];
            change += i64::from(2 * *count * by + 1);
            *count += by;
        }
        change
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Minimum and maximum of the difference counts.
    fn meeting_range(points: usize, blocks: &[Block]) -> (u32, u32) {
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
    fn design_is_balanced_to_within_one_at_every_size() {
        for size in 3..=6 {
            for points in size + 1..=20 {
                for meetings in (1..=8).chain([30, 61, 1000]) {
                    let blocks = design(points, size, meetings);
                    let (least, most) = meeting_range(points, &blocks);
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
    fn design_finds_the_projective_planes() {
        for (points, size) in [(7, 3), (13, 4), (19, 3), (21, 5), (31, 6)] {
            assert_eq!(meeting_range(points, &design(points, size, 1)), (1, 1), "{size} of {points}");
        }
    }

    #[test]
    fn design_is_balanced_for_large_fields() {
        for (points, size) in [(64, 3), (100, 4), (256, 6)] {
            for meetings in [1, 31] {
                let (least, most) = meeting_range(points, &design(points, size, meetings));
                assert!(least >= meetings && most - least <= 1, "{size} of {points}: {least} to {most}");
            }
        }
    }
}
