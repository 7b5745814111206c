//! Other names for cards: a deal that comes again is not known again.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::{Card, shuffle};

/// Every code is below this.
const CODES: usize = 128;

/// The colours of a game whose rules treat all of them alike: so many, with so many cards each. The code of a card is the
/// place of its colour times the cards of a colour, plus what it has in common with the cards of the other colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Colours {
    /// How many colours are in play.
    pub count: u8,
    /// How many cards each of them has.
    pub cards: u8,
}

/// Other names for the cards of a game: each colour stands for another one, or for itself.
///
/// It is drawn from 32 bytes, by the specified parts of [`Chance`](crate::Chance): the numbers of the colours, in order, are
/// shuffled with the ChaCha20 keystream of that key and the nonce 0. The colour at place `i` of the result is the name of
/// colour `i`. Cards of colours that are not in play keep their names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Relabelling {
    names: [u8; CODES],
    meanings: [u8; CODES],
}

impl Relabelling {
    /// Draws one: every order of the colours is equally likely.
    ///
    /// ```
    /// use parlor_engine::{Colours, Relabelling};
    /// let relabelling = Relabelling::draw(Colours { count: 3, cards: 10 }, [0; 32]);
    /// let names: Vec<u8> = (0..40).map(|code| relabelling.name_of(code)).collect();
    /// assert_eq!(names[30..], [30, 31, 32, 33, 34, 35, 36, 37, 38, 39], "these colours are not in play");
    /// assert_eq!(names[7] % 10, 7, "a number stays what it is");
    /// ```
    #[must_use]
    pub fn draw(colours: Colours, key: [u8; 32]) -> Relabelling {
        let mut order: Vec<u8> = (0..colours.count).collect();
        shuffle(&mut order, &mut ChaCha20Rng::from_seed(key));
        let same: [u8; CODES] = std::array::from_fn(|code| code as u8);
        let mut drawn = Relabelling { names: same, meanings: same };
        for (colour, name) in (0..colours.count).zip(order) {
            for card in 0..colours.cards {
                let code = |colour: u8| colour.saturating_mul(colours.cards).saturating_add(card);
                let (meaning, name) = (code(colour), code(name));
                if let (Some(to), true) =
                    (drawn.names.get_mut(usize::from(meaning)), usize::from(name) < CODES)
                {
                    *to = name;
                    drawn.meanings[usize::from(name)] = meaning;
                }
            }
        }
        drawn
    }

    /// The code of the card that stands for the one with this code.
    #[must_use]
    pub fn name_of(&self, code: u8) -> u8 {
        self.names.get(usize::from(code)).copied().unwrap_or(code)
    }

    /// The card that stands for this one.
    pub(crate) fn name<C: Card>(&self, card: C) -> C {
        C::from_code(self.name_of(card.code())).unwrap_or(card)
    }

    /// The card that this one stands for.
    pub(crate) fn meaning<C: Card>(&self, card: C) -> C {
        self.meanings.get(usize::from(card.code())).and_then(|code| C::from_code(*code)).unwrap_or(card)
    }
}

/// Which names a deal has is a secret until it is over: they are not printed.
impl std::fmt::Debug for Relabelling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Relabelling(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Chance, Events, Shuffle};

    const SIX: Colours = Colours { count: 6, cards: 11 };

    /// The colours under their new names.
    fn names(relabelling: &Relabelling, colours: Colours) -> Vec<u8> {
        (0..colours.count).map(|colour| relabelling.name_of(colour * colours.cards) / colours.cards).collect()
    }

    /// Records of tournaments stand on these. If this test fails, it is the change that is wrong.
    #[test]
    fn relabellings_are_pinned() {
        let counting: [u8; 32] = std::array::from_fn(|i| i as u8);
        let draw = |colours, key| names(&Relabelling::draw(colours, key), colours);
        insta::assert_snapshot!(
            [
                format!("six colours, key 0:     {:?}", draw(SIX, [0; 32])),
                format!("six colours, key 0..31: {:?}", draw(SIX, counting)),
                format!("three, key 0..31:       {:?}", draw(Colours { count: 3, cards: 10 }, counting)),
            ]
            .join("\n")
        );
    }

    #[test]
    fn names_and_meanings_go_together() {
        for key in 0..50 {
            let drawn = Relabelling::draw(SIX, [key; 32]);
            for code in 0..CODES as u8 {
                assert_eq!(drawn.meaning(drawn.name(code)), code);
                assert_eq!(
                    drawn.name_of(code) % 11,
                    if code < 66 { code % 11 } else { drawn.name_of(code) % 11 }
                );
                assert!(code < 66 || drawn.name_of(code) == code);
            }
        }
        assert_eq!(Relabelling::draw(SIX, [0; 32]).name_of(200), 200);
        assert_eq!(format!("{:?}", Relabelling::draw(SIX, [0; 32])), "Relabelling(..)");
    }

    /// Nothing that can be asked for makes it panic or lose a card.
    #[test]
    fn any_colours_can_be_asked_for() {
        for (count, cards) in [(0, 0), (0, 9), (9, 0), (1, 1), (255, 255), (2, 100)] {
            let drawn = Relabelling::draw(Colours { count, cards }, [3; 32]);
            assert!(drawn.names.iter().all(|name| usize::from(*name) < CODES));
        }
    }

    #[test]
    fn every_order_of_colours_comes() {
        let three = Colours { count: 3, cards: 10 };
        let mut seen: Vec<Vec<u8>> =
            (0..100).map(|key| names(&Relabelling::draw(three, [key; 32]), three)).collect();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 6, "{seen:?}");
    }

    /// A shuffle of the same cards under other names is the same shuffle, and what is fixed by hand are the names.
    #[test]
    fn a_relabelled_shuffle_is_the_same_shuffle() {
        struct Order(Vec<u8>);
        impl Events<()> for Order {
            fn tell(&mut self, _: crate::Audience, (): ()) {}
            fn shuffled(&mut self, _: Shuffle, codes: impl Iterator<Item = u8>) {
                self.0 = codes.collect();
            }
        }
        let relabelling = Relabelling::draw(SIX, [5; 32]);
        let plain = Chance::seeded([8; 32]);
        // Some cards only, as when a draw pile is made anew.
        let mut cards: Vec<u8> = (0..66).filter(|code| code % 3 != 1).collect();
        let mut named: Vec<u8> = cards.iter().map(|card| relabelling.name_of(*card)).collect();
        named.sort_unstable();
        let mut order = Order(Vec::new());
        plain.shuffle(Shuffle::deal(2), &mut cards, &mut order);
        plain.clone().relabelled(relabelling).shuffle(Shuffle::deal(2), &mut named, &mut order);
        assert_eq!(named, cards.iter().map(|card| relabelling.name_of(*card)).collect::<Vec<_>>());
        assert_eq!(order.0, named, "what is put on record are the names");
        let scripted =
            Chance::scripted([8; 32], vec![(Shuffle::deal(2), vec![named[9]])]).relabelled(relabelling);
        let mut again = named.clone();
        again.sort_unstable();
        scripted.shuffle(Shuffle::deal(2), &mut again, &mut order);
        assert_eq!(again[0], named[9]);
    }
}
