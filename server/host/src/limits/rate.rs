//! Request rate limits: a token bucket per caller.

use std::{
    collections::HashMap,
    hash::Hash,
    num::NonZeroU32,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::LimitExceeded;
use crate::clock::{Clock, Moment};

/// A token bucket of `burst` tokens, refilled with `tokens` tokens in `seconds` seconds. A request takes one token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    tokens: NonZeroU32,
    seconds: u32,
    burst: NonZeroU32,
}

impl Rate {
    /// A sustained rate and a burst size, each at least one.
    #[must_use]
    pub fn new(per_second: u32, burst: u32) -> Rate {
        Rate::in_seconds(1, per_second, burst)
    }

    /// A sustained rate per hour and a burst size, each at least one.
    #[must_use]
    pub fn per_hour(per_hour: u32, burst: u32) -> Rate {
        Rate::in_seconds(3_600, per_hour, burst)
    }

    fn in_seconds(seconds: u32, tokens: u32, burst: u32) -> Rate {
        Rate {
            tokens: NonZeroU32::new(tokens).unwrap_or(NonZeroU32::MIN),
            seconds,
            burst: NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN),
        }
    }

    /// Time to refill one token. Rounded up, so that it is never zero and the rate is never exceeded.
    fn interval(self) -> Duration {
        let nanos = u64::from(self.seconds) * 1_000_000_000;
        Duration::from_nanos(nanos.div_ceil(u64::from(self.tokens.get())))
    }
}

/// Token buckets of all callers, at most `max_callers` of them.
///
/// A bucket is stored as the moment at which it is full again. A full bucket equals an absent one, so it can
/// be evicted at any time, and only callers of the last few seconds take memory.
#[derive(Debug)]
pub struct RateLimiter<K> {
    clock: Arc<dyn Clock>,
    max_callers: usize,
    buckets: Mutex<Buckets<K>>,
}

#[derive(Debug)]
struct Buckets<K> {
    full_at: HashMap<K, Moment>,
    /// Until this moment no bucket becomes full, so eviction is pointless: a flood of new callers is refused
    /// without a scan.
    full_until: Moment,
}

impl<K: Eq + Hash + Clone> RateLimiter<K> {
    /// A limiter that tracks at most `max_callers` callers.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>, max_callers: usize) -> RateLimiter<K> {
        let buckets = Buckets { full_at: HashMap::new(), full_until: Moment::START };
        RateLimiter { clock, max_callers, buckets: Mutex::new(buckets) }
    }

    /// Takes a token from the caller's bucket, or returns the time until there is one.
    pub fn take(&self, caller: &K, rate: Rate) -> Result<(), LimitExceeded> {
        let now = self.clock.now();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if !buckets.full_at.contains_key(caller) {
            buckets.evict_full_buckets(now, self.max_callers)?;
        }
        let full_at = buckets.full_at.get(caller).copied().unwrap_or(now).max(now);
        let interval = rate.interval();
        // The bucket holds a token as long as it is at most `burst - 1` intervals from full.
        let allowed = interval.saturating_mul(rate.burst.get() - 1);
        let missing = full_at.since(now);
        if missing > allowed {
            return Err(LimitExceeded::Rate {
                per_second: rate.tokens.get() / rate.seconds,
                retry_after: missing - allowed,
            });
        }
        buckets.full_at.insert(caller.clone(), full_at + interval);
        Ok(())
    }

    /// Takes tokens from the bucket of a caller even if it has too few: it then stays empty until they are refilled.
    pub(crate) fn charge(&self, caller: &K, rate: Rate, count: u32) {
        let now = self.clock.now();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        // Only a caller that has taken a token recently has a bucket; the others have nothing to be charged for.
        if let Some(full_at) = buckets.full_at.get_mut(caller) {
            *full_at = (*full_at).max(now) + rate.interval().saturating_mul(count);
        }
    }

    /// Number of tracked callers.
    #[must_use]
    pub fn callers(&self) -> usize {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner).full_at.len()
    }
}

