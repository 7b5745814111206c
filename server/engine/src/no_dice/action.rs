//! Actions of No Dice.

use super::Placement;
use crate::Seat;

/// An action of a player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Lay a playing card.
    Lay(Placement),
    /// Play SWITCH.
    Switch,
    /// Play the PASS card: on one's turn, or in a window.
    PassCard,
    /// Play X2.
    X2,
    /// Play SWAP and trade hands with this player.
    Swap(Seat),
    /// Pass without a card.
    Pass,
    /// Decline to play the PASS card in a window.
    Decline,
}
