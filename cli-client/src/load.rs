//! Load: how fast moves are made, how many were and how long each took, and what that cost a server on this machine.
//! `parlor bench` and the baseline of `make bench` share it, so that their figures can be compared.

mod process;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;
use tokio::time::Instant;

pub use process::Process;

/// A moment, by the clock of this machine.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "what is measured here is the time of the machine itself")]
pub fn now() -> Instant {
    Instant::now()
}

/// The times of moves: in microseconds, up to a minute, to three digits.
fn times() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000, 3).expect("bounds that can be")
}

/// Over how many parts the times are spread, so that few moves wait for each other to be counted.
const PARTS: usize = 16;

/// Counts moves, from [`Meter::begin`] to [`Meter::end`].
pub struct Meter {
    counting: AtomicBool,
    parts: Vec<Mutex<Histogram<u64>>>,
}

impl Default for Meter {
    fn default() -> Meter {
        let parts = (0..PARTS).map(|_| Mutex::new(times())).collect();
        Meter { counting: AtomicBool::new(false), parts }
    }
}

impl Meter {
    fn part(&self, table: usize) -> MutexGuard<'_, Histogram<u64>> {
        // A count that a panic interrupted is at most one too low.
        self.parts[table % PARTS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A move of this table is done, after so long.
    pub fn count(&self, table: usize, took: Duration) {
        if self.counting.load(Ordering::Relaxed) {
            let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
            self.part(table).saturating_record(micros);
        }
    }

    /// Counts from now on.
    pub fn begin(&self) {
        self.counting.store(true, Ordering::Relaxed);
    }

    /// Counts no more, and gives the times of all that was counted, in microseconds.
    #[must_use]
    pub fn end(&self) -> Histogram<u64> {
        self.counting.store(false, Ordering::Relaxed);
        let mut all = times();
        for part in 0..PARTS {
            all += &*self.part(part);
        }
        all
    }
}

/// How fast moves are made: as fast as it goes, or so many a second in all.
pub struct Pace {
    /// From one move to the next.
    step: Option<Duration>,
    /// When the next one is due.
    due: Mutex<Instant>,
}

impl Pace {
    /// So many moves a second in all, or as fast as it goes.
    #[must_use]
    pub fn new(rate: Option<f64>) -> Pace {
        Pace { step: rate.map(|rate| Duration::from_secs_f64(1.0 / rate)), due: Mutex::new(now()) }
    }

    /// Waits until it is time for the next move.
    ///
    /// What could not be made in time, because every table waited for the server, is not made up for: that would be a heavier
    /// load than the one asked for, for as long as it takes.
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
    fn moves_count_while_it_is_time() {
        let meter = Meter::default();
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
    async fn a_pace_is_kept() {
        let begun = now();
        let pace = Pace::new(Some(1000.0));
        for _ in 0..=500 {
            pace.wait().await;
        }
        assert_eq!((now() - begun).as_millis(), 500);
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_missed_is_not_made_up_for() {
        let pace = Pace::new(Some(1000.0));
        tokio::time::advance(Duration::from_secs(10)).await;
        let begun = now();
        for _ in 0..=500 {
            pace.wait().await;
        }
        assert_eq!((now() - begun).as_millis(), 500);
    }
}
