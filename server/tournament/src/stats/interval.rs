//! The mean of scores that come one after another, and an interval for it at which one may look as often as one likes.
//!
//! A usual 95% interval is right 95 times in 100 if it is looked at once. Whoever looks after every group, and stops when
//! it pleases, is wrong far more often. A *confidence sequence* is an interval for each n such that all of them at once hold
//! the true mean, with probability 95%.
//!
//! This one is the t-mixture of Lai (1976, "On confidence sequences") as worked out by Wang and Ramdas (2024,
//! "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance"). For a mean m, let t be
//! Student's statistic of n scores against m. Against scores that are normal with mean m and any variance, the evidence
//!
//! ```text
//! E(m) = (1 + n g)^(-1/2) * ((1 + t²/(n-1)) / (1 + t²/((n-1)(1 + n g))))^(n/2)
//! ```
//!
//! is a martingale that starts at 1: the ratio of the likelihoods of the scores, known up to their scale, if their mean is
//! m + dσ with d drawn from N(0, g), and if it is m. By Ville's inequality it ever reaches 1/0.05 with probability 5% at most,
//! so the means that it has not reached that for make a 95% confidence sequence. It has a closed form, below.
//!
//! **What it assumes.** Groups are independent: deals are, and each is dealt and seated by chance. Normal scores for the promise
//! to be exact; for others it holds as n grows (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, 2024, "Time-uniform
//! central limit theory and asymptotic confidence sequences": the limit of this interval is theirs). Skewed scores are the worst
//! case: the mean and the spread are then too small together. So the end that the longer tail lies behind is moved out by the
//! first term of the expansion of Edgeworth for Student's statistic (Hall, 1992, "The Bootstrap and Edgeworth Expansion"), see
//! [`Moments::tail`]; the other end stays. Group scores of the house bots are tame (a skewness of -0.8 to 0.1 in all games, and a
//! kurtosis of 34 at most, where bots play alike in nine deals of ten); the tests simulate worse, looked at after each group.
//! What no method can see is a disaster so rare that it has not come yet. If line-ups change from group to group, it is the
//! mean over the line-ups so far that is held.
//!
//! **When it says nothing.** With few groups (fewer than [`MIN_GROUPS`]), and while all scores are equal: without a
//! bound on the points, equal scores do not tell how far off the next one can be.

use super::Interval;

/// The fewest groups that anything is said of.
pub const MIN_GROUPS: u32 = 20;

/// How often an interval may ever fail to hold the mean.
const ALPHA: f64 = 0.05;

/// The variance of the effects that the mixture is over: the interval is tightest, for what it could be, at about
/// 8 / `MIXTURE` = 100 groups, and little wider from 30 to 1000.
const MIXTURE: f64 = 0.08;

/// How much is made of the skewness: more than 1, because the one of a sample is smaller than the true one while the long
/// tail has hardly been seen.
const SKEW_WEIGHT: f64 = 1.5;

/// How many scores there were, their mean, and powers of their deviations: all that the intervals need.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Moments {
    count: u32,
    mean: f64,
    /// The sum of the squared deviations from the mean.
    squares: f64,
    /// The sum of the cubed deviations from the mean.
    cubes: f64,
}

impl Moments {
    /// Takes in one more score, by the method of Welford and Terriberry.
    pub fn push(&mut self, score: f64) {
        self.count += 1;
        let n = f64::from(self.count);
        let off = score - self.mean;
        let step = off / n;
        let square = off * step * (n - 1.0);
        self.mean += step;
        self.cubes += square * step * (n - 2.0) - 3.0 * step * self.squares;
        self.squares += square;
    }

    /// How many scores there were.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// Their mean; 0 if there were none.
    #[must_use]
    pub const fn mean(&self) -> f64 {
        self.mean
    }

    /// The sum of their squared deviations from the mean.
    #[must_use]
    pub const fn squares(&self) -> f64 {
        self.squares
    }

    /// Whether there are too few scores, or too equal ones, to say anything.
    #[must_use]
    pub fn tell_nothing(&self) -> bool {
        self.count < MIN_GROUPS || self.are_equal()
    }

    /// Whether all scores are the same, but for what rounding leaves over.
    #[must_use]
    pub fn are_equal(&self) -> bool {
        let n = f64::from(self.count);
        self.squares <= n * 1e-18 * (1.0 + self.mean * self.mean)
    }

    /// The 95% interval of the mean that holds for all numbers of scores at once, or none while nothing can be said.
    #[must_use]
    pub fn interval(&self) -> Option<Interval> {
        if self.tell_nothing() {
            return None;
        }
        // E(m) < 1/α, solved for t²/(n-1), which is n (mean - m)² / squares.
        let n = f64::from(self.count);
        let spread = 1.0 + n * MIXTURE;
        let root_less_1 = libm::expm1(libm::log(spread / (ALPHA * ALPHA)) / n);
        let room = 1.0 - (root_less_1 + 1.0) / spread;
        if room <= 0.0 {
            return None;
        }
        let half = (self.squares / n * (root_less_1 / room)).sqrt();
        let tail = self.tail(half);
        Some(Interval { low: self.mean - half + tail.min(0.0), high: self.mean + half + tail.max(0.0) })
    }

