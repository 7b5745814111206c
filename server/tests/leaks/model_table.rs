//! Tables of the test's own, folded from the same entries as those of a server, and what is done at them.

use std::collections::BTreeMap;

use parlor_engine::{AnyAction, AnyEvent, AnyGame, AnyView, Audience, Chance, Events, Seat, Shuffle, Viewer};
use parlor_server::TableId;
use parlor_server::fair::Entropy;
use parlor_server::table::{
    ChanceSetup, Entry, Holder, SeatSetup, Setup, State, Step, Table, Told, Visibility,
};

use crate::table_kind::Kind;

/// When the tables are created: when the clocks of the servers begin.
pub(crate) const CREATED: u64 = parlor_server::clock::ManualClock::EPOCH_MS;
/// Whose the tables are.
pub(crate) const OWNER: &str = "club";
/// So many rounds have a fixed deal.
pub(crate) const ROUNDS: u16 = 3;

/// For each deal, the codes of the cards in order.
pub(crate) type Deals = Vec<(Shuffle, Vec<u8>)>;

/// Something that is done at a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Deed {
    /// A seat plays one of its actions.
    Act { seat: Seat, index: u32 },
    /// A seat gives up.
    Resign { seat: Seat },
    /// So many milliseconds pass, and clocks run out: that comes to these entries.
    Wait { ms: u32, entries: Vec<Entry> },
}

impl Deed {
    pub(crate) const fn is_resignation(&self) -> bool {
        matches!(self, Deed::Resign { .. })
    }

    fn entries(&self) -> Vec<Entry> {
        match self {
            Deed::Act { seat, index } => {
                vec![Entry::Acted { seat: *seat, index: *index, used: 0, reported: None }]
            }
            Deed::Resign { seat } => vec![Entry::Resigned { seat: *seat }],
            Deed::Wait { entries, .. } => entries.clone(),
        }
    }
}

/// What a step shows a viewer, by the rules of the game alone.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Shown {
    events: Vec<AnyEvent>,
    view: Option<AnyView>,
    /// If it is now the viewer's turn: how many events came at once, each time that some came. By having to wait the
    /// viewer can tell that others were asked in secret before.
    waits: Vec<usize>,
    is_over: bool,
}

/// A table of the test's own, folded from the same entries as the server's.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) table: Table,
}

/// The table before anybody has joined.
pub(crate) fn setup(kind: Kind, deals: &Deals) -> Setup {
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

impl World {
    /// The table before anybody has joined.
    pub(crate) fn new(kind: Kind, deals: &Deals) -> World {
        let first = Entry::Created(Box::new(setup(kind, deals)));
        World { table: Table::open(&first).expect("a table") }
    }

    /// Everyone has joined, and the cards are dealt.
    pub(crate) fn dealt(kind: Kind, deals: &Deals) -> World {
        let mut world = World::new(kind, deals);
        for seat in Seat::all(kind.players) {
            world.join(seat);
        }
        world
    }

    /// A player takes a seat. The last one begins the game.
    pub(crate) fn join(&mut self, seat: Seat) {
        let (user, name, entropy, request) = (None, String::new(), Entropy::NONE, None);
        self.fold(&Entry::Joined { seat, user, name, entropy, request });
        if self.table.seats().iter().all(|seat| seat.holder != Holder::Vacant) {
            self.fold(&Entry::Started);
        }
    }

    fn fold(&mut self, entry: &Entry) -> Vec<Step> {
        self.table.fold(CREATED, entry).unwrap_or_else(|misfit| panic!("{entry:?}: {misfit}"))
    }

    /// Does something, and gives what the viewer is told of it by the game.
    pub(crate) fn apply(&mut self, deed: &Deed, viewer: Viewer) -> Vec<AnyEvent> {
        let mut events = Vec::new();
        for entry in deed.entries() {
            let told = self.fold(&entry).into_iter().flat_map(|step| step.told);
            events.extend(told.filter_map(|(to, told)| match told {
                Told::Game(event) if to.includes(viewer) => Some(event),
                Told::Game(_) | Told::Table(_) => None,
            }));
        }
        events
    }

    pub(crate) fn is_playing(&self) -> bool {
        self.table.state() == State::Playing
    }

    pub(crate) fn asked(&self) -> Vec<Seat> {
        let open = |seat: &Seat| self.table.seats()[seat.index()].open.is_some();
        Seat::all(self.table.players()).filter(open).collect()
    }

    /// Those who are asked in secret.
    pub(crate) fn secrets(&self) -> Vec<Seat> {
        self.asked().into_iter().filter(|seat| self.table.is_secret(*seat)).collect()
    }

    /// Those whom everyone may see to be asked.
    pub(crate) fn open(&self) -> Vec<Seat> {
        self.asked().into_iter().filter(|seat| !self.table.is_secret(*seat)).collect()
    }

    /// What the clock would play for a seat.
    pub(crate) fn default_action(&self, seat: Seat) -> Option<AnyAction> {
        self.table.game().and_then(|game| game.default_action(seat))
    }

    /// What the viewer is shown by the game, after a step of which each deed told it this.
    pub(crate) fn shown(&self, viewer: Viewer, told: Vec<Vec<AnyEvent>>) -> Shown {
        let waits = told.iter().map(Vec::len).filter(|count| *count > 0 && self.is_turn_of(viewer)).collect();
        let events = told.into_iter().flatten().collect();
        Shown { events, view: self.table.view(viewer), waits, is_over: !self.is_playing() }
    }

    /// Whether the viewer is asked for something that is no secret, or may have been since the last step: whoever has
    /// forfeited plays at once.
    fn is_turn_of(&self, viewer: Viewer) -> bool {
        let has_forfeited = |seat: Seat| self.table.seats()[seat.index()].conduct.is_forfeit();
        viewer.seat().is_some_and(|seat| self.open().contains(&seat) || has_forfeited(seat))
    }

    /// Time passes until these, who are asked now, have run out of it.
    pub(crate) fn time_outs(&self, seats: &[Seat], ms: u32) -> Deed {
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
        Deed::Wait { ms, entries }
    }
}

/// The codes of all cards, which the deals are made of.
pub(crate) fn deck(kind: Kind) -> Vec<u8> {
    struct Codes(Vec<u8>);
    impl Events<AnyEvent> for Codes {
        fn tell(&mut self, _: Audience, _: AnyEvent) {}
        fn shuffled(&mut self, _: Shuffle, codes: impl Iterator<Item = u8>) {
            self.0.extend(codes);
        }
    }
    let (options, mut codes) = (kind.game.default_options(), Codes(Vec::new()));
    let version = kind.game.info().rules_version;
    AnyGame::new(version, options, kind.players, Chance::seeded([0; 32]), &mut codes).expect("a game");
    codes.0
}
