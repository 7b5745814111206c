//! The line-ups of a round robin and of a gauntlet.
//!
//! Two players a table: the circle method. One stands still, the others move on by one each round, and opposite ones meet;
//! with an odd number the place that stands still is empty. Everyone plays once a round, so everyone plays equally much in
//! any part of the list. Players squared, for 3 to 5 players: the lines of an affine plane, in classes of parallels, in which
//! everyone plays once too. Otherwise: [`design`](super::design). Line-ups of all entrants: the one that there is.
//!
//! A gauntlet is a design of the others, one player a table less, and the champion added to each line-up. An orbit of a
//! base block brings everyone `players - 1` games; what is left to the number that was asked for is filled up by
//! [`fill`], which takes those with the fewest games first. Everyone so has the number that was asked for, or one more;
//! what the others meet each other differs by 3 at the most, as the tests check for up to 20 of them.
//!
//! Which entrant is which point, and the order of the line-ups in each part of the list, are drawn.

use parlor_engine::shuffle;

use super::chance::{Chance, Draw};
use super::design::{Block, Designs, design};
use super::fill::{Wanted, fill};
use crate::Entrant;

/// Those who play together.
pub(crate) type Lineup = Vec<Entrant>;

/// Line-ups of `players` in which each pair of `entrants` meets at least `meetings` times, and none more than once more
/// often than another.
pub(crate) fn round_robin(
    entrants: &[Entrant],
    players: usize,
    meetings: u32,
    chance: &Chance,
) -> Vec<Lineup> {
    if entrants.len() < players {
        return Vec::new();
    }
    let named = named(entrants, chance);
    if players == entrants.len() {
        return vec![named; meetings as usize];
    }
    let mut lineups = match classes(named.len(), players) {
        Some(classes) => turns(&named, &classes, meetings, chance),
        None => develop(&named, &design(named.len(), players, meetings), chance),
    };
    let mut rng = chance.stream(Draw::Repair, 0);
    let there = lineups.iter().map(Vec::as_slice);
    let more = fill(entrants, players, there, Wanted::Meetings(meetings), &mut rng);
    lineups.extend(more);
    lineups
}

/// Line-ups with the champion, in which each of the `others` is at least `meetings` times.
pub(crate) fn gauntlet(
    champion: Entrant,
    others: &[Entrant],
    players: usize,
    meetings: u32,
    chance: &Chance,
) -> Vec<Lineup> {
    let rest = players - 1;
    if others.len() < rest {
        return Vec::new();
    }
    let named = named(others, chance);
    let mut lineups = if rest == others.len() {
        vec![named; meetings as usize]
    } else if rest == 1 {
        develop(&named, &vec![vec![0]; meetings as usize], chance)
    } else {
        // As many base blocks as the number of games has room for. The rest is filled up.
        let most = meetings as usize / rest;
        let designs = Designs::new(named.len(), rest, most);
        let blocks = (0..=most).rev().find_map(|count| designs.blocks(count)).unwrap_or_default();
        develop(&named, &blocks, chance)
    };
    let mut rng = chance.stream(Draw::Repair, 0);
    let more = fill(others, rest, lineups.iter().map(Vec::as_slice), Wanted::Games(meetings), &mut rng);
    lineups.extend(more);
    for lineup in &mut lineups {
        lineup.push(champion);
    }
    lineups
}

/// The entrants in the order of the points they are.
fn named(entrants: &[Entrant], chance: &Chance) -> Vec<Entrant> {
    let mut named = entrants.to_vec();
    shuffle(&mut named, &mut chance.stream(Draw::Names, 0));
    named
}

/// All sums of the base blocks, in a random order for each block.
fn develop(named: &[Entrant], blocks: &[Block], chance: &Chance) -> Vec<Lineup> {
    let points = named.len();
    let mut lineups = Vec::with_capacity(blocks.len() * points);
    for (number, block) in blocks.iter().enumerate() {
        for add in chance.order(Draw::Order, number as u64, points) {
            lineups.push(block.iter().map(|point| named[(point + add as usize) % points]).collect());
        }
    }
    lineups
}

