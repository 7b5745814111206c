//! Sequential probability ratio test (SPRT): is the mean group score at most `lower`, or at least `upper`? A
//! decision ends the tournament.
//!
//! This is the test of Wald (1945) on group scores x of unknown variance. With n scores of mean x̄ and
//! variance v (over n), the log-likelihood ratio is
//!
//! ```text
//! LLR = (n - 1)/2 * ln( (v + (x̄ - lower)²) / (v + (x̄ - upper)²) )
//! ```
//!
//! It is the ratio for normal scores with the maximum-likelihood variance under each hypothesis (a
//! generalised ratio; the same as with the prior 1/σ on both), less one degree of freedom. For bounds that
//! are close, relative to the standard deviation, it is Wald's own n (upper - lower)(x̄ - middle)/v; with few
//! scores it grows only logarithmically, as it must with an uncertain variance. `upper` is accepted at
//! ln(1/alpha) and `lower` at ln(beta): these thresholds keep the nominal error rates without Wald's
//! approximation, and are meaningful up to 0.5.
//!
//! **Assumptions.** Groups are independent, and scores close enough to normal that their mean is normal after
//! the minimum number of groups. For a normal mean the simulated error rates are below the nominal ones for
//! all bounds and minimums; with the default minimum they are for skewed, discrete and heavy-tailed scores,
//! too (the tests simulate both). A mean between the bounds may be decided either way, after more groups than
//! usual.
//!
//! **No decision** is made before the minimum number of groups, nor while all scores are equal (see
//! [`interval`](super::interval)).

use super::Moments;
use crate::plan::SequentialTest;

/// Maximum z² for the skewness correction: beyond it the expansion is invalid, and the decision is clear.
const MAX_SKEW_Z_SQUARED: f64 = 10.0;

/// Decision of a sequential test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SprtDecision {
    /// The lower hypothesis is accepted.
    Lower,
    /// The upper hypothesis is accepted.
    Upper,
}

/// State of a sequential test. It is frozen by the decision.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SprtState {
    /// Log-likelihood ratio.
    pub llr: f64,
    /// Threshold at or below which the lower hypothesis is accepted.
    pub accept_lower: f64,
    /// Threshold at or above which the upper hypothesis is accepted.
    pub accept_upper: f64,
    /// The decision, once made.
    pub decision: Option<SprtDecision>,
    /// Number of groups of the entrant, up to the decision.
    pub groups: u32,
}

/// A sequential test, updated with one group score after another.
#[derive(Clone, PartialEq, Debug)]
pub struct Sprt {
    test: SequentialTest,
    scores: Moments,
    state: SprtState,
}

impl Sprt {
    /// A test before the first group. The parameters are validated by
    /// [`PlanSetup::validate`](crate::plan::PlanSetup::validate).
    #[must_use]
    pub fn new(test: SequentialTest) -> Self {
        let state = SprtState {
            llr: 0.0,
            accept_lower: libm::log(test.beta),
            accept_upper: -libm::log(test.alpha),
            decision: None,
            groups: 0,
        };
        Sprt { test, scores: Moments::default(), state }
    }

    /// Parameters of the test.
    #[must_use]
    pub const fn test(&self) -> &SequentialTest {
        &self.test
    }

    /// Adds the entrant's score of the next group. No effect after the decision.
    pub fn push(&mut self, score: f64) {
        if self.state.decision.is_some() {
            return;
        }
        self.scores.push(score);
        self.state.groups = self.scores.count();
        self.state.llr = self.log_likelihood_ratio();
        if self.state.groups < self.test.min_groups {
            return;
        }
        if self.state.llr >= self.state.accept_upper {
            self.state.decision = Some(SprtDecision::Upper);
        } else if self.state.llr <= self.state.accept_lower {
            self.state.decision = Some(SprtDecision::Lower);
        }
    }

    /// Current state.
    #[must_use]
    pub const fn state(&self) -> SprtState {
        self.state
    }

    fn log_likelihood_ratio(&self) -> f64 {
        let SequentialTest { lower, upper, .. } = self.test;
        let scores = &self.scores;
        if scores.is_constant() {
            return 0.0;
        }
        let n = f64::from(scores.count());
        let variance = scores.squares() / n;
        let ratio = |mean: f64| {
            let around = |hypothesis: f64| variance + (mean - hypothesis) * (mean - hypothesis);
            (n - 1.0) / 2.0 * libm::log(around(lower) / around(upper))
        };
        // Evidence against a hypothesis is weaker if the longer tail is on the side of that hypothesis.
        let corrected = |against: f64| {
            let deviation = (scores.mean() - against).abs().min((MAX_SKEW_Z_SQUARED * variance / n).sqrt());
            ratio(scores.mean() + scores.skew_correction(deviation))
        };
        let plain = ratio(scores.mean());
        if plain < 0.0 { corrected(upper).clamp(plain, 0.0) } else { corrected(lower).clamp(0.0, plain) }
    }
}

#[cfg(test)]
mod tests {
    use parlor_testkit::rng_with_default_seed;

    use super::*;
    use crate::results::Entrant;
    use crate::stats::simulate::Shape;

    fn test_of(lower: f64, upper: f64) -> SequentialTest {
        SequentialTest { entrant: Entrant(0), lower, upper, alpha: 0.05, beta: 0.05, min_groups: 30 }
    }

