//! A multiset of cards, in which action cards of a kind are indistinguishable.

use std::fmt;

use super::card::{self, Card, PLAYING, PlayingCard};
use crate::CardCode as _;

/// A multiset of cards, such as a hand: each playing card at max once, and up to 7 action cards of each
/// kind.
///
/// Encoded as one bit for each playing card, then three bits for each kind of action card.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Hand(u64);

const PLAYING_BITS: u64 = (1 << PLAYING) - 1;
const MAX_COUNT: u64 = 7;

/// The bit offset of a kind's count, and its maximum.
const fn bit_field(code: u8) -> (u32, u64) {
    let code = code as u32;
    match code.checked_sub(PLAYING as u32) {
        None => (code, 1),
        Some(kind) => (PLAYING as u32 + 3 * kind, MAX_COUNT),
    }
}

impl Hand {
    /// No cards.
    pub const EMPTY: Hand = Hand(0);

    /// The number of cards of this kind.
    #[must_use]
    pub fn count(self, card: Card) -> u8 {
        let (shift, max) = bit_field(card.code());
        (self.0 >> shift & max) as u8
    }

    /// Returns true if there is a card of this kind.
    #[must_use]
    pub fn contains(self, card: Card) -> bool {
        self.count(card) > 0
    }

    /// Adds a card; unchanged if its count is at the maximum.
    #[must_use]
    pub fn with(self, card: Card) -> Hand {
        let (shift, max) = bit_field(card.code());
        let room = u64::from(self.count(card)) < max;
        Hand(self.0 + (u64::from(room) << shift))
    }

    /// Removes a card; unchanged if there is none.
    #[must_use]
    pub fn without(self, card: Card) -> Hand {
        let (shift, _) = bit_field(card.code());
        Hand(self.0 - (u64::from(self.contains(card)) << shift))
    }

    /// The sum with the others.
    #[must_use]
    pub fn plus(self, others: Hand) -> Hand {
        others.into_iter().fold(self, Hand::with)
    }

    /// The difference from the others, at least 0 of each kind.
    #[must_use]
    pub fn minus(self, others: Hand) -> Hand {
        others.into_iter().fold(self, Hand::without)
    }

    /// The number of cards.
    #[must_use]
    pub const fn len(self) -> u8 {
        let playing = (self.0 & PLAYING_BITS).count_ones() as u64;
        let actions = self.0 >> PLAYING;
        (playing
            + (actions & MAX_COUNT)
            + (actions >> 3 & MAX_COUNT)
            + (actions >> 6 & MAX_COUNT)
            + (actions >> 9)) as u8
    }

    /// Returns true if there are no cards.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The playing cards, in code order.
    pub(super) fn playing(self) -> impl Iterator<Item = PlayingCard> {
        let mut left = self.0 & PLAYING_BITS;
        std::iter::from_fn(move || {
            let card = PlayingCard::from_code(left.trailing_zeros() as u8)?;
            left &= left - 1;
            Some(card)
        })
    }

    /// The full deck.
    pub(super) fn full_deck() -> Hand {
        card::deck().into_iter().collect()
    }
}

/// Iterator over the cards of a [`Hand`], in code order.
#[derive(Clone, Debug)]
pub struct HandIter(Hand);

impl Iterator for HandIter {
    type Item = Card;
    fn next(&mut self) -> Option<Card> {
        let code = match self.0.0.trailing_zeros() {
            bit @ 0..45 => bit,
            bit => 45 + (bit - 45) / 3,
        };
        let card = Card::from_code(code as u8)?;
        self.0 = self.0.without(card);
        Some(card)
    }
}

impl IntoIterator for Hand {
    type Item = Card;
    type IntoIter = HandIter;
    fn into_iter(self) -> HandIter {
        HandIter(self)
    }
}

impl FromIterator<Card> for Hand {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Hand {
        cards.into_iter().fold(Hand::EMPTY, Hand::with)
    }
}

impl fmt::Debug for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}
