//! EventSink of GAP.

use super::Card;
use crate::{CardSet, Outcome, Points, Seat};

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A round began.
    RoundBegan {
        /// The round, starting at 0.
        round: u16,
        /// The seat with the first turn.
        start: Seat,
        /// True for a round played only to break a tie for first place.
        extra: bool,
        /// The cards dealt to the middle.
        middle: CardSet<Card>,
    },
    /// You were dealt this hand.
    Dealt {
        /// Your cards.
        hand: CardSet<Card>,
    },
    /// A card was played.
    Played {
        /// The player.
        seat: Seat,
        /// The card.
        card: Card,
        /// The cards it took from the middle. If empty, the card joined the middle.
        taken: CardSet<Card>,
    },
    /// The middle was refilled from the stack.
    Filled {
        /// The cards added.
        cards: CardSet<Card>,
    },
    /// A round ended and was scored.
    RoundScored {
        /// The round, starting at 0.
        round: u16,
        /// The points of each seat in this round.
        points: Points,
    },
    /// The game ended.
    Ended {
        /// The outcome.
        outcome: Outcome,
    },
}
