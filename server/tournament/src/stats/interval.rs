//! Running mean of scores, and its anytime-valid confidence interval.
//!
//! A fixed-sample 95% interval covers the true mean 95 times in 100 if it is inspected once. Inspected after
//! every group, with the freedom to stop at will, it fails far more often. A *confidence sequence* is a
//! sequence of intervals, one for each n, that all cover the true mean simultaneously with probability 95%.
//!
//! This is the t-mixture of Lai (1976, "On confidence sequences") as worked out by Wang and Ramdas (2024,
//! "Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance"). For a mean m,
//! let t be Student's statistic of n scores against m. For normal scores with mean m and any variance, the
//! e-process
//!
//! ```text
//! E(m) = (1 + n g)^(-1/2) * ((1 + t²/(n-1)) / (1 + t²/((n-1)(1 + n g))))^(n/2)
//! ```
//!
//! is a martingale that starts at 1: the likelihood ratio of the scores, known up to their scale, with mean
//! `m + dσ` for d drawn from N(0, g), against mean m. By Ville's inequality it reaches 1/0.05 at any time
//! with probability at most 5%, so the means for which it stays below form a 95% confidence sequence. The
//! closed form is below.
//!
//! **Assumptions.** Groups are independent: each is dealt and seated at random. Coverage is exact for normal
//! scores, and asymptotic for others (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, 2024, "Time-uniform
//! central limit theory and asymptotic confidence sequences": the limit of this interval is theirs). Skewed
//! scores are the worst case: sample mean and sample variance are then too small together. So the end on the
//! side of the longer tail is moved out by the first term of the Edgeworth expansion of Student's statistic
//! (Hall, 1992, "The Bootstrap and Edgeworth Expansion"), see [`Moments::skew_correction`]; the other end
//! stays. Group scores of the house bots are tame (skewness -0.8 to 0.1 in all games, kurtosis at most 34,
//! where bots play alike in nine deals of ten); the tests simulate worse, inspected after each group. No
//! method can see a disaster so rare that it has not occurred yet. If line-ups change from group to group,
//! the interval covers the mean over the line-ups so far.
//!
//! **No interval** is given for fewer than [`MIN_GROUPS`] groups, and while all scores are equal: without a
//! bound on the points, equal scores say nothing about the deviation of the next one.

use super::Interval;

/// Minimum number of groups for an interval.
pub const MIN_GROUPS: u32 = 20;

/// Maximum probability that any interval of the sequence misses the mean.
const ALPHA: f64 = 0.05;

/// Variance g of the mixture over effect sizes. The interval is tightest, relative to the optimum, at about
/// 8 / `MIXTURE` = 100 groups, and little wider from 30 to 1000.
const MIXTURE: f64 = 0.08;

/// Weight of the skewness correction. Above 1, because the sample skewness underestimates the true one while
/// the long tail has hardly been sampled.
const SKEW_WEIGHT: f64 = 1.5;

/// Number of scores, their mean, and sums of powers of their deviations: sufficient for the intervals.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Moments {
    count: u32,
    mean: f64,
    /// Sum of squared deviations from the mean.
    squares: f64,
    /// Sum of cubed deviations from the mean.
    cubes: f64,
}

impl Moments {
    /// Adds a score, by the method of Welford and Terriberry.
    pub fn push(&mut self, score: f64) {
        self.count += 1;
        let n = f64::from(self.count);
        let deviation = score - self.mean;
        let step = deviation / n;
        let square = deviation * step * (n - 1.0);
        self.mean += step;
        self.cubes += square * step * (n - 2.0) - 3.0 * step * self.squares;
        self.squares += square;
    }

    /// Number of scores.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// Mean; 0 without scores.
    #[must_use]
    pub const fn mean(&self) -> f64 {
        self.mean
    }

    /// Sum of squared deviations from the mean.
    #[must_use]
    pub const fn squares(&self) -> f64 {
        self.squares
    }

    /// True if there are fewer than [`MIN_GROUPS`] scores, or all are equal.
    #[must_use]
    pub fn is_insufficient(&self) -> bool {
        self.count < MIN_GROUPS || self.is_constant()
    }

