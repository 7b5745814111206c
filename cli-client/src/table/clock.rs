//! Clocks as a viewer sees them run down.

use std::time::Duration;

use parlor_engine::Seat;

/// How much time somebody has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeLeft {
    /// For the decision.
    pub decision: Duration,
    /// In the bank, which is used up afterwards.
    pub bank: Duration,
}

impl TimeLeft {
    /// Lets time pass: first the time for the decision, then the bank.
    pub fn pass(&mut self, elapsed: Duration) {
        let rest = elapsed.saturating_sub(self.decision);
        self.decision = self.decision.saturating_sub(elapsed);
        self.bank = self.bank.saturating_sub(rest);
    }

    /// Time as on a clock: what is left for the decision, or a plus and what is left of the bank.
    #[must_use]
    pub fn short(self) -> String {
        if self.decision.is_zero() && !self.bank.is_zero() {
            format!("+{}", minutes(self.bank))
        } else {
            minutes(self.decision)
        }
    }
}

/// Minutes and seconds; hours, or days, where it is long. A second that has begun counts.
fn minutes(time: Duration) -> String {
    let seconds = time.as_millis().div_ceil(1000);
    match seconds {
        0..3600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        3600..86400 => format!("{}h{:02}", seconds / 3600, seconds / 60 % 60),
        _ => format!("{}d{}h", seconds / 86400, seconds / 3600 % 24),
    }
}

/// How much time a seat has left that is seen to be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatTime {
    /// The seat.
    pub seat: Seat,
    /// How much.
    pub left: TimeLeft,
    /// Whether its clock runs.
    pub running: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bank_is_used_after_the_time_for_the_decision() {
        let seconds = Duration::from_secs;
        let mut left = TimeLeft { decision: seconds(5), bank: seconds(10) };
        for (elapsed, decision, bank) in [(3, 2, 10), (3, 0, 9), (4, 0, 5), (60, 0, 0)] {
            left.pass(seconds(elapsed));
            assert_eq!(left, TimeLeft { decision: seconds(decision), bank: seconds(bank) });
        }
    }

    #[test]
    fn times_are_short() {
        let of = |decision, bank| {
            TimeLeft { decision: Duration::from_millis(decision), bank: Duration::from_millis(bank) }.short()
        };
        assert_eq!(of(27_000, 60_000), "0:27");
        assert_eq!(of(26_001, 0), "0:27");
        assert_eq!(of(0, 61_000), "+1:01");
        assert_eq!(of(0, 0), "0:00");
        assert_eq!(of(3_600_000, 0), "1h00");
        assert_eq!(of(2_592_000_000, 0), "30d0h");
    }
}
