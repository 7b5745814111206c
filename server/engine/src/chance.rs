//! Chance: the one door through which randomness enters a game.
//!
//! # The shuffle
//!
//! A shuffle is named by a [`Shuffle`]: the round it belongs to, what it is for, and how many of that kind came
//! before it in the round. Each name has a ChaCha20 keystream of its own, so nothing that was done earlier moves a
//! later deal. The specification, for anyone who wants to deal the cards again:
//!
//! 1. The key is the 32-byte seed. The 64-bit nonce is `round << 32 | purpose << 16 | count` (deal is purpose 0,
//!    rebuild is purpose 1), the block counter starts at 0, and the keystream is read as little-endian 32-bit words.
//! 2. The cards stand in the order of their codes. For `i` from `n - 1` down to `1`, a number `j` below `i + 1` is
//!    drawn, and the cards at `i` and `j` change places.
//! 3. A number below `k`: take a word `w`. The candidate is the upper half of the 64-bit product `w * k`. If the
//!    lower half is less than `2^32 mod k`, take another word instead. (Lemire's method, without bias.)
//! 4. Cards are dealt from the front.
//!
//! # Other colours
//!
//! In a game whose rules are the same for all colours, a deal can be played again with its colours changed about, so that
//! nobody knows it again: see [`Relabelling`]. Each card is then the name of another one. A shuffle takes the cards for
//! what they stand for, puts those into order, shuffles them as above, and gives them their names back. So the whole game
//! is the same one under other names, also where a draw pile is made anew.

use std::sync::Arc;

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use crate::{Card, Events, Relabelling};

/// What a shuffle is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Purpose {
    /// The deal of a round.
    Deal,
    /// A draw pile made anew from cards that were laid.
    Rebuild,
}

/// The name of one shuffle of a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Shuffle {
    /// The round, the first being 0.
    pub round: u16,
    /// What the shuffle is for.
    pub purpose: Purpose,
    /// How many shuffles of this purpose the round had before.
    pub count: u16,
}

impl Shuffle {
    /// The deal of a round, the first being 0.
    #[must_use]
    pub const fn deal(round: u16) -> Shuffle {
        Shuffle { round, purpose: Purpose::Deal, count: 0 }
    }

    fn nonce(self) -> u64 {
        let purpose = match self.purpose {
            Purpose::Deal => 0,
            Purpose::Rebuild => 1,
        };
        u64::from(self.round) << 32 | purpose << 16 | u64::from(self.count)
    }
}

/// For each shuffle that is fixed, the codes of the cards that come first.
type Script = Vec<(Shuffle, Vec<u8>)>;

/// What most chance has nothing of.
#[derive(Clone, PartialEq, Eq, Default)]
struct Special {
    script: Script,
    relabelling: Option<Relabelling>,
}

/// Where the order of the cards comes from: a seed, or a script with a seed behind it.
#[derive(Clone, PartialEq, Eq)]
pub struct Chance {
    seed: [u8; 32],
    special: Option<Arc<Special>>,
}

impl Chance {
    /// Every shuffle comes from the seed.
    #[must_use]
    pub const fn seeded(seed: [u8; 32]) -> Chance {
        Chance { seed, special: None }
    }

    /// Fixes shuffles by hand: for each name, the codes of the cards that come first, in order.
    ///
    /// A code in the script that the shuffled cards do not hold is passed over, and cards that the script does not
    /// name follow in the order that the seed gives them. A script is therefore never wrong, only more or less
    /// complete, and a scenario names just the cards it is about.
    #[must_use]
    pub fn scripted(seed: [u8; 32], orders: Vec<(Shuffle, Vec<u8>)>) -> Chance {
        Chance { seed, special: Some(Arc::new(Special { script: orders, relabelling: None })) }
    }

    /// The same chance under other names: the game that it gives is the same one, with its colours changed about. What a
    /// script fixes are the names.
    #[must_use]
    pub fn relabelled(self, relabelling: Relabelling) -> Chance {
        let script = self.special.map_or_else(Script::new, |special| special.script.clone());
        Chance {
            seed: self.seed,
            special: Some(Arc::new(Special { script, relabelling: Some(relabelling) })),
        }
    }