    /// True if all scores are equal up to rounding.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        let n = f64::from(self.count);
        self.squares <= n * 1e-18 * (1.0 + self.mean * self.mean)
    }

    /// Anytime-valid 95% confidence interval of the mean, or `None` while the scores are insufficient.
    #[must_use]
    pub fn interval(&self) -> Option<Interval> {
        if self.is_insufficient() {
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
        let skew = self.skew_correction(half);
        Some(Interval { low: self.mean - half + skew.min(0.0), high: self.mean + half + skew.max(0.0) })
    }

    /// Correction for skewness of a normal half-width `half`, applied to the side of the longer tail:
    /// `s γ (1 + 2z²) / 6n` for skewness γ, standard deviation s, and z = `half` in standard errors. Positive
    /// if the tail is on the right; 0 if all scores are equal.
    #[must_use]
    pub fn skew_correction(&self, half: f64) -> f64 {
        if self.is_constant() {
            return 0.0;
        }
        let n = f64::from(self.count);
        let variance = self.squares / n;
        // Skewness times standard deviation: cubes / n / s³ * s.
        let skew = SKEW_WEIGHT * self.cubes / n / variance;
        skew * (1.0 + 2.0 * n * half * half / variance) / (6.0 * n)
    }

    /// Logarithm of the e-value E(m) against the hypothesis that the mean is `mean`; 0 while the scores are
    /// insufficient.
    #[must_use]
    pub fn log_e_value(&self, mean: f64) -> f64 {
        if self.is_insufficient() {
            return 0.0;
        }
        let n = f64::from(self.count);
        let spread = 1.0 + n * MIXTURE;
        let deviation = self.mean - mean;
        let u = n * deviation * deviation / self.squares;
        n / 2.0 * (libm::log1p(u) - libm::log1p(u / spread)) - libm::log(spread) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use parlor_testkit::rng_with_default_seed;

    use super::*;
    use crate::stats::simulate::Shape;

    /// Simulates matches of `groups` groups with an interval after each. Returns the share of the matches in
    /// which any interval missed the mean.
    fn miss_rate(shape: Shape, matches: u32, groups: u32, seed: u64) -> f64 {
        let mut rng = rng_with_default_seed(seed);
        let mut missed = 0;
        for _ in 0..matches {
            let mut scores = Moments::default();
            let miss = (0..groups).any(|_| {
                scores.push(shape.draw(&mut rng));
                scores.interval().is_some_and(|interval| !interval.contains(shape.mean()))
            });
            missed += u32::from(miss);
        }
        f64::from(missed) / f64::from(matches)
    }

    #[test]
    fn confidence_sequence_covers_the_mean_at_all_times() {
        for (at, shape) in Shape::ALL.into_iter().enumerate() {
            let missed = miss_rate(shape, 2500, 800, 11 + at as u64);
            println!("{shape:?}: {:.2}% of the matches missed the mean at some time", missed * 100.0);
            assert!(missed <= 0.05, "{shape:?}: {missed}");
        }
    }

    #[test]
    fn fixed_sample_intervals_inspected_at_all_times_miss_the_mean() {
        // Control of the test above: 1.96 standard errors, inspected after each group, miss far more often.
        let mut rng = rng_with_default_seed(5);
        let mut missed = 0;
        for _ in 0..500 {
            let mut scores = Moments::default();
            let miss = (0..800).any(|_| {
                scores.push(Shape::Normal.draw(&mut rng));
                let n = f64::from(scores.count());
                !scores.is_insufficient() && scores.mean().abs() > 1.96 * (scores.squares() / n / n).sqrt()
            });
            missed += u32::from(miss);
        }
        assert!(missed > 150, "{missed}");
    }

    #[test]
    fn interval_ends_where_the_e_value_reaches_twenty() {
        let mut rng = rng_with_default_seed(3);
        let mut scores = Moments::default();
        for _ in 0..200 {
            scores.push(Shape::Normal.draw(&mut rng));
            let Some(interval) = scores.interval() else { continue };
            // The end that the skewness correction did not move.
            let end = if scores.skew_correction(1.0) > 0.0 { interval.low } else { interval.high };
            let log_e = scores.log_e_value(end);
            assert!((log_e - 20f64.ln()).abs() < 1e-9, "{log_e}");
        }
    }

    #[test]
    fn interval_width_shrinks_with_the_square_root_of_the_groups() {
        let mut scores = Moments::default();
        let mut widths = vec![];
        for at in 0..100_000u32 {
            scores.push(if at % 2 == 0 { 1.0 } else { -1.0 });
            if [100, 400, 10_000, 100_000].contains(&scores.count()) {
                let Interval { low, high } = scores.interval().unwrap();
                widths.push((high - low) / 2.0 * f64::from(scores.count()).sqrt());
            }
        }
        // In standard errors: a fixed-sample interval has 1.96.
        assert!(widths[0] > 2.9 && widths[0] < 3.3, "{widths:?}");
        assert!(widths[3] < 4.0 && widths.is_sorted(), "{widths:?}");
    }

    #[test]
    fn few_or_equal_scores_give_no_interval() {
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
        assert_eq!((equal.log_e_value(5.0), equal.skew_correction(1.0)), (0.0, 0.0));
        equal.push(0.2);
        assert!(equal.interval().is_some());
    }

    #[test]
    fn moments_match_their_definition() {
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
