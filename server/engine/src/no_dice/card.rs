//! The cards of No Dice: every pair of the values 2 to 10, and four kinds of action cards.

use arrayvec::ArrayVec;

/// How many cards there are.
pub(super) const DECK: usize = 60;

/// How many playing cards there are.
pub(super) const PLAYING: usize = 45;

/// How many different values there are.
pub(super) const VALUES: usize = 9;

/// The lowest value.
pub(super) const LOWEST: u8 = 2;

/// A playing card: two segments, each with a value from 2 to 10.
///
/// Its code counts the pairs 2|2, 2|3, ... 2|10, 3|3, ... 10|10.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PlayingCard(u8);

/// The values of the playing cards, in the order of their codes.
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

    /// The lower of its values.
    #[must_use]
    pub const fn lower(self) -> u8 {
        PAIRS[self.0 as usize][0]
    }

    /// The higher of its values; that of a double is as high as the lower one.
    #[must_use]
    pub const fn higher(self) -> u8 {
        PAIRS[self.0 as usize][1]
    }

    /// Whether its two values are the same.
    #[must_use]
    pub const fn is_double(self) -> bool {
        self.lower() == self.higher()
    }

    pub(super) const fn from_code(code: u8) -> Option<PlayingCard> {
        if (code as usize) < PLAYING { Some(PlayingCard(code)) } else { None }
    }
}

/// A card. The code of an action card follows those of the playing cards; all cards of a kind share it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Card {
    /// A card with two segments, of which there is one.
    Playing(PlayingCard),
    /// SWITCH, which reverses the direction of play; there are 4.
    Switch,
    /// PASS, which skips a player; there are 4.
    Pass,
    /// X2, which doubles what the player lays next; there are 4.
    X2,
    /// SWAP, which trades hands; there are 3.
    Swap,
}

impl Card {
    /// The kinds of action cards, in order.
    pub const ACTIONS: [Card; 4] = [Card::Switch, Card::Pass, Card::X2, Card::Swap];

    /// How many cards of this kind there are.
    #[must_use]
    pub const fn copies(self) -> u8 {
        match self {
            Card::Playing(_) => 1,
            Card::Switch | Card::Pass | Card::X2 => 4,
            Card::Swap => 3,
        }
    }
}

impl crate::Card for Card {
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

/// Every kind of card, in the order of the codes.
pub(super) fn kinds() -> impl Iterator<Item = Card> {
    (0..).map_while(<Card as crate::Card>::from_code)
}

/// All cards, in the order of their codes.
pub(super) fn deck() -> ArrayVec<Card, DECK> {
    kinds().flat_map(|card| std::iter::repeat_n(card, card.copies().into())).collect()
}
