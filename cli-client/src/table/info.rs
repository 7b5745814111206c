//! Table data: game, seats, result.

use parlor_engine::{AnyOptions, GameId, Lang, Localise, RichText, Seat};

use super::{EndReason, SeatFinish};
use crate::lang::words;

/// A table.
#[derive(Clone, PartialEq, Debug)]
pub struct TableInfo {
    /// Table id.
    pub id: String,
    /// Game.
    pub game: GameId,
    /// Game options.
    pub options: AnyOptions,
    /// Seats, in order.
    pub seats: Vec<SeatInfo>,
    /// Set if the creator of the table chose the seed, so that the deal was not drawn at random.
    pub seed_given: bool,
    /// Result, once the table is over.
    pub result: Option<TableResult>,
}

impl TableInfo {
    /// Number of players.
    #[must_use]
    pub fn players(&self) -> u8 {
        self.seats.len() as u8
    }

    /// Names of the players in sentences.
    #[must_use]
    pub fn names(&self) -> SeatNames {
        let names = self.seats.iter().map(|info| info.occupant.name());
        let one = |(place, name): (usize, &str)| match names.clone().filter(|other| *other == name).count() {
            _ if name.is_empty() => None,
            1 => Some(name.to_owned()),
            _ => Some(format!("{name} ({place})")),
        };
        SeatNames(names.clone().enumerate().map(one).collect())
    }

    /// Display name of a seat.
    #[must_use]
    pub fn name(&self, seat: Seat, lang: Lang) -> String {
        self.seats.get(seat.index()).map_or_else(String::new, |info| info.name(seat, lang))
    }
}

/// A seat of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct SeatInfo {
    /// Occupant.
    pub occupant: Occupant,
    /// Reason for a forfeit.
    pub forfeited: Option<SeatFinish>,
}

impl SeatInfo {
    /// Display name: that of the player or bot, or the seat number.
    #[must_use]
    pub fn name(&self, seat: Seat, lang: Lang) -> String {
        match &self.occupant {
            Occupant::Open => words::FREE_SEAT.get(lang).to_owned(),
            Occupant::Bot(name) => words::house_bot(name, lang),
            Occupant::Reserved(name) | Occupant::Player(name) if name.is_empty() => {
                seat.in_lang(lang).to_string()
            }
            Occupant::Reserved(name) => words::reserved_for(name, lang),
            Occupant::Player(name) => name.clone(),
        }
    }
}

/// Names of the players in sentences, by seat. Players with the same name are told apart by the numbers of their
/// seats.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SeatNames(Vec<Option<String>>);

impl SeatNames {
    /// The text with the names. Seats without a name keep their number.
    #[must_use]
    pub fn render(&self, text: &RichText) -> String {
        text.with_names(|seat| self.0.get(seat.index()).cloned().flatten())
    }
}

/// Occupant of a seat. Names are free of control characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Occupant {
    /// Open to anyone.
    Open,
    /// House bot or agent, by name.
    Bot(String),
    /// Reserved for a user with this display name, which may be empty.
    Reserved(String),
    /// Player with this display name, which may be empty.
    Player(String),
}

impl Occupant {
    /// Name of the player or bot; may be empty.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Occupant::Open => "",
            Occupant::Bot(name) | Occupant::Reserved(name) | Occupant::Player(name) => name,
        }
    }
}

/// Result of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct TableResult {
    /// Reason for the end.
    pub reason: EndReason,
    /// Scores of the seats; empty unless the game was played out.
    pub seats: Vec<SeatScore>,
    /// Note of the owner or the server; may be empty.
    pub note: String,
}

/// Score of a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatScore {
    /// Seat.
    pub seat: Seat,
    /// Place; 1 is the best.
    pub place: u32,
    /// Points.
    pub points: i32,
    /// Way the seat finished.
    pub finish: SeatFinish,
    /// Number of times its clock expired.
    pub clocks_run_out: u32,
}
