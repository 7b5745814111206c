//! Limits: how fast a caller may ask, and how much it may hold at once.
//!
//! Whatever is exhausted says which limit it was and, where waiting helps, how long. The tables of callers are bounded
//! too: a flood of new names costs those names their turn, and the server nothing.

mod counter;
mod rate;

use std::{fmt, time::Duration};

pub use counter::{Counter, Held};
pub use rate::{Rate, RateLimiter};

/// What a caller holds several of at once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Counted {
    /// Tables that an API key has open.
    Tables,
    /// Streams on one connection.
    Streams,
    /// Channels on one stream.
    Channels,
    /// Names of agents that are registered.
    Agents,
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Counted::Tables => "tables a key",
            Counted::Streams => "streams a connection",
            Counted::Channels => "channels a stream",
            Counted::Agents => "names of agents",
        })
    }
}

/// A limit is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Exhausted {
    /// Too many requests in too short a time.
    #[error("more than {per_second} requests a second: retry in {} ms", in_ms(.retry_after))]
    Rate {
        /// How many are allowed, in the long run.
        per_second: u32,
        /// When the next one will be.
        retry_after: Duration,
    },
    /// Too many at once.
    #[error("{counted} are limited to {most}: end one first")]
    Count {
        /// Of what.
        counted: Counted,
        /// How many are allowed.
        most: u32,
    },
    /// More callers at once than the server keeps account of.
    #[error("the server has too many callers at once: retry in {} ms", in_ms(.retry_after))]
    Callers {
        /// When there may be room.
        retry_after: Duration,
    },
}

impl Exhausted {
    /// How long to wait before asking again; none where waiting does not help.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Exhausted::Rate { retry_after, .. } | Exhausted::Callers { retry_after } => Some(*retry_after),
            Exhausted::Count { .. } => None,
        }
    }
}

/// Whole milliseconds, rounded up: whoever waits that long is not sent away again.
fn in_ms(time: &Duration) -> u128 {
    time.as_nanos().div_ceil(1_000_000)
}
