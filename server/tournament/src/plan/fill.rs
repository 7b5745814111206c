//! Filling up: line-ups that are added to a list until nothing is lacking, as when somebody has withdrawn.

use parlor_engine::shuffle;
use rand_core::Rng;

use super::lineups::Lineup;
use crate::Entrant;

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
    use super::*;
    use crate::plan::chance::{Chance, Draw};
    use crate::plan::lineups::tests::{entrants, met};

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
