//! Limits: request rates, and counts of concurrently held resources.
//!
//! An exceeded limit is named, with the time to retry after where waiting helps. The number of tracked
//! callers is bounded too, so a flood of new callers is refused at no cost to the server.

mod byte_budget;
mod counter;
mod rate;
mod stream_allowance;

use std::{fmt, time::Duration};

pub(crate) use byte_budget::ByteReservation;
pub use byte_budget::{ByteBudget, ByteBudgets, RESERVED_STREAM_BYTES, StreamBudgets};
pub use counter::{CountGuard, Counter};
pub use rate::{Rate, RateLimiter};
pub use stream_allowance::{AttachAllowance, CallerKey, StreamAllowance};

/// A resource whose count per caller is limited.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LimitedResource {
    /// Open tables of an API key.
    Tables,
    /// Streams on one connection.
    Streams,
    /// Streams of a caller or a connection, by the bytes that are reserved for each.
    OpenStreams,
    /// Channels on one stream.
    Channels,
    /// Spectators of one table from one caller.
    CallerSpectators,
    /// Channels at one seat.
    SeatChannels,
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
            LimitedResource::OpenStreams => "open streams",
            LimitedResource::Channels => "channels per stream",
            LimitedResource::CallerSpectators => "your spectators of one table",
            LimitedResource::SeatChannels => "channels at one seat",
            LimitedResource::Agents => "agent names",
            LimitedResource::Connections => "connections per address",
        })
    }
}

/// Readers whose unread bytes are limited together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LimitedBytes {
    /// The reader of one stream.
    Stream,
    /// The streams of a connection.
    Connection,
    /// The streams of a caller: an API key, or a network address.
    Caller,
}

impl fmt::Display for LimitedBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LimitedBytes::Stream => "on this stream",
            LimitedBytes::Connection => "on the streams of this connection",
            LimitedBytes::Caller => "on all your streams",
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
    /// Bytes that wait to be read.
    #[error(
        "more than {max} bytes waited to be read {of}, and this one was cut off: read faster or attach less, then attach again with the last number you have"
    )]
    UnreadBytes {
        /// The readers.
        of: LimitedBytes,
        /// The maximum number of bytes.
        max: usize,
    },
    /// Spectators of one table.
    #[error(
        "this table has its {max} spectators: come back when one has left, or read the record when it is over"
    )]
    Spectators {
        /// The maximum number.
        max: usize,
    },
    /// Rematches of one table after another by their players.
    #[error("players get one rematch of a rematch per second: retry in {} ms", millis_rounded_up(.retry_after))]
    Rematches {
        /// Time until the next rematch is allowed.
        retry_after: Duration,
    },
    /// Tables that the guests of one network address create.
    #[error(
        "guests of one network address make up to {per_hour} tables an hour: retry in {} s",
        .retry_after.as_secs().saturating_add(1)
    )]
    GuestTables {
        /// The maximum per hour.
        per_hour: u32,
        /// Time until the next table is allowed.
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
            | LimitExceeded::GuestTables { retry_after, .. }
            | LimitExceeded::Callers { retry_after } => Some(*retry_after),
            LimitExceeded::Count { .. }
            | LimitExceeded::UnreadBytes { .. }
            | LimitExceeded::Spectators { .. } => None,
        }
    }
}

/// Whole milliseconds, rounded up: a retry after that time is not refused again.
fn millis_rounded_up(time: &Duration) -> u128 {
    time.as_nanos().div_ceil(1_000_000)
}
