//! Ratings by the model of Plackett (1975) and Luce (1959): each entrant has a strength, and the places of a game come about as if
//! the first were drawn among all with chances in proportion to their strengths, then the second among the rest, and so on.
//! For two players this is the model of Bradley and Terry, and of Elo.
//!
//! All games are fitted at once by the largest likelihood, so their order does not matter, not even in the last digit.
//!
//! **Ties.** Those who share a place count as if all their orders had been seen, each for an equal part: the mean of the
//! logarithms of the likelihoods. A tie of two is half a win for each.
//!
//! **Weak prior.** Everyone has one drawn game against somebody of the rating 0, who is not there. So whoever wins or loses
//! everything has a rating, and so have fields that fall into parts that never met; across such parts the ratings say nothing.
//!
//! The likelihood of a game depends on the sets that a place was drawn from alone (for three players: all, and the last two), so
//! all games become one sum over sets of entrants, each with a weight: L = Σ wᵢθᵢ - Σ w(S) ln Σ exp θ, over the members of S.
//! It is concave, and is solved by Newton's method (the MM of Hunter, 2004, "MM algorithms for generalized Bradley-Terry models", finds
//! the same, more slowly).
//!
//! **Uncertainty.** Groups are drawn anew, each as often as chance will have it (the Poisson bootstrap over groups, because games
//! of one deal are not independent), and the fit is made again; where that takes too long, by one step of Newton from the fit, which is
//! as good with many groups (the score bootstrap of Kline and Santos, 2012). The 95% in the middle are the interval, which is for
//! one look, unlike those of the means. It is left out for whoever has fewer than [`MIN_GROUPS`] groups, or was never placed
//! before or never after anybody: then it is the prior that speaks.

mod bootstrap;
mod newton;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::Interval;
use crate::played::{Group, SeatScore};
use newton::{Exactness, Sets};

/// The fewest groups of an entrant whose rating gets an interval.
pub const MIN_GROUPS: u32 = 10;

/// What a game weighs, so that the parts of ties are whole numbers: a multiple of all binomial coefficients up to 8.
const UNIT: u32 = 840;

/// Elo units in a natural logarithm: 400 make a factor of ten.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// A rating with what is known of its uncertainty.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    /// The rating in the units of Elo, the mean of all being 0.
    pub rating: f64,
    /// Its 95% interval.
    pub interval: Option<Interval>,
}

/// A rating after some of the groups.
#[derive(Clone, PartialEq, Debug)]
pub struct RatingPoint {
    /// After how many groups.
    pub groups: u32,
    /// The ratings of all entrants, in their order.
    pub ratings: Vec<f64>,
}

/// The places of all games, as far as ratings need them.
#[derive(Clone, PartialEq, Debug)]
pub struct Places {
    entrants: Vec<Seen>,
    /// The number of each set of entrants that a place was drawn from.
    numbers: BTreeMap<Box<[u16]>, u32>,
    /// The weights of the sets, by number, in [`UNIT`]s.
    weights: Vec<u64>,
    /// What each group adds to the weights.
    groups: Vec<Share>,
}

/// What was seen of an entrant.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Seen {
    /// How often it got a place that it was drawn for among several, in [`UNIT`]s.
    drawn: u64,
    groups: u32,
    /// Whether it was ever placed before somebody, or equal.
    beat: bool,
    /// Whether it was ever placed after somebody, or equal.
    was_beaten: bool,
}

/// What a group adds: to entrants, and to sets by their number, in [`UNIT`]s.
#[derive(Clone, PartialEq, Debug, Default)]
struct Share {
    drawn: Vec<(u16, u32)>,
    sets: Vec<(u32, u32)>,
}

impl Places {
    /// No games yet, of so many entrants.
    #[must_use]
    pub fn new(entrants: usize) -> Self {
        Places {
            entrants: vec![Seen::default(); entrants],
            numbers: BTreeMap::new(),
            weights: vec![],
            groups: vec![],
        }
    }

    /// Takes in a group, of tables of at most 8. Seats of entrants that are not there are left out.
    pub fn push(&mut self, group: &Group) {
        let mut share = Share::default();
        for table in &group.tables {
            let mut seats = table.seats.clone();
            seats.retain(|seat| seat.entrant.index() < self.entrants.len());
            seats.sort_by_key(|seat| seat.place);
            self.push_table(&seats, &mut share);
        }
        for &(entrant, units) in &share.drawn {
            let seen = &mut self.entrants[usize::from(entrant)];
            seen.drawn += u64::from(units);
            seen.groups += 1;
        }
        for &(set, units) in &share.sets {
            self.weights[set as usize] += u64::from(units);
        }
        self.groups.push(share);
    }

