//! What can happen to a tournament, and why something cannot.

use crate::{Entrant, TableScore};

/// What happened. That it was made comes before all entries; that it is finished follows from them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// It was started.
    Started,
    /// A table was played to its end.
    TableOver {
        /// The number of its group.
        group: u32,
        /// Which table it was, and what its seats reached.
        table: TableScore,
    },
    /// A group does not count. A fresh one replaces it.
    GroupVoided {
        /// Its number.
        group: u32,
        /// Why, for everyone.
        reason: String,
    },
    /// An entrant is out: groups of its that are not complete are void.
    Withdrawn {
        /// Who.
        entrant: Entrant,
    },
    /// No new tables are begun.
    Paused,
    /// New tables are begun again.
    Resumed,
    /// It was ended before its time.
    Cancelled {
        /// Why, for everyone.
        reason: String,
    },
}

/// Why something cannot happen to a tournament as it is.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misfit {
    /// It has not been started.
    #[error("the tournament has not been started: start it first")]
    NotStarted,
    /// It is over.
    #[error("the tournament is over: nothing can be changed any more")]
    Over,
    /// So many were withdrawn that no table can be filled.
    #[error(
        "the {left} entrants who are left cannot fill a table of {players} in this format: cancel the tournament"
    )]
    TooFew {
        /// How many entrants are left.
        left: u16,
        /// How many players a table has.
        players: u8,
    },
    /// There is no such entrant.
    #[error("there is no entrant {0}: the first is 0, and there are {1}")]
    NoEntrant(u16, u16),
    /// There is no such group.
    #[error("there is no group {0} yet: {1} are known")]
    NoGroup(u32, u32),
    /// There is no such table in the group.
    #[error("group {0} has no table {1}: the first is 0, and there are {2}")]
    NoTable(u32, u8, u8),
    /// The round that the group belongs to is decided.
    #[error("group {0} is of a round that is decided: only groups of the round that is played can be voided")]
    Decided(u32),
    /// Others sat at the table than should have.
    #[error("table {rotation} of group {group} is one of the entrants {seats:?}, in this order")]
    WrongSeats {
        /// The group.
        group: u32,
        /// The table.
        rotation: u8,
        /// Who sits there.
        seats: Vec<u16>,
    },
    /// A place that nobody can have.
    #[error(
        "table {1} of group {0} has a seat in place {2}: places are counted from 1 to the number of players"
    )]
    WrongPlace(u32, u8, u8),
    /// The table has another result already.
    #[error("table {1} of group {0} has another result already: a result is never changed")]
    OtherResult(u32, u8),
    /// It would change nothing: no log has such an entry.
    #[error("this entry changes nothing here: it should not be in the log")]
    Nothing,
}
