//! `ModelTable`: a local table folded from the same entries as the server's, and the operations on it.

use std::collections::BTreeMap;

use parlor_engine::{
    AnyAction, AnyEvent, AnyGame, AnyView, Audience, Chance, EventSink, Seat, ShuffleId, Viewer,
};
use parlor_fair::Entropy;
use parlor_host::table::{
    ChanceSetup, Entry, Holder, RecordedEvent, SeatSetup, Setup, State, Step, Table, Visibility,
};
use parlor_server::TableId;

use crate::table_kind::TableKind;

/// Creation time of the tables: the start of the servers' clocks.
pub(crate) const CREATED: u64 = parlor_host::clock::ManualClock::EPOCH_MS;
/// Owner of the tables.
pub(crate) const OWNER: &str = "club";
/// Number of rounds with a scripted deal.
pub(crate) const ROUNDS: u16 = 3;

/// For each shuffle, the card codes in order.
pub(crate) type Deals = Vec<(ShuffleId, Vec<u8>)>;

/// An operation on a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operation {
    /// A seat plays one of its actions.
    Act { seat: Seat, index: u32 },
    /// A seat resigns.
    Resign { seat: Seat },
    /// `ms` milliseconds pass, and the clocks that run out append these entries.
    Wait { ms: u32, entries: Vec<Entry> },
}

impl Operation {
    pub(crate) const fn is_resignation(&self) -> bool {
        matches!(self, Operation::Resign { .. })
    }

    fn entries(&self) -> Vec<Entry> {
        match self {
            Operation::Act { seat, index } => {
                vec![Entry::Acted { seat: *seat, index: *index, used: 0, reported: None }]
            }
            Operation::Resign { seat } => vec![Entry::Resigned { seat: *seat }],
            Operation::Wait { entries, .. } => entries.clone(),
        }
    }
}

/// What the rules of the game show a viewer in one step.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Observation {
    events: Vec<AnyEvent>,
    view: Option<AnyView>,
    /// On the viewer's turn: the number of events per operation. The wait tells the viewer that others had a
    /// hidden decision before.
    waits: Vec<usize>,
    is_over: bool,
}

/// A local table, folded from the same entries as the server's.
#[derive(Clone)]
pub(crate) struct ModelTable {
    pub(crate) table: Table,
}

/// The setup of the table.
pub(crate) fn setup(kind: TableKind, deals: &Deals) -> Setup {
    let options = kind.game.default_options();
    Setup {
        table: TableId::from_bytes(*b"table for twins."),
        owner: OWNER.to_owned(),
        options,
        rules_version: options.game().info().rules_version,
        seats: vec![SeatSetup::Open; kind.players.into()],
        time: kind.time(),
        visibility: Visibility::Public,
        chance: ChanceSetup::Scripted { seed: [9; 32], orders: deals.clone() },
        metadata: BTreeMap::new(),
        created: CREATED,
        fill: 3_600_000,
        rematch_of: None,
        request: None,
    }
}

impl ModelTable {
    /// The table before the first join.
    pub(crate) fn new(kind: TableKind, deals: &Deals) -> ModelTable {
        let first = Entry::Created(Box::new(setup(kind, deals)));
        ModelTable { table: Table::from_first_entry(&first).expect("a table") }
    }

    /// The table after every seat has joined and the cards are dealt.
    pub(crate) fn dealt(kind: TableKind, deals: &Deals) -> ModelTable {
        let mut model = ModelTable::new(kind, deals);
        for seat in Seat::all(kind.players) {
            model.join(seat);
        }
        model
    }

    /// A player joins a seat; the last join starts the game.
    pub(crate) fn join(&mut self, seat: Seat) {
        let (user, name, entropy, request) = (None, String::new(), Entropy::NONE, None);
        self.fold(&Entry::Joined { seat, user, name, entropy, commitment: None, request, invite: None });
        if self.table.seats().iter().all(|seat| seat.holder != Holder::Vacant) {
            self.fold(&Entry::Started);
        }
    }

