//! Line-ups of a round robin and of a gauntlet.
//!
//! Round robin:
//! - Two players at a table: the circle method. One entrant is fixed, the others rotate by one each round,
//!   and opposite ones meet; with an odd number the fixed position is empty. Every entrant plays once a
//!   round, so games are spread evenly over the list.
//! - `players²` entrants, for 3 to 5 players: the lines of an affine plane in parallel classes; every entrant
//!   plays once in each class.
//! - As many entrants as players: the only line-up, repeated.
//! - Otherwise a block design: [`design`](super::design).
//!
//! A gauntlet is a design of the other entrants with one player fewer at a table, plus the champion in each
//! line-up. The translates of a base block give every entrant `players - 1` games. [`cover`] adds the rest,
//! entrants with the fewest games first, so every entrant has the requested number of games or one more.
//! Meetings of the others among each other differ by at most 3 (tested for up to 20 of them).
//!
//! The assignment of entrants to points, and the order of the line-ups in each part of the list, are random.

use parlor_engine::shuffle;

use super::coverage::{Coverage, cover};
use super::design::{Block, Designs, design};
use super::random::{Purpose, RandomStreams};
use crate::Entrant;

/// Entrants that play together.
pub(crate) type Lineup = Vec<Entrant>;

/// Line-ups of `players` in which each pair of `entrants` meets at least `meetings` times, and the meetings
/// of any two pairs differ by at most 1. Empty if the entrants do not fill a table.
pub(crate) fn round_robin(
    entrants: &[Entrant],
    players: usize,
    meetings: u32,
    random: &RandomStreams,
) -> Vec<Lineup> {
    if entrants.len() < players {
        return Vec::new();
    }
    let points = shuffled(entrants, random);
    if players == entrants.len() {
        return vec![points; meetings as usize];
    }
    let mut lineups = match parallel_classes(points.len(), players) {
        Some(classes) => repeat_classes(&points, &classes, meetings, random),
        None => develop(&points, &design(points.len(), players, meetings), random),
    };
    let mut rng = random.stream(Purpose::Repair, 0);
    let existing = lineups.iter().map(Vec::as_slice);
    let more = cover(entrants, players, existing, Coverage::Meetings(meetings), &mut rng);
    lineups.extend(more);
    lineups
}

/// Line-ups with the champion in which each of the `others` plays at least `meetings` times. Empty if they do
/// not fill a table.
pub(crate) fn gauntlet(
    champion: Entrant,
    others: &[Entrant],
    players: usize,
    meetings: u32,
    random: &RandomStreams,
) -> Vec<Lineup> {
    let rest = players - 1;
    if others.len() < rest {
        return Vec::new();
    }
    let points = shuffled(others, random);
    let mut lineups = if rest == others.len() {
        vec![points; meetings as usize]
    } else if rest == 1 {
        develop(&points, &vec![vec![0]; meetings as usize], random)
    } else {
        // As many base blocks as the number of games allows; `cover` adds the remaining games.
        let most = meetings as usize / rest;
        let designs = Designs::new(points.len(), rest, most);
        let blocks = (0..=most).rev().find_map(|count| designs.blocks(count)).unwrap_or_default();
        develop(&points, &blocks, random)
    };
    let mut rng = random.stream(Purpose::Repair, 0);
    let more = cover(others, rest, lineups.iter().map(Vec::as_slice), Coverage::Games(meetings), &mut rng);
    lineups.extend(more);
    for lineup in &mut lineups {
        lineup.push(champion);
    }
    lineups
}

/// Random assignment of entrants to the points of a design.
fn shuffled(entrants: &[Entrant], random: &RandomStreams) -> Vec<Entrant> {
    let mut points = entrants.to_vec();
    shuffle(&mut points, &mut random.stream(Purpose::DesignPoints, 0));
    points
}

/// All translates of the base blocks, in a random order for each block.
fn develop(points: &[Entrant], blocks: &[Block], random: &RandomStreams) -> Vec<Lineup> {
    let count = points.len();
    let mut lineups = Vec::with_capacity(blocks.len() * count);
    for (number, block) in blocks.iter().enumerate() {
        for add in random.permutation(Purpose::LineupOrder, number as u64, count) {
            lineups.push(block.iter().map(|point| points[(point + add as usize) % count]).collect());
        }
    }
    lineups
}

/// All classes, repeated `times` times, in a random order each time.
fn repeat_classes(
    points: &[Entrant],
    classes: &[Vec<Block>],
    times: u32,
    random: &RandomStreams,
) -> Vec<Lineup> {
    let mut lineups = Vec::with_capacity(times as usize * classes.iter().map(Vec::len).sum::<usize>());
    for time in 0..u64::from(times) {
        let mut rng = random.stream(Purpose::LineupOrder, time);
        let mut classes = classes.to_vec();
        shuffle(&mut classes, &mut rng);
        for mut class in classes {
            shuffle(&mut class, &mut rng);
            lineups.extend(
                class.iter().map(|block| block.iter().map(|point| points[*point]).collect::<Lineup>()),
            );
        }
    }
    lineups
}