    /// Simulates matches until they are decided. Returns the share of each decision and the mean number of
    /// groups.
    fn simulate(shape: Shape, test: SequentialTest, matches: u32, seed: u64) -> (f64, f64, f64) {
        let mut rng = rng_with_default_seed(seed);
        let (mut lower, mut upper, mut groups) = (0, 0, 0);
        for _ in 0..matches {
            let mut sprt = Sprt::new(test);
            while sprt.state().decision.is_none() {
                sprt.push(shape.draw(&mut rng));
                assert!(sprt.state().groups < 100_000, "never decided");
            }
            match sprt.state().decision {
                Some(SprtDecision::Lower) => lower += 1,
                _ => upper += 1,
            }
            groups += sprt.state().groups;
        }
        let share = |of: u32| f64::from(of) / f64::from(matches);
        (share(lower), share(upper), share(groups))
    }

    /// Shares of wrong decisions where the lower hypothesis is true, and where the upper one is.
    fn error_rates(shape: Shape, apart: f64, test: SequentialTest, matches: u32, seed: u64) -> (f64, f64) {
        let apart = apart * shape.standard_deviation();
        let if_lower = SequentialTest { lower: shape.mean(), upper: shape.mean() + apart, ..test };
        let if_upper = SequentialTest { lower: shape.mean() - apart, upper: shape.mean(), ..test };
        let (_, accepted_upper, groups) = simulate(shape, if_lower, matches, seed);
        let (accepted_lower, _, _) = simulate(shape, if_upper, matches, seed + 1);
        println!(
            "{shape:?}, {:.2} apart: {:.2}% and {:.2}% wrong after {groups:.0} groups",
            apart,
            accepted_upper * 100.0,
            accepted_lower * 100.0
        );
        (accepted_upper, accepted_lower)
    }

    #[test]
    fn sprt_keeps_its_error_rates() {
        // The nominal rate plus three standard errors of 3000 matches.
        let most = 0.05 + 3.0 * (0.05 * 0.95 / 3000f64).sqrt();
        for (at, shape) in Shape::ALL.into_iter().enumerate() {
            for apart in [0.15, 0.3, 0.6] {
                let (alpha, beta) = error_rates(shape, apart, test_of(0.0, 1.0), 3000, 100 * at as u64);
                assert!(alpha <= most && beta <= most, "{shape:?} {apart}: {alpha} {beta}");
            }
        }
    }

    #[test]
    fn sprt_keeps_unequal_error_rates_without_a_minimum_of_groups() {
        let test = SequentialTest { alpha: 0.01, beta: 0.2, min_groups: 2, ..test_of(0.0, 1.0) };
        for (at, apart) in [0.1, 0.3, 0.6, 1.0, 2.0, 5.0].into_iter().enumerate() {
            let (alpha, beta) = error_rates(Shape::Normal, apart, test, 3000, 50 + at as u64);
            assert!(alpha <= 0.0135 && beta <= 0.2, "{apart}: {alpha} {beta}");
        }
    }

    #[test]
    fn sprt_takes_few_groups_for_a_clear_decision_and_walds_number_for_a_close_one() {
        let close = test_of(0.0, 0.1);
        let (_, _, groups) = simulate(Shape::Normal, close, 500, 1);
        // Wald's expected number for known variance and these bounds is about 540.
        assert!((450.0..650.0).contains(&groups), "{groups}");
        let (_, _, groups) = simulate(Shape::Normal, test_of(-4.0, -3.0), 500, 1);
        assert!(groups < 31.0, "{groups}");
        // Between the bounds it takes longer, and either decision is correct.
        let (lower, upper, groups) = simulate(Shape::Normal, test_of(-0.05, 0.05), 500, 1);
        assert!(groups > 700.0 && lower > 0.4 && upper > 0.4, "{lower} {upper} {groups}");
    }

    #[test]
    fn decision_is_final_and_not_made_before_the_minimum_of_groups() {
        let mut sprt = Sprt::new(test_of(0.0, 1.0));
        for at in 0..29 {
            sprt.push(5.0 + f64::from(at % 3));
            assert_eq!((sprt.state().decision, sprt.state().groups), (None, at + 1));
        }
        assert!(sprt.state().llr > sprt.state().accept_upper);
        sprt.push(5.0);
        let decided = sprt.state();
        assert_eq!((decided.decision, decided.groups), (Some(SprtDecision::Upper), 30));
        sprt.push(-1e6);
        assert_eq!(sprt.state(), decided);
    }

    #[test]
    fn equal_scores_give_no_decision_until_the_first_different_one() {
        let mut sprt = Sprt::new(test_of(0.0, 1.0));
        for _ in 0..500 {
            sprt.push(0.0);
        }
        assert_eq!((sprt.state().llr, sprt.state().decision, sprt.state().groups), (0.0, None, 500));
        sprt.push(1.0);
        assert_eq!(sprt.state().decision, Some(SprtDecision::Lower));
    }

    #[test]
    fn log_likelihood_ratio_is_antisymmetric() {
        let scores = [1.0, 4.0, -2.0, 0.5, 0.0, 7.0, 3.0];
        let (mut one, mut other) = (Sprt::new(test_of(0.0, 2.0)), Sprt::new(test_of(-2.0, 0.0)));
        for score in scores {
            one.push(score);
            other.push(-score);
            assert!((one.state().llr + other.state().llr).abs() < 1e-9, "{one:?} {other:?}");
        }
    }
}
