//! Clocks of one table: running decisions, absence of players, and the next deadline.
//!
//! Nothing here is stored. The log holds the times that were used up; the time running now is counted here
//! and starts anew when the table is loaded, so a restart charges no player. It begins when the prompt is durable and
//! queued to the seat, and ends when the answer arrives, so a slow disk charges no player either.

use std::time::Duration;

use parlor_engine::Seat;

use crate::SeatTime;
use crate::clock::Moment;
use crate::shard::public_clock::PublicClock;
use crate::table::{DecisionId, Entry, Holder, Table};

/// State of one seat's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum ClockMode {
    /// The seat has no open decision, or a house bot holds it.
    #[default]
    Off,
    /// The prompt of the decision is not durable yet: nobody has seen it, and no time runs.
    Unprompted,
    /// The decision time runs.
    Running { since: Moment },
    /// The decision time is paused because no client of the seat is connected; the seat's grace time runs
    /// instead. `since` may lie in the future: after a start, clients have time to reconnect.
    Away { since: Moment },
}

#[derive(Clone, Debug, Default)]
struct SeatClock {
    /// The decision being timed.
    decision: Option<DecisionId>,
    mode: ClockMode,
    /// Time used by the decision before the current mode began.
    used: Duration,
    /// Grace time used up and not yet in the log.
    unlogged_away: Duration,
    connected: bool,
    /// The decision is secret.
    is_secret: bool,
    /// Clock as everyone sees it, if it differs from the real one.
    public: Option<Box<PublicClock>>,
}

/// A deadline that has passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DueTimer {
    /// The time of a seat has run out.
    Seat { seat: Seat, decision: DecisionId, used: u32, away: bool },
    /// A window for secret decisions has lasted its full time.
    SecretWindow,
}

#[derive(Clone, Debug)]
pub(crate) struct Clocks {
    seats: Box<[SeatClock]>,
    /// Opening time of the current window of constant length.
    window_opened: Option<Moment>,
    /// Seats count as absent only from this moment on.
    reconnect_deadline: Moment,
    /// The next deadline, cached at the last change: its readers use nothing else of the clocks, which would
    /// have to be fetched into the cache.
    next_due: Option<Moment>,
}

impl Clocks {
    /// Clocks of a newly loaded or created table. Seats count as absent only from `reconnect_deadline` on.
    pub(crate) fn new(players: u8, reconnect_deadline: Moment) -> Clocks {
        Clocks {
            seats: vec![SeatClock::default(); players.into()].into(),
            window_opened: None,
            reconnect_deadline,
            next_due: None,
        }
    }

    /// Updates the clocks after a change of the table: stops those of decisions that are over. Those of new decisions
    /// wait for [`Clocks::start_prompted`].
    pub(crate) fn sync(&mut self, table: &Table, now: Moment) {
        for seat in Seat::all(table.players()) {
            let state = &table.seats()[seat.index()];
            let asked = state.open.filter(|_| !matches!(state.holder, Holder::House { .. }));
            self.sync_public_clock(table, seat, asked, now);
            let clock = &mut self.seats[seat.index()];
            if clock.decision != asked {
                self.stop_clock(seat, now);
                let clock = &mut self.seats[seat.index()];
                clock.decision = asked;
                clock.used = Duration::ZERO;
                clock.is_secret = asked.is_some() && table.is_secret(seat);
                clock.mode = if asked.is_some() { ClockMode::Unprompted } else { ClockMode::Off };
            }
        }
        self.window_opened = self.window_opened.filter(|_| table.window_is_held());
        self.next_due = self.compute_next_due(table);
    }

    /// Updates the public clock of a seat, before its own clock. `asked` is the decision that is open now.
    fn sync_public_clock(&mut self, table: &Table, seat: Seat, asked: Option<DecisionId>, now: Moment) {
        let state = &table.seats()[seat.index()];
        let clock = &mut self.seats[seat.index()];
        if clock.public.is_none() && table.is_timed() && table.hides_starts_of_turns() {
            clock.public = Some(Box::new(PublicClock::new(state.bank, state.grace, clock.connected)));
        }
        if let Some(public) = &mut clock.public {
            let has_decided = clock.decision.is_some() && clock.decision != asked && !clock.is_secret;
            public.sync(table.waits_for(seat), has_decided, table.setup().time.decision, now);
        }
    }

    /// Starts the clocks of the new decisions: their prompts are durable and queued now.
    pub(crate) fn start_prompted(&mut self, table: &Table, now: Moment) {
        for seat in Seat::all(table.players()) {
            if self.seats[seat.index()].mode == ClockMode::Unprompted {
                self.start_clock(table, seat, now);
            }
            let absent_from = self.reconnect_deadline.max(now);
            if let Some(public) = &mut self.seats[seat.index()].public {
                public.start_prompted(absent_from, now);
            }
        }
        self.window_opened = self.window_opened.or(table.window_is_held().then_some(now));
        self.next_due = self.compute_next_due(table);
    }

