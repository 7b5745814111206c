//! Chance: the only source of randomness of a game.
//!
//! `docs/fairness.md` has the same specification for the public, with the codes of the cards, the decks of all games and how
//! a shuffled stack is split. Both must be changed together.
//!
//! # The shuffle
//!
//! A shuffle is identified by a [`ShuffleId`]: its round, its purpose, and the number of earlier shuffles of
//! that purpose in the round. Each has a ChaCha20 keystream of its own, so earlier play never changes a later
//! deal. The specification, sufficient to reproduce every deal:
//!
//! 1. The key is the 32-byte seed. The 64-bit nonce is `round << 32 | purpose << 16 | count` (deal is purpose
//!    0, rebuild is purpose 1), the block counter starts at 0, and the keystream is read as little-endian
//!    32-bit words.
//! 2. The cards start in code order. For `i` from `n - 1` down to `1`, a random number `j` below `i + 1` is
//!    drawn, and the cards at `i` and `j` are swapped.
//! 3. A random number below `k`: take a word `w`. The candidate is the upper half of the 64-bit product
//!    `w * k`. If the lower half is less than `2^32 mod k`, reject it and take another word (Lemire's method,
//!    without bias).
//! 4. Cards are dealt from the front.
//!
//! # Relabelled colours
//!
//! In a game whose rules are symmetric in the colours, a deal can be repeated with permuted colours, so that
//! players do not recognise it: see [`Relabelling`]. A relabelled shuffle maps the cards back to their
//! original codes, sorts them, shuffles them as above, and maps them to the new codes. The whole game is
//! therefore the original one with permuted colours, including rebuilt draw piles.

use std::sync::Arc;

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use crate::{CardCode, EventSink, Relabelling};

/// The purpose of a shuffle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ShufflePurpose {
    /// The deal of a round.
    Deal,
    /// Rebuilding the draw pile from played cards.
    Rebuild,
}

/// Identifies one shuffle of a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ShuffleId {
    /// The round, starting at 0.
    pub round: u16,
    /// The purpose.
    pub purpose: ShufflePurpose,
    /// The number of earlier shuffles of this purpose in the round.
    pub count: u16,
}

impl ShuffleId {
    /// The deal of a round, starting at 0.
    #[must_use]
    pub const fn deal(round: u16) -> ShuffleId {
        ShuffleId { round, purpose: ShufflePurpose::Deal, count: 0 }
    }

    fn nonce(self) -> u64 {
        let purpose = match self.purpose {
            ShufflePurpose::Deal => 0,
            ShufflePurpose::Rebuild => 1,
        };
        u64::from(self.round) << 32 | purpose << 16 | u64::from(self.count)
    }
}

/// For each scripted shuffle, the codes of its first cards.
type Script = Vec<(ShuffleId, Vec<u8>)>;

/// Deviations from the plain seeded shuffle, which are rare.
#[derive(Clone, PartialEq, Eq, Default)]
struct Overrides {
    script: Script,
    relabelling: Option<Relabelling>,
}

/// The source of all shuffles of a game: a seed, optionally with a script and a relabelling.
#[derive(Clone, PartialEq, Eq)]
pub struct Chance {
    seed: [u8; 32],
    overrides: Option<Arc<Overrides>>,
}

impl Chance {
    /// All shuffles are derived from the seed.
    #[must_use]
    pub const fn seeded(seed: [u8; 32]) -> Chance {
        Chance { seed, overrides: None }
    }

    /// Fixes shuffles explicitly: for each id, the codes of its first cards, in order.
    ///
    /// Codes that are not among the shuffled cards are ignored, and cards that the script does not name
    /// follow in seeded order. Every script is therefore valid, and a scenario names only the cards it is
    /// about.
    #[must_use]
    pub fn scripted(seed: [u8; 32], orders: Vec<(ShuffleId, Vec<u8>)>) -> Chance {
        Chance { seed, overrides: Some(Arc::new(Overrides { script: orders, relabelling: None })) }
    }

    /// The same chance with permuted colours. A script names the relabelled codes.
    #[must_use]
    pub fn relabelled(self, relabelling: Relabelling) -> Chance {
        let script = self.overrides.map_or_else(Script::new, |overrides| overrides.script.clone());
        Chance {
            seed: self.seed,
            overrides: Some(Arc::new(Overrides { script, relabelling: Some(relabelling) })),
        }
    }

