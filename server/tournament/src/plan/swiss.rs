//! A Swiss tournament: rounds in which equals meet.
//!
//! A line-up plays its groups, and then everyone has, for each other of the line-up, a point for having scored more and
//! half a point for having scored the same, over the number of others: a win is 1, a loss 0, and in a line-up of more than
//! two what is between. Buchholz is the sum of the points of all whom an entrant has met, once for each round.
//!
//! Before a round, everyone stands in the order of the points, equals in an order that is drawn. If the entrants do not
//! fill the tables, those have a bye who had the fewest and, among these, stand lowest. A bye scores the mean of what the
//! better half of a line-up scores: a win between two. Then neighbours meet. Between two, nobody meets the same one again
//! while a round without this can be made up at all: see [`matching`](super::matching). In larger line-ups everyone is put
//! to the table of those next in order who have met least, and then entrants change places between tables as long as this
//! makes for fewer meetings again.
//!
//! Who is left in a line-up because the others withdrew, before any of its groups was complete, scores as with a bye.

use parlor_engine::shuffle;

use super::chance::{Chance, Draw};
use super::lineups::Lineup;
use super::matching::pairs;
use super::outcome::Outcome;
use crate::Entrant;

/// What a Swiss tournament has come to, after its last complete round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Swiss {
    players: usize,
    /// In units of one over twice the number of others at a table.
    points: Vec<u32>,
    byes: Vec<u32>,
    met: Vec<Vec<u32>>,
    /// Who has a bye in the round that is played.
    resting: Vec<Entrant>,
}

impl Swiss {
    pub(crate) fn new(entrants: usize, players: usize) -> Swiss {
        let zeros = vec![0; entrants];
        Swiss {
            players,
            points: zeros.clone(),
            byes: zeros.clone(),
            met: vec![zeros; entrants],
            resting: Vec::new(),
        }
    }

    /// The line-ups of the next round, of those who are still there. None if they do not fill a table.
    pub(crate) fn pair(&mut self, mut there: Vec<Entrant>, round: u32, chance: &Chance) -> Vec<Lineup> {
        shuffle(&mut there, &mut chance.stream(Draw::Equals, u64::from(round)));
        there.sort_by_key(|who| std::cmp::Reverse(self.points[who.index()]));
        if there.len() < self.players {
            return Vec::new();
        }
        let mut lowest: Vec<usize> = (0..there.len()).rev().collect();
        lowest.sort_by_key(|&at| self.byes[there[at].index()]);
        let resting = &lowest[..there.len() % self.players];
        self.resting = resting.iter().map(|&at| there[at]).collect();
        there.retain(|who| !self.resting.contains(who));
        let met = |a: Entrant, b: Entrant| self.met[a.index()][b.index()];
        if self.players > 2 {
            return tables(&there, self.players, met);
        }
        let all = there.iter().enumerate().flat_map(|(i, &a)| there[..i].iter().map(move |&b| met(a, b)));
        let least = all.min().unwrap_or_default();
        let pairs = pairs(there.len(), |a, b| met(there[a], there[b]) == least);
        pairs.into_iter().map(|(a, b)| vec![there[a], there[b]]).collect()
    }

    /// Counts a round that is complete.
    pub(crate) fn settle(&mut self, outcomes: &[Outcome], there: impl Fn(Entrant) -> bool) {
        let bye = (2 * self.players - self.players / 2 - 1) as u32;
        for who in std::mem::take(&mut self.resting) {
            self.byes[who.index()] += 1;
            self.points[who.index()] += bye;
        }
        for outcome in outcomes {
            for (i, &who) in outcome.lineup.iter().enumerate() {
                if outcome.groups == 0 {
                    self.points[who.index()] += if there(who) { bye } else { 0 };
                    continue;
                }
                let others = (0..outcome.lineup.len()).filter(|&j| j != i);
                for other in others {
                    self.met[who.index()][outcome.lineup[other].index()] += 1;
                    self.points[who.index()] += match outcome.score[i].cmp(&outcome.score[other]) {
                        std::cmp::Ordering::Less => 0,
                        std::cmp::Ordering::Equal => 1,
                        std::cmp::Ordering::Greater => 2,
                    };
                }
            }
        }
    }

    /// The points of an entrant.
    pub(crate) fn points(&self, who: Entrant) -> f64 {
        self.scaled(self.points[who.index()])
    }

    /// The points of all whom an entrant has met.
    pub(crate) fn buchholz(&self, who: Entrant) -> f64 {
        self.scaled(self.met[who.index()].iter().zip(&self.points).map(|(met, points)| met * points).sum())
    }

    /// How many byes an entrant had, in rounds that are complete.
    pub(crate) fn byes(&self, who: Entrant) -> u32 {
        self.byes[who.index()]
    }

    fn scaled(&self, points: u32) -> f64 {
        f64::from(points) / (2 * (self.players - 1)) as f64
    }
}

