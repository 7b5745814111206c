//! The clock of a seat as everyone may see it, at tables where a hidden decision may precede a turn.
//!
//! A seat is asked when the hidden decisions before its turn are made. To everyone else that moment is secret: time, bank
//! and grace are shown as if there had been none, from the moment at which the table is seen to wait for the seat. They
//! follow from public steps and from presence alone. What a seat is charged follows from its own clock, which never runs
//! ahead of this one.

use std::time::Duration;

use parlor_engine::Seat;

use crate::SeatTime;
use crate::clock::Moment;
use crate::shard::clocks::{ClockMode, saturating_ms};

#[derive(Clone, Debug)]
pub(super) struct PublicClock {
    mode: ClockMode,
    /// Time used by the decision before the current mode began.
    used: Duration,
    bank: Duration,
    grace: Duration,
    connected: bool,
}

/// Amounts used up at one moment.
struct Elapsed {
    used: Duration,
    grace: Duration,
    is_running: bool,
}

impl PublicClock {
    /// A clock that stands still, with this bank and grace in milliseconds.
    pub(super) fn new(bank: u32, grace: u32, connected: bool) -> PublicClock {
        let [bank, grace] = [bank, grace].map(|ms| Duration::from_millis(ms.into()));
        PublicClock { mode: ClockMode::Off, used: Duration::ZERO, bank, grace, connected }
    }

    /// Follows a public step: `is_awaited` says whether the table is seen to wait for the seat, and `has_decided`
    /// whether a public decision of the seat is over, which takes the time over `decision_ms` from the bank.
    pub(super) fn sync(&mut self, is_awaited: bool, has_decided: bool, decision_ms: u32, now: Moment) {
        if has_decided || !is_awaited {
            self.stop(now);
            if has_decided {
                let decision = Duration::from_millis(decision_ms.into());
                self.bank = self.bank.saturating_sub(self.used.saturating_sub(decision));
            }
            self.used = Duration::ZERO;
        }
        if is_awaited && self.mode == ClockMode::Off {
            self.mode = ClockMode::Unprompted;
        }
    }

    /// Starts the clock if the step that made the table wait for the seat is durable now. `absent_from` is the moment
    /// from which on a seat can count as absent.
    pub(super) fn start_prompted(&mut self, absent_from: Moment, now: Moment) {
        if self.mode == ClockMode::Unprompted {
            self.start(absent_from, now);
        }
    }

    /// Sets the presence of the player, who came or went at `since`.
    pub(super) fn set_connected(&mut self, connected: bool, absent_from: Moment, since: Moment, now: Moment) {
        self.connected = connected;
        if matches!(self.mode, ClockMode::Running { .. } | ClockMode::Away { .. }) {
            self.stop(since);
            self.start(absent_from, now);
        }
    }

    /// Forgets the time of the open decision, after the table was blocked for a while.
    pub(super) fn reset(&mut self) {
        (self.mode, self.used) = (ClockMode::Off, Duration::ZERO);
    }

    fn start(&mut self, absent_from: Moment, now: Moment) {
        let is_excused = self.grace > Duration::ZERO || now < absent_from;
        self.mode = if self.connected || !is_excused {
            ClockMode::Running { since: now }
        } else {
            ClockMode::Away { since: absent_from }
        };
    }

    fn stop(&mut self, now: Moment) {
        let Elapsed { used, grace, .. } = self.elapsed(now);
        (self.used, self.grace, self.mode) = (used, grace, ClockMode::Off);
    }

    fn elapsed(&self, now: Moment) -> Elapsed {
        let Self { used, grace, .. } = *self;
        match self.mode {
            ClockMode::Off | ClockMode::Unprompted => {
                Elapsed { used, grace, is_running: self.connected || grace == Duration::ZERO }
            }
            ClockMode::Running { since } => {
                Elapsed { used: used + now.since(since), grace, is_running: true }
            }
            ClockMode::Away { since } => {
                let away = now.since(since);
                let (left, is_running) = (grace.saturating_sub(away), now >= since && away >= grace);
                Elapsed { used: used + away.saturating_sub(grace), grace: left, is_running }
            }
        }
    }

    pub(super) fn time_left(&self, seat: Seat, decision_ms: u32, now: Moment) -> SeatTime {
        let Elapsed { used, is_running, .. } = self.elapsed(now);
        let used = saturating_ms(used);
        SeatTime {
            seat,
            decision: decision_ms.saturating_sub(used),
            bank: saturating_ms(self.bank).saturating_sub(used.saturating_sub(decision_ms)),
            running: is_running,
        }
    }

    /// Grace left, in milliseconds.
    pub(super) fn grace_left(&self, now: Moment) -> u32 {
        saturating_ms(self.elapsed(now).grace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Moment {
        Moment::START + Duration::from_millis(ms)
    }

    fn awaited(clock: &mut PublicClock, now: u64) {
        clock.sync(true, false, 1_000, at(now));
        clock.start_prompted(at(now), at(now));
    }

    #[track_caller]
    fn check(clock: &PublicClock, now: u64, decision: u32, bank: u32, running: bool, grace: u32) {
        let left = clock.time_left(Seat::FIRST, 1_000, at(now));
        assert_eq!(left, SeatTime { seat: Seat::FIRST, decision, bank, running });
        assert_eq!(clock.grace_left(at(now)), grace);
    }

    #[test]
    fn time_runs_from_the_public_step_on_and_then_takes_from_the_bank() {
        let mut clock = PublicClock::new(500, 0, true);
        awaited(&mut clock, 100);
        check(&clock, 300, 800, 500, true, 0);
        // Steps that are not public, or of other seats, change nothing.
        awaited(&mut clock, 400);
        check(&clock, 1_200, 0, 400, true, 0);
        clock.sync(true, true, 1_000, at(1_300));
        check(&clock, 9_000, 1_000, 300, true, 0);
        clock.start_prompted(at(9_000), at(9_000));
        check(&clock, 9_250, 750, 300, true, 0);
        clock.sync(false, true, 1_000, at(9_250));
        check(&clock, 9_900, 1_000, 300, true, 0);
    }

    #[test]
    fn grace_is_used_while_the_seat_is_awaited_and_absent() {
        let mut clock = PublicClock::new(0, 200, false);
        check(&clock, 50, 1_000, 0, false, 200);
        awaited(&mut clock, 100);
        check(&clock, 250, 1_000, 0, false, 50);
        check(&clock, 400, 900, 0, true, 0);
        clock.set_connected(true, at(250), at(250), at(260));
        check(&clock, 300, 960, 0, true, 50);
        clock.reset();
        awaited(&mut clock, 500);
        check(&clock, 600, 900, 0, true, 50);
    }
}
