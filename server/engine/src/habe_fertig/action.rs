//! Actions of Habe fertig.

use super::Card;
use crate::CardSet;

/// An action of a player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Lay two cards face down before the round.
    Hide(Pair),
    /// Lay the card that was turned over for lack of a gap on this pile.
    Lay(Pile),
    /// Play a card from the hand: into the gap, or as a match on a top. No card can be played as both.
    Play {
        /// The card.
        card: Card,
        /// The pile it goes on.
        pile: Pile,
    },
    /// Take the top card of the draw pile, if any.
    Pass,
}

/// One of the two piles that cards are played on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "left is left")]
pub enum Pile {
    Left,
    Right,
}

impl Pile {
    /// Both piles, in order.
    pub const ALL: [Pile; 2] = [Pile::Left, Pile::Right];

    /// The index of the pile in arrays with one slot per pile.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// An unordered pair of different cards.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pair {
    low: Card,
    high: Card,
}

impl Pair {
    /// The pair of these cards; `None` if they are the same card.
    ///
    /// ```
    /// use parlor_engine::habe_fertig::{Card, Colour, Pair};
    /// let [six, three] = [6, 3].map(|n| Card::new(Colour::Red, n).expect("a number from 1 to 11"));
    /// assert_eq!(Pair::new(six, three), Pair::new(three, six));
    /// assert_eq!(Pair::new(six, six), None);
    /// ```
    #[must_use]
    pub fn new(a: Card, b: Card) -> Option<Pair> {
        let (low, high) = (a.min(b), a.max(b));
        (low < high).then_some(Pair { low, high })
    }

    /// The card with the lower code.
    #[must_use]
    pub const fn low(self) -> Card {
        self.low
    }

    /// The card with the higher code.
    #[must_use]
    pub const fn high(self) -> Card {
        self.high
    }

    /// Both cards, as a set.
    #[must_use]
    pub fn cards(self) -> CardSet<Card> {
        CardSet::only(self.low).with(self.high)
    }
}
