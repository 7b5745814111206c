//! The direction of play.

use crate::Seat;

/// The direction of play.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PlayOrder {
    /// To the left.
    Clockwise,
    /// To the right.
    Anticlockwise,
}

impl PlayOrder {
    /// The next seat at a table of `players`.
    #[must_use]
    pub const fn after(self, seat: Seat, players: u8) -> Seat {
        match self {
            PlayOrder::Clockwise => seat.left(players),
            PlayOrder::Anticlockwise => seat.right(players),
        }
    }

    /// The other direction.
    #[must_use]
    pub const fn reversed(self) -> PlayOrder {
        match self {
            PlayOrder::Clockwise => PlayOrder::Anticlockwise,
            PlayOrder::Anticlockwise => PlayOrder::Clockwise,
        }
    }
}