    fn fold(&mut self, entry: &Entry) -> Vec<Step> {
        self.table.fold(CREATED, entry).unwrap_or_else(|misfit| panic!("{entry:?}: {misfit}"))
    }

    /// Applies an operation, and returns the game events that the viewer receives.
    pub(crate) fn apply(&mut self, operation: &Operation, viewer: Viewer) -> Vec<AnyEvent> {
        let mut events = Vec::new();
        for entry in operation.entries() {
            let told = self.fold(&entry).into_iter().flat_map(|step| step.events);
            events.extend(told.filter_map(|(to, told)| match told {
                RecordedEvent::Game(event) if to.includes(viewer) => Some(event),
                RecordedEvent::Game(_) | RecordedEvent::Table(_) => None,
            }));
        }
        events
    }

    pub(crate) fn is_playing(&self) -> bool {
        self.table.state() == State::Playing
    }

    /// Seats with an open decision.
    pub(crate) fn asked(&self) -> Vec<Seat> {
        let open = |seat: &Seat| self.table.seats()[seat.index()].open.is_some();
        Seat::all(self.table.players()).filter(open).collect()
    }

    /// Seats with a hidden decision.
    pub(crate) fn hidden(&self) -> Vec<Seat> {
        self.asked().into_iter().filter(|seat| self.table.is_secret(*seat)).collect()
    }

    /// Seats with a public decision.
    pub(crate) fn public(&self) -> Vec<Seat> {
        self.asked().into_iter().filter(|seat| !self.table.is_secret(*seat)).collect()
    }

    /// The action that a timeout plays for a seat.
    pub(crate) fn default_action(&self, seat: Seat) -> Option<AnyAction> {
        self.table.game().and_then(|game| game.default_action(seat))
    }

    /// The observation of a viewer after a step, with the events of each of its operations.
    pub(crate) fn observation(&self, viewer: Viewer, by_operation: Vec<Vec<AnyEvent>>) -> Observation {
        let waits =
            by_operation.iter().map(Vec::len).filter(|count| *count > 0 && self.is_turn_of(viewer)).collect();
        let events = by_operation.into_iter().flatten().collect();
        Observation { events, view: self.table.view(viewer), waits, is_over: !self.is_playing() }
    }

    /// True if the viewer has a public decision, or may have had one since the last step: a forfeited seat
    /// plays at once.
    fn is_turn_of(&self, viewer: Viewer) -> bool {
        let has_forfeited = |seat: Seat| self.table.seats()[seat.index()].finish.is_forfeit();
        viewer.seat().is_some_and(|seat| self.public().contains(&seat) || has_forfeited(seat))
    }

    /// The operation in which the open decisions of these seats time out after `ms`.
    pub(crate) fn time_out(&self, seats: &[Seat], ms: u32) -> Operation {
        let mut after = self.clone();
        let mut entries = Vec::new();
        for seat in seats {
            let open = self.table.seats()[seat.index()].open;
            if after.table.seats()[seat.index()].open == open {
                let entry = Entry::TimedOut { seat: *seat, used: ms, away: false };
                after.fold(&entry);
                entries.push(entry);
            }
        }
        Operation::Wait { ms, entries }
    }
}

/// The codes of all cards of the deck.
pub(crate) fn deck(kind: TableKind) -> Vec<u8> {
    struct Codes(Vec<u8>);
    impl EventSink<AnyEvent> for Codes {
        fn emit(&mut self, _: Audience, _: AnyEvent) {}
        fn record_shuffle(&mut self, _: ShuffleId, codes: impl Iterator<Item = u8>) {
            self.0.extend(codes);
        }
    }
    let (options, mut codes) = (kind.game.default_options(), Codes(Vec::new()));
    let version = kind.game.info().rules_version;
    AnyGame::new(version, options, kind.players, Chance::seeded([0; 32]), &mut codes).expect("a game");
    codes.0
}
