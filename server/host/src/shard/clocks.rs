//! The clocks of one table: who is being waited for, how long that has taken, and when it has taken too long.
//!
//! Nothing here is stored. The log has times that were used up; what runs right now is counted here, and begins anew
//! when a table comes into memory, so that a restart charges nobody.

use std::time::Duration;

use parlor_engine::Seat;

use crate::SeatTime;
use crate::clock::Moment;
use crate::table::{DecisionId, Entry, Holder, Table};

/// What a clock does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Mode {
    /// The seat is not asked, or it is a house bot's.
    #[default]
    Off,
    /// It runs.
    Running { since: Moment },
    /// It stands still, because nobody is connected, and the grace is used up instead. The moment may lie ahead: after
    /// a start, everyone has a while to come back.
    Away { since: Moment },
}

#[derive(Clone, Copy, Debug, Default)]
struct SeatClock {
    /// The decision it is about.
    decision: Option<DecisionId>,
    mode: Mode,
    /// What the decision has used up before the mode began.
    used: Duration,
    /// What has been used up of the grace and is not in the log yet.
    away: Duration,
    connected: bool,
}

/// What a clock demands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Due {
    /// The time of a seat has run out.
    Seat { seat: Seat, decision: DecisionId, used: u32, away: bool },
    /// A moment at which somebody may be asked in secret has lasted its time.
    Window,
}

/// The clocks of one table.
#[derive(Clone, Debug)]
pub(crate) struct Clocks {
    seats: Box<[SeatClock]>,
    /// Since when a window of constant length is open.
    window: Option<Moment>,
    /// Before this moment nobody counts as away.
    away_from: Moment,
    /// When something is due next, as was found when something last changed: whoever asks for it has nothing else to do with
    /// the clocks, and they would have to be fetched from afar.
    next: Option<Moment>,
}

impl Clocks {
    /// The clocks of a table that comes into memory, for so many players. Before the given moment nobody counts as away.
    pub(crate) fn new(players: u8, away_from: Moment) -> Clocks {
        Clocks {
            seats: vec![SeatClock::default(); players.into()].into(),
            window: None,
            away_from,
            next: None,
        }
    }

    /// Brings the clocks in line with the table after something happened to it.
    pub(crate) fn align(&mut self, table: &Table, now: Moment) {
        for seat in Seat::all(table.players()) {
            let state = &table.seats()[seat.index()];
            let asked = state.open.filter(|_| !matches!(state.holder, Holder::House { .. }));
            let clock = &mut self.seats[seat.index()];
            if clock.decision != asked {
                self.stop(seat, now);
                let clock = &mut self.seats[seat.index()];
                clock.decision = asked;
                clock.used = Duration::ZERO;
                if asked.is_some() {
                    self.begin(table, seat, now);
                }
            }
        }
        self.window = match (table.window_is_held(), self.window) {
            (true, None) => Some(now),
            (true, since) => since,
            (false, _) => None,
        };
        self.next = self.find_next(table);
    }

    /// All that runs begins again with its full time: after the table could not go on for a while.
    pub(crate) fn restart(&mut self, table: &Table, now: Moment) {
        for clock in &mut self.seats {
            (clock.decision, clock.mode) = (None, Mode::Off);
        }
        self.window = None;
        self.align(table, now);
    }

    /// A player came or went. AgentProfile whether that is news.
    pub(crate) fn connect(&mut self, table: &Table, seat: Seat, connected: bool, now: Moment) -> bool {
        let clock = &mut self.seats[seat.index()];
        if clock.connected == connected {
            return false;
        }
        clock.connected = connected;
        if clock.mode != Mode::Off {
            self.stop(seat, now);
            self.begin(table, seat, now);
            self.next = self.find_next(table);
        }
        true
    }

    /// Whether any client of the seat is connected.
    pub(crate) fn is_connected(&self, seat: Seat) -> bool {
        self.seats[seat.index()].connected
    }

    /// Lets the clock of a seat run or, while nobody is there and there is grace left, stand still.
    fn begin(&mut self, table: &Table, seat: Seat, now: Moment) {
        let away_from = self.away_from.max(now);
        let stands_still = !table.is_secret(seat) && self.would_stand_still(table, seat);
        self.seats[seat.index()].mode =
            if stands_still { Mode::Away { since: away_from } } else { Mode::Running { since: now } };
    }

    /// Whether the clock of a seat stands still for now: nobody is there, and there is grace left.
    fn would_stand_still(&self, table: &Table, seat: Seat) -> bool {
        table.is_timed() && !self.seats[seat.index()].connected && self.grace(table, seat) > Duration::ZERO
    }

    /// Counts what has run until now.
    fn stop(&mut self, seat: Seat, now: Moment) {
        let clock = &mut self.seats[seat.index()];
        match std::mem::take(&mut clock.mode) {
            Mode::Off => {}
            Mode::Running { since } => clock.used += now.since(since),
            Mode::Away { since } => clock.away += now.since(since),
        }
    }

    /// What is left of the grace of a seat, but for what is running.
    fn grace(&self, table: &Table, seat: Seat) -> Duration {
        let logged = Duration::from_millis(table.seats()[seat.index()].grace.into());
        logged.saturating_sub(self.seats[seat.index()].away)
    }

    /// What is left of the grace of a seat now.
    pub(crate) fn grace_left(&self, table: &Table, seat: Seat, now: Moment) -> u32 {
        let running = match self.seats[seat.index()].mode {
            Mode::Away { since } => now.since(since),
            Mode::Off | Mode::Running { .. } => Duration::ZERO,
        };
        in_ms(self.grace(table, seat).saturating_sub(running))
    }

