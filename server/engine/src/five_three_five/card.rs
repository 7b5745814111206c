//! The cards of Five Three Five: the ranks 1 to 5, 7 to 9 and 11 to 15, several copies of each.

use std::fmt;

use crate::CardCode;

/// The maximum number of copies of a rank at any table.
const MAX_COPIES: u64 = 5;

/// The number of ranks.
const RANKS: u8 = 13;

/// A card, identified by its rank: copies of a rank are indistinguishable.
///
/// The value is the number on the card: 1 to 5 (rain), 7 to 9 (cloud) or 11 to 15 (sun). There is no 6 and no
/// 10. The code of a card is the place of its rank among the 13 ranks, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u8);

impl Rank {
    /// The rank that flushes.
    pub const EIGHT: Rank = Rank(8);

    /// The rank with this number, if there is one.
    ///
    /// ```
    /// use parlor_engine::five_three_five::Rank;
    /// assert_eq!(Rank::new(8), Some(Rank::EIGHT));
    /// assert_eq!([0, 6, 10, 16].map(Rank::new), [None; 4]);
    /// ```
    #[must_use]
    pub const fn new(number: u8) -> Option<Rank> {
        match number {
            1..=5 | 7..=9 | 11..=15 => Some(Rank(number)),
            _ => None,
        }
    }

    /// The number on the card: 1 to 5, 7 to 9 or 11 to 15.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The penalty for a card of this rank left in hand.
    #[must_use]
    pub const fn penalty(self) -> i32 {
        match self.number() {
            8 => 4,
            1..=4 => 1,
            14.. => 3,
            _ => 2,
        }
    }

    /// The consecutive rank below, if any: 1, 7 and 11 have none.
    #[must_use]
    pub const fn down(self) -> Option<Rank> {
        Rank::new(self.0 - 1)
    }

    /// The rank `steps` above in a run that has both.
    pub(super) const fn above_in_run(self, steps: u8) -> Rank {
        Rank(self.0 + steps)
    }

    /// The ranks from this one to `highest`, both in one run.
    pub(super) fn to(self, highest: Rank) -> impl Iterator<Item = Rank> {
        (self.0..=highest.0).map(Rank)
    }

    /// The bit offset of this rank's count in [`Ranks`].
    const fn shift(self) -> u32 {
        shift(self.0)
    }
}

/// The bit offset of the count of this number in [`Ranks`], from 1 to 16.
const fn shift(number: u8) -> u32 {
    4 * (number as u32 - 1)
}

impl CardCode for Rank {
    fn code(self) -> u8 {
        match self.0 {
            number @ 11.. => number - 3,
            number @ 7.. => number - 2,
            number => number - 1,
        }
    }
    fn from_code(code: u8) -> Option<Rank> {
        match code {
            0..=4 => Some(Rank(code + 1)),
            5..=7 => Some(Rank(code + 2)),
            8..RANKS => Some(Rank(code + 3)),
            _ => None,
        }
    }
}

impl fmt::Debug for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rank({})", self.number())
    }
}

/// A multiset of cards: a count from 0 to 5 for each rank.
///
/// ```
/// use parlor_engine::five_three_five::{Rank, Ranks};
/// let hand: Ranks = [3, 8, 8].into_iter().filter_map(Rank::new).collect();
/// assert_eq!((hand.len(), hand.count(Rank::EIGHT)), (3, 2));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Ranks {
    /// Four bits per number from 1 to 16, the lowest number in the lowest bits. The counts of 6, 10 and 16,
    /// which are no ranks, are always 0, so that a run ends there. Counts are at most 5, so that two of them
    /// can be added without overflow, and the highest bit of each is free for a borrow.
    counts: u64,
}

/// The lowest bit of each 4-bit count, including the three unused ones.
const ONES: u64 = 0x1111_1111_1111_1111;
/// The lowest bit of the count of each rank.
const ONE_EACH: u64 = ONES & !(1 << shift(6) | 1 << shift(10) | 1 << shift(16));
/// The highest bit of each 4-bit count.
const HIGHEST: u64 = 8 * ONES;

impl Ranks {
    /// No cards.
    pub const EMPTY: Ranks = Ranks { counts: 0 };

    /// This many copies of every rank, up to 5.
    #[must_use]
    pub const fn each(copies: u8) -> Ranks {
        let copies = if copies as u64 > MAX_COPIES { MAX_COPIES } else { copies as u64 };
        Ranks { counts: ONE_EACH * copies }
    }

    /// This many copies of one rank, up to 5.
    #[must_use]
    pub const fn copies(rank: Rank, copies: u8) -> Ranks {
        let copies = if copies as u64 > MAX_COPIES { MAX_COPIES } else { copies as u64 };
        Ranks { counts: copies << rank.shift() }
    }