/// Line-ups in which each pair meets once, in classes in which every entrant plays once, where a closed
/// construction exists.
fn parallel_classes(count: usize, players: usize) -> Option<Vec<Vec<Block>>> {
    match players {
        2 => Some(circle_method(count)),
        3..=5 if count == players * players => Some(affine_plane(players)),
        _ => None,
    }
}

/// Rounds of the circle method. With an odd `count` one entrant is left out of each round.
fn circle_method(count: usize) -> Vec<Vec<Block>> {
    let even = count.next_multiple_of(2);
    let round = |round: usize| {
        let still = vec![even - 1, round];
        let turn = |by: usize| vec![(round + by) % (even - 1), (round + even - 1 - by) % (even - 1)];
        let pairs = std::iter::once(still).chain((1..even / 2).map(turn));
        pairs.filter(|pair| pair.iter().all(|point| *point < count)).collect()
    };
    (0..even - 1).map(round).collect()
}

/// Lines of the affine plane over the field of 3, 4 or 5 elements, in classes of parallels: any two points
/// are on exactly one line. The point (x, y) has the number `x + order * y`; the lines are `y = slope * x +
/// b` and `x = b`.
fn affine_plane(order: usize) -> Vec<Vec<Block>> {
    // Elements of the field of four are pairs of bits: addition is XOR, and 2 * 2 = 3.
    const PRODUCTS_OF_FOUR: [[usize; 4]; 4] = [[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]];
    let line = |slope: usize, b: usize| {
        let y = |x: usize| match order {
            4 => PRODUCTS_OF_FOUR[slope][x] ^ b,
            _ => (slope * x + b) % order,
        };
        (0..order).map(|x| x + order * y(x)).collect()
    };
    let vertical = (0..order).map(|x| (0..order).map(|y| x + order * y).collect()).collect();
    let slopes = (0..order).map(|slope| (0..order).map(|b| line(slope, b)).collect());
    slopes.chain([vertical]).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use super::*;

    pub(crate) fn entrants(count: u16) -> Vec<Entrant> {
        (0..count).map(Entrant).collect()
    }

    /// Number of meetings of each pair that meets at all.
    pub(crate) fn meeting_counts(lineups: &[Lineup]) -> BTreeMap<(Entrant, Entrant), u32> {
        let mut met = BTreeMap::new();
        for lineup in lineups {
            for &a in lineup {
                for &b in lineup.iter().filter(|b| a < **b) {
                    *met.entry((a, b)).or_default() += 1;
                }
            }
        }
        met
    }

    #[test]
    fn circle_method_has_every_entrant_once_in_each_round() {
        for count in 2..=17 {
            check_classes(count, 2);
        }
    }

    #[test]
    fn affine_plane_has_every_entrant_once_in_each_class() {
        for players in 3..=5 {
            check_classes(players * players, players);
        }
    }

    /// Every entrant is once in each class (all but one if `count` is odd), and each pair meets once over all
    /// classes.
    fn check_classes(count: usize, players: usize) {
        let classes = parallel_classes(count, players).unwrap();
        for class in &classes {
            let mut seen = class.concat();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), count - count % players);
            assert_eq!(class.len(), count / players);
        }
        let lineup = |block: &Block| block.iter().map(|point| Entrant(*point as u16)).collect();
        let met = meeting_counts(&classes.concat().iter().map(lineup).collect::<Vec<Lineup>>());
        assert_eq!(met.len(), count * (count - 1) / 2);
        assert!(met.values().all(|met| *met == 1));
    }

    #[test]
    fn gauntlet_meetings_of_the_others_differ_by_at_most_three() {
        for players in 3..=6 {
            for others in players as u16..=20 {
                for meetings in [1, 4, 5, 20, 33] {
                    let random = RandomStreams::from_seed([9; 32]);
                    let field = entrants(others);
                    let champion = Entrant(others);
                    let lineups = gauntlet(champion, &field, players, meetings, &random);
                    let met = meeting_counts(&lineups);
                    let games = |entrant: Entrant| met.get(&(entrant, champion)).copied().unwrap_or_default();
                    let in_range = |entrant: &Entrant| (meetings..=meetings + 1).contains(&games(*entrant));
                    assert!(field.iter().all(in_range));
                    let pairs =
                        field.iter().flat_map(|a| field.iter().map(|b| (*a, *b))).filter(|(a, b)| a < b);
                    let counts: Vec<u32> =
                        pairs.map(|pair| met.get(&pair).copied().unwrap_or_default()).collect();
                    let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
                    assert!(most - least <= 3, "{players} of {others}, {meetings}: {least} to {most}");
                }
            }
        }
    }
}
