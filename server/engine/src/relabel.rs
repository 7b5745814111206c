//! Colour permutations: the same deal under other colours, so that players do not recognise it.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::{CardCode, shuffle};

/// Exclusive upper bound of all card codes.
const CODE_LIMIT: usize = 128;

/// The interchangeable colours of a game whose rules are symmetric in them. The code of a card is its colour
/// index times `cards_per_colour`, plus its index within the colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ColourSymmetry {
    /// The number of colours in play.
    pub colours: u8,
    /// The number of cards of each colour.
    pub cards_per_colour: u8,
}

/// A permutation of the colours of a game, applied to card codes.
///
/// It is derived from a 32-byte key by the algorithms that [`Chance`](crate::Chance) specifies: the colour
/// indexes, in ascending order, are shuffled with the ChaCha20 keystream of that key and nonce 0. The entry
/// at index `i` of the result is the new colour of colour `i`. Cards of colours that are not in play keep
/// their codes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Relabelling {
    forward: [u8; CODE_LIMIT],
    inverse: [u8; CODE_LIMIT],
}

impl Relabelling {
    /// Draws a permutation from the key; all permutations are equally likely.
    ///
    /// ```
    /// use parlor_engine::{ColourSymmetry, Relabelling};
    /// let relabelling = Relabelling::draw(ColourSymmetry { colours: 3, cards_per_colour: 10 }, [0; 32]);
    /// let codes: Vec<u8> = (0..40).map(|code| relabelling.relabel_code(code)).collect();
    /// assert_eq!(codes[30..], [30, 31, 32, 33, 34, 35, 36, 37, 38, 39], "colours that are not in play");
    /// assert_eq!(codes[7] % 10, 7, "numbers are unchanged");
    /// ```
    #[must_use]
    pub fn draw(symmetry: ColourSymmetry, key: [u8; 32]) -> Relabelling {
        let mut order: Vec<u8> = (0..symmetry.colours).collect();
        shuffle(&mut order, &mut ChaCha20Rng::from_seed(key));
        let identity: [u8; CODE_LIMIT] = std::array::from_fn(|code| code as u8);
        let mut drawn = Relabelling { forward: identity, inverse: identity };
        for (colour, new_colour) in (0..symmetry.colours).zip(order) {
            for card in 0..symmetry.cards_per_colour {
                let code = |colour: u8| colour.saturating_mul(symmetry.cards_per_colour).saturating_add(card);
                let (from, to) = (code(colour), code(new_colour));
                if let (Some(entry), true) =
                    (drawn.forward.get_mut(usize::from(from)), usize::from(to) < CODE_LIMIT)
                {
                    *entry = to;
                    drawn.inverse[usize::from(to)] = from;
                }
            }
        }
        drawn
    }

    /// The code that replaces this code.
    #[must_use]
    pub fn relabel_code(&self, code: u8) -> u8 {
        self.forward.get(usize::from(code)).copied().unwrap_or(code)
    }

    /// The card that replaces this card.
    pub(crate) fn relabel<C: CardCode>(&self, card: C) -> C {
        C::from_code(self.relabel_code(card.code())).unwrap_or(card)
    }

    /// The card that this card replaces: the inverse of [`relabel`](Relabelling::relabel).
    pub(crate) fn restore<C: CardCode>(&self, card: C) -> C {
        self.inverse.get(usize::from(card.code())).and_then(|code| C::from_code(*code)).unwrap_or(card)
    }
}

