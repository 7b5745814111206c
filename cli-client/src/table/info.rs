//! What a table is: its game, who sits there, and how it ended.

use parlor_engine::{AnyOptions, GameId, Lang, Say, Seat};

use crate::lang::words;

/// A table, as far as a screen shows it.
#[derive(Clone, PartialEq, Debug)]
pub struct TableInfo {
    /// Its id.
    pub id: String,
    /// Which game is played.
    pub game: GameId,
    /// How it was set up.
    pub options: AnyOptions,
    /// The seats, in order.
    pub seats: Vec<SeatInfo>,
    /// Whether the seed was given by whoever made the table, so that the deal was chosen and not drawn.
    pub seed_given: bool,
    /// How it ended, once it is over.
    pub result: Option<TableResult>,
}

impl TableInfo {
    /// How many play.
    #[must_use]
    pub fn players(&self) -> u8 {
        self.seats.len() as u8
    }

    /// The name that a seat goes by.
    #[must_use]
    pub fn name(&self, seat: Seat, lang: Lang) -> String {
        self.seats.get(seat.index()).map_or_else(String::new, |info| info.name(seat, lang))
    }
}

/// A seat of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct SeatInfo {
    /// Who has it.
    pub occupant: Occupant,
    /// Why it can no longer win, if it cannot.
    pub forfeited: Option<Finish>,
}

impl SeatInfo {
    /// The name that the seat goes by: that of its player or bot, or its number.
    #[must_use]
    pub fn name(&self, seat: Seat, lang: Lang) -> String {
        match &self.occupant {
            Occupant::Open => words::FREE_SEAT.get(lang).to_owned(),
            Occupant::Bot(name) => words::bot(name, lang),
            Occupant::Reserved(name) | Occupant::Player(name) if name.is_empty() => {
                seat.in_lang(lang).to_string()
            }
            Occupant::Reserved(name) => words::expected(name, lang),
            Occupant::Player(name) => name.clone(),
        }
    }
}

/// Who has a seat. Names are free of anything that a terminal would obey.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Occupant {
    /// Nobody: whoever comes first may take it.
    Open,
    /// A bot of the house, by its name.
    Bot(String),
    /// Nobody yet: it is kept for somebody of this name, which may be empty.
    Reserved(String),
    /// A player of this name, which may be empty.
    Player(String),
}

/// How a table ended.
#[derive(Clone, PartialEq, Debug)]
pub struct TableResult {
    /// How the table as a whole ended.
    pub ended: Ended,
    /// What each seat reached; empty unless the game was played to its end.
    pub seats: Vec<SeatScore>,
    /// What the owner or the server says about it; may be empty.
    pub note: String,
}

/// How a table as a whole ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// By the rules.
    PlayedOut,
    /// Its owner cancelled it.
    Cancelled,
    /// It did not fill in time.
    Expired,
    /// By a fault of the server, or in a way that this client does not know.
    Fault,
}

/// What a seat reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatScore {
    /// The seat.
    pub seat: Seat,
    /// Its place: 1 is the best.
    pub place: u32,
    /// Its points.
    pub points: i32,
    /// How it came to its end.
    pub finish: Finish,
    /// How often its clock ran out.
    pub clocks_run_out: u32,
}

/// How a seat came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finish {
    /// It played to the end.
    PlayedOut,
    /// Its clock ran out too often.
    TimedOut,
    /// It resigned.
    Resigned,
    /// It was away for too long.
    Disconnected,
    /// It is an agent that was set aside.
    SetAside,
}
