//! What a player of Habe fertig can do, and why it can be refused.

use super::Card;
use crate::CardSet;

/// What a player can do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Lay two cards face down before the round.
    Hide(Pair),
    /// Lay the card that was turned over, because there was no gap, on this pile.
    Lay(Pile),
    /// Play a card from the hand: into the gap, or on a top that it matches. A card never does both.
    Play {
        /// The card.
        card: Card,
        /// The pile it goes on.
        pile: Pile,
    },
    /// Take the top card of the draw pile, if it has one.
    Pass,
}

/// One of the two piles.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "left is left")]
pub enum Pile {
    Left,
    Right,
}

impl Pile {
    /// Both piles, in order.
    pub const ALL: [Pile; 2] = [Pile::Left, Pile::Right];

    /// Where the pile stands in arrays with one slot a pile.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// Two different cards, in no order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pair {
    low: Card,
    high: Card,
}

impl Pair {
    /// The two cards as a pair; nothing if they are the same card.
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

    /// Both, as a set.
    #[must_use]
    pub fn cards(self) -> CardSet<Card> {
        CardSet::only(self.low).with(self.high)
    }
}

/// Rules that an action can break.
pub mod refusals {
    use crate::Refusal;

    /// The round has not begun: two cards are to be hidden.
    pub const HIDE_FIRST: Refusal = Refusal::new(
        "habe_fertig.hide_first",
        "First hide two cards: the round begins when everyone has.",
        "Verstecke zuerst zwei Karten: Die Runde beginnt, wenn alle das getan haben.",
    );
    /// Cards are hidden before the round, and only then.
    pub const HIDING_IS_OVER: Refusal = Refusal::new(
        "habe_fertig.hiding_is_over",
        "Cards can be hidden only before the round.",
        "Karten werden nur vor der Runde versteckt.",
    );
    /// A card was turned over, and must be laid before anything else.
    pub const LAY_FIRST: Refusal = Refusal::new(
        "habe_fertig.lay_first",
        "First lay the card that was turned over on a pile.",
        "Lege zuerst die aufgedeckte Karte auf einen Stapel.",
    );
    /// No card was turned over.
    pub const NOTHING_TO_LAY: Refusal = Refusal::new(
        "habe_fertig.nothing_to_lay",
        "No card is turned over: play a card or pass.",
        "Es ist keine Karte aufgedeckt: Spiele eine Karte oder passe.",
    );
    /// The card matches the other top only.
    pub const OTHER_PILE: Refusal = Refusal::new(
        "habe_fertig.other_pile",
        "That card matches the top of the other pile only, so it goes there.",
        "Diese Karte passt nur zur obersten Karte des anderen Stapels, also gehört sie dorthin.",
    );
    /// The card neither goes into the gap nor matches a top.
    pub const DOES_NOT_FIT: Refusal = Refusal::new(
        "habe_fertig.does_not_fit",
        "A card needs the colour or the number of a top, or a number in the gap and the colour of neither top.",
        "Eine Karte braucht die Farbe oder die Zahl einer obersten Karte, oder eine Zahl in der Lücke und die Farbe \
         keiner von beiden.",
    );
}
