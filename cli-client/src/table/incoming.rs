//! What comes in from a table, in the engine's own types.

use parlor_engine::{AnyAction, AnyEvent, AnyView, Lang, Seat, Viewer};

use super::{Finish, SeatInfo, SeatTime, TableInfo, TableResult, TimeLeft};

/// One thing that a viewer of a table is told.
#[derive(Clone, PartialEq, Debug)]
pub enum Incoming {
    /// Where everything stands.
    Snapshot(Box<Snapshot>),
    /// What happened.
    Update(Box<Update>),
    /// What the viewer is asked; again, with the same id, after a break.
    Decision(Box<Decision>),
    /// An answer of the viewer was not accepted.
    Refused {
        /// The decision that it was for.
        decision: u32,
        /// Why.
        why: Both,
        /// Whether the viewer can answer again. Otherwise somebody else has decided.
        still_open: bool,
    },
    /// Somebody came or went.
    Presence {
        /// The seat.
        seat: Seat,
        /// Whether a client of the seat is connected.
        connected: bool,
    },
    /// How much time those have left who are seen to be asked.
    TimeLeft(Vec<SeatTime>),
    /// The viewer's own connection was lost, or is there again.
    Connection(bool),
    /// Nothing more will come; with the reason, unless the table is over.
    Closed(Option<String>),
}

/// A text in both languages, from whoever runs the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Both {
    /// In English.
    pub en: String,
    /// In German.
    pub de: String,
}

impl Both {
    /// The text in one language.
    #[must_use]
    pub fn get(&self, lang: Lang) -> &str {
        match lang {
            Lang::En => &self.en,
            Lang::De => &self.de,
        }
    }
}

/// Where everything stands for one viewer.
#[derive(Clone, PartialEq, Debug)]
pub struct Snapshot {
    /// Who looks.
    pub viewer: Viewer,
    /// The table.
    pub table: TableInfo,
    /// All that the viewer knows of the game; nothing before it has begun.
    pub view: Option<AnyView>,
    /// Who is connected, of the seats that a player has.
    pub presence: Vec<(Seat, bool)>,
    /// How much time is left.
    pub time_left: Vec<SeatTime>,
}

/// What happened at a table.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Update {
    /// The number of the update.
    pub number: u32,
    /// What happened beside the moves.
    pub happenings: Vec<Happening>,
    /// A decision of the viewer's was decided.
    pub decided: Option<Decided>,
    /// What happened in the game.
    pub events: Vec<AnyEvent>,
    /// What the viewer knows after it. If it is not there, the events tell.
    pub view: Option<AnyView>,
}

/// What happened at a table, beside the moves.
#[derive(Clone, PartialEq, Debug)]
pub enum Happening {
    /// Somebody took a seat.
    Joined(Seat, SeatInfo),
    /// The game began.
    Started,
    /// The clock of a seat ran out, and played for it.
    ClockRanOut(Seat),
    /// A seat can no longer win.
    Forfeited(Seat, Finish),
    /// A house bot took over a seat.
    Replaced(Seat, SeatInfo),
    /// The table is over.
    Over(TableResult),
    /// There is a new table for the same players, with this id.
    Rematch(String),
}

/// A decision of the viewer's was decided.
#[derive(Clone, PartialEq, Debug)]
pub struct Decided {
    /// Its id.
    pub decision: u32,
    /// What was done.
    pub action: AnyAction,
    /// Who decided.
    pub by: DecidedBy,
}

/// Who decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecidedBy {
    /// The player.
    Player,
    /// The clock, which ran out.
    Clock,
    /// The house, as the seat has forfeited.
    Forfeit,
    /// A house bot that has the seat.
    HouseBot,
}

/// What the viewer is asked.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// Its id.
    pub id: u32,
    /// What the viewer knows. If it is not there, what was known before holds.
    pub view: Option<AnyView>,
    /// All that can be done, in order.
    pub legal: Vec<AnyAction>,
    /// How much time is left; nothing if there is no limit.
    pub time_left: Option<TimeLeft>,
    /// Whether nobody else learns that the viewer is asked.
    pub secret: bool,
}
