//! Evenness of `sample`, on small cases: all deals that agree with a view are counted one by one, with a way of counting
//! that shares nothing with the engine, and the worlds must fall on them in proportion.

use std::collections::{BTreeMap, HashMap};

use super::sampling::assert_proportional;
use super::{SetUp, Testable, held_table, play_on, table, test_rng};
use crate::flush::Flush;
use crate::gap::Gap;
use crate::habe_fertig::HabeFertig;
use crate::no_dice::{self, NoDice};
use crate::{Card, Seat, Viewer};

/// Where the cards of one pool are: the codes in each group, sorted.
type Deal = Vec<Vec<u8>>;

/// Cards of which nobody can say where they lie, and how many of them each group has. What is left over lies elsewhere.
struct Pool {
    cards: Vec<u8>,
    groups: Vec<usize>,
}

impl Pool {
    /// How many deals there are when copies of a card are told apart.
    fn size(&self) -> f64 {
        let deal = |(left, ways): (usize, f64), group: &usize| (left - group, ways * binomial(left, *group));
        self.groups.iter().fold((self.cards.len(), 1.0), deal).1
    }

    /// Every deal, with the number of ways to deal it when copies of a card are told apart.
    fn deals(&self) -> Vec<(Deal, f64)> {
        let mut kinds = BTreeMap::new();
        self.cards.iter().for_each(|code| *kinds.entry(*code).or_insert(0usize) += 1);
        let mut deals = vec![(vec![Vec::new(); self.groups.len()], 1.0)];
        for (code, copies) in kinds {
            let spread = |(deal, ways): (Deal, f64)| self.spread(code, copies, &deal, 0, ways);
            deals = deals.into_iter().flat_map(spread).collect();
        }
        let elsewhere = self.cards.len() - self.groups.iter().sum::<usize>();
        let is_full = |deal: &Deal| deal.iter().map(Vec::len).eq(self.groups.iter().copied());
        let dealt: Vec<_> = deals.into_iter().filter(|(deal, _)| is_full(deal)).collect();
        assert!(elsewhere > 0 || !dealt.is_empty());
        dealt
    }

    /// Every way to give copies of one card to the groups from this one on.
    fn spread(&self, code: u8, copies: usize, deal: &Deal, group: usize, ways: f64) -> Vec<(Deal, f64)> {
        if group == self.groups.len() {
            return vec![(deal.clone(), ways)];
        }
        let room = self.groups[group] - deal[group].len();
        (0..=copies.min(room))
            .flat_map(|given| {
                let mut deal = deal.clone();
                deal[group].extend(vec![code; given]);
                self.spread(code, copies - given, &deal, group + 1, ways * binomial(copies, given))
            })
            .collect()
    }
}

fn binomial(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}

/// The two players of a small case: the first one looks, and the second one's cards are guessed.
fn us() -> Viewer {
    Viewer::Seat(Seat::FIRST)
}

fn them() -> Seat {
    Seat::FIRST.left(2)
}

/// Looks through random games of two for moments at which `pools` finds a case with few deals, and checks three.
/// `cards` says what the other player has in a world, group by group and pool by pool.
fn check<G: Testable>(
    test: &str,
    table: SetUp<G>,
    pools: impl Fn(&G::View) -> Option<Vec<Pool>>,
    agrees: impl Fn(&G::View, &[Deal]) -> bool,
    cards: impl Fn(&G::View, &[Pool]) -> Vec<Deal>,
) {
    let mut rng = test_rng(test);
    let mut checked = 0;
    for _ in 0..20_000 {
        let mut game = table(2, G::Options::default(), &mut rng);
        while play_on(&mut game, 1, &mut rng) == 1 {
            let view = game.view(us());
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
            expected.retain(|key, _| agrees(&view, key));
            if expected.len() < 8 {
                continue;
            }
            let samples = 100 * expected.len();
            let worlds = (0..samples).map(|_| {
                let world = G::sample(&view, &mut rng).expect("a view of a game is possible");
                cards(&world.view(Viewer::Seat(them())), &pools)
            });
            assert_proportional(&expected, worlds.collect::<Vec<_>>());
            checked += 1;
            if checked == 3 {
                return;
            }
            break;
        }
    }
    panic!("{test}: no small case was found");
}

