//! Ratings by the Plackett-Luce model (Plackett 1975, Luce 1959): each entrant has a strength. The first
//! place of a game is drawn among all with probabilities proportional to the strengths, the second among the
//! rest, and so on. For two players this is the model of Bradley and Terry, and of Elo.
//!
//! All games are fitted at once by maximum likelihood, so their order does not matter, not even in the last
//! digit.
//!
//! **Ties.** A tie counts as the mean of the log-likelihoods of all its orders. A tie of two is half a win
//! for each.
//!
//! **Weak prior.** Every entrant has one drawn game against a virtual opponent of rating 0. So entrants that
//! win or lose all games have a finite rating, and so have components of the field that never met; ratings
//! across components are not comparable.
//!
//! The likelihood of a game depends only on the sets from which places were drawn (for three players: all,
//! and the last two). So all games become one weighted sum over sets of entrants: L = Σ wᵢθᵢ - Σ w(S) ln Σ
//! exp θ, over the members of S. It is concave, and maximised by Newton's method (the MM algorithm of Hunter,
//! 2004, "MM algorithms for generalized Bradley-Terry models", gives the same, more slowly).
//!
//! **Uncertainty.** Poisson bootstrap over groups, because games of one deal are not independent: each group
//! is resampled a Poisson number of times, and the model is refitted. Where that is too expensive, one Newton
//! step from the fit replaces the refit, which is as good with many groups (the score bootstrap of Kline and
//! Santos, 2012). The interval is the central 95% of the sample. It is a fixed-sample interval, unlike the
//! anytime-valid ones of the means. It is omitted for entrants with fewer than [`MIN_GROUPS`] groups, and for
//! those that never placed before, or never after, another: there the prior dominates.

mod bootstrap;
mod newton;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::Interval;
use crate::results::{Group, SeatScore};
use newton::{Sets, Tolerance};

/// Minimum number of groups of an entrant for an interval of its rating.
pub const MIN_GROUPS: u32 = 10;

/// Weight of a game in integer units, so that the parts of ties are integers: a multiple of all binomial
/// coefficients up to 8.
const UNIT: u32 = 840;

/// Elo units per unit of natural logarithm: 400 Elo are a factor of ten.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// A rating with its uncertainty.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    /// Rating in Elo units; the mean of all entrants is 0.
    pub rating: f64,
    /// 95% confidence interval.
    pub interval: Option<Interval>,
}

/// Ratings after a prefix of the groups.
#[derive(Clone, PartialEq, Debug)]
pub struct RatingPoint {
    /// Number of groups.
    pub groups: u32,
    /// Ratings in entrant order.
    pub ratings: Vec<f64>,
}

/// Sufficient statistics of all games for the Plackett-Luce model.
#[derive(Clone, PartialEq, Debug)]
pub struct PlackettLuce {
    entrants: Vec<EntrantStats>,
    /// Number of each set of entrants from which a place was drawn.
    numbers: BTreeMap<Box<[u16]>, u32>,
    /// Weights of the sets, by number, in [`UNIT`]s.
    weights: Vec<u64>,
    /// Contribution of each group to the weights.
    groups: Vec<GroupWeights>,
}

/// Statistics of one entrant.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct EntrantStats {
    /// Number of draws among several entrants that it won, in [`UNIT`]s.
    drawn: u64,
    groups: u32,
    /// It placed before or equal to another at least once.
    beat: bool,
    /// It placed after or equal to another at least once.
    was_beaten: bool,
}

/// Weights that a group adds to entrants, and to sets by number, in [`UNIT`]s.
#[derive(Clone, PartialEq, Debug, Default)]
struct GroupWeights {
    drawn: Vec<(u16, u32)>,
    sets: Vec<(u32, u32)>,
}

impl PlackettLuce {
    /// No games yet, for this number of entrants.
    #[must_use]
    pub fn new(entrants: usize) -> Self {
        PlackettLuce {
            entrants: vec![EntrantStats::default(); entrants],
            numbers: BTreeMap::new(),
            weights: vec![],
            groups: vec![],
        }
    }

    /// Adds a group of tables of at most 8 players. Seats of entrants out of range are ignored.
    pub fn push(&mut self, group: &Group) {
        let mut added = GroupWeights::default();
        for table in &group.tables {
            let mut seats = table.seats.clone();
            seats.retain(|seat| seat.entrant.index() < self.entrants.len());
            seats.sort_by_key(|seat| seat.place);
            self.push_table(&seats, &mut added);
        }
        for &(entrant, units) in &added.drawn {
            let stats = &mut self.entrants[usize::from(entrant)];
            stats.drawn += u64::from(units);
            stats.groups += 1;
        }
        for &(set, units) in &added.sets {
            self.weights[set as usize] += u64::from(units);
        }
        self.groups.push(added);
    }

