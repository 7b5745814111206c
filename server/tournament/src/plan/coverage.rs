//! Greedy coverage: adds line-ups to a list until every pair meets, or every entrant plays, often enough.
//! Completes designs, and repairs a plan after a withdrawal.

use parlor_engine::shuffle;
use rand_core::Rng;

use super::lineups::Lineup;
use crate::Entrant;

/// Coverage to reach.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Coverage {
    /// Minimum number of meetings of each pair.
    Meetings(u32),
    /// Minimum number of games of each entrant.
    Games(u32),
}

/// Line-ups of `size` to add to the `existing` ones so that the `entrants` reach the target. Members of
/// existing line-ups that are not among the `entrants` do not count.
///
/// Each line-up starts with the entrant furthest below the target. It continues with the entrant that adds
/// most towards the target and, among these, has met the line-up least. Ties are drawn. Each line-up adds at
/// least one missing meeting or game, so the loop terminates.
pub(crate) fn cover<'a>(
    entrants: &[Entrant],
    size: usize,
    existing: impl IntoIterator<Item = &'a [Entrant]>,
    target: Coverage,
    rng: &mut impl Rng,
) -> Vec<Lineup> {
    if size > entrants.len() {
        return Vec::new();
    }
    let mut counts = MeetingCounts::new(entrants);
    for lineup in existing {
        counts.add(lineup);
    }
    let mut lineups = Vec::new();
    while let Some(lineup) = counts.next_lineup(size, target, rng) {
        counts.add(&lineup);
        lineups.push(lineup);
    }
    lineups
}

/// Number of games of each entrant and of meetings of each pair.
struct MeetingCounts<'a> {
    entrants: &'a [Entrant],
    /// Position among `entrants`, by entrant number.
    position: Vec<Option<usize>>,
    games: Vec<u32>,
    met: Vec<Vec<u32>>,
}

impl<'a> MeetingCounts<'a> {
    fn new(entrants: &'a [Entrant]) -> MeetingCounts<'a> {
        let count = entrants.len();
        let numbers = entrants.iter().map(|entrant| entrant.index() + 1).max().unwrap_or_default();
        let mut position = vec![None; numbers];
        for (at, entrant) in entrants.iter().enumerate() {
            position[entrant.index()] = Some(at);
        }
        MeetingCounts { entrants, position, games: vec![0; count], met: vec![vec![0; count]; count] }
    }

    fn add(&mut self, lineup: &[Entrant]) {
        let positions: Vec<usize> = lineup
            .iter()
            .filter_map(|entrant| self.position.get(entrant.index()).copied().flatten())
            .collect();
        for (i, &a) in positions.iter().enumerate() {
            self.games[a] += 1;
            for &b in &positions[..i] {
                self.met[a][b] += 1;
                self.met[b][a] += 1;
            }
        }
    }

    /// One more line-up, or `None` if the target is reached.
    fn next_lineup(&self, size: usize, target: Coverage, rng: &mut impl Rng) -> Option<Lineup> {
        let count = self.entrants.len();
        let mut order: Vec<usize> = (0..count).collect();
        shuffle(&mut order, rng);
        let deficit = |a: usize| match target {
            Coverage::Games(games) => games.saturating_sub(self.games[a]),
            Coverage::Meetings(times) => {
                let others = (0..count).filter(|&b| b != a);
                others.map(|b| times.saturating_sub(self.met[a][b])).sum()
            }
        };
        let first = *order.iter().max_by_key(|&&a| deficit(a)).filter(|&&a| deficit(a) > 0)?;
        let mut chosen = vec![first];
        while chosen.len() < size {
            let gain = |a: usize| match target {
                Coverage::Games(_) => u32::MAX - self.games[a],
                Coverage::Meetings(times) => {
                    chosen.iter().filter(|&&b| self.met[a][b] < times).count() as u32
                }
            };
            let met = |a: usize| chosen.iter().map(|&b| self.met[a][b]).sum::<u32>();
            let free = order.iter().filter(|a| !chosen.contains(a));
            let best = free.max_by_key(|&&a| (gain(a), std::cmp::Reverse(met(a))));
            chosen.push(*best?);
        }
        Some(chosen.into_iter().map(|position| self.entrants[position]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::lineups::tests::{entrants, meeting_counts};
    use crate::plan::random::{Purpose, RandomStreams};

    #[test]
    fn coverage_reaches_the_target_with_few_excess_meetings() {
        for size in 2..=6 {
            for count in size as u16..=12 {
                let field = entrants(count);
                let mut rng = RandomStreams::from_seed([3; 32]).stream(Purpose::Repair, 1);
                let lineups = cover(&field, size, [], Coverage::Meetings(3), &mut rng);
                let met = meeting_counts(&lineups);
                assert_eq!(met.len(), usize::from(count * (count - 1) / 2));
                assert!(met.values().all(|met| (3..=10).contains(met)), "{size} of {count}: {met:?}");
                let existing = lineups.iter().map(Vec::as_slice);
                assert!(cover(&field, size, existing, Coverage::Meetings(3), &mut rng).is_empty());
            }
        }
    }
}
