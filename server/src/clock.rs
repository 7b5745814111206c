//! Time: what the clock on the wall says, what a stopwatch says, and waiting.
//!
//! Whoever needs the time is given a [`Clock`]. The server runs on the [`SystemClock`]; tests run on a
//! [`ManualClock`], which stands still until it is moved by hand, so that a test of a 30-second limit takes no
//! 30 seconds and never fails on a slow machine.

mod manual;
mod system;

use std::{fmt, future::Future, ops::Add, pin::Pin, time::Duration};

pub use manual::ManualClock;
pub use system::SystemClock;

/// A wait for a moment. Dropping it ends the wait.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Where time comes from.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// Milliseconds since 1970-01-01 00:00 UTC, for people and records. It may jump: never measure with it.
    fn now_ms(&self) -> u64;

    /// The reading of a stopwatch that only goes forward, for measuring and for deadlines.
    fn now(&self) -> Moment;

    /// Waits until the stopwatch has reached the deadline; not at all if it already has.
    fn sleep_until(&self, deadline: Moment) -> Sleep;
}

/// A reading of one clock's stopwatch. Moments of different clocks have nothing to do with each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Moment(Duration);

impl Moment {
    /// The moment at which the clock's stopwatch began.
    pub const START: Moment = Moment(Duration::ZERO);

    /// The time since an earlier moment; zero if that one is later.
    ///
    /// ```
    /// use parlor_server::clock::Moment;
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

    /// The moment that much later; the end of time, if there is none.
    fn add(self, time: Duration) -> Moment {
        Moment(self.0.saturating_add(time))
    }
}
