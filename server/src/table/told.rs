//! What a table tells its viewers, numbered for each of them.

use parlor_engine::{AnyEvent, Audience, MAX_SEATS, Viewer};

use super::{Ending, SeatSetup};
use parlor_engine::Seat;

/// Something that a viewer is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Told {
    /// Something happened in the game.
    Game(AnyEvent),
    /// Something happened at the table.
    Table(TableEvent),
}

/// Something that happened at the table, around the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableEvent {
    /// A seat was taken.
    Joined {
        /// The seat.
        seat: Seat,
    },
    /// All seats were taken, and the game began.
    Started,
    /// The clock of a seat ran out, and the default was played for it.
    TimedOut {
        /// The seat.
        seat: Seat,
    },
    /// A seat forfeited: it plays defaults from now on, and ranks last.
    Forfeited {
        /// The seat.
        seat: Seat,
        /// Why.
        conduct: super::Conduct,
    },
    /// Somebody else took over a seat.
    Replaced {
        /// The seat.
        seat: Seat,
        /// Who sits there now.
        by: SeatSetup,
    },
    /// The table is over.
    Ended(Ending),
}

/// What one entry of the log told, each audience its own.
pub type Tellings = Vec<(Audience, Told)>;

/// How many numbered updates each viewer has had. A viewer that an entry tells nothing gets no number for it, so a
/// secret leaves no hole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Numbers([u64; MAX_SEATS + 1]);

impl Numbers {
    /// The number of the viewer's newest update; 0 before the first.
    #[must_use]
    pub fn of(&self, viewer: Viewer) -> u64 {
        self.0[slot(viewer)]
    }

    pub(super) fn count(&mut self, viewer: Viewer) {
        self.0[slot(viewer)] += 1;
    }
}

fn slot(viewer: Viewer) -> usize {
    viewer.seat().map_or(MAX_SEATS, Seat::index)
}
