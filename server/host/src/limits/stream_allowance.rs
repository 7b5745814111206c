//! Limits that a stream shares with others of its connection and its caller.

use std::net::IpAddr;
use std::sync::Arc;

use super::{LimitExceeded, Rate, RateLimiter, StreamBudgets};
use crate::stream::queue::StreamQueue;

/// A caller, as limits count it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CallerKey {
    /// The holder of an API key, by the number of the key.
    ApiKey(u64),
    /// Everyone without a key at a network address.
    Network(IpAddr),
    /// A connection, on a network without addresses.
    Connection(u64),
}

/// Limits that a stream shares with others. The default has none.
#[derive(Clone, Debug, Default)]
pub struct StreamAllowance {
    /// Budgets of the bytes that wait for readers.
    pub budgets: StreamBudgets,
    /// Rate of attaching.
    pub attaches: Option<AttachAllowance>,
}

/// Rate at which a caller may attach to tables, on all its streams.
#[derive(Clone, Debug)]
pub struct AttachAllowance {
    rates: Arc<RateLimiter<CallerKey>>,
    caller: CallerKey,
    rate: Rate,
}

/// Bytes of snapshots and missed updates that count as much as one attach.
const BYTES_PER_ATTACH: usize = 16 * 1024;

impl AttachAllowance {
    /// The allowance of a caller.
    #[must_use]
    pub const fn new(rates: Arc<RateLimiter<CallerKey>>, caller: CallerKey, rate: Rate) -> AttachAllowance {
        AttachAllowance { rates, caller, rate }
    }

    /// The caller.
    pub(crate) const fn caller(&self) -> CallerKey {
        self.caller
    }

    /// Counts so many attaches, if the rate has room for one, and what earlier ones on the stream were sent.
    pub(crate) fn take(&self, queue: &StreamQueue, count: u32) -> Result<(), LimitExceeded> {
        self.charge(queue);
        self.rates.take(&self.caller, self.rate)?;
        self.rates.charge(&self.caller, self.rate, count.saturating_sub(1));
        Ok(())
    }

    /// Counts the bytes of snapshots and missed updates that a stream was sent, whether the rate has room for them or not.
    pub(crate) fn charge(&self, queue: &StreamQueue) {
        let attaches = queue.take_uncharged_bytes(BYTES_PER_ATTACH) / BYTES_PER_ATTACH;
        if attaches > 0 {
            self.rates.charge(&self.caller, self.rate, u32::try_from(attaches).unwrap_or(u32::MAX));
        }
    }
}
