//! Everything that a viewer knows at one moment: what came in, added up.

use std::time::Duration;

use parlor_engine::{AnyAction, AnyView, GameId, Lang, MAX_SEATS, Say, Seat, Seats, Viewer};

use super::{
    Decided, DecidedBy, Decision, Happening, Incoming, SeatInfo, SeatTime, Snapshot, TableInfo, TableResult,
    TimeLeft, Update,
};
use crate::lang::words;

/// What is worth a line, and of which kind it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The kind.
    pub kind: Kind,
    /// The line.
    pub text: String,
}

/// What a line is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A move, or what came of it.
    Game,
    /// Something beside the game: who comes and goes, clocks, the end.
    Table,
    /// Something went wrong for the viewer.
    Warning,
}

/// What one viewer knows of a table.
#[derive(Clone, Debug)]
pub struct Situation {
    /// The language of the lines.
    pub lang: Lang,
    /// Who looks.
    pub viewer: Viewer,
    /// The table; nothing before the first snapshot.
    pub table: Option<TableInfo>,
    /// All that the viewer knows of the game; nothing before it has begun.
    pub view: Option<AnyView>,
    /// What the viewer is asked.
    pub decision: Option<Decision>,
    /// The answer that was sent and has not come back yet, as an index.
    pub sent: Option<u32>,
    /// Whether the viewer is connected.
    pub connected: bool,
    /// Whether nothing more will come.
    pub closed: bool,
    clocks: [Option<SeatTime>; MAX_SEATS],
    away: Seats,
}