    /// The entries for what was used up of anybody's grace and is not in the log yet.
    pub(crate) fn away_entries(&mut self, table: &Table, now: Moment) -> Vec<Entry> {
        let mut entries = Vec::new();
        for seat in Seat::all(table.players()) {
            let clock = &mut self.seats[seat.index()];
            if let Mode::Away { since } = &mut clock.mode {
                clock.away += now.since(*since);
                *since = now.max(*since);
            }
            let used = in_ms(clock.away);
            if used > 0 {
                clock.away -= Duration::from_millis(used.into());
                entries.push(Entry::WasAway { seat, used });
            }
        }
        entries
    }

    /// How long the open decision of a seat has taken.
    pub(crate) fn used_time(&self, seat: Seat, now: Moment) -> Duration {
        let clock = &self.seats[seat.index()];
        match clock.mode {
            Mode::Running { since } => clock.used + now.since(since),
            Mode::Off | Mode::Away { .. } => clock.used,
        }
    }

    /// How long the open decision of a seat has taken, in milliseconds.
    pub(crate) fn used(&self, seat: Seat, now: Moment) -> u32 {
        in_ms(self.used_time(seat, now))
    }

    /// How much time a seat has for its open decision, bank included; none without a limit.
    fn allowed(table: &Table, seat: Seat) -> Option<Duration> {
        let time = &table.setup().time;
        let ms = if table.is_secret(seat) {
            // The window as a whole has its own end.
            return (!table.window_is_held()).then(|| Duration::from_millis(time.secret.into()));
        } else if time.decision > 0 {
            u64::from(time.decision) + u64::from(table.seats()[seat.index()].bank)
        } else {
            return None;
        };
        Some(Duration::from_millis(ms))
    }

    /// When something is due next.
    pub(crate) fn next(&self) -> Option<Moment> {
        self.next
    }

    fn find_next(&self, table: &Table) -> Option<Moment> {
        let seats = Seat::all(table.players()).filter_map(|seat| {
            let clock = &self.seats[seat.index()];
            match clock.mode {
                Mode::Off => None,
                Mode::Running { since } => {
                    Clocks::allowed(table, seat).map(|allowed| since + allowed.saturating_sub(clock.used))
                }
                Mode::Away { since } => Some(since + self.grace(table, seat)),
            }
        });
        seats.chain(self.window_end(table)).min()
    }

    fn window_end(&self, table: &Table) -> Option<Moment> {
        let lasts = Duration::from_millis(table.setup().time.secret.into());
        self.window.map(|since| since + lasts)
    }

    /// What is due now, if anything is. Lets the clock of a seat run when its grace has been used up.
    pub(crate) fn due(&mut self, table: &Table, now: Moment) -> Option<Due> {
        let due = self.find_due(table, now);
        self.next = self.find_next(table);
        due
    }

    fn find_due(&mut self, table: &Table, now: Moment) -> Option<Due> {
        for seat in Seat::all(table.players()) {
            let grace_ends = match self.seats[seat.index()].mode {
                Mode::Away { since } => Some(since + self.grace(table, seat)),
                Mode::Off | Mode::Running { .. } => None,
            };
            if let Some(end) = grace_ends.filter(|end| *end <= now) {
                self.stop(seat, end);
                self.seats[seat.index()].mode = Mode::Running { since: end };
            }
            let clock = &self.seats[seat.index()];
            let Some(decision) = clock.decision else { continue };
            let has_run_out = Clocks::allowed(table, seat)
                .is_some_and(|allowed| clock.mode != Mode::Off && self.used_time(seat, now) >= allowed);
            if has_run_out {
                let away = !clock.connected;
                return Some(Due::Seat { seat, decision, used: self.used(seat, now), away });
            }
        }
        self.window_end(table).filter(|end| *end <= now)?;
        // Another one may open as this one ends: it lasts its own time.
        self.window = None;
        Some(Due::Window)
    }

    /// How much time a seat has left for its open decision: of the decision's own, and of the bank.
    pub(crate) fn left(&self, table: &Table, seat: Seat, now: Moment) -> Option<SeatTime> {
        self.seats[seat.index()].decision?;
        if table.is_secret(seat) {
            let used = self.window.map_or_else(|| self.used(seat, now), |since| in_ms(now.since(since)));
            let decision = table.setup().time.secret.saturating_sub(used);
            return Some(SeatTime { seat, decision, bank: 0, running: self.is_running(seat) });
        }
        table.is_timed().then(|| self.open_left(table, seat, now, self.is_running(seat)))
    }

    fn is_running(&self, seat: Seat) -> bool {
        matches!(self.seats[seat.index()].mode, Mode::Running { .. })
    }

    fn open_left(&self, table: &Table, seat: Seat, now: Moment, running: bool) -> SeatTime {
        let time = &table.setup().time;
        let used = self.used(seat, now);
        SeatTime {
            seat,
            decision: time.decision.saturating_sub(used),
            bank: table.seats()[seat.index()].bank.saturating_sub(used.saturating_sub(time.decision)),
            running,
        }
    }

    /// How much time is left, of every seat that everybody may see the table wait for. While others are asked in secret,
    /// a clock that has not begun to run is shown as if it had: nobody is to see why it has not.
    pub(crate) fn all_left(&self, table: &Table, now: Moment) -> Option<Vec<SeatTime>> {
        if !table.is_timed() {
            return None;
        }
        let seen = Seat::all(table.players()).filter(|seat| table.waits_for(*seat));
        let left: Vec<SeatTime> = seen
            .map(|seat| {
                let has_begun = self.seats[seat.index()].decision.is_some();
                let runs =
                    if has_begun { self.is_running(seat) } else { !self.would_stand_still(table, seat) };
                self.open_left(table, seat, now, runs)
            })
            .collect();
        (!left.is_empty()).then_some(left)
    }
}

fn in_ms(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}
