//! The standings: what is known of who is better, after the groups that count.
//!
//! A [`Tally`] takes in one group after another and gives the standings at any time, in some 20 ms for 10,000 groups of 16
//! entrants; [`Standings::of`] does it for all groups at once. Names, and how far the tournament is, are known elsewhere.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::plan::SequentialTest;
use crate::played::{Entrant, Finish, Group, TableScore};
use crate::stats::gain::Gains;
use crate::stats::rating::Places;
use crate::stats::{Interval, Moments, RotationGain, SequentialState, Sprt};
use crate::tournament::Placing;

/// What is known of who is better.
#[derive(Clone, PartialEq, Debug)]
pub struct Standings {
    /// One row an entrant, the best first.
    pub rows: Vec<Row>,
    /// Everyone against everyone: one cell for each pair that has met, in both orders.
    pub cells: Vec<CrossCell>,
    /// How many groups count.
    pub groups_counted: u32,
    /// The state of the sequential test, if there is one.
    pub test: Option<SequentialState>,
}

/// What is known of one entrant.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The rank: 1 is the best. Equals share it.
    pub rank: u32,
    /// Who.
    pub entrant: Entrant,
    /// How many games count.
    pub games: u32,
    /// How many groups count.
    pub groups: u32,
    /// The mean group score, in points. 0 before the first.
    pub mean: f64,
    /// The 95% interval of the mean that holds at all times at once.
    pub interval: Option<Interval>,
    /// For each game, the share of the others whom the entrant placed before, ties counting half.
    pub place_points: f64,
    /// The rating in the units of Elo, the mean of all being 0.
    pub rating: f64,
    /// The 95% interval of the rating.
    pub rating_interval: Option<Interval>,
    /// What the format says of it.
    pub placing: Placing,
    /// How its games ended, by reason; only what happened.
    pub finishes: Vec<(Finish, u32)>,
    /// What it gained in later rotations.
    pub gain: Option<RotationGain>,
}

/// How one entrant did against another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CrossCell {
    /// The one.
    pub entrant: Entrant,
    /// The other.
    pub opponent: Entrant,
    /// How many groups both were in.
    pub groups: u32,
    /// The mean difference of their points, averaged over the groups.
    pub mean: f64,
    /// Its 95% interval that holds at all times at once.
    pub interval: Option<Interval>,
}

impl Standings {
    /// The standings after these groups, with what the format says of everyone, in the order of the entrants.
    #[must_use]
    pub fn of(placings: &[Placing], test: Option<&SequentialTest>, groups: &[Group]) -> Standings {
        let mut tally = Tally::new(placings.len(), test);
        tally.catch_up(groups);
        tally.standings(placings)
    }
}

/// The groups that count, added up: standings can be had at any time, and a further group costs little.
#[derive(Clone, PartialEq, Debug)]
pub struct Tally {
    entrants: Vec<Sums>,
    /// The differences of points in each group, of an entrant and one that comes after it.
    pairs: BTreeMap<(Entrant, Entrant), Moments>,
    places: Places,
    gains: Gains,
    test: Option<SequentialTest>,
    sprt: Option<Sprt>,
    groups: u32,
    /// The number of the last group.
    last: Option<u32>,
}

/// What is added up of one entrant.
#[derive(Clone, PartialEq, Debug, Default)]
struct Sums {
    games: u32,
    scores: Moments,
    place_points: f64,
    finishes: BTreeMap<Finish, u32>,
}

impl Tally {
    /// No groups yet, of so many entrants.
    #[must_use]
    pub fn new(entrants: usize, test: Option<&SequentialTest>) -> Self {
        Tally {
            entrants: vec![Sums::default(); entrants],
            pairs: BTreeMap::new(),
            places: Places::new(entrants),
            gains: Gains::new(entrants),
            test: test.copied(),
            sprt: test.map(|test| Sprt::new(*test)),
            groups: 0,
            last: None,
        }
    }

    /// How many groups were taken in.
    #[must_use]
    pub const fn groups(&self) -> u32 {
        self.groups
    }

    /// Takes in those of all groups that count, by number, which came since; or all anew, if one that was taken in was voided.
    pub fn catch_up(&mut self, groups: &[Group]) {
        self.missing(groups).iter().for_each(|group| self.push(group));
    }

