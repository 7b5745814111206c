//! Sampled worlds: the very same view, evenly over all deals, and no panic for any view.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

use super::{Recorder, Testable, games, legal, pick, play_on, random_move, set_ups, table, test_rng};
use crate::{Viewer, below};

pub(super) fn sampled_worlds_give_the_view_back<G: Testable>() {
    let mut rng = test_rng("sampled_worlds_give_the_view_back");
    for (players, options) in set_ups::<G>() {
        for _ in 0..games(10) {
            let mut game: G = table(players, options, &mut rng);
            loop {
                for viewer in Viewer::all(players) {
                    let view = game.view(viewer);
                    let mut world = G::sample(&view, &mut rng).expect("a view of a game is possible");
                    assert_eq!(world.view(viewer), view);
                    let (mut cards, mut true_cards) = (world.census(), game.census());
                    cards.sort_unstable();
                    true_cards.sort_unstable();
                    assert_eq!(cards, true_cards, "a world has all the cards");
                    if let Some(seat) = viewer.seat() {
                        assert_eq!(
                            legal(&world, seat),
                            legal(&game, seat),
                            "{viewer:?} can do the same in {world:#?}"
                        );
                    }
                    if below(50, &mut rng) == 0 {
                        play_on(&mut world, G::MAX_ACTIONS, &mut rng);
                        assert!(world.outcome().is_some(), "a world can be played to its end");
                    }
                }
                if random_move(&game, &mut rng).is_none() {
                    break;
                }
                play_on(&mut game, 1 + below(12, &mut rng) as usize, &mut rng);
            }
        }
    }
}

/// Views that were tampered with, one thing or many: an error, or a world that gives the view back and can be played.
pub(super) fn no_view_makes_anything_panic<G: Testable>() {
    let mut rng = test_rng("no_view_makes_anything_panic");
    let (mut impossible, mut possible) = (0, 0);
    for (players, options) in set_ups::<G>() {
        let mut events = Recorder::new();
        let mut game: G = table(players, options, &mut rng);
        while let Some((seat, action)) = random_move(&game, &mut rng) {
            game.apply(seat, action, &mut events).expect("an action that is offered applies");
        }
        for _ in 0..games(400) {
            let mut game: G = table(players, options, &mut rng);
            let moment = below(120, &mut rng) as usize;
            play_on(&mut game, moment, &mut rng);
            let viewers: Vec<Viewer> = Viewer::all(players).collect();
            let mut view = game.view(*pick(&viewers, &mut rng));
            for _ in 0..=below(4, &mut rng) {
                G::spoil(&mut view, &mut rng);
            }
            let _ = view.to_string();
            match G::sample(&view, &mut rng) {
                Err(why) => {
                    assert!(why.to_string().starts_with("impossible view: "));
                    impossible += 1;
                }
                Ok(mut world) => {
                    assert_eq!(world.view(view_owner::<G>(&world, &view)), view);
                    play_on(&mut world, 200, &mut rng);
                    possible += 1;
                }
            }
            for _ in 0..10 {
                G::follow(&mut view, &pick(&events.told, &mut rng).1);
                let _ = (view.to_string(), G::sample(&view, &mut rng));
            }
        }
    }
    assert!(impossible > 100 && possible > 10, "{impossible} impossible and {possible} possible views");
}

/// The viewer whose view this is.
fn view_owner<G: Testable>(world: &G, view: &G::View) -> Viewer {
    let owner = Viewer::all(world.players()).find(|viewer| world.view(*viewer) == *view);
    owner.unwrap_or_else(|| panic!("no viewer of {world:#?} has the view {view:#?}"))
}

/// Fails unless the samples fall on exactly these classes and in proportion to their weights, by a chi-square test that
/// an honest sampler fails about once in a million times.
pub(super) fn assert_proportional<K: Hash + Eq + Debug>(weights: &HashMap<K, f64>, samples: Vec<K>) {
    let total = samples.len() as f64 / weights.values().sum::<f64>();
    let mut counts: HashMap<&K, f64> = weights.keys().map(|class| (class, 0.0)).collect();
    for sample in &samples {
        let count = counts.get_mut(sample);
        *count.unwrap_or_else(|| panic!("{sample:?} is none of the {} classes", weights.len())) += 1.0;
    }
    // Rare classes are counted together, so that no expectation is too small for the test.
    let (mut statistic, mut cells, mut rare) = (0.0, 0, (0.0, 0.0));
    let mut cell = |count: f64, expected: f64| {
        statistic += (count - expected).powi(2) / expected;
        cells += 1;
    };
    for (class, weight) in weights {
        let (count, expected) = (counts[class], weight * total);
        if expected < 10.0 {
            rare = (rare.0 + count, rare.1 + expected);
        } else {
            cell(count, expected);
        }
    }
    if rare.1 >= 10.0 {
        cell(rare.0, rare.1);
    }
    assert!(cells >= 2, "only {cells} classes are frequent enough to tell");
    // Wilson and Hilferty: the cube root of chi-square over its degrees of freedom is nearly normal.
    let freedom = f64::from(cells - 1);
    let spread = 2.0 / (9.0 * freedom);
    let z = ((statistic / freedom).cbrt() - (1.0 - spread)) / spread.sqrt();
    assert!(z < 4.75, "not in proportion: z = {z:.2} over {counts:?}");
}

/// Fails unless the samples fall evenly on exactly so many classes.
pub(crate) fn assert_uniform<K: Hash + Eq + Debug + Clone>(classes: usize, samples: impl Iterator<Item = K>) {
    let samples: Vec<K> = samples.collect();
    let weights: HashMap<K, f64> = samples.iter().map(|sample| (sample.clone(), 1.0)).collect();
    assert_eq!(weights.len(), classes, "classes of samples");
    assert_proportional(&weights, samples);
}

#[test]
fn evenness_is_told_from_bias() {
    let mut rng = test_rng("evenness_is_told_from_bias");
    let verdict = |weights: &[f64], samples: Vec<u32>| {
        let weights = (0..).zip(weights.iter().copied()).collect();
        std::panic::catch_unwind(|| assert_proportional(&weights, samples)).is_ok()
    };
    let even: Vec<u32> = (0..10_000).map(|_| below(10, &mut rng)).collect();
    let biased: Vec<u32> = (0..10_000).map(|_| below(11, &mut rng) % 10).collect();
    assert!(verdict(&[1.0; 10], even.clone()));
    assert!(!verdict(&[1.0; 10], biased.clone()), "a bias of one in eleven went unnoticed");
    assert!(
        verdict(&[2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], biased),
        "a bias that was asked for"
    );
    assert!(!verdict(&[1.0; 9], even.clone()), "a class that cannot be");
    assert!(!verdict(&[1.0; 11], even), "a class that never came");
}
