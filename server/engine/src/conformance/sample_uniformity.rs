//! Uniformity of `sample` in small positions: all deals consistent with a view are enumerated independently
//! of the engine, and the samples must be distributed in proportion.
//!
//! The hidden information differs from game to game, so each game calls [`check`] in its own tests.

use std::collections::{BTreeMap, HashMap};

use super::chi_square::assert_proportional;
use super::{NewGame, Testable, play_random_actions};
use crate::test_support::test_rng;
use crate::{CardCode, Seat, Viewer};

/// A distribution of the cards of one pool: the sorted codes of each group.
pub(crate) type Deal = Vec<Vec<u8>>;

/// Indistinguishable locations: the cards of unknown location, and the size of each group of them. The
/// remaining cards are elsewhere.
pub(crate) struct Pool {
    pub(crate) cards: Vec<u8>,
    pub(crate) groups: Vec<usize>,
}

impl Pool {
    /// The number of deals if copies of a card are distinct.
    fn size(&self) -> f64 {
        let deal = |(left, ways): (usize, f64), group: &usize| (left - group, ways * binomial(left, *group));
        self.groups.iter().fold((self.cards.len(), 1.0), deal).1
    }

    /// Every deal, with its number of ways if copies of a card are distinct.
    fn deals(&self) -> Vec<(Deal, f64)> {
        let mut kinds = BTreeMap::new();
        self.cards.iter().for_each(|code| *kinds.entry(*code).or_insert(0usize) += 1);
        let mut deals = vec![(vec![Vec::new(); self.groups.len()], 1.0)];
        for (code, copies) in kinds {
            let distribute = |(deal, ways): (Deal, f64)| self.distribute(code, copies, &deal, 0, ways);
            deals = deals.into_iter().flat_map(distribute).collect();
        }
        let elsewhere = self.cards.len() - self.groups.iter().sum::<usize>();
        let is_full = |deal: &Deal| deal.iter().map(Vec::len).eq(self.groups.iter().copied());
        let dealt: Vec<_> = deals.into_iter().filter(|(deal, _)| is_full(deal)).collect();
        assert!(elsewhere > 0 || !dealt.is_empty());
        dealt
    }

    /// Every way to give copies of one card to the groups from this one on.
    fn distribute(&self, code: u8, copies: usize, deal: &Deal, group: usize, ways: f64) -> Vec<(Deal, f64)> {
        if group == self.groups.len() {
            return vec![(deal.clone(), ways)];
        }
        let room = self.groups[group] - deal[group].len();
        (0..=copies.min(room))
            .flat_map(|given| {
                let mut deal = deal.clone();
                deal[group].extend(vec![code; given]);
                self.distribute(code, copies - given, &deal, group + 1, ways * binomial(copies, given))
            })
            .collect()
    }
}

fn binomial(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}

/// The two players: the hand of the second is unknown to the first, who is the viewer.
fn viewer() -> Viewer {
    Viewer::Seat(Seat::FIRST)
}

pub(crate) fn opponent() -> Seat {
    Seat::FIRST.left(2)
}

/// Searches random games of two players for positions in which `pools` gives few deals, and checks three of
/// them. `cards` reads the other player's cards from a sample, by pool and group.
pub(crate) fn check<G: Testable>(
    test: &str,
    new_game: NewGame<G>,
    pools: impl Fn(&G::View) -> Option<Vec<Pool>>,
    is_consistent: impl Fn(&G::View, &[Deal]) -> bool,
    cards: impl Fn(&G::View, &[Pool]) -> Vec<Deal>,
) {
    let mut rng = test_rng(test);
    let mut checked = 0;
    for _ in 0..20_000 {
        let mut game = new_game(2, G::Options::default(), &mut rng);
        while play_random_actions(&mut game, 1, &mut rng) == 1 {
            let view = game.view(viewer());
            let Some(pools) = pools(&view) else { continue };
            if !(8.0..=2000.0).contains(&pools.iter().map(Pool::size).product()) {
                continue;
            }
            let mut expected: HashMap<Vec<Deal>, f64> = HashMap::from([(Vec::new(), 1.0)]);
            for pool in &pools {
                let deals = pool.deals();
                let add = |(key, ways): (Vec<Deal>, f64)| {
                    let deals = deals.clone().into_iter();
                    deals.map(move |(deal, more)| ([key.clone(), vec![deal]].concat(), ways * more))
                };
                expected = expected.into_iter().flat_map(add).collect();
            }
            expected.retain(|key, _| is_consistent(&view, key));
            if expected.len() < 8 {
                continue;
            }
            let samples = 100 * expected.len();
            let samples = (0..samples).map(|_| {
                let sample = G::sample(&view, &mut rng).expect("the view of a game is possible");
                cards(&sample.view(Viewer::Seat(opponent())), &pools)
            });
            assert_proportional(&expected, samples.collect::<Vec<_>>());
            checked += 1;
            if checked == 3 {
                return;
            }
            break;
        }
    }
    panic!("{test}: found no small position");
}

pub(crate) fn codes<C: CardCode>(cards: impl IntoIterator<Item = C>) -> Vec<u8> {
    let mut codes: Vec<u8> = cards.into_iter().map(CardCode::code).collect();
    codes.sort_unstable();
    codes
}
