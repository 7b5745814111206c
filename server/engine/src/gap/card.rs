//! The cards of GAP: the numbers 0 to 9 in five colours.

use arrayvec::ArrayVec;

use crate::CardSet;

/// A colour. Small tables leave out the last ones of this order.
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
    /// Every colour, in order.
    pub const ALL: [Colour; 5] = [
        Colour::Blue,
        Colour::Green,
        Colour::Yellow,
        Colour::Pink,
        Colour::Purple,
    ];

    /// Every card of this colour.
    #[must_use]
    pub const fn cards(self) -> CardSet<Card> {
        CardSet::from_bits(0x3ff << (10 * self as u32))
    }
}

/// A card. Its code is ten times the place of its colour, plus its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Card(u8);

impl Card {
    /// The card of this colour and number, for numbers from 0 to 9.
    #[must_use]
    pub const fn new(colour: Colour, number: u8) -> Option<Card> {
        if number < 10 {
            Some(Card(colour as u8 * 10 + number))
        } else {
            None
        }
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

impl crate::Card for Card {
    const CODES: u8 = 50;
    fn code(self) -> u8 {
        self.0
    }
    fn from_code(code: u8) -> Option<Card> {
        (code < 50).then_some(Card(code))
    }
}

/// Every card with this number; numbers are a ring, so 10 is 0 again.
const fn numbered(number: u8) -> CardSet<Card> {
    const ZEROES: u128 = 1 | 1 << 10 | 1 << 20 | 1 << 30 | 1 << 40;
    CardSet::from_bits(ZEROES << (number % 10))
}

impl Card {
    /// Every card with the same number, with the next lower one, and with the next higher one.
    pub(super) const fn kin(self) -> [CardSet<Card>; 3] {
        static KIN: [[CardSet<Card>; 3]; 50] = {
            let mut kin = [[CardSet::EMPTY; 3]; 50];
            let mut code = 0;
            while code < 50 {
                let number = code % 10;
                kin[code as usize] = [numbered(number), numbered(number + 9), numbered(number + 1)];
                code += 1;
            }
            kin
        };
        KIN[self.0 as usize]
    }
}

/// How many cards a table of `players` plays with: two players leave out two colours, three players one.
const fn deck_size(players: u8) -> u8 {
    match players {
        2 => 30,
        3 => 40,
        _ => 50,
    }
}

/// The cards that a table of `players` plays with: the last colours are left out first.
pub(super) const fn deck(players: u8) -> CardSet<Card> {
    CardSet::from_bits((1 << deck_size(players)) - 1)
}

/// The same cards, in order.
pub(super) fn deck_in_order(players: u8) -> ArrayVec<Card, 50> {
    (0..deck_size(players)).map(Card).collect()
}
