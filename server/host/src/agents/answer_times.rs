//! Answer times of an agent.

use std::time::Duration;

/// Answers of an agent since the server started. Secret decisions are not counted, since listings would
/// reveal them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AnswerTimes {
    /// Number of answered decisions.
    pub answers: u64,
    /// Number of refused answers.
    pub refused: u64,
    /// Number of time-outs at tables whose clock counts: see [`MIN_COUNTED_DECISION_MS`](super::MIN_COUNTED_DECISION_MS).
    pub timeouts: u64,
    /// Total time of the answers.
    pub total: Duration,
    /// Time of the slowest answer.
    pub longest: Duration,
    /// Number of answers with the agent's own measure of the time, and their total time by that measure.
    pub reported: (u64, Duration),
}

impl AnswerTimes {
    /// Records an answer. `reported` is in milliseconds.
    pub(super) fn record(&mut self, took: Duration, reported: Option<u32>) {
        self.answers += 1;
        self.total = self.total.saturating_add(took);
        self.longest = self.longest.max(took);
        if let Some(ms) = reported {
            let (count, sum) = &mut self.reported;
            *count += 1;
            *sum = sum.saturating_add(Duration::from_millis(ms.into()));
        }
    }

    /// Mean time of an answer.
    #[must_use]
    pub fn mean(&self) -> Duration {
        mean(self.total, self.answers)
    }

    /// Mean time by the agent's own measure; `None` if it has reported none.
    #[must_use]
    pub fn reported_mean(&self) -> Option<Duration> {
        let (count, sum) = self.reported;
        (count > 0).then(|| mean(sum, count))
    }
}

fn mean(sum: Duration, count: u64) -> Duration {
    let micros = sum.as_micros() / u128::from(count.max(1));
    Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_times_are_totalled() {
        const SECOND: Duration = Duration::from_secs(1);
        let mut times = AnswerTimes::default();
        assert_eq!((times.mean(), times.reported_mean()), (Duration::ZERO, None));
        times.record(SECOND, None);
        times.record(3 * SECOND, Some(500));
        assert_eq!(times.mean(), 2 * SECOND);
        assert_eq!(times.longest, 3 * SECOND);
        assert_eq!(times.reported_mean(), Some(Duration::from_millis(500)));
    }
}
