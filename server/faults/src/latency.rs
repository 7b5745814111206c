//! Latencies of answers, from sending one to its acknowledgement.

use std::collections::HashMap;
use std::time::Duration;

use parlor_host::clock::{Clock, Moment, SystemClock};

/// Latencies of answers.
#[derive(Default)]
pub(crate) struct AnswerLatencies {
    clock: SystemClock,
    /// Time of sending the last answer of each seat, with its decision.
    sent: HashMap<usize, (u32, Moment)>,
    measured: Vec<Duration>,
}

impl AnswerLatencies {
    /// Notes that a seat sends an answer.
    pub(crate) fn sent(&mut self, seat: usize, decision: u32) {
        self.sent.insert(seat, (decision, self.clock.now()));
    }

    /// Notes that an answer of a seat is acknowledged.
    pub(crate) fn answered(&mut self, seat: usize, decision: u32) {
        if let Some((sent, at)) = self.sent.remove(&seat)
            && sent == decision
        {
            self.measured.push(self.clock.now().since(at));
        }
    }

    /// Takes the latencies measured since the last call.
    pub(crate) fn take(&mut self) -> Vec<Duration> {
        std::mem::take(&mut self.measured)
    }
}

/// The 99th percentile; `None` of nothing.
pub(crate) fn p99(mut latencies: Vec<Duration>) -> Option<Duration> {
    let place = (latencies.len() * 99 / 100).min(latencies.len().checked_sub(1)?);
    Some(*latencies.select_nth_unstable(place).1)
}

/// The median; `None` of nothing.
pub(crate) fn median(mut ratios: Vec<f64>) -> Option<f64> {
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles() {
        let ms = |range: std::ops::RangeInclusive<u64>| range.map(Duration::from_millis).collect::<Vec<_>>();
        assert_eq!(p99(ms(1..=1000)), Some(Duration::from_millis(991)));
        assert_eq!(p99(ms(7..=7)), Some(Duration::from_millis(7)));
        assert_eq!(p99(Vec::new()), None);
        assert_eq!((median(vec![3.0, 1.0, 2.0]), median(Vec::new())), (Some(2.0), None));
    }
}
