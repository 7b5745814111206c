//! Uniformity of the samples of GAP.

use super::*;
use crate::conformance::fresh_game;
use crate::conformance::sample_uniformity::{Pool, check, codes, opponent};

#[test]
fn samples_are_uniform() {
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
