//! How long to wait before another try.

use std::time::Duration;

use crate::random::jitter;

/// The first wait, and the longest one.
const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// Waits that double with each try, each between half of it and the whole, so that clients that were cut off together
/// do not come back together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Backoff {
    tries: u32,
}

impl Backoff {
    /// The wait before the next try: never less than what the server asked for.
    pub(crate) fn wait(&mut self, asked: Option<Duration>) -> Duration {
        let whole = FIRST.saturating_mul(1 << self.tries.min(16)).min(LONGEST);
        self.tries = self.tries.saturating_add(1);
        let spread = whole.mul_f64(0.5 + 0.5 * jitter());
        match asked {
            // What was asked is the earliest moment: the spread comes after it.
            Some(asked) => asked.saturating_add(spread.min(asked.max(FIRST))),
            None => spread,
        }
    }

    /// It worked: the next wait is the first one again.
    pub(crate) fn reset(&mut self) {
        self.tries = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let mut backoff = Backoff::default();
        for whole in [100, 200, 400, 800, 1600, 3200, 5000, 5000] {
            let wait = backoff.wait(None).as_millis();
            assert!((whole / 2..=whole).contains(&wait), "{wait} of {whole}");
        }
        backoff.reset();
        assert!(backoff.wait(None) <= FIRST);
        let mut tired = Backoff { tries: u32::MAX };
        assert!(tired.wait(None) <= LONGEST);
    }

    #[test]
    fn nobody_comes_back_before_the_moment_that_was_asked_for() {
        let asked = Duration::from_millis(700);
        for tries in 0..10 {
            let wait = Backoff { tries }.wait(Some(asked));
            assert!(wait >= asked && wait <= asked * 2, "{wait:?}");
            // Not even if that is at once does anybody knock without a pause.
            let wait = Backoff { tries }.wait(Some(Duration::ZERO));
            assert!(wait >= FIRST / 2 && wait <= FIRST, "{wait:?}");
        }
    }
}
