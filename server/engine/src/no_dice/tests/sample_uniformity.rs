//! Uniformity of the samples of No Dice.

use super::*;
use crate::conformance::sample_uniformity::{Deal, Pool, check, codes, opponent};
use crate::conformance::{NewGame, fresh_game, fresh_held_game};

/// The other player's hand, except for the cards the viewer gave away in a SWAP.
fn unknown_cards(view: &View) -> Option<Pool> {
    let (size, known) = (view.hand_sizes[opponent().index()], view.known[opponent().index()]);
    let is_on = view.outcome.is_none();
    is_on.then(|| Pool { cards: codes(view.unseen()), groups: vec![usize::from(size - known.len())] })
}

/// The hand without the cards the viewer knows.
fn without_known(hand: Hand, known: &[u8]) -> Vec<u8> {
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
    is_wanted: fn(&View) -> bool,
    is_consistent: fn(&View, &[Deal]) -> bool,
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
fn samples_are_uniform_after_a_swap() {
    check_no_dice(
        "no_dice_samples_are_uniform_after_a_swap",
        fresh_game,
        |view| view.decision == Some(Decision::Turn) && !view.known[opponent().index()].is_empty(),
        |_, _| true,
    );
}

/// A next player who has to wait knows that the other player holds a PASS card, and nothing else.
#[test]
fn samples_are_uniform_while_waiting_for_a_window() {
    check_no_dice(
        "no_dice_samples_are_uniform_while_waiting_for_a_window",
        fresh_game,
        waits_for_a_window,
        |_, key| key[0][0].contains(&Card::Pass.code()),
    );
}

/// A player who waits in a held window knows nothing about the other player's cards.
#[test]
fn samples_are_uniform_in_a_held_window() {
    check_no_dice(
        "no_dice_samples_are_uniform_in_a_held_window",
        fresh_held_game,
        waits_for_a_window,
        |_, _| true,
    );
}

/// The viewer is next, but has to wait for a window.
fn waits_for_a_window(view: &View) -> bool {
    view.turn == Seat::FIRST && view.decision.is_none() && view.known[opponent().index()].is_empty()
}
