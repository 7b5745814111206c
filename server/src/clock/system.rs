//! The clock of the machine.

use std::time::{Duration, Instant, SystemTime};

use super::{Clock, Moment, Sleep};

/// The machine's own time. Sleeping needs a tokio runtime with its timer on.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock whose stopwatch begins now.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "a Clock is where time comes from, and this is the real one"
    )]
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
    #[expect(
        clippy::disallowed_methods,
        reason = "a Clock is where time comes from, and this is the real one"
    )]
    fn now_ms(&self) -> u64 {
        // A machine that believes in a year before 1970 still gets a server that runs.
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        u64::try_from(since_1970.as_millis()).unwrap_or(u64::MAX)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a Clock is where time comes from, and this is the real one"
    )]
    fn now(&self) -> Moment {
        Moment::START + Instant::now().saturating_duration_since(self.start)
    }

    fn sleep_until(&self, deadline: Moment) -> Sleep {
        let clock = *self;
        // Reckoned when the wait begins, not when it is asked for.
        Box::pin(async move { tokio::time::sleep(deadline.since(clock.now())).await })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_sleep_lasts_until_its_deadline_and_time_goes_forward() {
        let clock = SystemClock::new();
        let begun = clock.now();
        let deadline = begun + Duration::from_millis(20);
        clock.sleep_until(deadline).await;
        assert!(clock.now() >= deadline);
        clock.sleep_until(begun).await;
        assert!(clock.now_ms() > 1_700_000_000_000, "after 2023");
    }

    #[tokio::test]
    async fn a_deadline_beyond_all_time_does_not_panic() {
        let clock = SystemClock::new();
        let never = clock.sleep_until(Moment::START + Duration::MAX);
        let soon = clock.sleep_until(clock.now() + Duration::from_millis(5));
        tokio::select! {
            () = never => panic!("the end of time came"),
            () = soon => {}
        }
    }
}
