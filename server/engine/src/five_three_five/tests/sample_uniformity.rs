//! Uniformity of the samples of Five Three Five.

use super::*;
use crate::conformance::fresh_game;
use crate::conformance::sample_uniformity::{Pool, check, codes, opponent};

#[test]
fn samples_are_uniform() {
    check::<FiveThreeFive>(
        "five_three_five_samples_are_uniform",
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
