//! Events of Five Three Five.

use super::{Combination, Ranks};
use crate::{MAX_SEATS, Outcome, Points, Seat};

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A hand began.
    HandBegan {
        /// The number of the hand, starting at 0.
        hand_number: u16,
        /// The seat that leads.
        start: Seat,
    },
    /// You were dealt these cards.
    Dealt {
        /// Your cards.
        hand: Ranks,
    },
    /// Cards were laid.
    Laid {
        /// The player.
        seat: Seat,
        /// The kind of play.
        play: PlayKind,
        /// The cards.
        cards: Ranks,
        /// The resulting stack.
        combination: Combination,
    },
    /// A player passed and is out until the field is flushed.
    Passed {
        /// The player.
        seat: Seat,
    },
    /// The field was flushed.
    Flushed {
        /// The player who flushed it and leads the next field.
        by: Seat,
        /// The reason.
        reason: FlushReason,
    },
    /// A hand ended and was scored.
    HandScored {
        /// The number of the hand, starting at 0.
        hand_number: u16,
        /// The cards left in each hand.
        left: [Ranks; MAX_SEATS],
        /// The points of each seat in this hand.
        points: Points,
    },
    /// The game ended.
    Ended {
        /// The outcome.
        outcome: Outcome,
    },
}

/// The ways to lay cards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PlayKind {
    /// Lead: the first cards of a field.
    Lead,
    /// Overwrite: replace the stack.
    Overwrite,
    /// Add: extend the stack.
    Add,
}

/// The reason a field was flushed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FlushReason {
    /// All players but one have passed.
    AllPassed,
    /// The stack became a set of 4 or 5, or a run of 5, with or without an 8.
    Full,
    /// An 8 was laid, and the stack is not full.
    Eight,
}
