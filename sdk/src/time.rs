//! The clock of this side: the one place of this crate that reads it.

use std::time::Duration;

use tokio::time::Instant;

/// When something began, to be asked later how long ago that is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(
        clippy::disallowed_methods,
        reason = "how long a player thought is real time, and is for the record only"
    )]
    pub(crate) fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "how long a player thought is real time, and is for the record only"
    )]
    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// The same in milliseconds, as the wire has it.
    pub(crate) fn elapsed_ms(self) -> u32 {
        u32::try_from(self.elapsed().as_millis()).unwrap_or(u32::MAX)
    }
}