    /// One card each of `length` consecutive ranks, all of which must exist.
    pub(super) const fn run(low: Rank, length: u8) -> Ranks {
        Ranks { counts: ONES >> (4 * (16 - length)) << low.shift() }
    }

    /// The number of cards of the rank.
    #[must_use]
    pub const fn count(self, rank: Rank) -> u8 {
        (self.counts >> rank.shift() & 0xf) as u8
    }

    /// Returns true if there is a card of the rank.
    #[must_use]
    pub const fn contains(self, rank: Rank) -> bool {
        self.count(rank) != 0
    }

    /// The number of cards.
    #[must_use]
    pub const fn len(self) -> u8 {
        const LOW_HALVES: u64 = 0x0f0f_0f0f_0f0f_0f0f;
        let pairs = (self.counts & LOW_HALVES) + (self.counts >> 4 & LOW_HALVES);
        (pairs.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u8
    }

    /// Returns true if there are no cards.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.counts == 0
    }

    /// Returns true if these contain all of the others, counting copies.
    #[must_use]
    pub const fn contains_all(self, others: Ranks) -> bool {
        ((self.counts | HIGHEST) - others.counts) & HIGHEST == HIGHEST
    }

    /// The sum with the others, at most 5 of each rank.
    #[must_use]
    pub const fn plus(self, others: Ranks) -> Ranks {
        let sums = self.counts + others.counts;
        // Adding 2 to a count of 6 or more sets its highest bit.
        let over = ((sums + 2 * ONES) & HIGHEST) >> 3;
        Ranks { counts: (sums & !(over * 0xf)) | (over * MAX_COPIES) }
    }

    /// The difference from the others, at least 0 of each rank.
    #[must_use]
    pub const fn minus(self, others: Ranks) -> Ranks {
        // A count that went below zero has borrowed its highest bit.
        let lent = (self.counts | HIGHEST) - others.counts;
        let kept = (lent & HIGHEST) >> 3;
        Ranks { counts: lent & !HIGHEST & (kept * 0xf) }
    }

    /// The number of consecutive ranks present, from `low` upwards.
    #[must_use]
    pub const fn run_length(self, low: Rank) -> u8 {
        self.length_from(low.0)
    }

    /// The number of consecutive ranks present above `rank`, which does not count itself.
    pub(super) const fn run_length_above(self, rank: Rank) -> u8 {
        self.length_from(rank.0 + 1)
    }

    /// The number of consecutive numbers present, from this one upwards; 0 for a number that is no rank.
    const fn length_from(self, number: u8) -> u8 {
        let absent = !(self.present() >> shift(number)) & ONES;
        (absent.trailing_zeros() / 4) as u8
    }

    /// The lowest rank present, if any.
    #[must_use]
    pub fn lowest(self) -> Option<Rank> {
        self.distinct().next()
    }

    /// The ranks present, lowest first, each once.
    pub fn distinct(self) -> impl Iterator<Item = Rank> + Clone {
        let mut present = self.present();
        std::iter::from_fn(move || {
            let rank = Rank((present.trailing_zeros() / 4) as u8 + 1);
            (present != 0).then(|| {
                present &= present - 1;
                rank
            })
        })
    }

    /// All cards, lowest first.
    pub fn iter(self) -> impl Iterator<Item = Rank> + Clone {
        self.distinct().flat_map(move |rank| std::iter::repeat_n(rank, self.count(rank).into()))
    }

    /// The cards of higher ranks than this one.
    pub(super) const fn above(self, rank: Rank) -> Ranks {
        Ranks { counts: self.counts & (!0xf << rank.shift()) }
    }

    /// The cards of lower ranks than this one.
    pub(super) const fn below(self, rank: Rank) -> Ranks {
        Ranks { counts: self.counts & !(!0 << rank.shift()) }
    }

    /// The penalty for these cards left in hand.
    #[must_use]
    pub fn penalty(self) -> i32 {
        self.distinct().map(|rank| i32::from(self.count(rank)) * rank.penalty()).sum()
    }

    /// The lowest bit of each count above 0.
    const fn present(self) -> u64 {
        (self.counts | self.counts >> 1 | self.counts >> 2) & ONES
    }
}

impl FromIterator<Rank> for Ranks {
    fn from_iter<I: IntoIterator<Item = Rank>>(cards: I) -> Ranks {
        cards.into_iter().fold(Ranks::EMPTY, |sum, rank| sum.plus(Ranks::copies(rank, 1)))
    }
}

impl fmt::Debug for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(Rank::number)).finish()
    }
}

/// The number of copies of each rank at a table of `players`.
pub(super) const fn copies(players: u8) -> u8 {
    if players <= 4 { 4 } else { 5 }
}

/// The deck at a table of `players`, lowest rank first.
pub(super) fn deck(players: u8) -> impl Iterator<Item = Rank> {
    let copies = copies(players);
    (0..RANKS * copies).filter_map(move |place| Rank::from_code(place / copies))
}