/// Line-ups of neighbours, with few who have met.
fn tables(order: &[Entrant], players: usize, met: impl Fn(Entrant, Entrant) -> u32) -> Vec<Lineup> {
    let again = |who: Entrant, with: &[Entrant]| with.iter().map(|&other| met(who, other)).sum::<u32>();
    let mut left = order.to_vec();
    let mut lineups: Vec<Lineup> = Vec::new();
    while left.len() >= players {
        let mut lineup = vec![left.remove(0)];
        while lineup.len() < players {
            let nearest = (0..left.len()).min_by_key(|&at| again(left[at], &lineup));
            lineup.extend(nearest.map(|at| left.remove(at)));
        }
        lineups.push(lineup);
    }
    // Each change makes for fewer meetings again, so it ends.
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for one in 0..lineups.len() {
            for other in one + 1..lineups.len() {
                for place in 0..players * players {
                    let (i, j) = (place / players, place % players);
                    let now =
                        again(lineups[one][i], &lineups[one]) + again(lineups[other][j], &lineups[other]);
                    let without = |lineup: &Lineup, place: usize| {
                        let mut rest = lineup.clone();
                        rest.remove(place);
                        rest
                    };
                    let swapped = again(lineups[one][i], &without(&lineups[other], j))
                        + again(lineups[other][j], &without(&lineups[one], i));
                    if swapped < now {
                        let moved = lineups[one][i];
                        lineups[one][i] = std::mem::replace(&mut lineups[other][j], moved);
                        changed = true;
                    }
                }
            }
        }
    }
    lineups
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Plays rounds in which the better seed always wins, and tells the line-ups of each.
    fn play(entrants: u16, players: usize, rounds: u32) -> (Swiss, Vec<Vec<Lineup>>) {
        let mut swiss = Swiss::new(usize::from(entrants), players);
        let chance = Chance::seeded([1; 32]);
        let mut told = Vec::new();
        for round in 0..rounds {
            let lineups = swiss.pair((0..entrants).map(Entrant).collect(), round, &chance);
            let outcome = |lineup: &Lineup| {
                let score = lineup.iter().map(|who| -i64::from(who.0)).collect();
                Outcome { score, groups: 1, ..Outcome::new(lineup) }
            };
            swiss.settle(&lineups.iter().map(outcome).collect::<Vec<_>>(), |_| true);
            told.push(lineups);
        }
        (swiss, told)
    }

    #[test]
    fn between_two_nobody_meets_again_before_it_cannot_be_avoided() {
        for entrants in 2..=16u16 {
            // A round without repeats exists for sure while fewer than half of the others were met: the graph of those
            // who have not met then has a perfect matching, by Dirac.
            let rounds = u32::from(entrants / 2);
            let (_, told) = play(entrants, 2, rounds);
            let mut seen = BTreeSet::new();
            for lineup in told.concat() {
                let pair = (lineup[0].min(lineup[1]), lineup[0].max(lineup[1]));
                assert!(seen.insert(pair), "{entrants}: {pair:?} again");
            }
        }
    }

    #[test]
    fn the_largest_field_is_paired_for_all_rounds() {
        for players in [2, 5] {
            let (swiss, told) = play(256, players, 100);
            assert!(told.iter().all(|lineups| lineups.len() == 256 / players));
            assert!(swiss.points(Entrant(0)) > 90.0);
        }
    }

    #[test]
    fn the_best_come_out_best_and_all_byes_are_shared() {
        let (swiss, _) = play(16, 2, 6);
        assert_eq!(swiss.points(Entrant(0)), 6.0);
        assert!(swiss.points(Entrant(1)) >= 4.0 && swiss.points(Entrant(15)) <= 1.0);
        let (swiss, _) = play(7, 3, 7);
        let byes: Vec<u32> = (0..7).map(|who| swiss.byes(Entrant(who))).collect();
        assert_eq!(byes, [1; 7]);
    }

    #[test]
    fn points_add_up() {
        // A round of n entrants in line-ups has half a point for each who plays, and its byes.
        for (entrants, players, bye) in [(9u16, 2, 1.0), (10, 3, 1.0), (11, 4, 5.0 / 6.0), (13, 6, 0.8)] {
            let (swiss, told) = play(entrants, players, 4);
            let sum: f64 = (0..entrants).map(|who| swiss.points(Entrant(who))).sum();
            let playing: usize = told.iter().map(|lineups| lineups.len() * players).sum();
            let resting = 4.0 * f64::from(entrants) - playing as f64;
            assert!((sum - (playing as f64 / 2.0 + resting * bye)).abs() < 1e-9, "{entrants} by {players}");
        }
    }

    #[test]
    fn buchholz_is_the_sum_of_the_points_of_those_one_has_met() {
        let (swiss, told) = play(8, 2, 3);
        let met = |who: Entrant| {
            told.iter()
                .flatten()
                .filter(move |lineup| lineup.contains(&who))
                .flatten()
                .filter(move |o| **o != who)
        };
        for who in (0..8).map(Entrant) {
            assert_eq!(swiss.buchholz(who), met(who).map(|other| swiss.points(*other)).sum::<f64>());
        }
    }

    #[test]
    fn neighbours_meet_and_few_meet_again_at_large_tables() {
        let (_, told) = play(24, 4, 4);
        let mut pairs: Vec<(Entrant, Entrant)> = Vec::new();
        for lineup in told.concat() {
            pairs.extend(lineup.iter().flat_map(|a| lineup.iter().map(|b| (*a, *b))).filter(|(a, b)| a < b));
        }
        let all = pairs.len();
        pairs.sort_unstable();
        pairs.dedup();
        assert!(all - pairs.len() <= 2, "{} met again", all - pairs.len());
    }
}
