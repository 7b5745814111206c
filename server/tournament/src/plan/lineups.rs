//! The line-ups of a round robin and of a gauntlet.
//!
//! Two players a table: the circle method. One stands still, the others move on by one each round, and opposite ones meet;
//! with an odd number the place that stands still is empty. Everyone plays once a round, so everyone plays equally much in
//! any part of the list. More players: [`design`](super::design). Line-ups of all entrants: the one that there is.
//!
//! A gauntlet is a design of the others, one player a table less, and the champion added to each line-up. An orbit of a
//! base block brings everyone `players - 1` games; what is left to the number that was asked for is filled up by
//! [`fill`], which takes those with the fewest games first. Everyone so has the number that was asked for, or one more;
//! what the others meet each other differs by 3 at the most, as the tests check for up to 20 of them.
//!
//! Which entrant is which point, and the order of the line-ups in each part of the list, are drawn.

use parlor_engine::shuffle;
use rand_core::Rng;

use super::chance::{Chance, Draw};
use super::design::{Block, Designs, design};
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
    if players > 2 {
        return develop(&named, &design(named.len(), players, meetings), chance);
    }
    let mut lineups = Vec::with_capacity(meetings as usize * named.len() * (named.len() - 1) / 2);
    for time in 0..u64::from(meetings) {
        let mut rng = chance.stream(Draw::Order, time);
        let mut rounds = circle(named.len());
        shuffle(&mut rounds, &mut rng);
        for mut round in rounds {
            shuffle(&mut round, &mut rng);
            lineups.extend(round.into_iter().map(|(a, b)| vec![named[a], named[b]]));
        }
    }
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

/// The rounds of the circle method: in each, everyone meets one other, or one is left out.
fn circle(count: usize) -> Vec<Vec<(usize, usize)>> {
    let even = count.next_multiple_of(2);
    let round = |round: usize| {
        let still = (even - 1, round);
        let turn = |by: usize| ((round + by) % (even - 1), (round + even - 1 - by) % (even - 1));
        let pairs = std::iter::once(still).chain((1..even / 2).map(turn));
        pairs.filter(|&(a, b)| a < count && b < count).collect()
    };
    (0..even - 1).map(round).collect()
}

/// What line-ups are filled up to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted {
    /// Each pair meets so many times.
    Meetings(u32),
    /// Everyone plays so many times.
    Games(u32),
}

/// More line-ups of `size`, until what is wanted is there with those that there are: `there`, in which others than the
/// `entrants` may sit too, who do not count.
///
/// Each is begun with whoever lacks most, and goes on with those who add most of what is lacking and, among these, have
/// met those at the table least. Equals are drawn. Each adds at least one of what is lacking, so it ends.
pub(crate) fn fill<'a>(
    entrants: &[Entrant],
    size: usize,
    there: impl IntoIterator<Item = &'a [Entrant]>,
    wanted: Wanted,
    rng: &mut impl Rng,
) -> Vec<Lineup> {
    if size > entrants.len() {
        return Vec::new();
    }
    let mut tally = Tally::new(entrants);
    for lineup in there {
        tally.count(lineup);
    }
    let mut lineups = Vec::new();
    while let Some(lineup) = tally.next(size, wanted, rng) {
        tally.count(&lineup);
        lineups.push(lineup);
    }
    lineups
}

/// How often everyone plays and meets.
struct Tally<'a> {
    entrants: &'a [Entrant],
    /// The place of an entrant among `entrants`, by number.
    place: Vec<Option<usize>>,
    games: Vec<u32>,
    met: Vec<Vec<u32>>,
}

impl<'a> Tally<'a> {
    fn new(entrants: &'a [Entrant]) -> Tally<'a> {
        let count = entrants.len();
        let numbers = entrants.iter().map(|entrant| entrant.index() + 1).max().unwrap_or_default();
        let mut place = vec![None; numbers];
        for (at, entrant) in entrants.iter().enumerate() {
            place[entrant.index()] = Some(at);
        }
        Tally { entrants, place, games: vec![0; count], met: vec![vec![0; count]; count] }
    }

    fn count(&mut self, lineup: &[Entrant]) {
        let places = lineup.iter().filter_map(|entrant| self.place.get(entrant.index()).copied().flatten());
        let places: Vec<usize> = places.collect();
        for (i, &a) in places.iter().enumerate() {
            self.games[a] += 1;
            for &b in &places[..i] {
                self.met[a][b] += 1;
                self.met[b][a] += 1;
            }
        }
    }

    /// One more line-up, or none if nothing is lacking.
    fn next(&self, size: usize, wanted: Wanted, rng: &mut impl Rng) -> Option<Lineup> {
        let count = self.entrants.len();
        let mut order: Vec<usize> = (0..count).collect();
        shuffle(&mut order, rng);
        let lack = |a: usize| match wanted {
            Wanted::Games(games) => games.saturating_sub(self.games[a]),
            Wanted::Meetings(times) => {
                let others = (0..count).filter(|&b| b != a);
                others.map(|b| times.saturating_sub(self.met[a][b])).sum()
            }
        };
        let first = *order.iter().max_by_key(|&&a| lack(a)).filter(|&&a| lack(a) > 0)?;
        let mut chosen = vec![first];
        while chosen.len() < size {
            let gain = |a: usize| match wanted {
                Wanted::Games(_) => u32::MAX - self.games[a],
                Wanted::Meetings(times) => chosen.iter().filter(|&&b| self.met[a][b] < times).count() as u32,
            };
            let met = |a: usize| chosen.iter().map(|&b| self.met[a][b]).sum::<u32>();
            let free = order.iter().filter(|a| !chosen.contains(a));
            let best = free.max_by_key(|&&a| (gain(a), std::cmp::Reverse(met(a))));
            chosen.push(*best?);
        }
        Some(chosen.into_iter().map(|place| self.entrants[place]).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn entrants(count: u16) -> Vec<Entrant> {
        (0..count).map(Entrant).collect()
    }

    /// How often each pair meets, those who never do left out.
    fn met(lineups: &[Lineup]) -> BTreeMap<(Entrant, Entrant), u32> {
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
            let rounds = circle(count);
            let mut all: Vec<(usize, usize)> = rounds.concat();
            for round in &rounds {
                let mut seen: Vec<usize> = round.iter().flat_map(|&(a, b)| [a, b]).collect();
                seen.sort_unstable();
                seen.dedup();
                assert_eq!(seen.len(), count - count % 2);
            }
            for pair in &mut all {
                *pair = (pair.0.min(pair.1), pair.0.max(pair.1));
            }
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count * (count - 1) / 2);
        }
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

    #[test]
    fn what_is_filled_up_lacks_nothing_and_has_little_too_much() {
        for size in 2..=6 {
            for count in size as u16..=12 {
                let field = entrants(count);
                let mut rng = Chance::seeded([3; 32]).stream(Draw::Repair, 1);
                let lineups = fill(&field, size, [], Wanted::Meetings(3), &mut rng);
                let met = met(&lineups);
                assert_eq!(met.len(), usize::from(count * (count - 1) / 2));
                assert!(met.values().all(|met| (3..=10).contains(met)), "{size} of {count}: {met:?}");
                let there = lineups.iter().map(Vec::as_slice);
                assert!(fill(&field, size, there, Wanted::Meetings(3), &mut rng).is_empty());
            }
        }
    }
}
