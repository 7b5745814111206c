//! State of a viewer: the fold of all messages.

use std::time::Duration;

use parlor_engine::{
    AnyAction, AnyEvent, AnyView, GameId, Lang, Localise, MAX_SEATS, Seat, Seats, Standing, Viewer,
};
use parlor_proto::table_text::{DecidedText, SeatResultText, TableEndText, TableEventText};

use super::{
    Decided, DecidedBy, Decision, SeatInfo, SeatNames, SeatScore, SeatTime, Snapshot, TableEvent, TableInfo,
    TableMessage, TableResult, TimeLeft, Update,
};
use crate::lang::words;

/// A log line and its kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogEntry {
    /// Kind.
    pub kind: LogEntryKind,
    /// Text.
    pub text: String,
}

/// Kind of a log line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogEntryKind {
    /// Game event.
    Game,
    /// Table event: presence, clocks, end.
    Table,
    /// Warning for the viewer.
    Warning,
}

/// State of a table as known to one viewer.
#[derive(Clone, Debug)]
pub struct ViewerState {
    /// Language of the log.
    pub lang: Lang,
    /// Viewer.
    pub viewer: Viewer,
    /// Table; `None` before the first snapshot.
    pub table: Option<TableInfo>,
    /// View of the game; `None` before it starts.
    pub view: Option<AnyView>,
    /// Open decision.
    pub decision: Option<Decision>,
    /// Index of the answer that was sent and not yet confirmed.
    pub sent: Option<u32>,
    /// Set while the viewer is connected.
    pub connected: bool,
    /// Set once the stream has ended.
    pub closed: bool,
    clocks: [Option<SeatTime>; MAX_SEATS],
    away: Seats,
}

impl ViewerState {
    /// Empty state.
    #[must_use]
    pub fn new(lang: Lang) -> ViewerState {
        ViewerState {
            lang,
            viewer: Viewer::Spectator,
            table: None,
            view: None,
            decision: None,
            sent: None,
            connected: true,
            closed: false,
            clocks: [None; MAX_SEATS],
            away: Seats::NONE,
        }
    }

    /// Game, once known.
    #[must_use]
    pub fn game(&self) -> Option<GameId> {
        self.table.as_ref().map(|table| table.game)
    }

    /// Result, once the table is over.
    #[must_use]
    pub fn result(&self) -> Option<&TableResult> {
        self.table.as_ref()?.result.as_ref()
    }

    /// Reports whether a seat's player is disconnected.
    #[must_use]
    pub fn is_away(&self, seat: Seat) -> bool {
        self.away.contains(seat)
    }

    /// Time left of a seat, as far as the viewer may know: of others the public clock, of the own seat also
    /// that of a secret decision.
    #[must_use]
    pub fn time_left(&self, seat: Seat) -> Option<TimeLeft> {
        let own = self.decision.as_ref().filter(|_| self.viewer.is(seat)).and_then(|asked| asked.time_left);
        own.or_else(|| self.clocks[seat.index()].map(|clock| clock.left))
    }

    /// Display name of a seat.
    #[must_use]
    pub fn name(&self, seat: Seat) -> String {
        self.table.as_ref().map_or_else(
            || seat.in_lang(self.lang).to_string(),
            |table| table.name(seat, self.viewer, self.lang),
        )
    }

    /// Reports whether the player of a seat has a name.
    pub(crate) fn has_name(&self, seat: Seat) -> bool {
        let info = self.table.as_ref().and_then(|table| table.seats.get(seat.index()));
        info.is_some_and(|info| !info.occupant.name().is_empty())
    }

    /// Names of the players in sentences.
    #[must_use]
    pub fn names(&self) -> SeatNames {
        self.table.as_ref().map(|table| table.names(self.viewer, self.lang)).unwrap_or_default()
    }

    /// Text of a value for the viewer, with the names of the players.
    #[must_use]
    pub fn text(&self, value: &impl Localise) -> String {
        self.names().render(&value.rich_text(self.lang, self.viewer))
    }

    /// Result of a seat, as a sentence.
    #[must_use]
    pub fn result_text(&self, score: &SeatScore) -> String {
        let place = u8::try_from(score.place).unwrap_or(u8::MAX);
        let standing = Standing { seat: score.seat, points: score.points, place };
        let mut text = self.text(&SeatResultText { standing, finish: score.finish });
        let mut add = |sentence: String| text.push_str(&format!(" {sentence}"));
        if score.clocks_run_out > 0 {
            add(words::clocks_run_out(score.clocks_run_out, self.lang));
        }
        if score.away_ms > 0 {
            add(words::time_away(score.away_ms, self.lang));
        }
        text
    }

