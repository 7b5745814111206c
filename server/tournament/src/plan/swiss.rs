//! Swiss system: rounds in which entrants with similar points meet.
//!
//! **Points.** After a round, an entrant gets for each other member of its line-up 1 point for a higher score
//! and half a point for an equal one, divided by the number of other members: a win is 1, a loss 0, and in
//! larger line-ups the points are in between. Buchholz is the sum of the points of all opponents, counted
//! once for each round met.
//!
//! **Byes.** If the entrants do not fill the tables, byes go to those with the fewest byes so far and, among
//! these, the lowest standing. A bye scores the mean points of the better half of a line-up: a win with two
//! players. The members of a line-up in which the others withdrew before any group was complete score as with
//! a bye.
//!
//! **Pairing.** Entrants are ordered by points, ties at random, and neighbours meet. With two players at a
//! table, no pair meets again while a round without repeats exists: see [`matching`](super::matching). For
//! larger tables, each seat goes to the next entrant in order that has met the line-up least; then entrants
//! swap tables as long as that reduces repeated meetings.

use parlor_engine::shuffle;

use super::lineup_score::LineupScore;
use super::lineups::Lineup;
use super::matching::pair_neighbours;
use super::random::{Purpose, RandomStreams};
use crate::Entrant;

/// State of a Swiss tournament after its last complete round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Swiss {
    players: usize,
    /// Points in units of `1 / (2 * (players - 1))`.
    points: Vec<u32>,
    byes: Vec<u32>,
    met: Vec<Vec<u32>>,
    /// Entrants with a bye in the current round.
    on_bye: Vec<Entrant>,
}

impl Swiss {
    pub(crate) fn new(entrants: usize, players: usize) -> Swiss {
        let zeros = vec![0; entrants];
        Swiss {
            players,
            points: zeros.clone(),
            byes: zeros.clone(),
            met: vec![zeros; entrants],
            on_bye: Vec::new(),
        }
    }

    /// Line-ups of the next round from the active entrants. Empty if they do not fill a table.
    pub(crate) fn pair_round(
        &mut self,
        mut active: Vec<Entrant>,
        round: u32,
        random: &RandomStreams,
    ) -> Vec<Lineup> {
        shuffle(&mut active, &mut random.stream(Purpose::SwissTies, u64::from(round)));
        active.sort_by_key(|entrant| std::cmp::Reverse(self.points[entrant.index()]));
        if active.len() < self.players {
            return Vec::new();
        }
        let mut lowest: Vec<usize> = (0..active.len()).rev().collect();
        lowest.sort_by_key(|&at| self.byes[active[at].index()]);
        let on_bye = &lowest[..active.len() % self.players];
        self.on_bye = on_bye.iter().map(|&at| active[at]).collect();
        active.retain(|entrant| !self.on_bye.contains(entrant));
        let met = |a: Entrant, b: Entrant| self.met[a.index()][b.index()];
        if self.players > 2 {
            return neighbour_lineups(&active, self.players, met);
        }
        let all = active.iter().enumerate().flat_map(|(i, &a)| active[..i].iter().map(move |&b| met(a, b)));
        let least = all.min().unwrap_or_default();
        let pairs = pair_neighbours(active.len(), |a, b| met(active[a], active[b]) == least);
        pairs.into_iter().map(|(a, b)| vec![active[a], active[b]]).collect()
    }

    /// Adds the points of a complete round.
    pub(crate) fn score_round(&mut self, scores: &[LineupScore], is_active: impl Fn(Entrant) -> bool) {
        let bye = (2 * self.players - self.players / 2 - 1) as u32;
        for entrant in std::mem::take(&mut self.on_bye) {
            self.byes[entrant.index()] += 1;
            self.points[entrant.index()] += bye;
        }
        for lineup_score in scores {
            let LineupScore { lineup, score, .. } = lineup_score;
            for (i, &entrant) in lineup.iter().enumerate() {
                if lineup_score.groups == 0 {
                    self.points[entrant.index()] += if is_active(entrant) { bye } else { 0 };
                    continue;
                }
                let others = (0..lineup.len()).filter(|&j| j != i);
                for other in others {
                    self.met[entrant.index()][lineup[other].index()] += 1;
                    self.points[entrant.index()] += match score[i].cmp(&score[other]) {
                        std::cmp::Ordering::Less => 0,
                        std::cmp::Ordering::Equal => 1,
                        std::cmp::Ordering::Greater => 2,
                    };
                }
            }
        }
    }

    pub(crate) fn points(&self, entrant: Entrant) -> f64 {
        self.scaled(self.points[entrant.index()])
    }

    /// Sum of the points of all opponents.
    pub(crate) fn buchholz(&self, entrant: Entrant) -> f64 {
        let met = self.met[entrant.index()].iter();
        self.scaled(met.zip(&self.points).map(|(met, points)| met * points).sum())
    }

    /// Byes of an entrant in complete rounds.
    pub(crate) fn byes(&self, entrant: Entrant) -> u32 {
        self.byes[entrant.index()]
    }

    fn scaled(&self, points: u32) -> f64 {
        f64::from(points) / (2 * (self.players - 1)) as f64
    }
}

