//! EventSink of Habe fertig.

use super::{Card, Pair, Pile};
use crate::{CardSet, MAX_SEATS, Outcome, Points, Seat};

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A round began: everyone was dealt twelve cards and must hide two.
    RoundBegan {
        /// The round, starting at 0.
        round: u16,
        /// The dealer. The seat to the left has the first turn.
        dealer: Seat,
    },
    /// You were dealt this hand.
    Dealt {
        /// Your cards.
        hand: CardSet<Card>,
    },
    /// You hid two cards.
    YouHid {
        /// Your hidden cards.
        cards: Pair,
    },
    /// Another player hid two cards.
    Hid {
        /// The player.
        seat: Seat,
    },
    /// Everyone had hidden two cards, and the piles were opened.
    PilesOpened {
        /// The tops of the left and the right pile.
        tops: [Card; 2],
    },
    /// A turn began without a gap, so the top card of the draw pile was turned over.
    TurnedOver {
        /// The player who must lay it.
        seat: Seat,
        /// The card.
        card: Card,
    },
    /// The turned-over card was laid.
    Laid {
        /// The player.
        seat: Seat,
        /// The card.
        card: Card,
        /// The pile it was laid on.
        pile: Pile,
    },
    /// A card was played from a hand.
    Played {
        /// The player.
        seat: Seat,
        /// The card.
        card: Card,
        /// The pile it was laid on.
        pile: Pile,
        /// True if it went into the gap, so that the player moves again; false if it matched and ended the
        /// turn.
        gap: bool,
    },
    /// You passed and took the top card of the draw pile.
    YouPassed {
        /// The card.
        card: Card,
    },
    /// Another player passed and took the top card of the draw pile.
    Passed {
        /// The player.
        seat: Seat,
    },
    /// A player passed while there was no card to take.
    PassedWithoutCard {
        /// The player.
        seat: Seat,
    },
    /// The empty draw pile was rebuilt from the cards under the tops.
    Rebuilt {
        /// The cards shuffled into it.
        cards: CardSet<Card>,
    },
    /// A round ended, and cards were revealed.
    Shown {
        /// The revealed cards.
        shown: RevealedCards,
    },
    /// A round was scored.
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

/// The cards revealed at the end of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RevealedCards {
    /// The player who played their last card; `None` if the round ended at its turn limit or with passes.
    pub winner: Option<Seat>,
    /// The two cards hidden by the winner. Cards hidden by others stay hidden.
    pub hidden: CardSet<Card>,
    /// The cards left in each hand.
    pub hands: [CardSet<Card>; MAX_SEATS],
}