    /// Adds a table, the best place first: for each place, from the last to the first, the set that it was drawn from.
    fn push_table(&mut self, seats: &[SeatScore], share: &mut Share) {
        let mut after: Vec<u16> = vec![];
        for tied in seats.chunk_by(|a, b| a.place == b.place).rev() {
            for seat in tied {
                add(&mut share.drawn, seat.entrant.0, UNIT);
                let seen = &mut self.entrants[seat.entrant.index()];
                seen.beat |= !after.is_empty() || tied.len() > 1;
                seen.was_beaten |= after.len() + tied.len() < seats.len() || tied.len() > 1;
            }
            // Of those who are tied, any part may be left when a place is drawn: all parts of a size are equally likely.
            for part in 1u32..1 << tied.len() {
                let chosen = (0..tied.len()).filter(|at| part >> at & 1 == 1);
                let mut set: Vec<u16> = chosen.map(|at| tied[at].entrant.0).collect();
                let units = UNIT / binomial(tied.len() as u32, part.count_ones());
                set.extend(&after);
                set.sort_unstable();
                match set[..] {
                    // Who is left alone is not drawn.
                    [alone] => take(&mut share.drawn, alone, units),
                    _ => add(&mut share.sets, self.number(&set), units),
                }
            }
            after.extend(tied.iter().map(|seat| seat.entrant.0));
        }
    }

    fn number(&mut self, set: &[u16]) -> u32 {
        if let Some(number) = self.numbers.get(set) {
            return *number;
        }
        let number = self.weights.len() as u32;
        self.weights.push(0);
        self.numbers.insert(set.into(), number);
        number
    }

    /// The ratings of all entrants, in their order.
    #[must_use]
    pub fn ratings(&self) -> Vec<f64> {
        in_elo(&self.fit(&self.sets(), self.middling(), Exactness::FULL).0)
    }

    /// The ratings of all entrants with their intervals, in their order.
    #[must_use]
    pub fn ratings_with_intervals(&self) -> Vec<Rating> {
        self.with_intervals(bootstrap::WORK)
    }

    fn with_intervals(&self, work: usize) -> Vec<Rating> {
        let sets = self.sets();
        let (fitted, curve) = self.fit(&sets, self.middling(), Exactness::FULL);
        let mut drawn_anew = bootstrap::ratings(self, &sets, (&fitted, &curve), work);
        let with_interval = |(at, rating): (usize, f64)| {
            let Seen { groups, beat, was_beaten, .. } = self.entrants[at];
            let told = groups >= MIN_GROUPS && beat && was_beaten;
            Rating { rating, interval: told.then(|| bootstrap::middle(&mut drawn_anew[at])) }
        };
        in_elo(&fitted).into_iter().enumerate().map(with_interval).collect()
    }

    /// All sets, in an order that does not depend on that of the games.
    fn sets(&self) -> Sets<'_> {
        Sets(self.numbers.iter().map(|(set, number)| (&**set, *number)).collect())
    }

    /// Where a fit starts that depends on nothing but the games.
    fn middling(&self) -> Vec<f64> {
        vec![0.0; self.entrants.len()]
    }

    fn fit(&self, sets: &Sets<'_>, start: Vec<f64>, exactness: Exactness) -> (Vec<f64>, newton::Curve) {
        let unit = f64::from(UNIT);
        let drawn: Vec<f64> = self.entrants.iter().map(|seen| seen.drawn as f64 / unit).collect();
        let weights: Vec<f64> = self.weights.iter().map(|weight| *weight as f64 / unit).collect();
        newton::fit(sets, &drawn, &weights, start, exactness)
    }
}

/// The ratings after parts of the groups, at most `points` of them, the last being that after all.
#[must_use]
pub fn history(entrants: usize, groups: &[Group], points: usize) -> Vec<RatingPoint> {
    let points = points.min(groups.len());
    let mut places = Places::new(entrants);
    let mut history = Vec::with_capacity(points);
    let (mut logs, mut done) = (places.middling(), 0);
    for point in 1..=points {
        let end = groups.len() * point / points;
        groups[done..end].iter().for_each(|group| places.push(group));
        done = end;
        // The ratings a little before are a good start.
        logs = places.fit(&places.sets(), logs, Exactness::ENOUGH).0;
        history.push(RatingPoint { groups: end as u32, ratings: in_elo(&logs) });
    }
    history
}

/// Logarithms of strengths as ratings.
fn in_elo(logs: &[f64]) -> Vec<f64> {
    let mean = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
    logs.iter().map(|log| (log - mean) * ELO).collect()
}

fn add<K: PartialEq>(list: &mut Vec<(K, u32)>, key: K, units: u32) {
    match list.iter_mut().find(|(there, _)| *there == key) {
        Some((_, sum)) => *sum += units,
        None => list.push((key, units)),
    }
}

fn take(list: &mut [(u16, u32)], key: u16, units: u32) {
    for (_, sum) in list.iter_mut().filter(|(there, _)| *there == key) {
        *sum -= units;
    }
}

fn binomial(n: u32, k: u32) -> u32 {
    (0..k).fold(1, |product, at| product * (n - at) / (at + 1))
}