/// All classes, so many times, in a random order each time.
fn turns(named: &[Entrant], classes: &[Vec<Block>], times: u32, chance: &Chance) -> Vec<Lineup> {
    let mut lineups = Vec::with_capacity(times as usize * classes.iter().map(Vec::len).sum::<usize>());
    for time in 0..u64::from(times) {
        let mut rng = chance.stream(Draw::Order, time);
        let mut classes = classes.to_vec();
        shuffle(&mut classes, &mut rng);
        for mut class in classes {
            shuffle(&mut class, &mut rng);
            lineups.extend(
                class.iter().map(|block| block.iter().map(|point| named[*point]).collect::<Lineup>()),
            );
        }
    }
    lineups
}

/// Line-ups in which each pair meets once, in classes in which everyone plays once: where there is a simple way.
fn classes(count: usize, players: usize) -> Option<Vec<Vec<Block>>> {
    match players {
        2 => Some(circle(count)),
        3..=5 if count == players * players => Some(plane(players)),
        _ => None,
    }
}

/// The rounds of the circle method: in each, everyone meets one other, or one is left out.
fn circle(count: usize) -> Vec<Vec<Block>> {
    let even = count.next_multiple_of(2);
    let round = |round: usize| {
        let still = vec![even - 1, round];
        let turn = |by: usize| vec![(round + by) % (even - 1), (round + even - 1 - by) % (even - 1)];
        let pairs = std::iter::once(still).chain((1..even / 2).map(turn));
        pairs.filter(|pair| pair.iter().all(|point| *point < count)).collect()
    };
    (0..even - 1).map(round).collect()
}

/// The lines of the affine plane over the field of 3, 4 or 5 elements, parallel ones in a class: two points are on one
/// line. The point (x, y) has the number `x + order * y`; the lines are `y = slope * x + b` and `x = b`.
fn plane(order: usize) -> Vec<Vec<Block>> {
    // The field of four is that of pairs of bits: sums are without carry, and the product of 2 by itself is 3.
    const PRODUCTS_OF_FOUR: [[usize; 4]; 4] = [[0, 0, 0, 0], [0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]];
    let line = |slope: usize, b: usize| {
        let y = |x: usize| match order {
            4 => PRODUCTS_OF_FOUR[slope][x] ^ b,
            _ => (slope * x + b) % order,
        };
        (0..order).map(|x| x + order * y(x)).collect()
    };
    let upright = (0..order).map(|x| (0..order).map(|y| x + order * y).collect()).collect();
    let slopes = (0..order).map(|slope| (0..order).map(|b| line(slope, b)).collect());
    slopes.chain([upright]).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use super::*;

    pub(crate) fn entrants(count: u16) -> Vec<Entrant> {
        (0..count).map(Entrant).collect()
    }

    /// How often each pair meets, those who never do left out.
    pub(crate) fn met(lineups: &[Lineup]) -> BTreeMap<(Entrant, Entrant), u32> {
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
    fn between_two_each_round_of_the_circle_has_everyone_once() {
        for count in 2..=17 {
            check_classes(count, 2);
        }
    }

    #[test]
    fn in_a_plane_each_class_has_everyone_once() {
        for players in 3..=5 {
            check_classes(players * players, players);
        }
    }

    /// Everyone is once in each class, or one is left out, and each pair meets once in all.
    fn check_classes(count: usize, players: usize) {
        let classes = classes(count, players).unwrap();
        for class in &classes {
            let mut seen = class.concat();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), count - count % players);
            assert_eq!(class.len(), count / players);
        }
        let named = |block: &Block| block.iter().map(|point| Entrant(*point as u16)).collect();
        let met = met(&classes.concat().iter().map(named).collect::<Vec<Lineup>>());
        assert_eq!(met.len(), count * (count - 1) / 2);
        assert!(met.values().all(|met| *met == 1));
    }

    #[test]
    fn in_a_gauntlet_the_others_meet_about_equally_often() {
        for players in 3..=6 {
            for others in players as u16..=20 {
                for meetings in [1, 4, 5, 20, 33] {
                    let chance = Chance::seeded([9; 32]);
                    let field = entrants(others);
                    let champion = Entrant(others);
                    let lineups = gauntlet(champion, &field, players, meetings, &chance);
                    let met = met(&lineups);
                    let games = |who: Entrant| met.get(&(who, champion)).copied().unwrap_or_default();
                    assert!(field.iter().all(|who| (meetings..=meetings + 1).contains(&games(*who))));
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
