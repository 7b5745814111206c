//! Clocks: wall-clock time, monotonic time and timers.
//!
//! Code that needs the time takes a [`Clock`]. The server runs on the [`SystemClock`]; tests run on a
//! [`ManualClock`], which stands still until it is advanced, so that a test of a 30-second timeout takes no
//! 30 seconds and does not fail on a slow machine.

mod manual;
mod system;

use std::{fmt, future::Future, ops::Add, pin::Pin, time::Duration};

pub use manual::ManualClock;
pub use system::SystemClock;

/// A timer. Dropping it cancels the wait.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Source of time.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// Wall-clock time in milliseconds since 1970-01-01 00:00 UTC, for people and records. It may jump, so it
    /// must not be used to measure durations.
    fn now_ms(&self) -> u64;

    /// Monotonic time, for durations and deadlines.
    fn now(&self) -> Moment;

    /// Waits until monotonic time has reached the deadline; returns at once if it already has.
    fn sleep_until(&self, deadline: Moment) -> Sleep;
}

/// A point in the monotonic time of one clock. Moments of different clocks are not comparable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Moment(Duration);

impl Moment {
    /// Start of the clock's monotonic time.
    pub const START: Moment = Moment(Duration::ZERO);

    /// Duration since an earlier moment; zero if that one is later.
    ///
    /// ```
    /// use parlor_host::clock::Moment;
    /// use std::time::Duration;
    /// let later = Moment::START + Duration::from_secs(3);
    /// assert_eq!(later.since(Moment::START), Duration::from_secs(3));
    /// assert_eq!(Moment::START.since(later), Duration::ZERO);
    /// ```
    #[must_use]
    pub const fn since(self, earlier: Moment) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Moment {
    type Output = Moment;

    /// Adds a duration, saturating at the latest moment.
    fn add(self, time: Duration) -> Moment {
        Moment(self.0.saturating_add(time))
    }
}
