//! A question that ends a tournament as soon as it is answered: is the mean group score at most `lower`, or at least `upper`?
//!
//! It is the sequential probability ratio test of Wald (1945), on group scores x of an unknown variance. With n scores of
//! mean x̄ and variance v (over n), the logarithm of the likelihood ratio is
//!
//! ```text
//! LLR = (n - 1)/2 * ln( (v + (x̄ - lower)²) / (v + (x̄ - upper)²) )
//! ```
//!
//! It is that of normal scores, each hypothesis with the variance that suits it best (a generalised ratio; the same as with the
//! prior 1/σ on both), with one degree of freedom taken off. For bounds that are close, measured by the spread of the scores, it is
//! Wald's own n (upper - lower)(x̄ - middle)/v; with few scores it grows like a logarithm only, as one must with an uncertain
//! variance. `upper` is accepted at ln(1/alpha) and `lower` at ln(beta): the bounds that keep the promised error rates without
//! Wald's approximation, and make sense up to 0.5.
//!
//! **What it assumes.** Groups are independent, and scores near enough to normal that their mean is normal after the minimum
//! of groups. For a normal mean the simulated error rates are below the promised ones whatever the bounds and the minimum;
//! with the default minimum they are for skewed, discrete and heavy-tailed scores too (the tests have both). A mean between the bounds
//! may be decided either way, after more groups than usual.
//!
//! **When it says nothing.** Before the minimum of groups, and while all scores are equal, for the reason that intervals give.

use super::Moments;
use crate::plan::SequentialTest;

/// The largest z² that a correction for skewness is made for: beyond it, the expansion says nothing, and the answer is clear.
const SKEW_LIMIT: f64 = 10.0;

/// What a sequential test decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// The lower hypothesis is accepted.
    Lower,
    /// The upper one is.
    Upper,
}

/// The state of a sequential test. From its decision on, it stays as it was then.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SequentialState {
    /// The logarithm of the likelihood ratio.
    pub llr: f64,
    /// At or below this, the lower hypothesis is accepted.
    pub accept_lower: f64,
    /// At or above this, the upper one is.
    pub accept_upper: f64,
    /// What was decided.
    pub decision: Option<Decision>,
    /// After how many groups of the entrant that is.
    pub groups: u32,
}

/// A sequential test that takes in one group score after another.
#[derive(Clone, PartialEq, Debug)]
pub struct Sprt {
    test: SequentialTest,
    scores: Moments,
    state: SequentialState,
}

impl Sprt {
    /// A test before the first group. What is asked was checked with the [setup](crate::plan::Setup::check).
    #[must_use]
    pub fn new(test: SequentialTest) -> Self {
        let state = SequentialState {
            llr: 0.0,
            accept_lower: libm::log(test.beta),
            accept_upper: -libm::log(test.alpha),
            decision: None,
            groups: 0,
        };
        Sprt { test, scores: Moments::default(), state }
    }

    /// What is asked.
    #[must_use]
    pub const fn test(&self) -> &SequentialTest {
        &self.test
    }