    /// Unpredictable chance, with a seed from the caller's generator.
    #[must_use]
    pub fn fresh(rng: &mut impl Rng) -> Chance {
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);
        Chance::seeded(seed)
    }

    /// Shuffles `cards`, which must be in code order.
    pub(crate) fn shuffle<C: CardCode, E>(
        &self,
        name: ShuffleId,
        cards: &mut [C],
        events: &mut impl EventSink<E>,
    ) {
        debug_assert!(cards.is_sorted(), "the specification shuffles sorted cards");
        let mut stream = ChaCha20Rng::from_seed(self.seed);
        stream.set_stream(name.nonce());
        match self.overrides.as_deref() {
            None => shuffle(cards, &mut stream),
            Some(overrides) => overrides.shuffle(name, cards, &mut stream),
        }
        events.record_shuffle(name, cards.iter().map(|card| card.code()));
    }
}

impl Overrides {
    /// Never inlined, so that plain seeded shuffles do not pay for it.
    #[inline(never)]
    fn shuffle<C: CardCode>(&self, name: ShuffleId, cards: &mut [C], stream: &mut ChaCha20Rng) {
        if let Some(relabelling) = &self.relabelling {
            cards.iter_mut().for_each(|card| *card = relabelling.restore(*card));
            cards.sort_unstable();
            shuffle(cards, stream);
            cards.iter_mut().for_each(|card| *card = relabelling.relabel(*card));
        } else {
            shuffle(cards, stream);
        }
        for (_, order) in self.script.iter().filter(|(of, _)| *of == name).take(1) {
            let mut placed = 0;
            for code in order {
                if let Some(found) = cards[placed..].iter().position(|card| card.code() == *code) {
                    cards[placed..=placed + found].rotate_right(1);
                    placed += 1;
                }
            }
        }
    }
}

/// Hides the seed, which is secret until the game is over.
impl std::fmt::Debug for Chance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_scripted = self.overrides.as_ref().is_some_and(|overrides| !overrides.script.is_empty());
        f.write_str(if is_scripted { "Chance(scripted)" } else { "Chance(seeded)" })
    }
}

/// Shuffles in place; all orders are equally likely.
pub fn shuffle<T>(items: &mut [T], rng: &mut impl Rng) {
    for i in (1..items.len()).rev() {
        items.swap(i, below(i as u32 + 1, rng) as usize);
    }
}

