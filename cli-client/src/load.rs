//! Load measurement: pacing, move latencies, and resource usage of a local server process. Shared by `parlor
//! bench` and the baseline of `make bench`, so that their figures are comparable.

mod process;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;
use tokio::time::Instant;

pub use process::Process;

/// The current time of the machine.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "load is measured in the time of the machine itself")]
pub fn now() -> Instant {
    Instant::now()
}

/// Empty latency histogram: microseconds, up to a minute, three significant digits.
fn latency_histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000, 3).expect("the bounds are valid")
}

/// Number of histogram shards, to reduce lock contention.
const PARTS: usize = 16;

/// Records move latencies between [`LatencyMeter::begin`] and [`LatencyMeter::end`].
pub struct LatencyMeter {
    counting: AtomicBool,
    parts: Vec<Mutex<Histogram<u64>>>,
}

impl Default for LatencyMeter {
    fn default() -> LatencyMeter {
        let parts = (0..PARTS).map(|_| Mutex::new(latency_histogram())).collect();
        LatencyMeter { counting: AtomicBool::new(false), parts }
    }
}

impl LatencyMeter {
    fn part(&self, table: usize) -> MutexGuard<'_, Histogram<u64>> {
        // A panic while recording loses at most one count.
        self.parts[table % PARTS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a completed move of a table.
    pub fn count(&self, table: usize, took: Duration) {
        if self.counting.load(Ordering::Relaxed) {
            let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
            self.part(table).saturating_record(micros);
        }
    }

    /// Starts recording.
    pub fn begin(&self) {
        self.counting.store(true, Ordering::Relaxed);
    }

    /// Stops recording, and returns all latencies in microseconds.
    #[must_use]
    pub fn end(&self) -> Histogram<u64> {
        self.counting.store(false, Ordering::Relaxed);
        let mut all = latency_histogram();
        for part in 0..PARTS {
            all += &*self.part(part);
        }
        all
    }
}

/// Limits the rate of moves, over all tables.
pub struct RateLimiter {
    /// Interval between moves; `None` without a limit.
    step: Option<Duration>,
    /// Earliest time of the next move.
    due: Mutex<Instant>,
}

impl RateLimiter {
    /// Limits moves to `rate` a second; `None` means no limit.
    #[must_use]
    pub fn new(rate: Option<f64>) -> RateLimiter {
        RateLimiter { step: rate.map(|rate| Duration::from_secs_f64(1.0 / rate)), due: Mutex::new(now()) }
    }

    /// Waits until the next move is due.
    ///
    /// Missed moves are not made up for: catching up would exceed the requested rate.
    pub async fn wait(&self) {
        let Some(step) = self.step else { return };
        let due = {
            let mut next = self.due.lock().unwrap_or_else(PoisonError::into_inner);
            let due = now().max(*next);
            *next = due + step;
            due
        };
        tokio::time::sleep_until(due).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_counted_between_begin_and_end() {
        let meter = LatencyMeter::default();
        meter.count(0, Duration::from_secs(1));
        meter.begin();
        for table in 0..100 {
            meter.count(table, Duration::from_millis(table as u64 + 1));
        }
        meter.count(5, Duration::from_secs(1000));
        let times = meter.end();
        meter.count(0, Duration::from_secs(1));
        assert_eq!((times.len(), times.max() / 1_000_000), (101, 60));
        assert!((50_000..52_000).contains(&times.value_at_quantile(0.5)), "{}", times.value_at_quantile(0.5));
    }

    #[tokio::test(start_paused = true)]
    async fn rate_is_kept() {
        let begun = now();
        let rate_limiter = RateLimiter::new(Some(1000.0));
        for _ in 0..=500 {
            rate_limiter.wait().await;
        }
        assert_eq!((now() - begun).as_millis(), 500);
    }

    #[tokio::test(start_paused = true)]
    async fn missed_moves_are_not_made_up_for() {
        let rate_limiter = RateLimiter::new(Some(1000.0));
        tokio::time::advance(Duration::from_secs(10)).await;
        let begun = now();
        for _ in 0..=500 {
            rate_limiter.wait().await;
        }
        assert_eq!((now() - begun).as_millis(), 500);
    }
}
