//! The partitions that this node owns, and its lease.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parlor_fair::Partition;
use tokio::sync::watch;

use crate::{LogError, TableId};

/// Monotonic time since an arbitrary moment.
#[derive(Clone)]
pub struct MonotonicClock(Arc<dyn Fn() -> Duration + Send + Sync>);

impl MonotonicClock {
    /// A clock from a function that never goes back.
    pub fn new(now: impl Fn() -> Duration + Send + Sync + 'static) -> MonotonicClock {
        MonotonicClock(Arc::new(now))
    }
}

impl fmt::Debug for MonotonicClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MonotonicClock")
    }
}

/// Partitions of this node. They count only while its lease holds.
pub(super) struct Ownership {
    /// `None` for a node that is alone: its lease never ends.
    clock: Option<MonotonicClock>,
    /// End of the lease, in microseconds of the clock.
    lease_until: AtomicU64,
    owned: [AtomicBool; Partition::COUNT],
    /// Set for good once others have taken over, or may.
    retired: watch::Sender<bool>,
}

impl Ownership {
    /// Owner of all partitions, for ever.
    pub(super) fn alone() -> Ownership {
        Ownership::new(None, true)
    }

    /// Owner of no partition, without a lease.
    pub(super) fn leased(clock: MonotonicClock) -> Ownership {
        Ownership::new(Some(clock), false)
    }

    fn new(clock: Option<MonotonicClock>, owned: bool) -> Ownership {
        Ownership {
            clock,
            lease_until: AtomicU64::new(0),
            owned: std::array::from_fn(|_| AtomicBool::new(owned)),
            retired: watch::Sender::new(false),
        }
    }

    /// The time of this node's clock, in microseconds.
    pub(super) fn now(&self) -> u64 {
        self.clock.as_ref().map_or(0, |clock| micros((clock.0)()))
    }

    /// Records a renewal that was sent at this time.
    pub(super) fn renewed(&self, sent: u64, lease: Duration) {
        self.lease_until.store(sent.saturating_add(micros(lease)), Ordering::Release);
    }

    /// Reports whether the lease holds.
    pub(super) fn is_valid(&self) -> bool {
        !*self.retired.borrow()
            && self.clock.as_ref().is_none_or(|_| self.now() < self.lease_until.load(Ordering::Acquire))
    }

    /// Ends the lease for good.
    pub(super) fn retire(&self) {
        self.retired.send_replace(true);
    }

    /// Tells when the lease has ended for good.
    pub(super) fn retired(&self) -> watch::Receiver<bool> {
        self.retired.subscribe()
    }

    /// Reports whether the partition was adopted, whether or not the lease holds.
    pub(super) fn has(&self, partition: Partition) -> bool {
        self.owned[partition.index()].load(Ordering::Acquire)
    }

    pub(super) fn set(&self, partition: Partition, owned: bool) {
        self.owned[partition.index()].store(owned, Ordering::Release);
    }

    /// Numbers of all partitions that were adopted.
    pub(super) fn numbers(&self) -> Vec<i16> {
        let owned = Partition::all().filter(|partition| self.has(*partition));
        owned.map(|partition| i16::from(partition.number())).collect()
    }

    /// Refuses a table that this node does not own now.
    pub(super) fn check(&self, table: TableId) -> Result<(), LogError> {
        if *self.retired.borrow() {
            return Err(LogError::Fenced);
        }
        if self.has(table.partition()) && self.is_valid() {
            Ok(())
        } else {
            Err(LogError::NotOwner { table })
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