    /// How far the mean may be off on the side of the longer tail, beyond what normal scores would allow, when normal
    /// ones would allow `half`: s γ (1 + 2z²) / 6n for a skewness γ, a spread s and z = `half` in standard errors. Positive if
    /// the tail is on the right. 0 if all scores are equal.
    #[must_use]
    pub fn tail(&self, half: f64) -> f64 {
        if self.are_equal() {
            return 0.0;
        }
        let n = f64::from(self.count);
        let variance = self.squares / n;
        // The skewness times the spread: cubes / n / s³ * s.
        let skew = SKEW_WEIGHT * self.cubes / n / variance;
        skew * (1.0 + 2.0 * n * half * half / variance) / (6.0 * n)
    }

    /// The logarithm of the evidence E(m) against `mean` being the mean; 0 while nothing can be said.
    #[must_use]
    pub fn evidence_against(&self, mean: f64) -> f64 {
        if self.tell_nothing() {
            return 0.0;
        }
        let n = f64::from(self.count);
        let spread = 1.0 + n * MIXTURE;
        let off = self.mean - mean;
        let u = n * off * off / self.squares;
        n / 2.0 * (libm::log1p(u) - libm::log1p(u / spread)) - libm::log(spread) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::simulate::{Shape, rng};

    /// Plays matches of `groups` groups, looks after each of them, and gives the share of the matches in which any
    /// interval failed to hold the mean.
    fn ever_missed(shape: Shape, matches: u32, groups: u32, seed: u64) -> f64 {
        let mut rng = rng(seed);
        let mut missed = 0;
        for _ in 0..matches {
            let mut scores = Moments::default();
            let miss = (0..groups).any(|_| {
                scores.push(shape.draw(&mut rng));
                scores.interval().is_some_and(|interval| !interval.holds(shape.mean()))
            });
            missed += u32::from(miss);
        }
        f64::from(missed) / f64::from(matches)
    }

    #[test]
    fn intervals_hold_the_mean_however_often_one_looks() {
        for (at, shape) in Shape::ALL.into_iter().enumerate() {
            let missed = ever_missed(shape, 2500, 800, 11 + at as u64);
            println!("{shape:?}: {:.2}% of the matches missed the mean at some time", missed * 100.0);
            assert!(missed <= 0.05, "{shape:?}: {missed}");
        }
    }

    #[test]
    fn usual_intervals_would_not_hold_it() {
        // The test above can fail: 1.96 standard errors, looked at all the time, miss far more often.
        let mut rng = rng(5);
        let mut missed = 0;
        for _ in 0..500 {
            let mut scores = Moments::default();
            let miss = (0..800).any(|_| {
                scores.push(Shape::Normal.draw(&mut rng));
                let n = f64::from(scores.count());
                !scores.tell_nothing() && scores.mean().abs() > 1.96 * (scores.squares() / n / n).sqrt()
            });
            missed += u32::from(miss);
        }
        assert!(missed > 150, "{missed}");
    }

    #[test]
    fn the_interval_is_where_the_evidence_reaches_twenty() {
        let mut rng = rng(3);
        let mut scores = Moments::default();
        for _ in 0..200 {
            scores.push(Shape::Normal.draw(&mut rng));
            let Some(interval) = scores.interval() else { continue };
            // Of the two ends, the one that the skewness did not move.
            let end = if scores.tail(1.0) > 0.0 { interval.low } else { interval.high };
            let evidence = scores.evidence_against(end);
            assert!((evidence - 20f64.ln()).abs() < 1e-9, "{evidence}");
        }
    }

    #[test]
    fn intervals_narrow_like_the_root_of_the_groups() {
        let mut scores = Moments::default();
        let mut widths = vec![];
        for at in 0..100_000u32 {
            scores.push(if at % 2 == 0 { 1.0 } else { -1.0 });
            if [100, 400, 10_000, 100_000].contains(&scores.count()) {
                let Interval { low, high } = scores.interval().unwrap();
                widths.push((high - low) / 2.0 * f64::from(scores.count()).sqrt());
            }
        }
        // In standard errors: a usual interval has 1.96.
        assert!(widths[0] > 2.9 && widths[0] < 3.3, "{widths:?}");
        assert!(widths[3] < 4.0 && widths.is_sorted(), "{widths:?}");
    }

    #[test]
    fn few_or_equal_scores_say_nothing() {
        let mut scores = Moments::default();
        assert_eq!(scores.interval(), None);
        for at in 1..MIN_GROUPS {
            scores.push(f64::from(at));
            assert_eq!(scores.interval(), None);
        }
        scores.push(0.0);
        assert!(scores.interval().is_some());

        let mut equal = Moments::default();
        for _ in 0..1000 {
            equal.push(0.1);
        }
        assert_eq!(equal.interval(), None);
        assert_eq!((equal.evidence_against(5.0), equal.tail(1.0)), (0.0, 0.0));
        equal.push(0.2);
        assert!(equal.interval().is_some());
    }

    #[test]
    fn moments_are_those_of_the_definition() {
        let scores = [3.0, -1.5, 0.25, 8.0, 8.0, -20.0];
        let mut moments = Moments::default();
        scores.iter().for_each(|score| moments.push(*score));
        let mean = scores.iter().sum::<f64>() / 6.0;
        let power = |k| scores.iter().map(|s| (s - mean).powi(k)).sum::<f64>();
        assert!((moments.mean() - mean).abs() < 1e-12);
        assert!((moments.squares - power(2)).abs() < 1e-9);
        assert!((moments.cubes - power(3)).abs() < 1e-7);
    }
}