impl<K: Eq + Hash> Buckets<K> {
    /// Makes room for one more caller by evicting full buckets.
    fn evict_full_buckets(&mut self, now: Moment, max_callers: usize) -> Result<(), LimitExceeded> {
        if self.full_at.len() < max_callers {
            return Ok(());
        }
        if now >= self.full_until {
            self.full_at.retain(|_, full_at| *full_at > now);
            if self.full_at.len() < max_callers {
                return Ok(());
            }
            // With a capacity of zero there is no bucket to wait for; a second is arbitrary.
            let first = self.full_at.values().min().copied();
            self.full_until = first.unwrap_or(now + Duration::from_secs(1));
        }
        Err(LimitExceeded::Callers { retry_after: self.full_until.since(now) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    fn limiter(max_callers: usize) -> (ManualClock, RateLimiter<&'static str>) {
        let clock = ManualClock::new();
        (clock.clone(), RateLimiter::new(Arc::new(clock), max_callers))
    }

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn burst_is_allowed_then_the_rate() {
        let (clock, limiter) = limiter(10);
        let rate = Rate::new(10, 3);
        for _ in 0..3 {
            assert_eq!(limiter.take(&"anna", rate), Ok(()));
        }
        let refused = LimitExceeded::Rate { per_second: 10, retry_after: MS * 100 };
        assert_eq!(limiter.take(&"anna", rate), Err(refused));
        assert_eq!(limiter.take(&"anna", rate), Err(refused), "a refusal takes no token");
        assert_eq!(refused.to_string(), "more than 10 requests per second: retry in 100 ms");
        assert_eq!(refused.retry_after(), Some(MS * 100));

        clock.advance(MS * 99);
        assert_eq!(limiter.take(&"anna", rate).unwrap_err().retry_after(), Some(MS), "not yet");
        clock.advance(MS);
        assert_eq!(limiter.take(&"anna", rate), Ok(()));
        assert!(limiter.take(&"anna", rate).is_err());
        assert_eq!(limiter.take(&"ben", rate), Ok(()), "each caller has a bucket");

        clock.advance(Duration::from_secs(3600));
        for _ in 0..3 {
            assert_eq!(limiter.take(&"anna", rate), Ok(()));
        }
        assert!(limiter.take(&"anna", rate).is_err(), "a bucket holds no more than the burst");
    }

    #[test]
    fn tracked_callers_are_bounded_and_evicted_when_full() {
        let (clock, limiter) = limiter(2);
        let rate = Rate::new(1, 5);
        limiter.take(&"anna", rate).unwrap();
        clock.advance(MS * 300);
        limiter.take(&"ben", rate).unwrap();
        let refused = limiter.take(&"carl", rate).unwrap_err();
        assert_eq!(refused, LimitExceeded::Callers { retry_after: MS * 700 });
        assert_eq!(refused.to_string(), "the server has too many callers at once: retry in 700 ms");
        assert_eq!(limiter.take(&"anna", rate), Ok(()), "a tracked caller is served");
        clock.advance(MS * 1000);
        assert_eq!(limiter.take(&"carl", rate), Ok(()), "ben's bucket is full again");
        assert_eq!(limiter.callers(), 2);
    }

    #[test]
    fn limiter_without_capacity_refuses_everyone() {
        let (_, limiter) = limiter(0);
        assert!(matches!(limiter.take(&"anna", Rate::new(0, 0)), Err(LimitExceeded::Callers { .. })));
        assert_eq!(limiter.callers(), 0);
    }

    /// No time window serves more than the burst plus the refill, for any pattern; and a caller that waits
    /// for `retry_after` is served.
    #[test]
    fn rate_is_never_exceeded() {
        let mut rng = ChaCha20Rng::seed_from_u64(parlor_testkit::test_seed(1));
        let mut number = |bound: u32| parlor_engine::below(bound, &mut rng);
        for _ in 0..200 {
            let (clock, limiter) = limiter(1);
            let rate = Rate::new(1 + number(2000), 1 + number(50));
            let (mut served, mut waited) = (0u128, Duration::ZERO);
            for _ in 0..200 {
                let pause = MS * number(300);
                clock.advance(pause);
                waited += pause;
                if let Err(refused) = limiter.take(&"anna", rate) {
                    let wait = refused.retry_after().unwrap();
                    assert!(wait > Duration::ZERO);
                    clock.advance(wait);
                    waited += wait;
                    assert_eq!(limiter.take(&"anna", rate), Ok(()), "{rate:?}");
                }
                served += 1;
                let refilled = waited.as_nanos() * u128::from(rate.tokens.get()) / 1_000_000_000;
                let most = u128::from(rate.burst.get()) + refilled;
                assert!(served <= most, "{rate:?}: {served} of {most}");
            }
        }
    }
}
