//! How much a caller may hold at once: a count for each.

use std::{
    collections::{HashMap, hash_map::Entry},
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{Counted, Exhausted};

/// When to ask again if all places for callers are taken: nobody knows when one of them ends what it holds.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// Counts what each caller holds, for at most so many callers that hold anything. Clones count together.
///
/// What outlives a restart, such as tables, is counted with [`Counter::add`] and [`Counter::sub`]; what ends with the
/// code that opened it, such as streams, with [`Counter::hold`].
#[derive(Debug)]
pub struct Counter<K> {
    counted: Counted,
    most_callers: usize,
    held: Arc<Mutex<HashMap<K, u32>>>,
}

impl<K> Clone for Counter<K> {
    fn clone(&self) -> Counter<K> {
        Counter { counted: self.counted, most_callers: self.most_callers, held: self.held.clone() }
    }
}

impl<K: Eq + Hash + Clone> Counter<K> {
    /// Nothing held by anybody.
    #[must_use]
    pub fn new(counted: Counted, most_callers: usize) -> Counter<K> {
        Counter { counted, most_callers, held: Arc::default() }
    }

    /// Counts one more, if that is no more than the caller may hold.
    pub fn add(&self, caller: &K, most: u32) -> Result<(), Exhausted> {
        let mut held = self.lock();
        let full = Exhausted::Count { counted: self.counted, most };
        let no_room = held.len() >= self.most_callers;
        match held.entry(caller.clone()) {
            Entry::Occupied(mut count) if *count.get() < most => {
                *count.get_mut() += 1;
                Ok(())
            }
            Entry::Occupied(_) => Err(full),
            Entry::Vacant(_) if most == 0 => Err(full),
            Entry::Vacant(_) if no_room => Err(Exhausted::Callers { retry_after: ASK_AGAIN }),
            Entry::Vacant(place) => {
                place.insert(1);
                Ok(())
            }
        }
    }

    /// Counts one less.
    pub fn sub(&self, caller: &K) {
        if let Entry::Occupied(mut count) = self.lock().entry(caller.clone()) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }

    /// What a caller holds from before a restart. It counts whatever the limits are: nothing that exists is lost.
    pub fn restore(&self, caller: &K, count: u32) {
        let mut held = self.lock();
        if count == 0 {
            held.remove(caller);
        } else {
            held.insert(caller.clone(), count);
        }
    }

    /// How many the caller holds.
    #[must_use]
    pub fn count(&self, caller: &K) -> u32 {
        self.lock().get(caller).copied().unwrap_or(0)
    }

    /// Counts one more, until the answer is dropped.
    pub fn hold(&self, caller: &K, most: u32) -> Result<Held<K>, Exhausted> {
        self.add(caller, most)?;
        Ok(Held { counter: self.clone(), caller: caller.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, u32>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One that is counted until this is dropped.
#[derive(Debug)]
#[must_use = "it is counted only while this is kept"]
pub struct Held<K: Eq + Hash + Clone> {
    counter: Counter<K>,
    caller: K,
}

impl<K: Eq + Hash + Clone> Drop for Held<K> {
    fn drop(&mut self) {
        self.counter.sub(&self.caller);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_the_limit_at_once() {
        let tables = Counter::new(Counted::Tables, 10);
        tables.add(&"anna", 2).unwrap();
        tables.add(&"anna", 2).unwrap();
        let refused = tables.add(&"anna", 2).unwrap_err();
        assert_eq!(refused.to_string(), "tables a key are limited to 2: end one first");
        assert_eq!(refused.retry_after(), None);
        assert_eq!(tables.add(&"ben", 2), Ok(()), "each is counted apart");
        tables.sub(&"anna");
        assert_eq!(tables.add(&"anna", 2), Ok(()));
        assert!(tables.add(&"carl", 0).is_err());
        assert_eq!((tables.count(&"anna"), tables.count(&"ben"), tables.count(&"carl")), (2, 1, 0));
    }

    #[test]
    fn what_is_held_ends_when_it_is_dropped() {
        let streams = Counter::new(Counted::Streams, 10);
        let first = streams.hold(&7, 1).unwrap();
        assert_eq!(
            streams.hold(&7, 1).unwrap_err().to_string(),
            "streams a connection are limited to 1: end one first"
        );
        drop(first);
        let _again = streams.hold(&7, 1).unwrap();
        assert_eq!(streams.count(&7), 1);
    }

    #[test]
    fn callers_are_bounded_and_those_who_hold_nothing_take_no_room() {
        let tables = Counter::new(Counted::Tables, 1);
        tables.add(&"anna", 5).unwrap();
        assert_eq!(tables.add(&"ben", 5), Err(Exhausted::Callers { retry_after: ASK_AGAIN }));
        assert_eq!(tables.add(&"anna", 5), Ok(()));
        tables.sub(&"anna");
        tables.sub(&"anna");
        assert_eq!(tables.add(&"ben", 5), Ok(()));
    }

    #[test]
    fn counts_are_restored_whatever_the_limits_and_never_go_below_zero() {
        let tables = Counter::new(Counted::Tables, 0);
        tables.restore(&"anna", 3);
        assert_eq!(tables.count(&"anna"), 3);
        assert!(tables.add(&"anna", 3).is_err());
        tables.restore(&"anna", 0);
        tables.sub(&"anna");
        assert_eq!(tables.count(&"anna"), 0);
    }

    #[test]
    fn threads_count_together() {
        let tables = Counter::new(Counted::Tables, 4);
        let granted: u32 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| (0..100).filter(|_| tables.add(&"anna", 150).is_ok()).count() as u32))
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!((granted, tables.count(&"anna")), (150, 150));
    }
}
