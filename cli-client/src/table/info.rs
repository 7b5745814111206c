//! Table data: game, seats, result.

use parlor_engine::{AnyOptions, GameId, Lang, RichText, Seat, Viewer};

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
    /// Set if decisions have a limit of time.
    pub has_clock: bool,
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

    /// Names of the players in sentences for this viewer, who is "You" without a name.
    #[must_use]
    pub fn names(&self, viewer: Viewer, lang: Lang) -> SeatNames {
        let name = |(seat, info): (Seat, &SeatInfo)| match &info.occupant {
            Occupant::Open => None,
            occupant if !occupant.name().is_empty() => Some(occupant.name().to_owned()),
            _ if viewer.is(seat) => Some(words::YOU_ALONE.get(lang).to_owned()),
            _ => Some(words::GUEST.get(lang).to_owned()),
        };
        let names: Vec<Option<String>> = Seat::all(self.players()).zip(&self.seats).map(name).collect();
        let one = |(place, name): (usize, &Option<String>)| {
            let name = name.as_ref()?;
            let is_only = names.iter().flatten().filter(|other| *other == name).count() == 1;
            Some(if is_only { name.clone() } else { format!("{name} ({place})") })
        };
        SeatNames(names.iter().enumerate().map(one).collect())
    }

    /// Display name of a seat for this viewer.
    #[must_use]
    pub fn name(&self, seat: Seat, viewer: Viewer, lang: Lang) -> String {
        let Some(info) = self.seats.get(seat.index()) else { return String::new() };
        match &info.occupant {
            Occupant::Player(name) if name.is_empty() && viewer.is(seat) => {
                words::YOU_ALONE.get(lang).to_owned()
            }
            occupant => occupant.display_name(lang),
        }
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

/// Names of the players in sentences, by seat. Players with the same name are told apart by the numbers of their
/// seats.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SeatNames(Vec<Option<String>>);

impl SeatNames {
    /// The text with the names. Seats without a name keep their number.
    #[must_use]
    pub fn render(&self, text: &RichText) -> String {
        text.with_names(|seat| self.get(seat).map(str::to_owned))
    }

    /// The name of a seat, if it has one.
    #[must_use]
    pub fn get(&self, seat: Seat) -> Option<&str> {
        self.0.get(seat.index())?.as_deref()
    }

    /// The name of a seat, or its number, for a column of a table.
    #[must_use]
    pub(crate) fn label(&self, seat: Seat) -> String {
        self.get(seat).map_or_else(|| seat.to_string(), str::to_owned)
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

    /// Name for display, with what is known of the occupant.
    fn display_name(&self, lang: Lang) -> String {
        match self {
            Occupant::Open => words::FREE_SEAT.get(lang).to_owned(),
            Occupant::Bot(name) => words::house_bot(name, lang),
            Occupant::Reserved(name) if name.is_empty() => words::RESERVED_SEAT.get(lang).to_owned(),
            Occupant::Reserved(name) => words::reserved_for(name, lang),
            Occupant::Player(name) if name.is_empty() => words::GUEST.get(lang).to_owned(),
            Occupant::Player(name) => name.clone(),
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
    /// Time for which its clock stood still because it was not connected, in milliseconds.
    pub away_ms: u32,
}
