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
    /// All colours, in order.
    pub const ALL: [Colour; 6] =
        [Colour::Red, Colour::Yellow, Colour::Green, Colour::Blue, Colour::Purple, Colour::Grey];

    /// All cards of this colour.
    #[must_use]
    pub const fn cards(self) -> CardSet<Card> {
        CardSet::from_bits(0x7ff << (11 * self as u32))
    }
}

/// A card. Its code is 11 times its colour index, plus its number, minus 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Card(u8);

impl Card {
    /// The number of cards in the deck.
    pub const COUNT: usize = 66;

    /// The card of this colour and number, for numbers from 1 to 11.
    #[must_use]
    pub const fn new(colour: Colour, number: u8) -> Option<Card> {
        if number >= 1 && number <= 11 { Some(Card(colour as u8 * 11 + number - 1)) } else { None }
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

    /// The stars on the card: positive points for cards hidden by the winner, negative points for cards left
    /// in hand.
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

    /// The index of the card in arrays with one slot per card.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

impl crate::CardCode for Card {
    fn code(self) -> u8 {
        self.0
    }
    fn from_code(code: u8) -> Option<Card> {
        (code < Card::COUNT as u8).then_some(Card(code))
    }
}

/// The full deck.
pub(super) const DECK: CardSet<Card> = CardSet::from_bits((1 << Card::COUNT) - 1);

/// The 1 of every colour.
const ONES: u128 = 1 | 1 << 11 | 1 << 22 | 1 << 33 | 1 << 44 | 1 << 55;

/// The total number of stars on the cards.
pub(super) fn stars(cards: CardSet<Card>) -> i32 {
    cards.into_iter().map(|card| i32::from(card.stars())).sum()
}

/// Returns true if some number lies strictly between the numbers of the tops.
pub(super) const fn is_gap(tops: [Card; 2]) -> bool {
    tops[0].number().abs_diff(tops[1].number()) >= 2
}

/// The cards that can go into the gap: number strictly between those of the tops, colour of neither top.
pub(super) const fn into_gap(tops: [Card; 2]) -> CardSet<Card> {
    /// For two numbers, all cards with a number strictly between them.
    const BETWEEN: [[u128; 12]; 12] = {
        let mut between = [[0; 12]; 12];
        let mut low = 1;
        while low <= 11 {
            let mut number = low + 1;
            while number < 11 {
                let high = number + 1;
                between[low][high] = between[low][number] | ONES << (number - 1);
                between[high][low] = between[low][high];
                number += 1;
            }
            low += 1;
        }
        between
    };
    let [a, b] = tops;
    let between = BETWEEN[a.number() as usize][b.number() as usize];
    CardSet::from_bits(between & !COLOUR[a.index()] & !COLOUR[b.index()])
}

/// The cards that match a top: same colour or same number.
pub(super) const fn matching(top: Card) -> CardSet<Card> {
    CardSet::from_bits(COLOUR[top.index()] | NUMBER[top.index()])
}

/// For each card, all cards of its colour.
const COLOUR: [u128; Card::COUNT] = {
    let mut same = [0; Card::COUNT];
    let mut code = 0;
    while code < Card::COUNT {
        same[code] = 0x7ff << (code / 11 * 11);
        code += 1;
    }
    same
};

/// For each card, all cards with its number.
const NUMBER: [u128; Card::COUNT] = {
    let mut same = [0; Card::COUNT];
    let mut code = 0;
    while code < Card::COUNT {
        same[code] = ONES << (code % 11);
        code += 1;
    }
    same
};
