//! Exponential backoff with jitter.

use std::time::Duration;

use crate::random::jitter;

/// Wait before the first retry, and the upper bound.
const INITIAL_WAIT: Duration = Duration::from_millis(100);
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Exponential backoff: waits double with each attempt, each drawn from the upper half of its interval so
/// that clients cut off together do not reconnect together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Backoff {
    attempts: u32,
}

impl Backoff {
    /// Wait before the next attempt, never shorter than the server asked for.
    pub(crate) fn wait(&mut self, asked: Option<Duration>) -> Duration {
        let whole = INITIAL_WAIT.saturating_mul(1 << self.attempts.min(16)).min(MAX_WAIT);
        self.attempts = self.attempts.saturating_add(1);
        let spread = whole.mul_f64(0.5 + 0.5 * jitter());
        match asked {
            // The server's wait is a lower bound: the jitter comes on top.
            Some(asked) => asked.saturating_add(spread.min(asked.max(INITIAL_WAIT))),
            None => spread,
        }
    }

    /// Resets to the initial wait, after a success.
    pub(crate) fn reset(&mut self) {
        self.attempts = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_up_to_the_maximum() {
        let mut backoff = Backoff::default();
        for whole in [100, 200, 400, 800, 1600, 3200, 5000, 5000] {
            let wait = backoff.wait(None).as_millis();
            assert!((whole / 2..=whole).contains(&wait), "{wait} of {whole}");
        }
        backoff.reset();
        assert!(backoff.wait(None) <= INITIAL_WAIT);
        let mut saturated = Backoff { attempts: u32::MAX };
        assert!(saturated.wait(None) <= MAX_WAIT);
    }

    #[test]
    fn backoff_is_never_shorter_than_the_server_asked_for() {
        let asked = Duration::from_millis(700);
        for attempts in 0..10 {
            let wait = Backoff { attempts }.wait(Some(asked));
            assert!(wait >= asked && wait <= asked * 2, "{wait:?}");
            // A server that asks for no wait still gets a pause.
            let wait = Backoff { attempts }.wait(Some(Duration::ZERO));
            assert!(wait >= INITIAL_WAIT / 2 && wait <= INITIAL_WAIT, "{wait:?}");
        }
    }
}