/// Line-ups of neighbours in `order`, with few repeated meetings.
fn neighbour_lineups(
    order: &[Entrant],
    players: usize,
    met: impl Fn(Entrant, Entrant) -> u32,
) -> Vec<Lineup> {
    let repeats =
        |entrant: Entrant, with: &[Entrant]| with.iter().map(|&other| met(entrant, other)).sum::<u32>();
    let mut remaining = order.to_vec();
    let mut lineups: Vec<Lineup> = Vec::new();
    while remaining.len() >= players {
        let mut lineup = vec![remaining.remove(0)];
        while lineup.len() < players {
            let nearest = (0..remaining.len()).min_by_key(|&at| repeats(remaining[at], &lineup));
            lineup.extend(nearest.map(|at| remaining.remove(at)));
        }
        lineups.push(lineup);
    }
    // Each swap reduces the number of repeated meetings, so the loop terminates.
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for one in 0..lineups.len() {
            for other in one + 1..lineups.len() {
                for place in 0..players * players {
                    let (i, j) = (place / players, place % players);
                    let now =
                        repeats(lineups[one][i], &lineups[one]) + repeats(lineups[other][j], &lineups[other]);
                    let without = |lineup: &Lineup, place: usize| {
                        let mut rest = lineup.clone();
                        rest.remove(place);
                        rest
                    };
                    let swapped = repeats(lineups[one][i], &without(&lineups[other], j))
                        + repeats(lineups[other][j], &without(&lineups[one], i));
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

    /// Plays rounds in which the better seed always wins. Returns the line-ups of each round.
    fn play(entrants: u16, players: usize, rounds: u32) -> (Swiss, Vec<Vec<Lineup>>) {
        let mut swiss = Swiss::new(usize::from(entrants), players);
        let random = RandomStreams::from_seed([1; 32]);
        let mut played = Vec::new();
        for round in 0..rounds {
            let lineups = swiss.pair_round((0..entrants).map(Entrant).collect(), round, &random);
            let lineup_score = |lineup: &Lineup| {
                let score = lineup.iter().map(|entrant| -i64::from(entrant.0)).collect();
                LineupScore { score, groups: 1, ..LineupScore::new(lineup) }
            };
            swiss.score_round(&lineups.iter().map(lineup_score).collect::<Vec<_>>(), |_| true);
            played.push(lineups);
        }
        (swiss, played)
    }

    #[test]
    fn swiss_pairs_do_not_repeat_while_avoidable() {
        for entrants in 2..=16u16 {
            // While each entrant has met fewer than half of the others, a round without repeats exists: by
            // Dirac's theorem the graph of pairs that have not met has a perfect matching.
            let rounds = u32::from(entrants / 2);
            let (_, played) = play(entrants, 2, rounds);
            let mut seen = BTreeSet::new();
            for lineup in played.concat() {
                let pair = (lineup[0].min(lineup[1]), lineup[0].max(lineup[1]));
                assert!(seen.insert(pair), "{entrants}: {pair:?} again");
            }
        }
    }

    #[test]
    fn swiss_pairs_the_largest_field_for_all_rounds() {
        for players in [2, 5] {
            let (swiss, played) = play(256, players, 100);
            assert!(played.iter().all(|lineups| lineups.len() == 256 / players));
            assert!(swiss.points(Entrant(0)) > 90.0);
        }
    }

    #[test]
    fn swiss_ranks_the_best_first_and_shares_byes() {
        let (swiss, _) = play(16, 2, 6);
        assert_eq!(swiss.points(Entrant(0)), 6.0);
        assert!(swiss.points(Entrant(1)) >= 4.0 && swiss.points(Entrant(15)) <= 1.0);
        let (swiss, _) = play(7, 3, 7);
        let byes: Vec<u32> = (0..7).map(|entrant| swiss.byes(Entrant(entrant))).collect();
        assert_eq!(byes, [1; 7]);
    }

    #[test]
    fn swiss_points_add_up() {
        // A round gives half a point for each entrant that plays, plus the byes.
        for (entrants, players, bye) in [(9u16, 2, 1.0), (10, 3, 1.0), (11, 4, 5.0 / 6.0), (13, 6, 0.8)] {
            let (swiss, played) = play(entrants, players, 4);
            let sum: f64 = (0..entrants).map(|entrant| swiss.points(Entrant(entrant))).sum();
            let playing: usize = played.iter().map(|lineups| lineups.len() * players).sum();
            let byes = 4.0 * f64::from(entrants) - playing as f64;
            assert!((sum - (playing as f64 / 2.0 + byes * bye)).abs() < 1e-9, "{entrants} by {players}");
        }
    }

    #[test]
    fn buchholz_is_the_sum_of_the_points_of_all_opponents() {
        let (swiss, played) = play(8, 2, 3);
        let opponents = |entrant: Entrant| {
            played
                .iter()
                .flatten()
                .filter(move |lineup| lineup.contains(&entrant))
                .flatten()
                .filter(move |other| **other != entrant)
        };
        for entrant in (0..8).map(Entrant) {
            let sum: f64 = opponents(entrant).map(|other| swiss.points(*other)).sum();
            assert_eq!(swiss.buchholz(entrant), sum);
        }
    }

    #[test]
    fn swiss_repeats_few_meetings_at_large_tables() {
        let (_, played) = play(24, 4, 4);
        let mut pairs: Vec<(Entrant, Entrant)> = Vec::new();
        for lineup in played.concat() {
            pairs.extend(lineup.iter().flat_map(|a| lineup.iter().map(|b| (*a, *b))).filter(|(a, b)| a < b));
        }
        let all = pairs.len();
        pairs.sort_unstable();
        pairs.dedup();
        assert!(all - pairs.len() <= 2, "{} met again", all - pairs.len());
    }
}
