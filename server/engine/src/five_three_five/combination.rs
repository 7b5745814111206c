//! Combinations that can lie on the stack: a single card, a set or a run.

use super::{Rank, Ranks};

/// The maximum number of cards laid in one turn.
pub(super) const MAX_LAID: u8 = 3;
/// The maximum number of cards of a combination.
const MAX_CARDS: u8 = 5;
/// The number of cards from which a set flushes.
const FULL_SET: u8 = 4;
/// The number of cards with which a run flushes.
const FULL_RUN: u8 = 5;

/// The kinds of combinations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CombinationKind {
    /// One card.
    Single,
    /// Two or more cards of one rank.
    Set,
    /// Two or more cards of consecutive ranks, each once.
    Run,
}

/// A single card, a set or a run; always well-formed.
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

    /// A run of `length` cards from `low` upwards: 2 to 5, within 1 to 5, 7 to 9 or 11 to 15.
    ///
    /// ```
    /// use parlor_engine::five_three_five::{Combination, Rank};
    /// let four = Rank::new(4).expect("a rank");
    /// assert!(Combination::run(four, 2).is_some());
    /// assert!(Combination::run(four, 3).is_none(), "there is no 6");
    /// ```
    #[must_use]
    pub const fn run(low: Rank, length: u8) -> Option<Combination> {
        if length >= 2 && length <= Ranks::each(1).run_length(low) {
            Some(Combination { kind: CombinationKind::Run, lowest: low, size: length })
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

    /// The highest rank, which is the only rank of a single card or a set.
    #[must_use]
    pub const fn highest(self) -> Rank {
        match self.kind {
            CombinationKind::Single | CombinationKind::Set => self.lowest,
            CombinationKind::Run => self.lowest.above_in_run(self.size - 1),
        }
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
            CombinationKind::Run => Ranks::run(self.lowest, self.size),
        }
    }

    /// Returns true if a stack of this combination is flushed: a set of 4 or 5, or a run of 5.
    #[must_use]
    pub const fn is_full(self) -> bool {
        match self.kind {
            CombinationKind::Single => false,
            CombinationKind::Set => self.size >= FULL_SET,
            CombinationKind::Run => self.size >= FULL_RUN,
        }
    }

    /// Returns true if this beats the stack: same kind, same number of cards, and a higher rank or, for a run,
    /// lower ranks. Nobody can lay four cards, so that a stack of four stays.
    #[must_use]
    pub fn beats(self, stack: Combination) -> bool {
        self.kind == stack.kind
            && self.size == stack.size
            && match self.kind {
                CombinationKind::Single | CombinationKind::Set => self.lowest > stack.lowest,
                CombinationKind::Run => self.lowest < stack.lowest,
            }
    }

    /// Returns true if the stack can be extended to this: it contains the stack and at least one more card.
    #[must_use]
    pub const fn extends(self, stack: Combination) -> bool {
        self.size > stack.size && self.cards().contains_all(stack.cards())
    }

    /// Calls `found` for everything that can be led from the hand: single cards by rank, sets by rank then
    /// count, runs by lowest rank then length.
    pub(super) fn leads(hand: Ranks, mut found: impl FnMut(Combination)) {
        for rank in hand.distinct() {
            found(Combination::single(rank));
        }
        for rank in hand.distinct() {
            for count in 2..=hand.count(rank).min(MAX_LAID) {
                found(Combination { kind: CombinationKind::Set, lowest: rank, size: count });
            }
        }
        for low in hand.distinct() {
            for length in 2..=hand.run_length(low).min(MAX_LAID) {
                found(Combination { kind: CombinationKind::Run, lowest: low, size: length });
            }
        }
    }

    /// Calls `found` for everything in the hand that overwrites this stack, by lowest rank.
    pub(super) fn overwriters(self, hand: Ranks, mut found: impl FnMut(Combination)) {
        if self.size > MAX_LAID {
            return;
        }
        let beating = match self.kind {
            CombinationKind::Single | CombinationKind::Set => hand.above(self.lowest),
            CombinationKind::Run => hand.below(self.lowest),
        };
        for lowest in beating.distinct() {
            let enough = match self.kind {
                CombinationKind::Single => true,
                CombinationKind::Set => hand.count(lowest) >= self.size,
                CombinationKind::Run => hand.run_length(lowest) >= self.size,
            };
            if enough {
                found(Combination { lowest, ..self });
            }
        }
    }

    /// Calls `found` for everything this stack can be extended to with up to three cards of the hand: sets by
    /// count, then runs by lowest rank then length.
    pub(super) fn extensions(self, hand: Ranks, mut found: impl FnMut(Combination)) {
        if self.kind != CombinationKind::Run {
            // At most 5 in total: there are no more copies.
            for count in self.size + 1..=self.size + hand.count(self.lowest).min(MAX_LAID) {
                found(Combination { kind: CombinationKind::Set, lowest: self.lowest, size: count });
            }
        }
        if self.kind != CombinationKind::Set {
            let above = hand.run_length_above(self.highest());
            let mut deepest = self.lowest;
            for _ in 0..MAX_LAID {
                match deepest.down() {
                    Some(lower) if hand.contains(lower) => deepest = lower,
                    _ => break,
                }
            }
            for low in deepest.to(self.lowest) {
                let below = self.lowest.number() - low.number();
                let laid = below.max(1)..=(below + above).min(MAX_LAID);
                for length in laid.map(|laid| self.size + laid) {
                    found(Combination { kind: CombinationKind::Run, lowest: low, size: length });
                }
            }
        }
    }
}
