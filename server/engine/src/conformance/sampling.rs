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
            game.apply(seat, action, &mut events)
                .expect("an action that is offered applies");
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
    assert!(
        impossible > 100 && possible > 10,
        "{impossible} impossible and {possible} possible views"
    );
}

/// The viewer whose view this is.
fn view_owner<G: Testable>(world: &G, view: &G::View) -> Viewer {
    let owner = Viewer::all(world.players()).find(|viewer| world.view(*viewer) == *view);
    owner.unwrap_or_else(|| panic!("no viewer of {world:#?} has the view {view:#?}"))
}

/// Fails unless the samples fall evenly on exactly `classes` kinds, by a chi-square test at about one in a million.
pub(crate) fn assert_uniform<K: Hash + Eq + Debug>(classes: usize, samples: impl Iterator<Item = K>) {
    let mut counts: HashMap<K, u32> = HashMap::new();
    samples.for_each(|sample| *counts.entry(sample).or_default() += 1);
    assert_eq!(counts.len(), classes, "kinds of worlds: {counts:?}");
    let total: u32 = counts.values().sum();
    let expected = f64::from(total) / classes as f64;
    assert!(expected >= 20.0, "too few samples to tell: {expected} a class");
    let statistic: f64 = counts
        .values()
        .map(|n| (f64::from(*n) - expected).powi(2) / expected)
        .sum();
    // Wilson and Hilferty: the cube root of chi-square over its degrees of freedom is nearly normal.
    let freedom = (classes - 1) as f64;
    let spread = 2.0 / (9.0 * freedom);
    let z = ((statistic / freedom).cbrt() - (1.0 - spread)) / spread.sqrt();
    assert!(z < 4.75, "not even: z = {z:.2} over {counts:?}");
}

#[test]
fn evenness_is_told_from_bias() {
    let mut rng = test_rng("evenness_is_told_from_bias");
    assert_uniform(10, (0..10_000).map(|_| below(10, &mut rng)));
    let mut biased = || below(11, &mut rng) % 10;
    let samples: Vec<u32> = (0..10_000).map(|_| biased()).collect();
    let verdict = std::panic::catch_unwind(|| assert_uniform(10, samples.into_iter()));
    assert!(verdict.is_err(), "a bias of one in eleven went unnoticed");
}
