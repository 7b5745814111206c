//! Combinations that can lie on the stack: a single card, a set or a sequence.

use super::{Rank, Ranks};

/// The maximum number of cards of a combination.
const MAX_CARDS: u8 = 5;
/// The number of cards from which a set flushes.
const FULL_SET: u8 = 4;
/// The number of cards from which a sequence flushes.
const FULL_SEQUENCE: u8 = 5;

/// The kinds of combinations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CombinationKind {
    /// One card.
    Single,
    /// Two or more cards of one rank.
    Set,
    /// Two or more cards of consecutive ranks.
    Sequence,
}

/// A single card, a set or a sequence; always well-formed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Combination {
    kind: CombinationKind,
    lowest: Rank,
    size: u8,
}

impl Combination {
    /// One card.
    #[must_use]
    pub const fn single(rank: Rank) -> Combination {
        Combination { kind: CombinationKind::Single, lowest: rank, size: 1 }
    }

    /// A set of `count` cards: 2 to 5, although tables of up to four players have only 4 copies of a rank.
    #[must_use]
    pub const fn set(rank: Rank, count: u8) -> Option<Combination> {
        if count >= 2 && count <= MAX_CARDS {
            Some(Combination { kind: CombinationKind::Set, lowest: rank, size: count })
        } else {
            None
        }
    }

    /// A sequence of `length` cards from `low` upwards: 2 to 5, without a wrap from 13 to 1.
    ///
    /// ```
    /// use parlor_engine::five_three_five::{Combination, Rank};
    /// let twelve = Rank::new(12).expect("a rank");
    /// assert!(Combination::sequence(twelve, 2).is_some());
    /// assert!(Combination::sequence(twelve, 3).is_none());
    /// ```
    #[must_use]
    pub const fn sequence(low: Rank, length: u8) -> Option<Combination> {
        if length >= 2 && length <= MAX_CARDS && low.up(length - 1).is_some() {
            Some(Combination { kind: CombinationKind::Sequence, lowest: low, size: length })
        } else {
            None
        }
    }

    /// The kind.
    #[must_use]
    pub const fn kind(self) -> CombinationKind {
        self.kind
    }

    /// The lowest rank, which is the only rank of a single card or a set.
    #[must_use]
    pub const fn lowest(self) -> Rank {
        self.lowest
    }

    /// The number of cards: 1 to 5.
    #[must_use]
    pub const fn size(self) -> u8 {
        self.size
    }

    /// The cards.
    #[must_use]
    pub const fn cards(self) -> Ranks {
        match self.kind {
            CombinationKind::Single | CombinationKind::Set => Ranks::copies(self.lowest, self.size),
            CombinationKind::Sequence => Ranks::sequence(self.lowest, self.size),
        }
    }

    /// Returns true if a stack of this combination is flushed: a set of 4 or 5, or a sequence of 5.
    #[must_use]
    pub const fn is_full(self) -> bool {
        match self.kind {
            CombinationKind::Single => false,
            CombinationKind::Set => self.size >= FULL_SET,
            CombinationKind::Sequence => self.size >= FULL_SEQUENCE,
        }
    }

    /// Returns true if this can replace the stack: same kind, same number of cards, strictly higher.
    #[must_use]
    pub fn overwrites(self, stack: Combination) -> bool {
        self.kind == stack.kind && self.size == stack.size && self.lowest > stack.lowest
    }

    /// Returns true if the stack can be extended to this: it contains the stack and at least one more card.
    #[must_use]
    pub const fn extends(self, stack: Combination) -> bool {
        self.size > stack.size && self.cards().contains_all(stack.cards())
    }

    /// Calls `found` for everything that can be led from the hand: single cards by rank, sets by rank then
    /// count, sequences by lowest rank then length.
    pub(super) fn leads(hand: Ranks, mut found: impl FnMut(Combination)) {
        for rank in hand.distinct() {
            found(Combination::single(rank));
        }
        for rank in hand.distinct() {
            for count in 2..=hand.count(rank) {
                found(Combination { kind: CombinationKind::Set, lowest: rank, size: count });
            }
        }
        for low in hand.distinct() {
            for length in 2..=hand.run(low).min(MAX_CARDS) {
                found(Combination { kind: CombinationKind::Sequence, lowest: low, size: length });
            }
        }
    }

    /// Calls `found` for everything in the hand that overwrites this stack, lowest first.
    pub(super) fn overwriters(self, hand: Ranks, mut found: impl FnMut(Combination)) {
        for lowest in hand.above(self.lowest).distinct() {
            let enough = match self.kind {
                CombinationKind::Single => true,
                CombinationKind::Set => hand.count(lowest) >= self.size,
                CombinationKind::Sequence => hand.run(lowest) >= self.size,
            };
            if enough {
                found(Combination { lowest, ..self });
            }
        }
    }

    /// Calls `found` for everything this stack can be extended to with cards of the hand: sets by count, then
    /// sequences by lowest rank then length.
    pub(super) fn extensions(self, hand: Ranks, mut found: impl FnMut(Combination)) {
        if self.kind != CombinationKind::Sequence {
            // At most 5 in total: there are no more copies.
            for count in self.size + 1..=self.size + hand.count(self.lowest) {
                found(Combination { kind: CombinationKind::Set, lowest: self.lowest, size: count });
            }
        }
        if self.kind != CombinationKind::Set {
            let above = self.lowest.up(self.size).map_or(0, |next| hand.run(next));
            let mut deepest = self.lowest;
            while let Some(lower) = deepest.down(1).filter(|rank| hand.contains(*rank)) {
                deepest = lower;
            }
            for low in deepest.to(self.lowest) {
                let grown_down = self.size + self.lowest.number() - low.number();
                for length in grown_down.max(self.size + 1)..=MAX_CARDS.min(grown_down + above) {
                    found(Combination { kind: CombinationKind::Sequence, lowest: low, size: length });
                }
            }
        }
    }
}
