//! The cards of No Dice: every pair of the values 2 to 10, and four kinds of action cards.

use arrayvec::ArrayVec;

/// The number of cards in the deck.
pub(super) const DECK: usize = 60;

/// The number of playing cards.
pub(super) const PLAYING: usize = 45;

/// The number of different values.
pub(super) const VALUES: usize = 9;

/// The lowest value.
pub(super) const LOWEST: u8 = 2;

/// A playing card: two segments, each with a value from 2 to 10.
///
/// Codes enumerate the pairs 2|2, 2|3, ... 2|10, 3|3, ... 10|10.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PlayingCard(u8);

/// The values of the playing cards, in code order.
const PAIRS: [[u8; 2]; PLAYING] = {
    let mut pairs = [[0; 2]; PLAYING];
    let (mut code, mut lower, mut higher) = (0, 2, 2);
    while code < PLAYING {
        pairs[code] = [lower, higher];
        if higher == 10 {
            lower += 1;
            higher = lower;
        } else {
            higher += 1;
        }
        code += 1;
    }
    pairs
};

impl PlayingCard {
    /// The card with these two values, in either order, for values from 2 to 10.
    ///
    /// ```
    /// use parlor_engine::no_dice::PlayingCard;
    /// let card = PlayingCard::new(10, 5).expect("there is a 5|10");
    /// assert_eq!((card.lower(), card.higher()), (5, 10));
    /// assert_eq!(PlayingCard::new(1, 5), None);
    /// ```
    #[must_use]
    pub fn new(one: u8, other: u8) -> Option<PlayingCard> {
        let pair = [one.min(other), one.max(other)];
        PAIRS.iter().position(|values| *values == pair).map(|code| PlayingCard(code as u8))
    }

    /// The lower value.
    #[must_use]
    pub const fn lower(self) -> u8 {
        PAIRS[self.0 as usize][0]
    }

    /// The higher value; equal to the lower one for a double.
    #[must_use]
    pub const fn higher(self) -> u8 {
        PAIRS[self.0 as usize][1]
    }

    /// Returns true if both values are equal.
    #[must_use]
    pub const fn is_double(self) -> bool {
        self.lower() == self.higher()
    }

    pub(super) const fn from_code(code: u8) -> Option<PlayingCard> {
        if (code as usize) < PLAYING { Some(PlayingCard(code)) } else { None }
    }
}

/// A card. The codes of the action cards follow those of the playing cards; all cards of a kind share one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Card {
    /// A unique card with two segments.
    Playing(PlayingCard),
    /// SWITCH reverses the direction of play; 4 copies.
    Switch,
    /// PASS skips a player; 4 copies.
    Pass,
    /// X2 doubles the next card the player lays; 4 copies.
    X2,
    /// SWAP trades hands; 3 copies.
    Swap,
}

impl Card {
    /// The kinds of action cards, in order.
    pub const ACTIONS: [Card; 4] = [Card::Switch, Card::Pass, Card::X2, Card::Swap];

    /// The number of cards of this kind in the deck.
    #[must_use]
    pub const fn copies(self) -> u8 {
        match self {
            Card::Playing(_) => 1,
            Card::Switch | Card::Pass | Card::X2 => 4,
            Card::Swap => 3,
        }
    }
}

impl crate::CardCode for Card {
    fn code(self) -> u8 {
        match self {
            Card::Playing(card) => card.0,
            Card::Switch => 45,
            Card::Pass => 46,
            Card::X2 => 47,
            Card::Swap => 48,
        }
    }

    fn from_code(code: u8) -> Option<Card> {
        match code {
            45.. => Card::ACTIONS.get(usize::from(code) - PLAYING).copied(),
            _ => PlayingCard::from_code(code).map(Card::Playing),
        }
    }
}

/// All kinds of cards, in code order.
pub(super) fn kinds() -> impl Iterator<Item = Card> {
    (0..).map_while(<Card as crate::CardCode>::from_code)
}

/// The deck, in code order.
pub(super) fn deck() -> ArrayVec<Card, DECK> {
    kinds().flat_map(|card| std::iter::repeat_n(card, card.copies().into())).collect()
}
