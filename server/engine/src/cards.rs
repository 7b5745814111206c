//! Card codes, and card sets as bit sets.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr, Sub};

/// A card: a small value with a one-byte code, which also defines the order of the cards.
pub trait CardCode: Copy + Eq + Ord + 'static {
    /// Exclusive upper bound of the codes; [`from_code`](CardCode::from_code) returns `None` from here on. At
    /// most 128, the capacity of a set. Set operations are cheaper for 64 or fewer.
    const CODE_LIMIT: u8 = 128;

    /// The code. Indistinguishable cards share one.
    fn code(self) -> u8;
    /// The card with this code, if any.
    fn from_code(code: u8) -> Option<Self>;
}

/// A set of cards, for games in which every card is unique.
pub struct CardSet<C> {
    bits: u128,
    cards: PhantomData<C>,
}

impl<C> CardSet<C> {
    /// The empty set.
    pub const EMPTY: CardSet<C> = CardSet::from_bits(0);

    pub(crate) const fn from_bits(bits: u128) -> CardSet<C> {
        CardSet { bits, cards: PhantomData }
    }

    /// The number of cards in the set.
    #[must_use]
    pub const fn len(self) -> u8 {
        self.bits.count_ones() as u8
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.bits == 0
    }
}

impl<C: CardCode> CardSet<C> {
    /// The set of this card only.
    #[must_use]
    pub fn only(card: C) -> CardSet<C> {
        CardSet::from_bits(if C::CODE_LIMIT <= 64 { (1u64 << card.code()).into() } else { 1 << card.code() })
    }

    /// Returns true if the card is in the set.
    #[must_use]
    pub fn contains(self, card: C) -> bool {
        self.bits >> card.code() & 1 != 0
    }

    /// Returns true if every card of the other set is in this one.
    #[must_use]
    pub fn contains_all(self, other: CardSet<C>) -> bool {
        other.bits & !self.bits == 0
    }

    /// The set with this card added.
    #[must_use]
    pub fn with(self, card: C) -> CardSet<C> {
        self | CardSet::only(card)
    }

    /// The set with this card removed.
    #[must_use]
    pub fn without(self, card: C) -> CardSet<C> {
        self - CardSet::only(card)
    }

    /// The card with the lowest code, if any.
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

/// Set difference: the cards of the left set that are not in the right one.
impl<C> Sub for CardSet<C> {
    type Output = CardSet<C>;
    fn sub(self, other: CardSet<C>) -> CardSet<C> {
        CardSet::from_bits(self.bits & !other.bits)
    }
}

/// Iterator over the cards of a [`CardSet`], in code order.
#[derive(Clone)]
pub struct CardSetIter<C>(CardSet<C>);

impl<C: CardCode> Iterator for CardSetIter<C> {
    type Item = C;
    fn next(&mut self) -> Option<C> {
        // For an empty set, `trailing_zeros` is the number of bits, which is no card's code.
        if C::CODE_LIMIT <= 64 {
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

impl<C: CardCode> IntoIterator for CardSet<C> {
    type Item = C;
    type IntoIter = CardSetIter<C>;
    fn into_iter(self) -> CardSetIter<C> {
        CardSetIter(self)
    }
}

impl<C: CardCode> FromIterator<C> for CardSet<C> {
    fn from_iter<I: IntoIterator<Item = C>>(cards: I) -> CardSet<C> {
        cards.into_iter().fold(CardSet::EMPTY, CardSet::with)
    }
}

impl<C: CardCode + fmt::Debug> fmt::Debug for CardSet<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One card type per code path: at most 64 codes, and more.
    macro_rules! cards {
        ($($name:ident: $codes:expr),*) => {$(
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
            struct $name(u8);

            impl CardCode for $name {
                const CODE_LIMIT: u8 = $codes;
                fn code(self) -> u8 {
                    self.0
                }
                fn from_code(code: u8) -> Option<$name> {
                    (code < $codes).then_some($name(code))
                }
            }
        )*};
    }
    cards!(Few: 64, Many: 128);

    fn set<C: CardCode>(codes: &[u8]) -> CardSet<C> {
        codes.iter().filter_map(|code| C::from_code(*code)).collect()
    }

    fn codes<C: CardCode>(set: CardSet<C>) -> Vec<u8> {
        set.into_iter().map(CardCode::code).collect()
    }

    /// Checks all operations with the codes 0 to `last`.
    fn check<C: CardCode + fmt::Debug>(last: u8) {
        let (a, b) = (set::<C>(&[last, 0, 7]), set(&[7, 8]));
        assert_eq!(codes(a), [0, 7, last], "lowest first");
        assert_eq!(codes(a | b), [0, 7, 8, last]);
        assert_eq!(codes(a & b), [7]);
        assert_eq!((codes(a - b), codes(b - a)), (vec![0, last], vec![8]));
        assert_eq!((a.len(), a.is_empty(), a.first().map(CardCode::code)), (3, false, Some(0)));
        assert_eq!(codes(set::<C>(&[last])), [last]);
        let card = |code| C::from_code(code).expect("a card");
        assert!(a.contains(card(last)) && !a.contains(card(8)));
        assert!(a.contains_all(set(&[0, last])) && !a.contains_all(b) && a.contains_all(CardSet::EMPTY));
        assert_eq!((codes(b.with(card(last))), codes(b.with(card(7)))), (vec![7, 8, last], vec![7, 8]));
        assert_eq!((codes(a.without(card(last))), codes(a.without(card(8)))), (vec![0, 7], vec![0, 7, last]));
        assert!(a == set(&[0, 7, last]) && a != b && b != CardSet::EMPTY);
        let none = CardSet::<C>::default();
        assert_eq!((none.len(), none.is_empty(), none.first(), codes(none)), (0, true, None, vec![]));
        let all: Vec<u8> = (0..=last).collect();
        assert_eq!(codes(set::<C>(&all)), all);
    }

    #[test]
    fn card_set_operations() {
        check::<Few>(63);
        check::<Many>(127);
        assert_eq!(format!("{:?}", set::<Few>(&[9, 3])), "{Few(3), Few(9)}");
    }
}