    /// Restarts all running clocks with their full time, after the table was blocked for a while.
    pub(crate) fn restart(&mut self, table: &Table, now: Moment) {
        for clock in &mut self.seats {
            (clock.decision, clock.mode) = (None, ClockMode::Off);
            clock.public.iter_mut().for_each(|public| public.reset());
        }
        self.window_opened = None;
        self.sync(table, now);
        self.start_prompted(table, now);
    }

    /// Sets the presence of a player, who came or went at `since`. Returns whether it changed.
    pub(crate) fn set_connected(
        &mut self,
        table: &Table,
        seat: Seat,
        connected: bool,
        since: Moment,
        now: Moment,
    ) -> bool {
        let clock = &mut self.seats[seat.index()];
        if clock.connected == connected {
            return false;
        }
        clock.connected = connected;
        let absent_from = self.reconnect_deadline.max(now);
        clock.public.iter_mut().for_each(|public| public.set_connected(connected, absent_from, since, now));
        if self.has_started(seat) {
            self.stop_clock(seat, since);
            self.start_clock(table, seat, now);
            self.next_due = self.compute_next_due(table);
        }
        true
    }

    /// Returns whether the prompt of the seat's open decision is durable.
    pub(crate) fn is_prompted(&self, seat: Seat) -> bool {
        self.seats[seat.index()].mode != ClockMode::Unprompted
    }

    /// Returns whether the clock of a seat has started for its open decision.
    fn has_started(&self, seat: Seat) -> bool {
        matches!(self.seats[seat.index()].mode, ClockMode::Running { .. } | ClockMode::Away { .. })
    }

    pub(crate) fn is_connected(&self, seat: Seat) -> bool {
        self.seats[seat.index()].connected
    }

    /// Starts the clock of a seat, paused while its player is absent and has grace time left.
    fn start_clock(&mut self, table: &Table, seat: Seat, now: Moment) {
        let absent_from = self.reconnect_deadline.max(now);
        let is_paused = !table.is_secret(seat) && self.would_pause(table, seat, now);
        self.seats[seat.index()].mode = if is_paused {
            ClockMode::Away { since: absent_from }
        } else {
            ClockMode::Running { since: now }
        };
    }

    /// Returns whether the clock of a seat pauses: its player is absent, and has grace time left or cannot count as absent
    /// yet.
    fn would_pause(&self, table: &Table, seat: Seat, now: Moment) -> bool {
        let is_excused = self.grace(table, seat) > Duration::ZERO || now < self.reconnect_deadline;
        table.is_timed() && !self.seats[seat.index()].connected && is_excused
    }

    /// Stops the clock of a seat and adds the elapsed time to its total.
    fn stop_clock(&mut self, seat: Seat, now: Moment) {
        let clock = &mut self.seats[seat.index()];
        match std::mem::take(&mut clock.mode) {
            ClockMode::Off | ClockMode::Unprompted => {}
            ClockMode::Running { since } => clock.used += now.since(since),
            ClockMode::Away { since } => clock.unlogged_away += now.since(since),
        }
    }

    /// Remaining grace time of a seat, without the part running now.
    fn grace(&self, table: &Table, seat: Seat) -> Duration {
        let logged = Duration::from_millis(table.seats()[seat.index()].grace.into());
        logged.saturating_sub(self.seats[seat.index()].unlogged_away)
    }

    /// Remaining grace time of a seat in milliseconds, as everyone may see it.
    pub(crate) fn grace_left(&self, table: &Table, seat: Seat, now: Moment) -> u32 {
        if let Some(public) = &self.seats[seat.index()].public {
            return public.grace_left(now);
        }
        let running = match self.seats[seat.index()].mode {
            ClockMode::Away { since } => now.since(since),
            ClockMode::Off | ClockMode::Unprompted | ClockMode::Running { .. } => Duration::ZERO,
        };
        saturating_ms(self.grace(table, seat).saturating_sub(running))
    }

    /// Log entries for the grace time used up and not yet logged.
    pub(crate) fn away_entries(&mut self, table: &Table, now: Moment) -> Vec<Entry> {
        let mut entries = Vec::new();
        for seat in Seat::all(table.players()) {
            let clock = &mut self.seats[seat.index()];
            if let ClockMode::Away { since } = &mut clock.mode {
                clock.unlogged_away += now.since(*since);
                *since = now.max(*since);
            }
            let used = saturating_ms(clock.unlogged_away);
            if used > 0 {
                clock.unlogged_away -= Duration::from_millis(used.into());
                entries.push(Entry::WasAway { seat, used });
            }
        }
        entries
    }

    /// Time used by the open decision of a seat.
    pub(crate) fn used_time(&self, seat: Seat, now: Moment) -> Duration {
        let clock = &self.seats[seat.index()];
        match clock.mode {
            ClockMode::Running { since } => clock.used + now.since(since),
            ClockMode::Off | ClockMode::Unprompted | ClockMode::Away { .. } => clock.used,
        }
    }

    /// Time used by the open decision of a seat, in milliseconds.
    pub(crate) fn used_ms(&self, seat: Seat, now: Moment) -> u32 {
        saturating_ms(self.used_time(seat, now))
    }

