//! What happens in a game of Flush, as it is told.

use super::{Combination, Ranks};
use crate::{MAX_SEATS, Outcome, Points, Seat};

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A hand began.
    HandBegan {
        /// The number of the hand, the first being 0.
        hand_number: u16,
        /// Who leads.
        start: Seat,
    },
    /// You were dealt these cards.
    Dealt {
        /// Your cards.
        hand: Ranks,
    },
    /// Cards were laid.
    Laid {
        /// Who laid them.
        seat: Seat,
        /// How.
        play: Play,
        /// The cards.
        cards: Ranks,
        /// The stack with them.
        combination: Combination,
    },
    /// Somebody is out until the field is flushed.
    Passed {
        /// Who passed.
        seat: Seat,
    },
    /// The field was flushed.
    Flushed {
        /// Who flushed it, and leads the next one.
        by: Seat,
        /// Why.
        why: Why,
    },
    /// A hand was over.
    HandScored {
        /// The number of the hand, the first being 0.
        hand_number: u16,
        /// The cards that each seat was left with.
        left: [Ranks; MAX_SEATS],
        /// What each seat scored.
        points: Points,
    },
    /// The game was over.
    Ended {
        /// The result.
        outcome: Outcome,
    },
}

/// How cards are laid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Play {
    /// As the first cards of a field.
    Lead,
    /// In place of the stack.
    Overwrite,
    /// Onto the stack.
    Add,
}

/// Why a field was flushed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Why {
    /// All players but one have passed.
    AllPassed,
    /// The stack has become a set of 4 or 5, or a sequence of 5, with or without an 8.
    Full,
    /// An 8 was laid, and the stack is not full.
    Eight,
}
