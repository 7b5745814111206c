//! Clocks as seen by a viewer.

use std::time::Duration;

use parlor_engine::Seat;

/// Time left for a decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeLeft {
    /// Time left for the decision itself.
    pub decision: Duration,
    /// Time left in the bank, which is used afterwards.
    pub bank: Duration,
}

impl TimeLeft {
    /// Consumes time: first the decision time, then the bank.
    pub fn advance(&mut self, elapsed: Duration) {
        let rest = elapsed.saturating_sub(self.decision);
        self.decision = self.decision.saturating_sub(elapsed);
        self.bank = self.bank.saturating_sub(rest);
    }

    /// Clock text: the decision time, or `+` and the bank once that is used up.
    #[must_use]
    pub fn clock_text(self) -> String {
        if self.decision.is_zero() && !self.bank.is_zero() {
            format!("+{}", format_clock(self.bank))
        } else {
            format_clock(self.decision)
        }
    }
}

/// Minutes and seconds, hours and minutes, or days and hours. Started seconds count in full.
fn format_clock(time: Duration) -> String {
    let seconds = time.as_millis().div_ceil(1000);
    match seconds {
        0..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        3600..86400 => format!("{}h{:02}", seconds / 3600, seconds / 60 % 60),
        _ => format!("{}d{}h", seconds / 86400, seconds / 3600 % 24),
    }
}

/// Time left of a seat that is publicly known to decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatTime {
    /// Seat.
    pub seat: Seat,
    /// Time left.
    pub left: TimeLeft,
    /// Set while the clock runs.
    pub running: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bank_is_consumed_after_the_decision_time() {
        let seconds = Duration::from_secs;
        let mut left = TimeLeft { decision: seconds(5), bank: seconds(10) };
        for (elapsed, decision, bank) in [(3, 2, 10), (3, 0, 9), (4, 0, 5), (60, 0, 0)] {
            left.advance(seconds(elapsed));
            assert_eq!(left, TimeLeft { decision: seconds(decision), bank: seconds(bank) });
        }
    }

    #[test]
    fn clock_texts_are_short() {
        let of = |decision, bank| {
            TimeLeft { decision: Duration::from_millis(decision), bank: Duration::from_millis(bank) }
                .clock_text()
        };
        assert_eq!(of(27_000, 60_000), "0:27");
        assert_eq!(of(26_001, 0), "0:27");
        assert_eq!(of(0, 61_000), "+1:01");
        assert_eq!(of(0, 0), "0:00");
        assert_eq!(of(3_600_000, 0), "1h00");
        assert_eq!(of(2_592_000_000, 0), "30d0h");
    }
}