    /// Legal actions of the open decision; empty without one.
    #[must_use]
    pub fn legal(&self) -> &[AnyAction] {
        self.decision.as_ref().map_or(&[], |asked| &asked.legal)
    }

    /// Advances the running clocks.
    pub fn advance_time(&mut self, elapsed: Duration) {
        for clock in self.clocks.iter_mut().flatten().filter(|clock| clock.running) {
            clock.left.advance(elapsed);
        }
        if let Some(left) = self.decision.as_mut().and_then(|asked| asked.time_left.as_mut()) {
            left.advance(elapsed);
        }
    }

    /// Applies a message, and returns the resulting log entries.
    pub fn apply(&mut self, message: TableMessage) -> Vec<LogEntry> {
        match message {
            TableMessage::Snapshot(snapshot) => {
                self.apply_snapshot(*snapshot);
                Vec::new()
            }
            TableMessage::Update(update) => self.apply_update(*update),
            TableMessage::History(updates) => {
                updates.iter().flat_map(|update| self.past_entries(update)).collect()
            }
            TableMessage::Decision(decision) => {
                self.apply_decision(*decision);
                Vec::new()
            }
            TableMessage::Refused { decision, why, still_open } => {
                if self.decision.as_ref().is_some_and(|asked| asked.id == decision) {
                    self.sent = None;
                    if !still_open {
                        self.decision = None;
                    }
                }
                vec![LogEntry { kind: LogEntryKind::Warning, text: why.get(self.lang).to_owned() }]
            }
            TableMessage::Presence { seat, connected } => self.apply_presence(seat, connected),
            TableMessage::TimeLeft(times) => {
                self.set_clocks(times);
                Vec::new()
            }
            TableMessage::Connection(connected) => {
                self.connected = connected;
                Vec::new()
            }
            TableMessage::Closed(why) => {
                self.closed = true;
                self.decision = None;
                why.into_iter().map(|text| LogEntry { kind: LogEntryKind::Warning, text }).collect()
            }
        }
    }

    fn apply_snapshot(&mut self, snapshot: Snapshot) {
        let Snapshot { viewer, table, view, presence, time_left } = snapshot;
        // Decisions are sent once, so an open one survives a snapshot. If it was decided in a lost update, an
        // answer to it is refused, which closes it.
        if table.result.is_some() {
            self.decision = None;
        }
        self.viewer = viewer;
        self.table = Some(table);
        self.view = view;
        self.sent = None;
        self.connected = true;
        // The viewer is connected, even if the snapshot was taken just before the server noticed.
        let is_away = |(seat, connected): &&(Seat, bool)| !connected && !viewer.is(*seat);
        self.away = presence.iter().filter(is_away).map(|(seat, _)| *seat).collect();
        self.set_clocks(time_left);
    }

    fn apply_decision(&mut self, decision: Decision) {
        if let Some(view) = &decision.view {
            self.view = Some(view.clone());
        }
        // A decision that is sent again is undecided: the answer on its way was lost, or will be confirmed
        // first.
        self.sent = None;
        self.decision = Some(decision);
    }

    fn set_clocks(&mut self, times: Vec<SeatTime>) {
        self.clocks = [None; MAX_SEATS];
        for time in times {
            let own = self.decision.as_mut().filter(|asked| self.viewer.is(time.seat) && !asked.secret);
            if let Some(left) = own.and_then(|asked| asked.time_left.as_mut()) {
                *left = time.left;
            }
            self.clocks[time.seat.index()] = Some(time);
        }
    }

    fn apply_presence(&mut self, seat: Seat, connected: bool) -> Vec<LogEntry> {
        let was_away = self.away.contains(seat);
        self.away = if connected { self.away.without(seat) } else { self.away.with(seat) };
        if was_away != connected || self.viewer.is(seat) {
            return Vec::new();
        }
        vec![self.table_entry(words::presence(&self.text(&seat), connected, self.lang))]
    }

    fn table_entry(&self, text: String) -> LogEntry {
        LogEntry { kind: LogEntryKind::Table, text }
    }