    /// Time limit of a seat's open decision, bank included; `None` if unlimited.
    fn time_limit(table: &Table, seat: Seat) -> Option<Duration> {
        let time = &table.setup().time;
        let ms = if table.is_secret(seat) {
            // A held window has its own end.
            return (!table.window_is_held()).then(|| Duration::from_millis(time.secret.into()));
        } else if time.decision > 0 {
            u64::from(time.decision) + u64::from(table.seats()[seat.index()].bank)
        } else {
            return None;
        };
        Some(Duration::from_millis(ms))
    }

    /// The next deadline.
    pub(crate) fn next_due(&self) -> Option<Moment> {
        self.next_due
    }

    fn compute_next_due(&self, table: &Table) -> Option<Moment> {
        let seats = Seat::all(table.players()).filter_map(|seat| {
            let clock = &self.seats[seat.index()];
            match clock.mode {
                ClockMode::Off | ClockMode::Unprompted => None,
                ClockMode::Running { since } => {
                    Clocks::time_limit(table, seat).map(|limit| since + limit.saturating_sub(clock.used))
                }
                ClockMode::Away { since } => Some(since + self.grace(table, seat)),
            }
        });
        seats.chain(self.window_end(table)).min()
    }

    fn window_end(&self, table: &Table) -> Option<Moment> {
        let length = Duration::from_millis(table.setup().time.secret.into());
        self.window_opened.map(|since| since + length)
    }

    /// Takes a deadline that has passed, if there is one. Starts the clock of a seat whose grace time is used
    /// up.
    pub(crate) fn take_due(&mut self, table: &Table, now: Moment) -> Option<DueTimer> {
        let due = self.find_due(table, now);
        self.next_due = self.compute_next_due(table);
        due
    }

    fn find_due(&mut self, table: &Table, now: Moment) -> Option<DueTimer> {
        for seat in Seat::all(table.players()) {
            let grace_end = match self.seats[seat.index()].mode {
                ClockMode::Away { since } => Some(since + self.grace(table, seat)),
                ClockMode::Off | ClockMode::Unprompted | ClockMode::Running { .. } => None,
            };
            if let Some(end) = grace_end.filter(|end| *end <= now) {
                self.stop_clock(seat, end);
                self.seats[seat.index()].mode = ClockMode::Running { since: end };
            }
            let clock = &self.seats[seat.index()];
            let Some(decision) = clock.decision else { continue };
            let has_run_out = Clocks::time_limit(table, seat)
                .is_some_and(|limit| self.has_started(seat) && self.used_time(seat, now) >= limit);
            if has_run_out {
                let away = !clock.connected;
                return Some(DueTimer::Seat { seat, decision, used: self.used_ms(seat, now), away });
            }
        }
        self.window_end(table).filter(|end| *end <= now)?;
        // The next window may open as this one ends, and lasts its own time.
        self.window_opened = None;
        Some(DueTimer::SecretWindow)
    }

    /// Time left for the open decision of a seat, on the decision clock and in the bank.
    pub(crate) fn time_left(&self, table: &Table, seat: Seat, now: Moment) -> Option<SeatTime> {
        self.seats[seat.index()].decision?;
        if table.is_secret(seat) {
            let used = self
                .window_opened
                .map_or_else(|| self.used_ms(seat, now), |since| saturating_ms(now.since(since)));
            let decision = table.setup().time.secret.saturating_sub(used);
            return Some(SeatTime { seat, decision, bank: 0, running: self.is_running(seat) });
        }
        table.is_timed().then(|| self.public_time_left(table, seat, now, self.is_running(seat)))
    }

    fn is_running(&self, seat: Seat) -> bool {
        matches!(self.seats[seat.index()].mode, ClockMode::Running { .. })
    }

    fn public_time_left(&self, table: &Table, seat: Seat, now: Moment, running: bool) -> SeatTime {
        let time = &table.setup().time;
        let used = self.used_ms(seat, now);
        SeatTime {
            seat,
            decision: time.decision.saturating_sub(used),
            bank: table.seats()[seat.index()].bank.saturating_sub(used.saturating_sub(time.decision)),
            running,
        }
    }

    /// Time left of every seat that the table publicly waits for. It does not depend on secret decisions.
    pub(crate) fn all_times_left(&self, table: &Table, now: Moment) -> Option<Vec<SeatTime>> {
        if !table.is_timed() {
            return None;
        }
        let visible = Seat::all(table.players()).filter(|seat| table.waits_for(*seat));
        let left: Vec<SeatTime> = visible
            .map(|seat| {
                if let Some(public) = &self.seats[seat.index()].public {
                    return public.time_left(seat, table.setup().time.decision, now);
                }
                let is_running = match self.has_started(seat) {
                    true => self.is_running(seat),
                    false => !self.would_pause(table, seat, now),
                };
                self.public_time_left(table, seat, now, is_running)
            })
            .collect();
        (!left.is_empty()).then_some(left)
    }
}

pub(super) fn saturating_ms(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}
