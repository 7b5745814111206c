//! Bytes that wait for slow readers, bounded together for all streams of a connection and of a caller.
//!
//! A stream reserves a share when it is opened, and more only while more waits for its reader, so that a move at a table
//! whose players read needs nothing that is shared.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::{LimitExceeded, LimitedBytes, LimitedResource};

/// Bytes that every open stream has reserved, and that are therefore left to it however much others do not read.
pub const RESERVED_STREAM_BYTES: usize = 16 * 1024;

/// Number of budgets below which unused ones are not looked for.
const MIN_SWEEP: usize = 64;

/// Bytes reserved by the streams of one connection or one caller.
#[derive(Debug)]
pub struct ByteBudget {
    held: AtomicUsize,
    max: usize,
    of: LimitedBytes,
}

impl ByteBudget {
    /// A budget of `max` bytes.
    #[must_use]
    pub const fn new(max: usize, of: LimitedBytes) -> ByteBudget {
        ByteBudget { held: AtomicUsize::new(0), max, of }
    }

    fn try_reserve(&self, bytes: usize) -> Result<(), LimitExceeded> {
        let add = |held: usize| held.checked_add(bytes).filter(|held| *held <= self.max);
        let reserved = self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        reserved.map(drop).map_err(|_| LimitExceeded::UnreadBytes { of: self.of, max: self.max })
    }

    fn release(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// The budgets that a stream draws from.
pub type StreamBudgets = Vec<Arc<ByteBudget>>;

/// Bytes reserved for one stream in each of its budgets. Released on drop. The default has no budgets.
#[derive(Debug, Default)]
pub(crate) struct ByteReservation {
    budgets: StreamBudgets,
    reserved: usize,
}

impl ByteReservation {
    /// Reserves the share of a new stream.
    pub(crate) fn new(budgets: StreamBudgets) -> Result<ByteReservation, LimitExceeded> {
        let mut reservation = ByteReservation { budgets, reserved: 0 };
        reservation.grow_to(RESERVED_STREAM_BYTES).map_err(|refused| match refused {
            LimitExceeded::UnreadBytes { max, .. } => {
                let max = u32::try_from(max / RESERVED_STREAM_BYTES).unwrap_or(u32::MAX);
                LimitExceeded::Count { resource: LimitedResource::OpenStreams, max }
            }
            other => other,
        })?;
        Ok(reservation)
    }

    /// Reserves so many bytes in all, if they are not reserved already.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> Result<(), LimitExceeded> {
        let wanted = bytes.next_multiple_of(RESERVED_STREAM_BYTES);
        let more = wanted.saturating_sub(self.reserved);
        for (index, budget) in self.budgets.iter().enumerate() {
            if let Err(exceeded) = budget.try_reserve(more) {
                self.budgets[..index].iter().for_each(|budget| budget.release(more));
                return Err(exceeded);
            }
        }
        self.reserved += more;
        Ok(())
    }

    /// Releases all but the share of a stream.
    pub(crate) fn shrink(&mut self) {
        self.release_down_to(RESERVED_STREAM_BYTES);
    }

    fn release_down_to(&mut self, bytes: usize) {
        let released = self.reserved.saturating_sub(bytes);
        self.budgets.iter().for_each(|budget| budget.release(released));
        self.reserved -= released;
    }

    /// Reserved bytes.
    pub(crate) const fn bytes(&self) -> usize {
        self.reserved
    }
}

impl Drop for ByteReservation {
    fn drop(&mut self) {
        self.release_down_to(0);
    }
}

/// Budgets by connection or by caller. A budget exists while a stream draws from it.
#[derive(Debug)]
pub struct ByteBudgets<K> {
    max_bytes: usize,
    of: LimitedBytes,
    budgets: Mutex<Budgets<K>>,
}

#[derive(Debug)]
struct Budgets<K> {
    by_key: HashMap<K, Weak<ByteBudget>>,
    /// Number of entries at which unused ones are removed.
    sweep_at: usize,
}

impl<K: Eq + Hash> ByteBudgets<K> {
    /// Budgets of `max_bytes` each.
    #[must_use]
    pub fn new(max_bytes: usize, of: LimitedBytes) -> ByteBudgets<K> {
        let budgets = Budgets { by_key: HashMap::new(), sweep_at: MIN_SWEEP };
        ByteBudgets { max_bytes, of, budgets: Mutex::new(budgets) }
    }

