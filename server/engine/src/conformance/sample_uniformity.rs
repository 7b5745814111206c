//! Uniformity of `sample` in small positions: all deals consistent with a view are enumerated independently
//! of the engine, and the samples must be distributed in proportion.

use std::collections::{BTreeMap, HashMap};

use super::chi_square::assert_proportional;
use super::{NewGame, Testable, fresh_game, fresh_held_game, play_random_actions};
use crate::flush::Flush;
use crate::gap::Gap;
use crate::habe_fertig::HabeFertig;
use crate::no_dice::{self, NoDice};
use crate::test_support::test_rng;
use crate::{CardCode, Seat, Viewer};

/// A distribution of the cards of one pool: the sorted codes of each group.
type Deal = Vec<Vec<u8>>;

/// Indistinguishable locations: the cards of unknown location, and the size of each group of them. The
/// remaining cards are elsewhere.
struct Pool {
    cards: Vec<u8>,
    groups: Vec<usize>,
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

fn opponent() -> Seat {
    Seat::FIRST.left(2)
}

/// Searches random games of two players for positions in which `pools` gives few deals, and checks three of
/// them. `cards` reads the other player's cards from a sample, by pool and group.
fn check<G: Testable>(
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

fn codes<C: CardCode>(cards: impl IntoIterator<Item = C>) -> Vec<u8> {
    let mut codes: Vec<u8> = cards.into_iter().map(CardCode::code).collect();
    codes.sort_unstable();
    codes
}

#[test]
fn gap_samples_are_uniform() {
    check::<Gap>(
        "gap_samples_are_uniform",
        fresh_game,
        |view| {
            let theirs = usize::from(view.hand_sizes[opponent().index()]);
            Some(vec![Pool { cards: codes(view.unseen()), groups: vec![theirs] }])
        },
        |_, _| true,
        |theirs, _| vec![vec![codes(theirs.hand)]],
    );
}

#[test]
fn flush_samples_are_uniform() {
    check::<Flush>(
        "flush_samples_are_uniform",
        fresh_game,
        |view| {
            let theirs = usize::from(view.hand_sizes[opponent().index()]);
            let is_on = view.outcome.is_none();
            is_on.then(|| vec![Pool { cards: codes(view.unseen().iter()), groups: vec![theirs] }])
        },
        |_, _| true,
        |theirs, _| vec![vec![codes(theirs.hand.iter())]],
    );
}

/// After a rebuild, the cards the other player took from it and the cards they had before are different
/// pools.
#[test]
fn habe_fertig_samples_are_uniform_after_a_rebuild() {
    check::<HabeFertig>(
        "habe_fertig_samples_are_uniform_after_a_rebuild",
        fresh_game,
        |view| {
            let took_from_rebuilt =
                view.origins.iter().any(|o| o.rebuild > 0 && o.in_hands[opponent().index()] > 0);
            (view.outcome.is_none() && took_from_rebuilt).then(|| {
                let pool = |origin: &crate::habe_fertig::Origin| Pool {
                    cards: codes(origin.cards & view.unseen()),
                    groups: vec![
                        usize::from(origin.in_hands[opponent().index()]),
                        if origin.rebuild == 0 { 2 } else { 0 },
                    ],
                };
                view.origins.iter().map(pool).collect()
            })
        },
        |_, _| true,
        |theirs, pools| {
            let of = |cards: crate::CardSet<_>, pool: &Pool| {
                codes(cards).into_iter().filter(|code| pool.cards.contains(code)).collect::<Vec<_>>()
            };
            pools.iter().map(|pool| vec![of(theirs.hand, pool), of(theirs.hidden, pool)]).collect()
        },
    );
}
/// The other player's hand, except for the cards the viewer gave away in a SWAP.
fn unknown_cards(view: &no_dice::View) -> Option<Pool> {
    let (size, known) = (view.hand_sizes[opponent().index()], view.known[opponent().index()]);
    let is_on = view.outcome.is_none();
    is_on.then(|| Pool { cards: codes(view.unseen()), groups: vec![usize::from(size - known.len())] })
}

/// The hand without the cards the viewer knows.
fn without_known(hand: no_dice::Hand, known: &[u8]) -> Vec<u8> {
    let mut rest = codes(hand);
    for code in known {
        let place = rest.iter().position(|held| held == code).expect("a known card is in the hand");
        rest.remove(place);
    }
    rest
}

fn check_no_dice(
    test: &str,
    new_game: NewGame<NoDice>,
    is_wanted: fn(&no_dice::View) -> bool,
    is_consistent: fn(&no_dice::View, &[Deal]) -> bool,
) {
    use std::cell::RefCell;
    let known = RefCell::new(Vec::new());
    check(
        test,
        new_game,
        |view| {
            *known.borrow_mut() = codes(view.known[opponent().index()]);
            is_wanted(view).then(|| unknown_cards(view)).flatten().map(|pool| vec![pool])
        },
        is_consistent,
        |theirs, _| vec![vec![without_known(theirs.hand, &known.borrow())]],
    );
}

/// After a SWAP, the cards given away are known to be in the other hand, and the rest of it is uniform.
#[test]
fn no_dice_samples_are_uniform_after_a_swap() {
    check_no_dice(
        "no_dice_samples_are_uniform_after_a_swap",
        fresh_game,
        |view| view.decision == Some(no_dice::Decision::Turn) && !view.known[opponent().index()].is_empty(),
        |_, _| true,
    );
}

/// A next player who has to wait knows that the other player holds a PASS card, and nothing else.
#[test]
fn no_dice_samples_are_uniform_while_waiting_for_a_window() {
    check_no_dice(
        "no_dice_samples_are_uniform_while_waiting_for_a_window",
        fresh_game,
        waits_for_a_window,
        |_, key| key[0][0].contains(&no_dice::Card::Pass.code()),
    );
}

/// A player who waits_for_a_window in a held window knows nothing about the other player's cards.
#[test]
fn no_dice_samples_are_uniform_in_a_held_window() {
    check_no_dice(
        "no_dice_samples_are_uniform_in_a_held_window",
        fresh_held_game,
        waits_for_a_window,
        |_, _| true,
    );
}

/// The viewer is next, but has to wait for a window.
fn waits_for_a_window(view: &no_dice::View) -> bool {
    view.turn == Seat::FIRST && view.decision.is_none() && view.known[opponent().index()].is_empty()
}
