//! Statistics over group scores: confidence sequences, the sequential test, ratings, and the test of rotation
//! gains.

pub mod interval;
pub mod rating;
pub mod rotation_gain;
#[cfg(test)]
pub(crate) mod simulate;
pub mod sprt;

pub use interval::Moments;
pub use rating::{Rating, RatingPoint};
pub use rotation_gain::RotationGain;
pub use sprt::{Sprt, SprtDecision, SprtState};

/// A closed interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// True if the value lies in the interval.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// The interval of the negated values.
    #[must_use]
    pub fn negated(&self) -> Interval {
        Interval { low: -self.high, high: -self.low }
    }
}
