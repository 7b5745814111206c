//! Wall-clock measurement: the one place of this crate that reads a clock.

use std::time::Duration;

use tokio::time::Instant;

/// A running stopwatch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "think time is real time, reported for the record only")]
    pub(crate) fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    #[expect(clippy::disallowed_methods, reason = "think time is real time, reported for the record only")]
    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// Elapsed milliseconds, as the wire's type; saturates.
    pub(crate) fn elapsed_ms(self) -> u32 {
        u32::try_from(self.elapsed().as_millis()).unwrap_or(u32::MAX)
    }
}
