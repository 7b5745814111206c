//! Counts of concurrently held resources per caller.

use std::{
    collections::{HashMap, hash_map::Entry},
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{LimitExceeded, LimitedResource};

/// Retry delay when the maximum number of callers is tracked; when one of them releases its last resource is
/// unknown.
const FULL_RETRY_AFTER: Duration = Duration::from_secs(1);

/// Counts held resources per caller, for a bounded number of callers. Clones share their counts.
///
/// Resources that outlive a restart, such as tables, use [`Counter::add`] and [`Counter::sub`]; those with
/// the lifetime of a scope, such as streams, use [`Counter::hold`].
#[derive(Debug)]
pub struct Counter<K> {
    resource: LimitedResource,
    max_callers: usize,
    held: Arc<Mutex<HashMap<K, u32>>>,
}

impl<K> Clone for Counter<K> {
    fn clone(&self) -> Counter<K> {
        Counter { resource: self.resource, max_callers: self.max_callers, held: self.held.clone() }
    }
}

impl<K: Eq + Hash + Clone> Counter<K> {
    /// A counter with all counts zero.
    #[must_use]
    pub fn new(resource: LimitedResource, max_callers: usize) -> Counter<K> {
        Counter { resource, max_callers, held: Arc::default() }
    }

    /// Increments a caller's count, unless it has reached `max`.
    pub fn add(&self, caller: &K, max: u32) -> Result<(), LimitExceeded> {
        let mut held = self.lock();
        let full = LimitExceeded::Count { resource: self.resource, max };
        let is_full = held.len() >= self.max_callers;
        match held.entry(caller.clone()) {
            Entry::Occupied(mut count) if *count.get() < max => {
                *count.get_mut() += 1;
                Ok(())
            }
            Entry::Occupied(_) => Err(full),
            Entry::Vacant(_) if max == 0 => Err(full),
            Entry::Vacant(_) if is_full => Err(LimitExceeded::Callers { retry_after: FULL_RETRY_AFTER }),
            Entry::Vacant(place) => {
                place.insert(1);
                Ok(())
            }
        }
    }

    /// Decrements a caller's count.
    pub fn sub(&self, caller: &K) {
        if let Entry::Occupied(mut count) = self.lock().entry(caller.clone()) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }

    /// Sets a caller's count from before a restart, regardless of limits: nothing that exists is lost.
    pub fn restore(&self, caller: &K, count: u32) {
        let mut held = self.lock();
        if count == 0 {
            held.remove(caller);
        } else {
            held.insert(caller.clone(), count);
        }
    }

    /// A caller's count.
    #[must_use]
    pub fn count(&self, caller: &K) -> u32 {
        self.lock().get(caller).copied().unwrap_or(0)
    }

    /// Increments a caller's count until the returned guard is dropped.
    pub fn hold(&self, caller: &K, max: u32) -> Result<CountGuard<K>, LimitExceeded> {
        self.add(caller, max)?;
        Ok(CountGuard { counter: self.clone(), caller: caller.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, u32>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Guard of one resource resource, which is released on drop.
#[derive(Debug)]
#[must_use = "the count is released when this is dropped"]
pub struct CountGuard<K: Eq + Hash + Clone> {
    counter: Counter<K>,
    caller: K,
}

impl<K: Eq + Hash + Clone> Drop for CountGuard<K> {
    fn drop(&mut self) {
        self.counter.sub(&self.caller);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn count_limit_is_enforced_per_caller() {
        let tables = Counter::new(LimitedResource::Tables, 10);
        tables.add(&"anna", 2).unwrap();
        tables.add(&"anna", 2).unwrap();
        let refused = tables.add(&"anna", 2).unwrap_err();
        assert_eq!(refused.to_string(), "tables per key are limited to 2: end one first");
        assert_eq!(refused.retry_after(), None);
        assert_eq!(tables.add(&"ben", 2), Ok(()), "resource per caller");
        tables.sub(&"anna");
        assert_eq!(tables.add(&"anna", 2), Ok(()));
        assert!(tables.add(&"carl", 0).is_err());
        assert_eq!((tables.count(&"anna"), tables.count(&"ben"), tables.count(&"carl")), (2, 1, 0));
    }

    #[test]
    fn held_count_ends_when_dropped() {
        let streams = Counter::new(LimitedResource::Streams, 10);
        let first = streams.hold(&7, 1).unwrap();
        assert_eq!(
            streams.hold(&7, 1).unwrap_err().to_string(),
            "streams per connection are limited to 1: end one first"
        );
        drop(first);
        let _again = streams.hold(&7, 1).unwrap();
        assert_eq!(streams.count(&7), 1);
    }

    #[test]
    fn tracked_callers_are_bounded_and_freed_at_zero() {
        let tables = Counter::new(LimitedResource::Tables, 1);
        tables.add(&"anna", 5).unwrap();
        assert_eq!(tables.add(&"ben", 5), Err(LimitExceeded::Callers { retry_after: FULL_RETRY_AFTER }));
        assert_eq!(tables.add(&"anna", 5), Ok(()));
        tables.sub(&"anna");
        tables.sub(&"anna");
        assert_eq!(tables.add(&"ben", 5), Ok(()));
    }

    #[test]
    fn restored_counts_ignore_limits_and_never_go_below_zero() {
        let tables = Counter::new(LimitedResource::Tables, 0);
        tables.restore(&"anna", 3);
        assert_eq!(tables.count(&"anna"), 3);
        assert!(tables.add(&"anna", 3).is_err());
        tables.restore(&"anna", 0);
        tables.sub(&"anna");
        assert_eq!(tables.count(&"anna"), 0);
    }

    #[test]
    fn concurrent_adds_respect_the_limit() {
        let tables = Counter::new(LimitedResource::Tables, 4);
        let granted: u32 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| (0..100).filter(|_| tables.add(&"anna", 150).is_ok()).count() as u32))
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!((granted, tables.count(&"anna")), (150, 150));
    }
}