impl Situation {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(lang: Lang) -> Situation {
        Situation {
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

    /// Which game is played, once that is known.
    #[must_use]
    pub fn game(&self) -> Option<GameId> {
        self.table.as_ref().map(|table| table.game)
    }

    /// How the table ended, once it is over.
    #[must_use]
    pub fn result(&self) -> Option<&TableResult> {
        self.table.as_ref()?.result.as_ref()
    }

    /// Whether a seat's player is not connected.
    #[must_use]
    pub fn is_away(&self, seat: Seat) -> bool {
        self.away.contains(seat)
    }

    /// How much time a seat has left, as far as the viewer may know: of others only what everyone sees, and of the
    /// viewer's own seat also that of a secret decision.
    #[must_use]
    pub fn time_of(&self, seat: Seat) -> Option<TimeLeft> {
        let own = self.decision.as_ref().filter(|_| self.viewer.is(seat)).and_then(|asked| asked.time_left);
        own.or_else(|| self.clocks[seat.index()].map(|clock| clock.left))
    }

    /// The name that a seat goes by.
    #[must_use]
    pub fn name(&self, seat: Seat) -> String {
        self.table
            .as_ref()
            .map_or_else(|| seat.in_lang(self.lang).to_string(), |table| table.name(seat, self.lang))
    }

    /// The actions that can be chosen; none if the viewer is not asked.
    #[must_use]
    pub fn legal(&self) -> &[AnyAction] {
        self.decision.as_ref().map_or(&[], |asked| &asked.legal)
    }

    /// Lets time pass, for the clocks that run.
    pub fn pass_time(&mut self, elapsed: Duration) {
        for clock in self.clocks.iter_mut().flatten().filter(|clock| clock.running) {
            clock.left.pass(elapsed);
        }
        if let Some(left) = self.decision.as_mut().and_then(|asked| asked.time_left.as_mut()) {
            left.pass(elapsed);
        }
    }

    /// Takes in what came, and says what of it is worth a line.
    pub fn take(&mut self, incoming: Incoming) -> Vec<Note> {
        match incoming {
            Incoming::Snapshot(snapshot) => {
                self.see(*snapshot);
                Vec::new()
            }
            Incoming::Update(update) => self.update(*update),
            Incoming::Decision(decision) => {
                self.ask(*decision);
                Vec::new()
            }
            Incoming::Refused { decision, why, still_open } => {
                if self.decision.as_ref().is_some_and(|asked| asked.id == decision) {
                    self.sent = None;
                    if !still_open {
                        self.decision = None;
                    }
                }
                vec![Note { kind: Kind::Warning, text: why.get(self.lang).to_owned() }]
            }
            Incoming::Presence { seat, connected } => self.presence(seat, connected),
            Incoming::TimeLeft(times) => {
                self.clocks_are(times);
                Vec::new()
            }
            Incoming::Connection(connected) => {
                self.connected = connected;
                Vec::new()
            }
            Incoming::Closed(why) => {
                self.closed = true;
                self.decision = None;
                why.into_iter().map(|text| Note { kind: Kind::Warning, text }).collect()
            }
        }
    }

    fn see(&mut self, snapshot: Snapshot) {
        let Snapshot { viewer, table, view, presence, time_left } = snapshot;
        // A decision is asked once. It stays open, also if what happened since was lost on the way: if it was decided
        // meanwhile, an answer to it is refused, and that says so.
        if table.result.is_some() {
            self.decision = None;
        }
        self.viewer = viewer;
        self.table = Some(table);
        self.view = view;
        self.sent = None;
        self.connected = true;
        // Whoever looks is there, also if the snapshot was made a moment before the server noticed.
        let is_away = |(seat, connected): &&(Seat, bool)| !connected && !viewer.is(*seat);
        self.away = presence.iter().filter(is_away).map(|(seat, _)| *seat).collect();
        self.clocks_are(time_left);
    }

    fn ask(&mut self, decision: Decision) {
        if let Some(view) = &decision.view {
            self.view = Some(view.clone());
        }
        // A decision that comes again was not decided: an answer on its way got lost, or will come first.
        self.sent = None;
        self.decision = Some(decision);
    }

    fn clocks_are(&mut self, times: Vec<SeatTime>) {
        self.clocks = [None; MAX_SEATS];
        for time in times {
            let own = self.decision.as_mut().filter(|asked| self.viewer.is(time.seat) && !asked.secret);
            if let Some(left) = own.and_then(|asked| asked.time_left.as_mut()) {
                *left = time.left;
            }
            self.clocks[time.seat.index()] = Some(time);
        }
    }

    fn presence(&mut self, seat: Seat, connected: bool) -> Vec<Note> {
        let was_away = self.away.contains(seat);
        self.away = if connected { self.away.without(seat) } else { self.away.with(seat) };
        if was_away != connected || self.viewer.is(seat) {
            return Vec::new();
        }
        vec![self.about_the_table(words::presence(seat, &self.name(seat), connected, self.lang))]
    }

    fn about_the_table(&self, text: String) -> Note {
        Note { kind: Kind::Table, text }
    }

    fn update(&mut self, update: Update) -> Vec<Note> {
        let Update { happenings, decided, events, view, .. } = update;
        let mut notes = Vec::new();
        if let Some(decided) = decided {
            notes.extend(self.decided(&decided));
        }
        // The end comes after the moves that led to it, everything else before what it led to.
        let (after, before): (Vec<_>, Vec<_>) = happenings
            .into_iter()
            .partition(|happening| matches!(happening, Happening::Over(_) | Happening::Rematch(_)));
        notes.extend(before.into_iter().map(|happening| self.happened(happening)));
        for event in &events {
            notes.push(Note { kind: Kind::Game, text: event.in_lang(self.lang).to_string() });
        }
        match (view, &mut self.view) {
            (Some(view), known) => *known = Some(view),
            (None, Some(known)) => events.iter().for_each(|event| known.follow(event)),
            (None, None) => {}
        }
        notes.extend(after.into_iter().map(|happening| self.happened(happening)));
        notes
    }

    fn decided(&mut self, decided: &Decided) -> Option<Note> {
        if self.decision.as_ref().is_some_and(|asked| asked.id <= decided.decision) {
            self.decision = None;
            self.sent = None;
        }
        let action = decided.action.in_lang(self.lang).to_string();
        (decided.by != DecidedBy::Player)
            .then(|| self.about_the_table(words::decided_for_you(&action, self.lang)))
    }

    fn happened(&mut self, happening: Happening) -> Note {
        let lang = self.lang;
        let text = match happening {
            Happening::Joined(seat, info) => {
                let name = info.name(seat, lang);
                self.set_seat(seat, info);
                words::joined(seat, &name, lang)
            }
            Happening::Started => words::STARTED.get(lang).to_owned(),
            Happening::ClockRanOut(seat) => words::clock_ran_out(seat, lang),
            Happening::Forfeited(seat, why) => {
                if let Some(info) = self.table.as_mut().and_then(|table| table.seats.get_mut(seat.index())) {
                    info.forfeited = Some(why);
                }
                words::forfeited(seat, why, lang)
            }
            Happening::Replaced(seat, info) => {
                let name = info.name(seat, lang);
                self.set_seat(seat, info);
                self.away = self.away.without(seat);
                words::replaced(seat, &name, lang)
            }
            Happening::Over(result) => {
                self.decision = None;
                self.clocks = [None; MAX_SEATS];
                let mut text = words::ended(result.ended).get(lang).to_owned();
                if !result.note.is_empty() {
                    text = format!("{text} {}", result.note);
                }
                if let Some(table) = &mut self.table {
                    table.result = Some(result);
                }
                text
            }
            Happening::Rematch(id) => words::rematch(&id, lang),
        };
        self.about_the_table(text)
    }

    fn set_seat(&mut self, seat: Seat, info: SeatInfo) {
        if let Some(slot) = self.table.as_mut().and_then(|table| table.seats.get_mut(seat.index())) {
            *slot = info;
        }
    }
}