/// Hides the permutation, which is secret until the deal is over.
impl std::fmt::Debug for Relabelling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Relabelling(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::Recorder;
    use crate::{Chance, ShuffleId};

    const SIX: ColourSymmetry = ColourSymmetry { colours: 6, cards_per_colour: 11 };

    /// The colour indexes after relabelling.
    fn new_colours(relabelling: &Relabelling, symmetry: ColourSymmetry) -> Vec<u8> {
        (0..symmetry.colours)
            .map(|colour| {
                relabelling.relabel_code(colour * symmetry.cards_per_colour) / symmetry.cards_per_colour
            })
            .collect()
    }

    /// Tournament records depend on these values: if this test fails, the change that broke it is wrong.
    #[test]
    fn relabellings_are_pinned() {
        let counting: [u8; 32] = std::array::from_fn(|i| i as u8);
        let draw = |symmetry, key| new_colours(&Relabelling::draw(symmetry, key), symmetry);
        insta::assert_snapshot!(
            [
                format!("six colours, key 0:     {:?}", draw(SIX, [0; 32])),
                format!("six colours, key 0..31: {:?}", draw(SIX, counting)),
                format!(
                    "three, key 0..31:       {:?}",
                    draw(ColourSymmetry { colours: 3, cards_per_colour: 10 }, counting)
                ),
            ]
            .join("\n")
        );
    }

    #[test]
    fn relabelling_has_an_inverse() {
        for key in 0..50 {
            let drawn = Relabelling::draw(SIX, [key; 32]);
            for code in 0..CODE_LIMIT as u8 {
                assert_eq!(drawn.restore(drawn.relabel(code)), code);
                assert_eq!(
                    drawn.relabel_code(code) % 11,
                    if code < 66 { code % 11 } else { drawn.relabel_code(code) % 11 }
                );
                assert!(code < 66 || drawn.relabel_code(code) == code);
            }
        }
        assert_eq!(Relabelling::draw(SIX, [0; 32]).relabel_code(200), 200);
        assert_eq!(format!("{:?}", Relabelling::draw(SIX, [0; 32])), "Relabelling(..)");
    }

    /// No argument causes a panic or an invalid code.
    #[test]
    fn any_colour_counts_are_accepted() {
        for (colours, cards_per_colour) in [(0, 0), (0, 9), (9, 0), (1, 1), (255, 255), (2, 100)] {
            let drawn = Relabelling::draw(ColourSymmetry { colours, cards_per_colour }, [3; 32]);
            assert!(drawn.forward.iter().all(|name| usize::from(*name) < CODE_LIMIT));
        }
    }

    #[test]
    fn every_permutation_occurs() {
        let three = ColourSymmetry { colours: 3, cards_per_colour: 10 };
        let mut seen: Vec<Vec<u8>> =
            (0..100).map(|key| new_colours(&Relabelling::draw(three, [key; 32]), three)).collect();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 6, "{seen:?}");
    }

    /// A relabelled shuffle equals the plain shuffle with relabelled codes, and scripts name relabelled
    /// codes.
    #[test]
    fn relabelled_shuffle_permutes_the_plain_shuffle() {
        let relabelling = Relabelling::draw(SIX, [5; 32]);
        let plain = Chance::seeded([8; 32]);
        // A subset of the cards, as in a rebuilt draw pile.
        let mut cards: Vec<u8> = (0..66).filter(|code| code % 3 != 1).collect();
        let mut relabelled: Vec<u8> = cards.iter().map(|card| relabelling.relabel_code(*card)).collect();
        relabelled.sort_unstable();
        let mut recorder = Recorder::<()>::new();
        plain.shuffle(ShuffleId::deal(2), &mut cards, &mut recorder);
        plain.clone().relabelled(relabelling).shuffle(ShuffleId::deal(2), &mut relabelled, &mut recorder);
        assert_eq!(relabelled, cards.iter().map(|card| relabelling.relabel_code(*card)).collect::<Vec<_>>());
        assert_eq!(recorder.shuffles[1].1, relabelled, "relabelled codes are recorded");
        let scripted = Chance::scripted([8; 32], vec![(ShuffleId::deal(2), vec![relabelled[9]])])
            .relabelled(relabelling);
        let mut again = relabelled.clone();
        again.sort_unstable();
        scripted.shuffle(ShuffleId::deal(2), &mut again, &mut recorder);
        assert_eq!(again[0], relabelled[9]);
    }
}
