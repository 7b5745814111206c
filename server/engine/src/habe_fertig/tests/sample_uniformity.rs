//! Uniformity of the samples of Habe fertig.

use super::*;
use crate::conformance::fresh_game;
use crate::conformance::sample_uniformity::{Pool, check, codes, opponent};

/// After a rebuild, the cards the other player took from it and the cards they had before are different
/// pools.
#[test]
fn samples_are_uniform_after_a_rebuild() {
    check::<HabeFertig>(
        "habe_fertig_samples_are_uniform_after_a_rebuild",
        fresh_game,
        |view| {
            let took_from_rebuilt =
                view.origins.iter().any(|o| o.rebuild > 0 && o.in_hands[opponent().index()] > 0);
            (view.outcome.is_none() && took_from_rebuilt).then(|| {
                let pool = |origin: &Origin| Pool {
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
            let of = |cards: CardSet<_>, pool: &Pool| {
                codes(cards).into_iter().filter(|code| pool.cards.contains(code)).collect::<Vec<_>>()
            };
            pools.iter().map(|pool| vec![of(theirs.hand, pool), of(theirs.hidden, pool)]).collect()
        },
    );
}