    /// Those of all groups that count, by number, which are to be taken in next; all of them, if one that was taken in was
    /// voided: then nothing is taken in any more.
    pub fn missing<'a>(&mut self, groups: &'a [Group]) -> &'a [Group] {
        // Numbers ascend, and none comes in between: the last is at its place if and only if all before it are there.
        let known = self.groups as usize;
        let is_whole = known <= groups.len() && groups[..known].last().map(|group| group.number) == self.last;
        if !is_whole {
            *self = Tally::new(self.entrants.len(), self.test.as_ref());
        }
        &groups[self.groups as usize..]
    }

    /// Takes in the next group that counts. Entrants that are not there are left out.
    pub fn push(&mut self, group: &Group) {
        self.groups += 1;
        self.last = Some(group.number);
        self.push_games(group);
        self.push_pairs(group);
        for score in group.scores() {
            if let Some(sums) = self.entrants.get_mut(score.entrant.index()) {
                sums.scores.push(score.score);
            }
            match &mut self.sprt {
                Some(test) if test.test().entrant == score.entrant => test.push(score.score),
                _ => {}
            }
        }
        self.places.push(group);
        self.gains.push(group);
    }

    fn push_games(&mut self, group: &Group) {
        for table in &group.tables {
            let others = table.seats.len().saturating_sub(1).max(1) as f64;
            for seat in &table.seats {
                let Some(sums) = self.entrants.get_mut(seat.entrant.index()) else { continue };
                let half_points = |other: Ordering| match other {
                    Ordering::Greater => 2,
                    Ordering::Equal => 1,
                    Ordering::Less => 0,
                };
                let all: u32 =
                    table.seats.iter().map(|other| half_points(other.place.cmp(&seat.place))).sum();
                // The seat is equal to itself.
                sums.place_points += f64::from(all - 1) / 2.0 / others;
                sums.games += 1;
                *sums.finishes.entry(seat.finish).or_default() += 1;
            }
        }
    }

    fn push_pairs(&mut self, group: &Group) {
        let Some(first) = group.tables.first() else { return };
        let mut points: Vec<(Entrant, i64)> = first.seats.iter().map(|seat| (seat.entrant, 0)).collect();
        points.retain(|(who, _)| who.index() < self.entrants.len());
        points.sort_unstable();
        for (who, of_table) in group.tables.iter().flat_map(TableScore::points) {
            if let Ok(at) = points.binary_search_by_key(&who, |(there, _)| *there) {
                points[at].1 += i64::from(of_table);
            }
        }
        let tables = group.tables.len() as f64;
        for (at, &(one, own)) in points.iter().enumerate() {
            for &(other, others) in &points[at + 1..] {
                self.pairs.entry((one, other)).or_default().push((own - others) as f64 / tables);
            }
        }
    }

    /// The state of the sequential test, if there is one.
    #[must_use]
    pub fn test(&self) -> Option<SequentialState> {
        self.sprt.as_ref().map(Sprt::state)
    }

    /// The standings, with what the format says of everyone. Who has no placing has no row.
    #[must_use]
    pub fn standings(&self, placings: &[Placing]) -> Standings {
        let ratings = self.places.ratings_with_intervals();
        let gains = self.gains.look();
        let row = |placing: &Placing| {
            let at = placing.entrant.index();
            let (sums, rating) = (self.entrants.get(at)?, ratings[at]);
            Some(Row {
                rank: 0,
                entrant: placing.entrant,
                games: sums.games,
                groups: sums.scores.count(),
                mean: sums.scores.mean(),
                interval: sums.scores.interval(),
                place_points: sums.place_points,
                rating: rating.rating,
                rating_interval: rating.interval,
                placing: *placing,
                finishes: sums.finishes.iter().map(|(finish, games)| (*finish, *games)).collect(),
                gain: gains[at],
            })
        };
        let mut rows: Vec<Row> = placings.iter().filter_map(row).collect();
        rows.sort_by(|a, b| better(a, b).then(a.entrant.cmp(&b.entrant)));
        for at in 0..rows.len() {
            let equal = at > 0 && better(&rows[at - 1], &rows[at]).is_eq();
            rows[at].rank = if equal { rows[at - 1].rank } else { at as u32 + 1 };
        }
        Standings { rows, cells: self.cells(), groups_counted: self.groups, test: self.test() }
    }

    fn cells(&self) -> Vec<CrossCell> {
        let mut cells = Vec::with_capacity(2 * self.pairs.len());
        for (&(entrant, opponent), of_groups) in &self.pairs {
            let (groups, mean, interval) = (of_groups.count(), of_groups.mean(), of_groups.interval());
            cells.push(CrossCell { entrant, opponent, groups, mean, interval });
            let interval = interval.map(|interval| interval.negated());
            cells.push(CrossCell { entrant: opponent, opponent: entrant, groups, mean: -mean, interval });
        }
        cells.sort_by_key(|cell| (cell.entrant, cell.opponent));
        cells
    }
}

/// Who comes first: by the format; whoever was not withdrawn; whoever has played; by the mean group score.
fn better(a: &Row, b: &Row) -> Ordering {
    let withdrawn = a.placing.withdrawn.cmp(&b.placing.withdrawn);
    let format = a.placing.order.cmp(&b.placing.order);
    let played = (a.groups == 0).cmp(&(b.groups == 0));
    // Rounding must not part equals.
    let (a, b) = (rounded(a.mean), rounded(b.mean));
    format.then(withdrawn).then(played).then(b.total_cmp(&a))
}

/// To a billionth, and without a negative zero.
fn rounded(mean: f64) -> f64 {
    (mean * 1e9).round() / 1e9 + 0.0
}

#[cfg(test)]
mod tests;