fn codes<C: Card>(cards: impl IntoIterator<Item = C>) -> Vec<u8> {
    let mut codes: Vec<u8> = cards.into_iter().map(Card::code).collect();
    codes.sort_unstable();
    codes
}

#[test]
fn gap_is_even() {
    check::<Gap>(
        "gap_is_even",
        table,
        |view| {
            let theirs = usize::from(view.hand_sizes[them().index()]);
            Some(vec![Pool { cards: codes(view.unseen()), groups: vec![theirs] }])
        },
        |_, _| true,
        |theirs, _| vec![vec![codes(theirs.hand)]],
    );
}

#[test]
fn flush_is_even() {
    check::<Flush>(
        "flush_is_even",
        table,
        |view| {
            let theirs = usize::from(view.hand_sizes[them().index()]);
            let is_on = view.outcome.is_none();
            is_on.then(|| vec![Pool { cards: codes(view.unseen().iter()), groups: vec![theirs] }])
        },
        |_, _| true,
        |theirs, _| vec![vec![codes(theirs.hand.iter())]],
    );
}

/// After the draw pile was rebuilt, what the other player took from it and what they had before are different pools.
#[test]
fn habe_fertig_is_even_after_a_rebuild() {
    check::<HabeFertig>(
        "habe_fertig_is_even_after_a_rebuild",
        table,
        |view| {
            let took_from_rebuilt =
                view.origins.iter().any(|o| o.rebuild > 0 && o.in_hands[them().index()] > 0);
            (view.outcome.is_none() && took_from_rebuilt).then(|| {
                let pool = |origin: &crate::habe_fertig::Origin| Pool {
                    cards: codes(origin.cards & view.unseen()),
                    groups: vec![
                        usize::from(origin.in_hands[them().index()]),
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
/// What the viewer did not give away in a SWAP, of the other player's hand.
fn unknown_to_us(view: &no_dice::View) -> Option<Pool> {
    let (size, known) = (view.hand_sizes[them().index()], view.known[them().index()]);
    let is_on = view.outcome.is_none();
    is_on.then(|| Pool { cards: codes(view.unseen()), groups: vec![usize::from(size - known.len())] })
}

/// The cards of the other player that the viewer does not know: those known are taken out of the hand.
fn less_known(hand: no_dice::Hand, known: &[u8]) -> Vec<u8> {
    let mut rest = codes(hand);
    for code in known {
        let place = rest.iter().position(|held| held == code).expect("a card that is known is held");
        rest.remove(place);
    }
    rest
}

fn check_no_dice(
    test: &str,
    table: SetUp<NoDice>,
    wanted: fn(&no_dice::View) -> bool,
    agrees: fn(&no_dice::View, &[Deal]) -> bool,
) {
    use std::cell::RefCell;
    let known = RefCell::new(Vec::new());
    check(
        test,
        table,
        |view| {
            *known.borrow_mut() = codes(view.known[them().index()]);
            wanted(view).then(|| unknown_to_us(view)).flatten().map(|pool| vec![pool])
        },
        agrees,
        |theirs, _| vec![vec![less_known(theirs.hand, &known.borrow())]],
    );
}

/// After a SWAP, the cards given away are known to be in the other hand, and the rest of it is even.
#[test]
fn no_dice_is_even_after_a_swap() {
    check_no_dice(
        "no_dice_is_even_after_a_swap",
        table,
        |view| view.decision == Some(no_dice::Decision::Turn) && !view.known[them().index()].is_empty(),
        |_, _| true,
    );
}

/// Whoever is about to play and has to wait knows that the other player holds a PASS card, and nothing else.
#[test]
fn no_dice_is_even_while_waiting_for_a_window() {
    check_no_dice("no_dice_is_even_while_waiting_for_a_window", table, waits, |_, key| {
        key[0][0].contains(&no_dice::Card::Pass.code())
    });
}

/// Whoever waits in a window that is held knows nothing of the other player's cards.
#[test]
fn no_dice_is_even_in_a_held_window() {
    check_no_dice("no_dice_is_even_in_a_held_window", held_table, waits, |_, _| true);
}

/// About to play, and to wait for that.
fn waits(view: &no_dice::View) -> bool {
    view.turn == Seat::FIRST && view.decision.is_none() && view.known[them().index()].is_empty()
}