    /// The budget of a connection or a caller.
    pub fn budget(&self, key: K) -> Arc<ByteBudget> {
        let mut budgets = self.budgets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(budget) = budgets.by_key.get(&key).and_then(Weak::upgrade) {
            return budget;
        }
        if budgets.by_key.len() >= budgets.sweep_at {
            budgets.by_key.retain(|_, budget| budget.strong_count() > 0);
            budgets.sweep_at = MIN_SWEEP.max(2 * budgets.by_key.len());
        }
        let budget = Arc::new(ByteBudget::new(self.max_bytes, self.of));
        budgets.by_key.insert(key, Arc::downgrade(&budget));
        budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: usize = 1024;

    fn held(budget: &ByteBudget) -> usize {
        budget.held.load(Ordering::Relaxed)
    }

    #[test]
    fn streams_share_budgets_and_keep_their_own_share() {
        let connection = Arc::new(ByteBudget::new(64 * KIB, LimitedBytes::Connection));
        let caller = Arc::new(ByteBudget::new(80 * KIB, LimitedBytes::Caller));
        let both = vec![connection.clone(), caller.clone()];
        let mut one = ByteReservation::new(both.clone()).unwrap();
        let mut two = ByteReservation::new(both.clone()).unwrap();
        let mut elsewhere = ByteReservation::new(vec![caller.clone()]).unwrap();
        one.grow_to(30 * KIB).unwrap();
        assert_eq!((held(&connection), held(&caller), one.bytes()), (48 * KIB, 64 * KIB, 32 * KIB));
        let exceeded = two.grow_to(33 * KIB).unwrap_err();
        assert_eq!(exceeded, LimitExceeded::UnreadBytes { of: LimitedBytes::Connection, max: 64 * KIB });
        let exceeded = elsewhere.grow_to(33 * KIB).unwrap_err();
        assert_eq!(exceeded, LimitExceeded::UnreadBytes { of: LimitedBytes::Caller, max: 80 * KIB });
        two.grow_to(16 * KIB).unwrap();
        elsewhere.grow_to(32 * KIB).unwrap();
        assert!(two.grow_to(17 * KIB).is_err(), "the budget of the caller is used up");
        assert_eq!((held(&connection), held(&caller)), (48 * KIB, 80 * KIB), "a refusal reserves nothing");
        let refused = ByteReservation::new(both).unwrap_err();
        let max = LimitExceeded::Count { resource: LimitedResource::OpenStreams, max: 5 };
        assert_eq!(refused, max);
        one.shrink();
        drop((two, elsewhere));
        assert_eq!((held(&connection), held(&caller)), (16 * KIB, 16 * KIB));
        drop(one);
        assert_eq!((held(&connection), held(&caller)), (0, 0));
    }

    #[test]
    fn budget_exists_while_a_stream_draws_from_it() {
        let budgets = ByteBudgets::new(KIB, LimitedBytes::Caller);
        let one = budgets.budget(1);
        assert!(Arc::ptr_eq(&one, &budgets.budget(1)) && !Arc::ptr_eq(&one, &budgets.budget(2)));
        for key in 0..10 * MIN_SWEEP {
            budgets.budget(key);
        }
        let known = budgets.budgets.lock().unwrap().by_key.len();
        assert!(known <= MIN_SWEEP && Arc::ptr_eq(&one, &budgets.budget(1)), "{known} budgets");
    }
}