    /// Takes in the score of the entrant in the next group. After the decision nothing changes any more.
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
            self.state.decision = Some(Decision::Upper);
        } else if self.state.llr <= self.state.accept_lower {
            self.state.decision = Some(Decision::Lower);
        }
    }

    /// Where the test is.
    #[must_use]
    pub const fn state(&self) -> SequentialState {
        self.state
    }

    fn log_likelihood_ratio(&self) -> f64 {
        let SequentialTest { lower, upper, .. } = self.test;
        let scores = &self.scores;
        if scores.are_equal() {
            return 0.0;
        }
        let n = f64::from(scores.count());
        let variance = scores.squares() / n;
        let ratio = |mean: f64| {
            let around = |hypothesis: f64| variance + (mean - hypothesis) * (mean - hypothesis);
            (n - 1.0) / 2.0 * libm::log(around(lower) / around(upper))
        };
        // What speaks against a hypothesis speaks less if the longer tail is on its side.
        let with_tail = |against: f64| {
            let off = (scores.mean() - against).abs().min((SKEW_LIMIT * variance / n).sqrt());
            ratio(scores.mean() + scores.tail(off))
        };
        let plain = ratio(scores.mean());
        if plain < 0.0 { with_tail(upper).clamp(plain, 0.0) } else { with_tail(lower).clamp(0.0, plain) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::played::Entrant;
    use crate::stats::simulate::{Shape, rng};

    fn asked(lower: f64, upper: f64) -> SequentialTest {
        SequentialTest { entrant: Entrant(0), lower, upper, alpha: 0.05, beta: 0.05, min_groups: 30 }
    }

    /// Plays matches until they are decided, and gives the share of each decision and the mean number of groups.
    fn decided(shape: Shape, test: SequentialTest, matches: u32, seed: u64) -> (f64, f64, f64) {
        let mut rng = rng(seed);
        let (mut lower, mut upper, mut groups) = (0, 0, 0);
        for _ in 0..matches {
            let mut sprt = Sprt::new(test);
            while sprt.state().decision.is_none() {
                sprt.push(shape.draw(&mut rng));
                assert!(sprt.state().groups < 100_000, "never decided");
            }
            match sprt.state().decision {
                Some(Decision::Lower) => lower += 1,
                _ => upper += 1,
            }
            groups += sprt.state().groups;
        }
        let share = |of: u32| f64::from(of) / f64::from(matches);
        (share(lower), share(upper), share(groups))
    }

    /// The share of wrong answers where the lower hypothesis is true, and where the upper one is.
    fn wrong(shape: Shape, apart: f64, test: SequentialTest, matches: u32, seed: u64) -> (f64, f64) {
        let apart = apart * shape.spread();
        let if_lower = SequentialTest { lower: shape.mean(), upper: shape.mean() + apart, ..test };
        let if_upper = SequentialTest { lower: shape.mean() - apart, upper: shape.mean(), ..test };
        let (_, accepted_upper, groups) = decided(shape, if_lower, matches, seed);
        let (accepted_lower, _, _) = decided(shape, if_upper, matches, seed + 1);
        println!(
            "{shape:?}, {:.2} apart: {:.2}% and {:.2}% wrong after {groups:.0} groups",
            apart,
            accepted_upper * 100.0,
            accepted_lower * 100.0
        );
        (accepted_upper, accepted_lower)
    }

    #[test]
    fn answers_are_wrong_as_seldom_as_promised() {
        // Three standard errors of 3000 matches above the promise.
        let most = 0.05 + 3.0 * (0.05 * 0.95 / 3000f64).sqrt();
        for (at, shape) in Shape::ALL.into_iter().enumerate() {
            for apart in [0.15, 0.3, 0.6] {
                let (alpha, beta) = wrong(shape, apart, asked(0.0, 1.0), 3000, 100 * at as u64);
                assert!(alpha <= most && beta <= most, "{shape:?} {apart}: {alpha} {beta}");
            }
        }
    }

    #[test]
    fn other_rates_are_kept_too_and_so_they_are_without_a_minimum() {
        let test = SequentialTest { alpha: 0.01, beta: 0.2, min_groups: 2, ..asked(0.0, 1.0) };
        for (at, apart) in [0.1, 0.3, 0.6, 1.0, 2.0, 5.0].into_iter().enumerate() {
            let (alpha, beta) = wrong(Shape::Normal, apart, test, 3000, 50 + at as u64);
            assert!(alpha <= 0.0135 && beta <= 0.2, "{apart}: {alpha} {beta}");
        }
    }

    #[test]
    fn a_clear_answer_takes_few_groups_and_a_close_one_about_as_many_as_wald_says() {
        let close = asked(0.0, 0.1);
        let (_, _, groups) = decided(Shape::Normal, close, 500, 1);
        // Wald's expected number for known variance and these bounds is about 540.
        assert!((450.0..650.0).contains(&groups), "{groups}");
        let (_, _, groups) = decided(Shape::Normal, asked(-4.0, -3.0), 500, 1);
        assert!(groups < 31.0, "{groups}");
        // Between the bounds it takes longer, and either answer will do.
        let (lower, upper, groups) = decided(Shape::Normal, asked(-0.05, 0.05), 500, 1);
        assert!(groups > 700.0 && lower > 0.4 && upper > 0.4, "{lower} {upper} {groups}");
    }

    #[test]
    fn a_decision_stays_and_is_not_made_before_the_minimum() {
        let mut sprt = Sprt::new(asked(0.0, 1.0));
        for at in 0..29 {
            sprt.push(5.0 + f64::from(at % 3));
            assert_eq!((sprt.state().decision, sprt.state().groups), (None, at + 1));
        }
        assert!(sprt.state().llr > sprt.state().accept_upper);
        sprt.push(5.0);
        let decided = sprt.state();
        assert_eq!((decided.decision, decided.groups), (Some(Decision::Upper), 30));
        sprt.push(-1e6);
        assert_eq!(sprt.state(), decided);
    }

    #[test]
    fn equal_scores_decide_nothing_and_the_first_other_one_may() {
        let mut sprt = Sprt::new(asked(0.0, 1.0));
        for _ in 0..500 {
            sprt.push(0.0);
        }
        assert_eq!((sprt.state().llr, sprt.state().decision, sprt.state().groups), (0.0, None, 500));
        sprt.push(1.0);
        assert_eq!(sprt.state().decision, Some(Decision::Lower));
    }

    #[test]
    fn what_speaks_for_one_bound_speaks_against_the_other() {
        let scores = [1.0, 4.0, -2.0, 0.5, 0.0, 7.0, 3.0];
        let (mut one, mut other) = (Sprt::new(asked(0.0, 2.0)), Sprt::new(asked(-2.0, 0.0)));
        for score in scores {
            one.push(score);
            other.push(-score);
            assert!((one.state().llr + other.state().llr).abs() < 1e-9, "{one:?} {other:?}");
        }
    }
}
