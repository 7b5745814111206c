//! Limits: request rates, and counts of concurrently held resources.
//!
//! An exceeded limit is named, with the time to retry after where waiting helps. The number of tracked
//! callers is bounded too, so a flood of new callers is refused at no cost to the server.

mod counter;
mod rate;

use std::{fmt, time::Duration};

pub use counter::{CountGuard, Counter};
pub use rate::{Rate, RateLimiter};

/// A resource whose count per caller is limited.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LimitedResource {
    /// Open tables of an API key.
    Tables,
    /// Streams on one connection.
    Streams,
    /// Channels on one stream.
    Channels,
    /// Registered agent names.
    Agents,
    /// Connections of a network address.
    Connections,
}

impl fmt::Display for LimitedResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LimitedResource::Tables => "tables per key",
            LimitedResource::Streams => "streams per connection",
            LimitedResource::Channels => "channels per stream",
            LimitedResource::Agents => "agent names",
            LimitedResource::Connections => "connections per address",
        })
    }
}

/// A limit is exceeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LimitExceeded {
    /// Request rate.
    #[error("more than {per_second} requests per second: retry in {} ms", millis_rounded_up(.retry_after))]
    Rate {
        /// Sustained rate, in requests per second.
        per_second: u32,
        /// Time until the next request is allowed.
        retry_after: Duration,
    },
    /// Count of concurrently held resources.
    #[error("{resource} are limited to {max}: end one first")]
    Count {
        /// The resource.
        resource: LimitedResource,
        /// The maximum count.
        max: u32,
    },
    /// Rematches of one table after another by their players.
    #[error("players get one rematch of a rematch per second: retry in {} ms", millis_rounded_up(.retry_after))]
    Rematches {
        /// Time until the next rematch is allowed.
        retry_after: Duration,
    },
    /// Number of callers that the server tracks.
    #[error("the server has too many callers at once: retry in {} ms", millis_rounded_up(.retry_after))]
    Callers {
        /// Time after which there may be capacity.
        retry_after: Duration,
    },
}

impl LimitExceeded {
    /// Time to wait before a retry; `None` where waiting does not help.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            LimitExceeded::Rate { retry_after, .. }
            | LimitExceeded::Rematches { retry_after }
            | LimitExceeded::Callers { retry_after } => Some(*retry_after),
            LimitExceeded::Count { .. } => None,
        }
    }
}

/// Whole milliseconds, rounded up: a retry after that time is not refused again.
fn millis_rounded_up(time: &Duration) -> u128 {
    time.as_nanos().div_ceil(1_000_000)
}
