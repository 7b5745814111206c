//! Log entries of a tournament, and the reasons for which an entry is invalid.

use crate::{Entrant, TableScore};

/// An event of a tournament. The creation precedes all entries; the finish follows from them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanEntry {
    /// The tournament is started, and entropy for the shuffles is collected.
    Starting,
    /// The first tables start.
    Started,
    /// A table was played to its end.
    TableOver {
        /// Number of its group.
        group: u32,
        /// Rotation and results.
        table: TableScore,
    },
    /// A group is excluded from the statistics, and a fresh one replaces it.
    GroupVoided {
        /// Number of the group.
        group: u32,
        /// Reason, public.
        reason: String,
    },
    /// An entrant leaves: its incomplete groups become void.
    Withdrawn {
        /// The entrant.
        entrant: Entrant,
    },
    /// No new tables start.
    Paused,
    /// New tables start again.
    Resumed,
    /// The organiser ends the tournament.
    Cancelled {
        /// Reason, public.
        reason: String,
    },
}

/// Reason for which an entry is invalid in the current state.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InvalidEntry {
    /// The tournament has not been started.
    #[error("the tournament has not been started: start it first")]
    NotStarted,
    /// The tournament is over.
    #[error("the tournament is over: nothing can be changed any more")]
    Over,
    /// Too few active entrants to fill a table.
    #[error(
        "the {left} entrants who are left cannot fill a table of {players} in this format: cancel the tournament"
    )]
    TooFewEntrants {
        /// Number of active entrants.
        left: u16,
        /// Players at a table.
        players: u8,
    },
    /// Entrant out of range: its number, and the number of entrants.
    #[error("there is no entrant {0}: the first is 0, and there are {1}")]
    UnknownEntrant(u16, u16),
    /// Unknown group: its number, and the number of planned groups.
    #[error("there is no group {0} yet: {1} are known")]
    UnknownGroup(u32, u32),
    /// Rotation out of range: group, rotation, and the number of rotations.
    #[error("group {0} has no table {1}: the first is 0, and there are {2}")]
    UnknownTable(u32, u8, u8),
    /// The round of the group is decided.
    #[error("group {0} is of a round that is decided: only groups of the round that is played can be voided")]
    RoundDecided(u32),
    /// The entrants of the result differ from the planned seating.
    #[error("table {rotation} of group {group} is one of the entrants {seats:?}, in this order")]
    WrongSeats {
        /// Number of the group.
        group: u32,
        /// Rotation.
        rotation: u8,
        /// Planned entrants in seat order.
        seats: Vec<u16>,
    },
    /// Place out of range: group, rotation and place.
    #[error(
        "table {1} of group {0} has a seat in place {2}: places are counted from 1 to the number of players"
    )]
    WrongPlace(u32, u8, u8),
    /// The table already has a different result: group and rotation.
    #[error("table {1} of group {0} has another result already: a result is never changed")]
    ConflictingResult(u32, u8),
    /// The entry would change nothing. A log never contains such an entry.
    #[error("this entry changes nothing here: it should not be in the log")]
    NoEffect,
}
