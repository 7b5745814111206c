//! The cards of GAP: the numbers 0 to 9 in five colours.

use crate::CardSet;

/// A colour. Tables of two or three leave out the last ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "a colour is a colour")]
pub enum Colour {
    Blue,
    Green,
    Yellow,
    Pink,
    Purple,
}

impl Colour {
    /// All colours, in order.
    pub const ALL: [Colour; 5] = [Colour::Blue, Colour::Green, Colour::Yellow, Colour::Pink, Colour::Purple];

    /// All cards of this colour.
    #[must_use]
    pub const fn cards(self) -> CardSet<Card> {
        CardSet::from_bits(0x3ff << (10 * self as u32))
    }
}

/// A card. Its code is 10 times its colour index, plus its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Card(u8);

impl Card {
    /// The card of this colour and number, for numbers from 0 to 9.
    #[must_use]
    pub const fn new(colour: Colour, number: u8) -> Option<Card> {
        if number < 10 { Some(Card(colour as u8 * 10 + number)) } else { None }
    }

    /// The colour.
    #[must_use]
    pub const fn colour(self) -> Colour {
        Colour::ALL[(self.0 / 10) as usize]
    }

    /// The number, 0 to 9.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0 % 10
    }
}

impl crate::CardCode for Card {
    const CODE_LIMIT: u8 = 50;
    fn code(self) -> u8 {
        self.0
    }
    fn from_code(code: u8) -> Option<Card> {
        (code < 50).then_some(Card(code))
    }
}

/// All cards with this number, modulo 10.
pub(super) const fn numbered(number: u8) -> CardSet<Card> {
    const ZEROES: u64 = 1 | 1 << 10 | 1 << 20 | 1 << 30 | 1 << 40;
    CardSet::from_bits((ZEROES << (number % 10)) as u128)
}

/// The deck at a table of `players`: two players leave out two colours, three players one.
pub(super) const fn deck(players: u8) -> CardSet<Card> {
    let colours = match players {
        2 => 3,
        3 => 4,
        _ => 5,
    };
    CardSet::from_bits((1 << (10 * colours)) - 1)
}
