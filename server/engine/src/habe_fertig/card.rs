//! The cards of Habe fertig: the numbers 1 to 11 in six colours.

use crate::CardSet;

/// A colour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "a colour is a colour")]
pub enum Colour {
    Red,
    Yellow,
    Green,
    Blue,
    Purple,
    Grey,
}

impl Colour {
    /// Every colour, in order.
    pub const ALL: [Colour; 6] = [
        Colour::Red,
        Colour::Yellow,
        Colour::Green,
        Colour::Blue,
        Colour::Purple,
        Colour::Grey,
    ];

    /// Every card of this colour.
    #[must_use]
    pub const fn cards(self) -> CardSet<Card> {
        CardSet::from_bits(0x7ff << (11 * self as u32))
    }
}

/// A card. Its code is eleven times the place of its colour, plus its number less one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Card(u8);

impl Card {
    /// How many cards there are.
    pub const COUNT: usize = 66;

    /// The card of this colour and number, for numbers from 1 to 11.
    #[must_use]
    pub const fn new(colour: Colour, number: u8) -> Option<Card> {
        if number >= 1 && number <= 11 {
            Some(Card(colour as u8 * 11 + number - 1))
        } else {
            None
        }
    }

    /// The colour.
    #[must_use]
    pub const fn colour(self) -> Colour {
        Colour::ALL[(self.0 / 11) as usize]
    }

    /// The number, 1 to 11.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0 % 11 + 1
    }

    /// The stars on the card: good on a card that the winner hid, bad on a card left in hand.
    #[must_use]
    pub const fn stars(self) -> u8 {
        match self.number() {
            6 => 4,
            5 | 7 => 3,
            3 | 4 | 8 | 9 => 2,
            2 | 10 => 1,
            _ => 0,
        }
    }

    /// Where the card's facts stand in arrays with one slot a card.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl crate::Card for Card {
    fn code(self) -> u8 {
        self.0
    }
    fn from_code(code: u8) -> Option<Card> {
        (code < Card::COUNT as u8).then_some(Card(code))
    }
}

/// Every card of the game.
pub(super) const DECK: CardSet<Card> = CardSet::from_bits((1 << Card::COUNT) - 1);

/// The ones of all colours.
const ONES: u128 = 1 | 1 << 11 | 1 << 22 | 1 << 33 | 1 << 44 | 1 << 55;

/// The stars of all the cards together.
pub(super) fn stars(cards: CardSet<Card>) -> i32 {
    cards.into_iter().map(|card| i32::from(card.stars())).sum()
}

/// Whether some number lies strictly between those of the two tops.
pub(super) const fn is_gap(tops: [Card; 2]) -> bool {
    tops[0].number().abs_diff(tops[1].number()) >= 2
}

/// Every card that goes into the gap: its number lies strictly between those of the two tops, and its colour is the
/// colour of neither.
pub(super) fn into_gap(tops: [Card; 2]) -> CardSet<Card> {
    let [a, b] = tops.map(Card::number);
    // One bit a number, that of 1 being the lowest.
    let below_high = (1u128 << (a.max(b) - 1)) - 1;
    let up_to_low = (1u128 << a.min(b)) - 1;
    let between = CardSet::from_bits((below_high & !up_to_low) * ONES);
    between - tops[0].colour().cards() - tops[1].colour().cards()
}

/// Every card that matches a top: it has its colour or its number.
pub(super) const fn matching(top: Card) -> CardSet<Card> {
    const COLOURS_AND_NUMBERS: [CardSet<Card>; Card::COUNT] = {
        let mut matching = [CardSet::EMPTY; Card::COUNT];
        let mut code = 0;
        while code < Card::COUNT {
            let colour = 0x7ff << (11 * (code / 11));
            let number = ONES << (code % 11);
            matching[code] = CardSet::from_bits(colour | number);
            code += 1;
        }
        matching
    };
    COLOURS_AND_NUMBERS[top.index()]
}
