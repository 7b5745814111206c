//! What can be said of who is better, with which certainty.

pub mod gain;
pub mod interval;
pub mod rating;
#[cfg(test)]
pub(crate) mod simulate;
pub mod sprt;

pub use gain::RotationGain;
pub use interval::Moments;
pub use rating::{Rating, RatingPoint};
pub use sprt::{Decision, SequentialState, Sprt};

/// An interval, both ends belonging to it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether a value is in it.
    #[must_use]
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// The interval of the values with their signs turned.
    #[must_use]
    pub fn negated(&self) -> Interval {
        Interval { low: -self.high, high: -self.low }
    }
}
