//! The machine's clock.

use std::time::{Duration, Instant, SystemTime};

use super::{Clock, Moment, Sleep};

/// The machine's time. Sleeping requires a tokio runtime with its timer enabled.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock whose monotonic time starts now.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the real Clock reads the system time")]
    pub fn new() -> SystemClock {
        SystemClock { start: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> SystemClock {
        SystemClock::new()
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the real Clock reads the system time")]
    fn now_ms(&self) -> u64 {
        // A machine set to a year before 1970 still runs the server.
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
    }

    #[expect(clippy::disallowed_methods, reason = "the real Clock reads the system time")]
    fn now(&self) -> Moment {
        Moment::START + Instant::now().saturating_duration_since(self.start)
    }

    fn sleep_until(&self, deadline: Moment) -> Sleep {
        let clock = *self;
        // Computed when the wait starts, not when the timer is created.
        Box::pin(async move { tokio::time::sleep(deadline.since(clock.now())).await })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn sleep_until_reaches_its_deadline() {
        let clock = SystemClock::new();
        let start = clock.now();
        let deadline = start + Duration::from_millis(20);
        clock.sleep_until(deadline).await;
        assert!(clock.now() >= deadline);
        clock.sleep_until(start).await;
        assert!(clock.now_ms() > 1_700_000_000_000, "after 2023");
    }

    #[tokio::test]
    async fn sleep_until_the_latest_deadline_does_not_panic() {
        let clock = SystemClock::new();
        let never = clock.sleep_until(Moment::START + Duration::MAX);
        let soon = clock.sleep_until(clock.now() + Duration::from_millis(5));
        tokio::select! {
            () = never => panic!("the latest deadline was reached"),
            () = soon => {}
        }
    }
}