    /// Adds a table, given best place first: for each place, from the last to the first, the set from which
    /// it was drawn.
    fn push_table(&mut self, seats: &[SeatScore], added: &mut GroupWeights) {
        let mut after: Vec<u16> = vec![];
        for tied in seats.chunk_by(|a, b| a.place == b.place).rev() {
            for seat in tied {
                add_units(&mut added.drawn, seat.entrant.0, UNIT);
                let stats = &mut self.entrants[seat.entrant.index()];
                stats.beat |= !after.is_empty() || tied.len() > 1;
                stats.was_beaten |= after.len() + tied.len() < seats.len() || tied.len() > 1;
            }
            // Any subset of a tie may remain when a place is drawn; all subsets of a size are equally likely.
            for subset in 1u32..1 << tied.len() {
                let chosen = (0..tied.len()).filter(|at| subset >> at & 1 == 1);
                let mut set: Vec<u16> = chosen.map(|at| tied[at].entrant.0).collect();
                let units = UNIT / binomial(tied.len() as u32, subset.count_ones());
                set.extend(&after);
                set.sort_unstable();
                match set[..] {
                    // The last place is not drawn.
                    [last] => subtract_units(&mut added.drawn, last, units),
                    _ => add_units(&mut added.sets, self.set_number(&set), units),
                }
            }
            after.extend(tied.iter().map(|seat| seat.entrant.0));
        }
    }

    fn set_number(&mut self, set: &[u16]) -> u32 {
        if let Some(number) = self.numbers.get(set) {
            return *number;
        }
        let number = self.weights.len() as u32;
        self.weights.push(0);
        self.numbers.insert(set.into(), number);
        number
    }

    /// Ratings in entrant order.
    #[must_use]
    pub fn ratings(&self) -> Vec<f64> {
        to_elo(&self.fit(&self.sets(), self.neutral_start(), Tolerance::FULL).0)
    }

    /// Ratings with their intervals, in entrant order.
    #[must_use]
    pub fn ratings_with_intervals(&self) -> Vec<Rating> {
        self.with_intervals(bootstrap::WORK_BUDGET)
    }

    fn with_intervals(&self, work: usize) -> Vec<Rating> {
        let sets = self.sets();
        let (fitted, hessian) = self.fit(&sets, self.neutral_start(), Tolerance::FULL);
        let mut samples = bootstrap::sample_ratings(self, &sets, (&fitted, &hessian), work);
        let with_interval = |(at, rating): (usize, f64)| {
            let EntrantStats { groups, beat, was_beaten, .. } = self.entrants[at];
            let has_interval = groups >= MIN_GROUPS && beat && was_beaten;
            Rating { rating, interval: has_interval.then(|| bootstrap::central_interval(&mut samples[at])) }
        };
        to_elo(&fitted).into_iter().enumerate().map(with_interval).collect()
    }

    /// All sets, in an order that does not depend on the order of the games.
    fn sets(&self) -> Sets<'_> {
        Sets(self.numbers.iter().map(|(set, number)| (&**set, *number)).collect())
    }

    /// Equal strengths: the start of a fit that must not depend on earlier fits.
    fn neutral_start(&self) -> Vec<f64> {
        vec![0.0; self.entrants.len()]
    }

    /// Log-strengths of maximum likelihood, and the factored Hessian there.
    fn fit(&self, sets: &Sets<'_>, start: Vec<f64>, tolerance: Tolerance) -> (Vec<f64>, newton::Hessian) {
        let unit = f64::from(UNIT);
        let drawn: Vec<f64> = self.entrants.iter().map(|stats| stats.drawn as f64 / unit).collect();
        let weights: Vec<f64> = self.weights.iter().map(|weight| *weight as f64 / unit).collect();
        newton::fit(sets, &drawn, &weights, start, tolerance)
    }
}

/// Ratings after prefixes of the groups: at most `points` of them, evenly spaced, the last after all groups.
#[must_use]
pub fn history(entrants: usize, groups: &[Group], points: usize) -> Vec<RatingPoint> {
    let points = points.min(groups.len());
    let mut model = PlackettLuce::new(entrants);
    let mut history = Vec::with_capacity(points);
    let (mut logs, mut added) = (model.neutral_start(), 0);
    for point in 1..=points {
        let end = groups.len() * point / points;
        groups[added..end].iter().for_each(|group| model.push(group));
        added = end;
        // Each fit starts from the previous one.
        logs = model.fit(&model.sets(), logs, Tolerance::COARSE).0;
        history.push(RatingPoint { groups: end as u32, ratings: to_elo(&logs) });
    }
    history
}

/// Converts log-strengths to ratings.
fn to_elo(logs: &[f64]) -> Vec<f64> {
    let mean = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
    logs.iter().map(|log| (log - mean) * ELO).collect()
}

fn add_units<K: PartialEq>(list: &mut Vec<(K, u32)>, key: K, units: u32) {
    match list.iter_mut().find(|(other, _)| *other == key) {
        Some((_, sum)) => *sum += units,
        None => list.push((key, units)),
    }
}

fn subtract_units(list: &mut [(u16, u32)], key: u16, units: u32) {
    for (_, sum) in list.iter_mut().filter(|(other, _)| *other == key) {
        *sum -= units;
    }
}

fn binomial(n: u32, k: u32) -> u32 {
    (0..k).fold(1, |product, at| product * (n - at) / (at + 1))
}
