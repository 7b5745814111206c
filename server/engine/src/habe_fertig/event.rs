//! What happens in a game of Habe fertig.

use super::{Card, Pair, Pile};
use crate::{CardSet, MAX_SEATS, Outcome, Points, Seat};

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A round began: everyone has twelve cards, and is to hide two.
    RoundBegan {
        /// The round, the first being 0.
        round: u16,
        /// Who dealt. The seat to the left has the first turn.
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
        /// Who did.
        seat: Seat,
    },
    /// Everyone had hidden, and the first two cards were turned up.
    PilesOpened {
        /// The tops of the left and the right pile.
        tops: [Card; 2],
    },
    /// There was no gap at the beginning of a turn, so the next card of the draw pile was turned over.
    TurnedOver {
        /// The player who is to lay it.
        seat: Seat,
        /// The card.
        card: Card,
    },
    /// The card turned over was laid.
    Laid {
        /// Who laid it.
        seat: Seat,
        /// The card.
        card: Card,
        /// Where it was laid.
        pile: Pile,
    },
    /// A card was played from a hand.
    Played {
        /// Who played.
        seat: Seat,
        /// The card.
        card: Card,
        /// Where it was laid.
        pile: Pile,
        /// Whether it went into the gap, so that the player moves again; otherwise it matched, and ended the turn.
        gap: bool,
    },
    /// You passed, and took the next card of the draw pile.
    YouPassed {
        /// The card.
        card: Card,
    },
    /// Another player passed, and took the next card of the draw pile.
    Passed {
        /// Who passed.
        seat: Seat,
    },
    /// A player passed, and there was no card to take.
    PassedWithoutCard {
        /// Who passed.
        seat: Seat,
    },
    /// The draw pile was empty, and was made anew from the cards under the tops.
    Rebuilt {
        /// The cards shuffled into it.
        cards: CardSet<Card>,
    },
    /// A round was over, and cards were shown.
    Shown {
        /// The cards.
        shown: Shown,
    },
    /// A round was scored.
    RoundScored {
        /// The round, the first being 0.
        round: u16,
        /// What each seat scored in it.
        points: Points,
    },
    /// The game was over.
    Ended {
        /// The result.
        outcome: Outcome,
    },
}

/// What everyone is shown at the end of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Who laid their last card; nobody if the round came to its bound.
    pub winner: Option<Seat>,
    /// The two cards that the winner hid. Nobody else's are shown.
    pub hidden: CardSet<Card>,
    /// The cards left in each hand.
    pub hands: [CardSet<Card>; MAX_SEATS],
}
