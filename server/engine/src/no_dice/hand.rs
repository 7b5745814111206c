//! Cards held together, where cards of a kind cannot be told apart.

use std::fmt;

use super::card::{self, Card, PLAYING, PlayingCard};
use crate::Card as _;

/// Cards without an order, such as a hand: each playing card once at most, and up to 7 action cards of each kind.
///
/// A bit for each playing card, then three bits for each kind of action card.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Hand(u64);

const PLAYING_BITS: u64 = (1 << PLAYING) - 1;
const MOST: u64 = 7;

/// Where the bits of a kind are, and how high they can count.
const fn place(code: u8) -> (u32, u64) {
    let code = code as u32;
    match code.checked_sub(PLAYING as u32) {
        None => (code, 1),
        Some(kind) => (PLAYING as u32 + 3 * kind, MOST),
    }
}

impl Hand {
    /// No card.
    pub const EMPTY: Hand = Hand(0);

    /// How many cards of this kind there are.
    #[must_use]
    pub fn count(self, card: Card) -> u8 {
        let (shift, most) = place(card.code());
        (self.0 >> shift & most) as u8
    }

    /// Whether the card is there.
    #[must_use]
    pub fn contains(self, card: Card) -> bool {
        self.count(card) > 0
    }

    /// The cards with this one more; as they are if there is no room for it.
    #[must_use]
    pub fn with(self, card: Card) -> Hand {
        let (shift, most) = place(card.code());
        let room = u64::from(self.count(card)) < most;
        Hand(self.0 + (u64::from(room) << shift))
    }

    /// The cards with this one less; as they are if it is not there.
    #[must_use]
    pub fn without(self, card: Card) -> Hand {
        let (shift, _) = place(card.code());
        Hand(self.0 - (u64::from(self.contains(card)) << shift))
    }

    /// These cards and the others.
    #[must_use]
    pub fn and(self, others: Hand) -> Hand {
        others.into_iter().fold(self, Hand::with)
    }

    /// These cards less the others, as far as they are there.
    #[must_use]
    pub fn less(self, others: Hand) -> Hand {
        others.into_iter().fold(self, Hand::without)
    }

    /// How many cards there are.
    #[must_use]
    pub const fn len(self) -> u8 {
        let playing = (self.0 & PLAYING_BITS).count_ones() as u64;
        let actions = self.0 >> PLAYING;
        (playing + (actions & MOST) + (actions >> 3 & MOST) + (actions >> 6 & MOST) + (actions >> 9)) as u8
    }

    /// Whether there is no card.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The playing cards, in order.
    pub(super) fn playing(self) -> impl Iterator<Item = PlayingCard> {
        let mut left = self.0 & PLAYING_BITS;
        std::iter::from_fn(move || {
            let card = PlayingCard::from_code(left.trailing_zeros() as u8)?;
            left &= left - 1;
            Some(card)
        })
    }

    /// All cards of the game.
    pub(super) fn full_deck() -> Hand {
        card::deck().into_iter().collect()
    }
}

/// The cards of a [`Hand`], lowest code first, cards of a kind one after the other.
#[derive(Clone, Debug)]
pub struct HandCards(Hand);

impl Iterator for HandCards {
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
    type IntoIter = HandCards;
    fn into_iter(self) -> HandCards {
        HandCards(self)
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
