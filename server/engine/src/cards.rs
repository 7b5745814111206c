//! Cards as small values, and sets of them as bits.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, Sub};

/// A card: a small value with a code of one byte, which is also its order.
pub trait Card: Copy + Eq + Ord + 'static {
    /// Every code is below this number, and [`from_code`](Card::from_code) knows none that is not. A set has room for
    /// 128; its steps are cheaper where there are 64 or fewer.
    const CODES: u8 = 128;

    /// The code. Cards that nobody can tell apart share one.
    fn code(self) -> u8;
    /// The card with this code, if there is one.
    fn from_code(code: u8) -> Option<Self>;
}

/// A set of cards of a game in which every card is there once.
pub struct CardSet<C> {
    bits: u128,
    cards: PhantomData<C>,
}

impl<C> CardSet<C> {
    /// No card.
    pub const EMPTY: CardSet<C> = CardSet::from_bits(0);

    pub(crate) const fn from_bits(bits: u128) -> CardSet<C> {
        CardSet { bits, cards: PhantomData }
    }

    /// How many cards are in the set.
    #[must_use]
    pub const fn len(self) -> u8 {
        self.bits.count_ones() as u8
    }

    /// Whether no card is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.bits == 0
    }
}

impl<C: Card> CardSet<C> {
    /// Just this card.
    #[must_use]
    pub fn only(card: C) -> CardSet<C> {
        CardSet::from_bits(if C::CODES <= 64 { (1u64 << card.code()).into() } else { 1 << card.code() })
    }

    /// Whether the card is in the set.
    #[must_use]
    pub fn contains(self, card: C) -> bool {
        self.bits >> card.code() & 1 != 0
    }

    /// Whether every card of the other set is in this one.
    #[must_use]
    pub fn contains_all(self, other: CardSet<C>) -> bool {
        other.bits & !self.bits == 0
    }

    /// The set with this card in it.
    #[must_use]
    pub fn with(self, card: C) -> CardSet<C> {
        self | CardSet::only(card)
    }

    /// The set without this card.
    #[must_use]
    pub fn without(self, card: C) -> CardSet<C> {
        self - CardSet::only(card)
    }

    /// The lowest card of the set.
    #[must_use]
    pub fn first(self) -> Option<C> {
        self.into_iter().next()
    }
}

impl<C> Clone for CardSet<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for CardSet<C> {}

impl<C> PartialEq for CardSet<C> {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}

impl<C> Eq for CardSet<C> {}

impl<C> Default for CardSet<C> {
    fn default() -> Self {
        CardSet::EMPTY
    }
}

impl<C> BitOr for CardSet<C> {
    type Output = CardSet<C>;
    fn bitor(self, other: CardSet<C>) -> CardSet<C> {
        CardSet::from_bits(self.bits | other.bits)
    }
}

impl<C> BitAnd for CardSet<C> {
    type Output = CardSet<C>;
    fn bitand(self, other: CardSet<C>) -> CardSet<C> {
        CardSet::from_bits(self.bits & other.bits)
    }
}

/// The cards of the left set that are not in the right one.
impl<C> Sub for CardSet<C> {
    type Output = CardSet<C>;
    fn sub(self, other: CardSet<C>) -> CardSet<C> {
        CardSet::from_bits(self.bits & !other.bits)
    }
}

/// The cards of a [`CardSet`], lowest first.
#[derive(Clone)]
pub struct CardsInOrder<C>(CardSet<C>);

impl<C: Card> Iterator for CardsInOrder<C> {
    type Item = C;
    fn next(&mut self) -> Option<C> {
        // Where no bit is left, the zeros are as many as there are bits, and no card has that code.
        if C::CODES <= 64 {
            let bits = self.0.bits as u64;
            self.0.bits = (bits & bits.wrapping_sub(1)).into();
            C::from_code(bits.trailing_zeros() as u8)
        } else {
            let bits = self.0.bits;
            self.0.bits = bits & bits.wrapping_sub(1);
            C::from_code(bits.trailing_zeros() as u8)
        }
    }
}

impl<C: Card> IntoIterator for CardSet<C> {
    type Item = C;
    type IntoIter = CardsInOrder<C>;
    fn into_iter(self) -> CardsInOrder<C> {
        CardsInOrder(self)
    }
}

impl<C: Card> FromIterator<C> for CardSet<C> {
    fn from_iter<I: IntoIterator<Item = C>>(cards: I) -> CardSet<C> {
        cards.into_iter().fold(CardSet::EMPTY, CardSet::with)
    }
}

impl<C: Card + fmt::Debug> fmt::Debug for CardSet<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}