    fn apply_update(&mut self, update: Update) -> Vec<LogEntry> {
        let Update { table_events, decided, events, view, .. } = update;
        let mut entries = Vec::new();
        if let Some(decided) = decided {
            entries.extend(self.decided_entry(&decided));
            if self.decision.as_ref().is_some_and(|asked| asked.id <= decided.decision) {
                self.decision = None;
                self.sent = None;
            }
        }
        let (after, before): (Vec<_>, Vec<_>) = table_events.into_iter().partition(is_logged_last);
        for event in before {
            entries.extend(self.table_event_entry(&event));
            self.apply_table_event(event);
        }
        entries.extend(self.game_entries(&events));
        match (view, &mut self.view) {
            (Some(view), known) => *known = Some(view),
            (None, Some(known)) => events.iter().for_each(|event| known.apply_event(event)),
            (None, None) => {}
        }
        for event in after {
            entries.extend(self.table_event_entry(&event));
            self.apply_table_event(event);
        }
        entries
    }

    /// Log entries of an update that the state contains already.
    fn past_entries(&self, update: &Update) -> Vec<LogEntry> {
        let mut entries: Vec<LogEntry> =
            update.decided.iter().filter_map(|decided| self.decided_entry(decided)).collect();
        let (after, before): (Vec<_>, Vec<_>) =
            update.table_events.iter().partition(|event| is_logged_last(event));
        entries.extend(before.into_iter().filter_map(|event| self.table_event_entry(event)));
        entries.extend(self.game_entries(&update.events));
        entries.extend(after.into_iter().filter_map(|event| self.table_event_entry(event)));
        entries
    }

    fn game_entries<'a>(&'a self, events: &'a [AnyEvent]) -> impl Iterator<Item = LogEntry> + 'a {
        events.iter().map(|event| LogEntry { kind: LogEntryKind::Game, text: self.text(event) })
    }

    /// A decision of the viewer that somebody else made.
    fn decided_entry(&self, decided: &Decided) -> Option<LogEntry> {
        let text = DecidedText { action: decided.action, by: decided.by.into() };
        (decided.by != DecidedBy::Player).then(|| self.table_entry(self.text(&text)))
    }

    /// Log entry of a table event. That the viewer sat down is no news to the viewer.
    fn table_event_entry(&self, event: &TableEvent) -> Option<LogEntry> {
        let text = match event {
            TableEvent::Joined(seat, _) if self.viewer.is(*seat) => return None,
            TableEvent::Joined(seat, info) => {
                TableEventText::SeatJoined { seat: *seat, name: info.occupant.name() }
            }
            TableEvent::Starting => TableEventText::Starting,
            TableEvent::Started => TableEventText::Started,
            TableEvent::ClockRanOut(seat) => TableEventText::ClockRanOut { seat: *seat },
            TableEvent::Forfeited(seat, why) => TableEventText::SeatForfeited { seat: *seat, why: *why },
            TableEvent::Replaced(seat, info) => {
                TableEventText::SeatReplaced { seat: *seat, bot: info.occupant.name() }
            }
            TableEvent::Over(result) => {
                TableEventText::Over(TableEndText { reason: result.reason, note: &result.note })
            }
            TableEvent::Rematch(id) => TableEventText::Rematch { table_id: id.clone() },
        };
        Some(self.table_entry(self.text(&text)))
    }

    fn apply_table_event(&mut self, event: TableEvent) {
        match event {
            TableEvent::Joined(seat, info) => self.set_seat(seat, info),
            TableEvent::Forfeited(seat, why) => {
                if let Some(info) = self.table.as_mut().and_then(|table| table.seats.get_mut(seat.index())) {
                    info.forfeited = Some(why);
                }
            }
            TableEvent::Replaced(seat, info) => {
                self.set_seat(seat, info);
                self.away = self.away.without(seat);
            }
            TableEvent::Over(result) => {
                self.decision = None;
                self.clocks = [None; MAX_SEATS];
                if let Some(table) = &mut self.table {
                    table.result = Some(result);
                }
            }
            TableEvent::Starting
            | TableEvent::Started
            | TableEvent::ClockRanOut(_)
            | TableEvent::Rematch(_) => {}
        }
    }

    fn set_seat(&mut self, seat: Seat, info: SeatInfo) {
        if let Some(slot) = self.table.as_mut().and_then(|table| table.seats.get_mut(seat.index())) {
            *slot = info;
        }
    }
}

/// The end is logged after the moves that led to it; other events of the table before the moves that follow from them.
fn is_logged_last(event: &TableEvent) -> bool {
    matches!(event, TableEvent::Over(_) | TableEvent::Rematch(_))
}
