//! EventSink of No Dice.

use super::{Hand, Placement};
use crate::{Outcome, Seat};

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// You were dealt this hand.
    Dealt {
        /// Your cards.
        hand: Hand,
    },
    /// A player's turn is next: it has begun, or a window before it is open.
    NextUp {
        /// The player.
        seat: Seat,
    },
    /// Your turn began.
    YourTurn,
    /// A window opened: you may play your PASS card before this turn begins.
    Asked,
    /// You declined.
    Declined,
    /// You chose to play your PASS card. It takes effect only if you are first when all have answered.
    SaidYes,
    /// A playing card was laid.
    Laid {
        /// The player.
        seat: Seat,
        /// The card with its position.
        placement: Placement,
        /// The points it scored.
        points: i32,
        /// True if an x2 doubled the points.
        doubled: bool,
    },
    /// SWITCH was played.
    Switched {
        /// The player.
        seat: Seat,
    },
    /// PASS was played.
    Skipped {
        /// The player.
        by: Seat,
        /// The skipped player.
        seat: Seat,
        /// True if it was played in a window, false if as a turn.
        out_of_turn: bool,
    },
    /// X2 was played.
    PlayedX2 {
        /// The player.
        seat: Seat,
    },
    /// SWAP was played, and hands were traded.
    Swapped {
        /// The player.
        seat: Seat,
        /// The other player.
        with: Seat,
    },
    /// You received this hand in the trade.
    Got {
        /// Your cards.
        hand: Hand,
    },
    /// A player passed without a card.
    Passed {
        /// The player.
        seat: Seat,
        /// True for an automatic pass, with no card in hand and none to draw.
        by_itself: bool,
    },
    /// You drew these cards.
    Drew {
        /// Your new cards.
        cards: Hand,
    },
    /// Another player drew.
    OtherDrew {
        /// The player.
        seat: Seat,
        /// The number of cards.
        count: u8,
    },
    /// The game ended.
    Ended {
        /// The outcome.
        outcome: Outcome,
    },
}
