//! Cache of what follows from the folded logs of tournaments without a runner: it is computed once, however many ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OnceCell, Semaphore};
use tracing::Instrument;

use super::TournamentError;
use crate::{HostError, TournamentId};

/// Number of computations at once, of all tournaments. A fold of a long log takes much memory.
const MAX_COMPUTATIONS: usize = 2;

/// A value of one tournament.
struct Slot<V> {
    value: Arc<OnceCell<Arc<V>>>,
    /// Number of the last request, of all tournaments.
    used: u64,
}

struct Slots<V> {
    by_tournament: HashMap<TournamentId, Slot<V>>,
    requests: u64,
}

/// Cache of one value for each tournament. Clones share it.
pub(super) struct FoldCache<V> {
    slots: Arc<Mutex<Slots<V>>>,
    computing: Arc<Semaphore>,
    capacity: usize,
}

impl<V: Send + Sync + 'static> FoldCache<V> {
    /// A cache of up to this many values. Of more, the one that was not requested for longest is forgotten.
    pub(super) fn new(capacity: usize) -> FoldCache<V> {
        let slots = Slots { by_tournament: HashMap::new(), requests: 0 };
        let computing = Arc::new(Semaphore::new(MAX_COMPUTATIONS));
        FoldCache { slots: Arc::new(Mutex::new(slots)), computing, capacity }
    }

    fn slots(&self) -> MutexGuard<'_, Slots<V>> {
        // A panic leaves the map consistent: each change is one step.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value of a tournament. Concurrent requests share one computation, which goes on to its end if all of them are
    /// dropped: otherwise calls that are cancelled at once would start one after the other.
    pub(super) async fn get(
        &self,
        tournament: TournamentId,
        compute: impl Future<Output = Result<V, TournamentError>> + Send + 'static,
    ) -> Result<Arc<V>, TournamentError> {
        let value = self.slot(tournament);
        if let Some(value) = value.get() {
            return Ok(value.clone());
        }
        let computing = self.computing.clone();
        let task = async move {
            let computed = value.get_or_try_init(|| async move {
                // The semaphore is never closed.
                let _permit = computing.acquire_owned().await;
                compute.await.map(Arc::new)
            });
            computed.await.cloned()
        };
        let panicked = |_| HostError::Fault { reason: "a tournament cannot be computed".to_owned() };
        tokio::spawn(task.in_current_span()).await.map_err(panicked)?
    }

    /// Forgets the value of a tournament, whose log goes on.
    pub(super) fn forget(&self, tournament: TournamentId) {
        self.slots().by_tournament.remove(&tournament);
    }

    fn slot(&self, tournament: TournamentId) -> Arc<OnceCell<Arc<V>>> {
        let mut slots = self.slots();
        slots.requests += 1;
        let Slots { by_tournament, requests } = &mut *slots;
        if !by_tournament.contains_key(&tournament) && by_tournament.len() >= self.capacity {
            let oldest = by_tournament.iter().min_by_key(|(_, slot)| slot.used).map(|(oldest, _)| *oldest);
            oldest.map(|oldest| by_tournament.remove(&oldest));
        }
        let slot = by_tournament.entry(tournament).or_insert_with(|| Slot { value: Arc::default(), used: 0 });
        slot.used = *requests;
        slot.value.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use futures_util::future::join_all;

    use super::*;

    fn id(number: u8) -> TournamentId {
        TournamentId::from_bytes([number; 16])
    }

    /// Requests a value, whose computation counts.
    async fn get(cache: &FoldCache<u32>, number: u8, computed: &Arc<AtomicU32>) -> u32 {
        let computed = computed.clone();
        let compute = async move {
            tokio::task::yield_now().await;
            Ok(computed.fetch_add(1, Ordering::Relaxed) + 1)
        };
        *cache.get(id(number), compute).await.expect("a value")
    }

    #[tokio::test]
    async fn concurrent_requests_share_one_computation() {
        let (cache, computed) = (FoldCache::new(2), Arc::new(AtomicU32::new(0)));
        assert_eq!(join_all((0..10).map(|_| get(&cache, 1, &computed))).await, [1; 10]);
        assert_eq!(get(&cache, 1, &computed).await, 1);
        cache.forget(id(1));
        assert_eq!(get(&cache, 1, &computed).await, 2);
    }

    #[tokio::test]
    async fn value_that_was_not_requested_for_longest_is_forgotten() {
        let (cache, computed) = (FoldCache::new(2), Arc::new(AtomicU32::new(0)));
        for number in [1, 2, 1, 3] {
            get(&cache, number, &computed).await;
        }
        assert_eq!(computed.load(Ordering::Relaxed), 3);
        assert_eq!((get(&cache, 1, &computed).await, get(&cache, 3, &computed).await), (1, 3), "still there");
        assert_eq!(get(&cache, 2, &computed).await, 4, "computed again");
    }

    #[tokio::test]
    async fn failed_computation_is_repeated() {
        let (cache, computed) = (FoldCache::new(2), Arc::new(AtomicU32::new(0)));
        let failed = cache.get(id(1), async { Err(HostError::Stopping.into()) }).await;
        assert_eq!(failed, Err(HostError::Stopping.into()));
        assert_eq!(get(&cache, 1, &computed).await, 1);
    }
}