    /// Chance nobody has seen yet, from a generator of the caller's.
    #[must_use]
    pub fn fresh(rng: &mut impl Rng) -> Chance {
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);
        Chance::seeded(seed)
    }

    /// Puts `cards`, which stand in the order of their codes, into the order of this shuffle.
    pub(crate) fn shuffle<C: Card, E>(&self, name: Shuffle, cards: &mut [C], events: &mut impl Events<E>) {
        debug_assert!(cards.is_sorted(), "the order before a shuffle is part of its specification");
        let mut stream = ChaCha20Rng::from_seed(self.seed);
        stream.set_stream(name.nonce());
        match self.special.as_deref() {
            None => shuffle(cards, &mut stream),
            Some(special) => special.shuffle(name, cards, &mut stream),
        }
        events.shuffled(name, cards.iter().map(|card| card.code()));
    }
}

impl Special {
    /// Not inlined, so that it costs ordinary chance nothing.
    #[inline(never)]
    fn shuffle<C: Card>(&self, name: Shuffle, cards: &mut [C], stream: &mut ChaCha20Rng) {
        if let Some(relabelling) = &self.relabelling {
            cards.iter_mut().for_each(|card| *card = relabelling.meaning(*card));
            cards.sort_unstable();
            shuffle(cards, stream);
            cards.iter_mut().for_each(|card| *card = relabelling.name(*card));
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

/// The seed is a secret until the game is over: it is not printed.
impl std::fmt::Debug for Chance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_scripted = self.special.as_ref().is_some_and(|special| !special.script.is_empty());
        f.write_str(if is_scripted { "Chance(scripted)" } else { "Chance(seeded)" })
    }
}

/// Shuffles in place, every order being equally likely.
pub fn shuffle<T>(items: &mut [T], rng: &mut impl Rng) {
    for i in (1..items.len()).rev() {
        items.swap(i, below(i as u32 + 1, rng) as usize);
    }
}

/// A number from 0 to `bound - 1`, each equally likely. A bound of 0 gives 0.
pub fn below(bound: u32, rng: &mut impl Rng) -> u32 {
    loop {
        let product = u64::from(rng.next_u32()) * u64::from(bound);
        // The remainder is below the bound, so it need not be taken where the lower half is not.
        let low = product as u32;
        if low >= bound || bound == 0 || low >= bound.wrapping_neg() % bound {
            return (product >> 32) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Card for u8 {
        fn code(self) -> u8 {
            self
        }
        fn from_code(code: u8) -> Option<u8> {
            Some(code)
        }
    }

    struct Recorder<'a>(&'a mut Vec<u8>);

    impl Events<()> for Recorder<'_> {
        fn tell(&mut self, _: crate::Audience, (): ()) {}
        fn shuffled(&mut self, _: Shuffle, codes: impl Iterator<Item = u8>) {
            self.0.extend(codes);
        }
    }

    fn deal(chance: &Chance, name: Shuffle, cards: u8) -> Vec<u8> {
        let mut cards: Vec<u8> = (0..cards).collect();
        let mut record = Vec::new();
        chance.shuffle(name, &mut cards, &mut Recorder(&mut record));
        assert_eq!(record, cards, "the order is put on record");
        cards
    }

    /// These orders are what records stand on. If this test fails, a dependency or an edit has changed them: it is
    /// the change that is wrong.
    #[test]
    fn the_shuffle_is_pinned() {
        let counting: [u8; 32] = std::array::from_fn(|i| i as u8);
        let rebuild = Shuffle { round: 2, purpose: Purpose::Rebuild, count: 3 };
        insta::assert_snapshot!(
            [
                format!("seed 0, deal 0:      {:?}", deal(&Chance::seeded([0; 32]), Shuffle::deal(0), 16)),
                format!("seed 0, deal 1:      {:?}", deal(&Chance::seeded([0; 32]), Shuffle::deal(1), 16)),
                format!("seed 0..31, deal 0:  {:?}", deal(&Chance::seeded(counting), Shuffle::deal(0), 16)),
                format!("seed 0..31, rebuild: {:?}", deal(&Chance::seeded(counting), rebuild, 16)),
            ]
            .join("\n")
        );
    }

    /// Step 1 of the specification, against the published keystream of ChaCha20 with a key of zeros (RFC 8439, A.1).
    #[test]
    fn the_stream_is_plain_chacha20() {
        let mut stream = ChaCha20Rng::from_seed([0; 32]);
        stream.set_stream(Shuffle::deal(0).nonce());
        assert_eq!([stream.next_u32(), stream.next_u32()], [0xade0_b876, 0x903d_f1a0]);
    }

    #[test]
    fn each_name_has_its_own_nonce() {
        let names = [
            (Shuffle::deal(0), 0),
            (Shuffle::deal(1), 1 << 32),
            (Shuffle { round: 0, purpose: Purpose::Rebuild, count: 0 }, 1 << 16),
            (Shuffle { round: 3, purpose: Purpose::Rebuild, count: 7 }, 3 << 32 | 1 << 16 | 7),
        ];
        for (name, nonce) in names {
            assert_eq!(name.nonce(), nonce, "{name:?}");
        }
    }

    #[test]
    fn a_script_names_the_cards_it_is_about() {
        let chance = Chance::scripted([7; 32], vec![(Shuffle::deal(0), vec![5, 3, 99, 5])]);
        let order = deal(&chance, Shuffle::deal(0), 8);
        assert_eq!(order[..2], [5, 3]);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..8).collect::<Vec<_>>(), "nothing is lost or doubled");
        let unscripted: Vec<u8> = deal(&Chance::seeded([7; 32]), Shuffle::deal(0), 8)
            .into_iter()
            .filter(|c| ![5, 3].contains(c))
            .collect();
        assert_eq!(order[2..], unscripted, "the rest keeps the order of the seed");
        assert_eq!(deal(&chance, Shuffle::deal(1), 8), deal(&Chance::seeded([7; 32]), Shuffle::deal(1), 8));
    }

    #[test]
    fn numbers_below_a_bound_are_even() {
        let mut rng = ChaCha20Rng::from_seed([1; 32]);
        let mut seen = [0u32; 6];
        for _ in 0..60_000 {
            seen[below(6, &mut rng) as usize] += 1;
        }
        assert!(seen.iter().all(|n| (9_500..10_500).contains(n)), "{seen:?}");
        assert_eq!((below(0, &mut rng), below(1, &mut rng)), (0, 0));
    }

    /// A word whose lower half falls under `2^32 mod k` is thrown away, and none other.
    #[test]
    fn biased_words_are_thrown_away() {
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
        // 2^32 mod 6 = 4: the word 0 gives a lower half of 0, which is thrown away; the word 1 gives 6, which is kept.
        assert_eq!(below(6, &mut Words(vec![u32::MAX, 0])), 5);
        assert_eq!(below(6, &mut Words(vec![u32::MAX, 1])), 0);
        // 2^32 mod 2^31 is 0: nothing is thrown away.
        assert_eq!(below(1 << 31, &mut Words(vec![u32::MAX, 0])), 0);
        // 2^32 mod (2^31 + 1) = 2^31 - 1. The word 2 gives a lower half of 2: thrown away.
        assert_eq!(below((1 << 31) + 1, &mut Words(vec![u32::MAX, 2])), 1 << 31);
    }

    #[test]
    fn a_seed_is_not_printed() {
        assert_eq!(format!("{:?}", Chance::seeded([9; 32])), "Chance(seeded)");
        let script = vec![(Shuffle::deal(0), vec![1])];
        assert_eq!(format!("{:?}", Chance::scripted([9; 32], script)), "Chance(scripted)");
    }

    #[test]
    fn fresh_chance_takes_its_seed_from_the_generator() {
        let fresh = |seed| Chance::fresh(&mut ChaCha20Rng::from_seed([seed; 32]));
        assert_eq!(fresh(1), fresh(1));
        assert_ne!(fresh(1), fresh(2));
    }
}