/// A uniformly distributed number from 0 to `bound - 1`; 0 if the bound is 0.
pub fn below(bound: u32, rng: &mut impl Rng) -> u32 {
    loop {
        let product = u64::from(rng.next_u32()) * u64::from(bound);
        // `2^32 mod bound` is less than the bound: the division is needed only if the lower half is, too.
        let low = product as u32;
        if low >= bound || bound == 0 || low >= bound.wrapping_neg() % bound {
            return (product >> 32) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::Recorder;

    impl CardCode for u8 {
        fn code(self) -> u8 {
            self
        }
        fn from_code(code: u8) -> Option<u8> {
            Some(code)
        }
    }

    fn deal(chance: &Chance, name: ShuffleId, cards: u8) -> Vec<u8> {
        let mut cards: Vec<u8> = (0..cards).collect();
        let mut recorder = Recorder::<()>::new();
        chance.shuffle(name, &mut cards, &mut recorder);
        assert_eq!(recorder.shuffles, [(name, cards.clone())], "the order is recorded");
        cards
    }

    /// Records depend on these orders: if this test fails, the dependency or edit that changed them is wrong.
    #[test]
    fn shuffle_orders_are_pinned() {
        let counting: [u8; 32] = std::array::from_fn(|i| i as u8);
        let rebuild = ShuffleId { round: 2, purpose: ShufflePurpose::Rebuild, count: 3 };
        insta::assert_snapshot!(
            [
                format!("seed 0, deal 0:      {:?}", deal(&Chance::seeded([0; 32]), ShuffleId::deal(0), 16)),
                format!("seed 0, deal 1:      {:?}", deal(&Chance::seeded([0; 32]), ShuffleId::deal(1), 16)),
                format!("seed 0..31, deal 0:  {:?}", deal(&Chance::seeded(counting), ShuffleId::deal(0), 16)),
                format!("seed 0..31, rebuild: {:?}", deal(&Chance::seeded(counting), rebuild, 16)),
            ]
            .join("\n")
        );
    }

    /// Step 1 of the specification, against the published keystream of ChaCha20 with a zero key (RFC 8439,
    /// A.1).
    #[test]
    fn keystream_is_plain_chacha20() {
        let mut stream = ChaCha20Rng::from_seed([0; 32]);
        stream.set_stream(ShuffleId::deal(0).nonce());
        assert_eq!([stream.next_u32(), stream.next_u32()], [0xade0_b876, 0x903d_f1a0]);
    }

    #[test]
    fn each_shuffle_id_has_its_own_nonce() {
        let names = [
            (ShuffleId::deal(0), 0),
            (ShuffleId::deal(1), 1 << 32),
            (ShuffleId { round: 0, purpose: ShufflePurpose::Rebuild, count: 0 }, 1 << 16),
            (ShuffleId { round: 3, purpose: ShufflePurpose::Rebuild, count: 7 }, 3 << 32 | 1 << 16 | 7),
        ];
        for (name, nonce) in names {
            assert_eq!(name.nonce(), nonce, "{name:?}");
        }
    }

    #[test]
    fn scripted_cards_come_first_and_the_rest_is_seeded() {
        let chance = Chance::scripted([7; 32], vec![(ShuffleId::deal(0), vec![5, 3, 99, 5])]);
        let order = deal(&chance, ShuffleId::deal(0), 8);
        assert_eq!(order[..2], [5, 3]);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..8).collect::<Vec<_>>(), "no card is lost or duplicated");
        let unscripted: Vec<u8> = deal(&Chance::seeded([7; 32]), ShuffleId::deal(0), 8)
            .into_iter()
            .filter(|c| ![5, 3].contains(c))
            .collect();
        assert_eq!(order[2..], unscripted, "the rest is in seeded order");
        assert_eq!(
            deal(&chance, ShuffleId::deal(1), 8),
            deal(&Chance::seeded([7; 32]), ShuffleId::deal(1), 8)
        );
    }

    #[test]
    fn random_numbers_below_a_bound_are_uniform() {
        let mut rng = ChaCha20Rng::from_seed([1; 32]);
        let mut seen = [0u32; 6];
        for _ in 0..60_000 {
            seen[below(6, &mut rng) as usize] += 1;
        }
        assert!(seen.iter().all(|n| (9_500..10_500).contains(n)), "{seen:?}");
        assert_eq!((below(0, &mut rng), below(1, &mut rng)), (0, 0));
    }

    /// Exactly the words with a lower half below `2^32 mod k` are rejected.
    #[test]
    fn biased_words_are_rejected() {
        struct Words(Vec<u32>);
        impl rand_core::TryRng for Words {
            type Error = std::convert::Infallible;
            fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
                Ok(self.0.pop().unwrap_or_default())
            }
            fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
                Ok(0)
            }
            fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
                Ok(())
            }
        }
        // 2^32 mod 6 = 4: the word 0 has a lower half of 0 and is rejected; the word 1 has 6 and is accepted.
        assert_eq!(below(6, &mut Words(vec![u32::MAX, 0])), 5);
        assert_eq!(below(6, &mut Words(vec![u32::MAX, 1])), 0);
        // 2^32 mod 2^31 = 0: no word is rejected.
        assert_eq!(below(1 << 31, &mut Words(vec![u32::MAX, 0])), 0);
        // 2^32 mod (2^31 + 1) = 2^31 - 1: the word 2 has a lower half of 2 and is rejected.
        assert_eq!(below((1 << 31) + 1, &mut Words(vec![u32::MAX, 2])), 1 << 31);
    }

    #[test]
    fn debug_hides_the_seed() {
        assert_eq!(format!("{:?}", Chance::seeded([9; 32])), "Chance(seeded)");
        let script = vec![(ShuffleId::deal(0), vec![1])];
        assert_eq!(format!("{:?}", Chance::scripted([9; 32], script)), "Chance(scripted)");
    }

    #[test]
    fn fresh_chance_seeds_from_the_generator() {
        let fresh = |seed| Chance::fresh(&mut ChaCha20Rng::from_seed([seed; 32]));
        assert_eq!(fresh(1), fresh(1));
        assert_ne!(fresh(1), fresh(2));
    }
}
