//! Chance: deals do not depend on play, and records and relabellings reproduce the game.

use std::collections::HashSet;

use rand_core::Rng;

use super::{Testable, game_count, new_game, random_move, set_ups};
use crate::test_support::{Recorder, legal_actions, test_rng};
use crate::{Chance, ColourSymmetry, Relabelling, ShufflePurpose, Viewer};

/// Different actions on the same chance lead to the same later deals.
pub(super) fn later_deals_do_not_depend_on_play<G: Testable>() {
    let mut rng = test_rng("later_deals_do_not_depend_on_play");
    for (players, options) in set_ups::<G>() {
        for _ in 0..game_count(5) {
            let chance = Chance::fresh(&mut rng);
            let [one, other] = [(); 2].map(|()| {
                let mut recorder = Recorder::new();
                let mut game: G = new_game(players, options, chance.clone(), &mut recorder);
                while let Some((seat, action)) = random_move(&game, &mut rng) {
                    game.apply(seat, action, &mut recorder).expect("a legal action applies");
                }
                let shuffles = recorder.shuffles.into_iter();
                shuffles.filter(|(id, _)| id.purpose == ShufflePurpose::Deal).collect::<Vec<_>>()
            });
            for (round, (one, other)) in one.iter().zip(&other).enumerate() {
                assert_eq!(one, other, "the deal of round {round} depends on play");
                assert_eq!(usize::from(one.0.round), round);
            }
        }
    }
}

/// A record holds the order of every shuffle: scripted from it, with another seed, the game is the same.
pub(super) fn replay_from_recorded_shuffles<G: Testable>() {
    let mut rng = test_rng("replay_from_recorded_shuffles");
    for (players, options) in set_ups::<G>() {
        for _ in 0..game_count(5) {
            let mut recorder = Recorder::new();
            let mut game: G = new_game(players, options, Chance::fresh(&mut rng), &mut recorder);
            let mut log = Vec::new();
            while let Some((seat, action)) = random_move(&game, &mut rng) {
                game.apply(seat, action, &mut recorder).expect("a legal action applies");
                log.push((seat, action));
            }
            let mut replay_recorder = Recorder::new();
            let script = Chance::scripted([0xa5; 32], recorder.shuffles.clone());
            let mut replayed: G = new_game(players, options, script, &mut replay_recorder);
            for (seat, action) in log {
                replayed.apply(seat, action, &mut replay_recorder).expect("a logged action applies again");
            }
            assert_eq!(replay_recorder.events, recorder.events);
            assert_eq!(replay_recorder.shuffles, recorder.shuffles);
            for viewer in Viewer::all(players) {
                assert_eq!(replayed.view(viewer), game.view(viewer));
            }
        }
    }
}

/// A game with relabelled colours is the same game: with the relabelled actions, the legal actions at every
/// step, the shuffles and the outcome are the relabelled ones. Trivial for games without colour symmetry.
pub(super) fn relabelled_colours_give_the_same_game<G: Testable>() {
    let mut rng = test_rng("relabelled_colours_give_the_same_game");
    for (players, options) in set_ups::<G>() {
        let symmetry = G::colour_symmetry(players);
        for _ in 0..game_count(if symmetry.is_some() { 10 } else { 1 }) {
            let mut key = [0; 32];
            rng.fill_bytes(&mut key);
            let relabelling = Relabelling::draw(
                symmetry.unwrap_or(ColourSymmetry { colours: 0, cards_per_colour: 0 }),
                key,
            );
            let chance = Chance::fresh(&mut rng);
            let [mut plain_recorder, mut other_recorder] = [Recorder::new(), Recorder::new()];
            let mut plain: G = new_game(players, options, chance.clone(), &mut plain_recorder);
            let mut other: G =
                new_game(players, options, chance.relabelled(relabelling), &mut other_recorder);
            while let Some((seat, action)) = random_move(&plain, &mut rng) {
                assert_eq!(other.to_act(), plain.to_act());
                let expected: HashSet<G::Action> = legal_actions(&plain, seat)
                    .into_iter()
                    .map(|action| G::relabelled(action, &relabelling))
                    .collect();
                let legal = legal_actions(&other, seat).into_iter().collect();
                assert_eq!(expected, legal, "{seat:?} in {plain:#?}");
                plain.apply(seat, action, &mut plain_recorder).expect("a legal action applies");
                let action = G::relabelled(action, &relabelling);
                other.apply(seat, action, &mut other_recorder).expect("the relabelled action applies");
            }
            assert_eq!(other.outcome(), plain.outcome());
            assert!(plain.outcome().is_some(), "the game is over");
            let mut expected = plain_recorder.shuffles;
            for (_, codes) in &mut expected {
                codes.iter_mut().for_each(|code| *code = relabelling.relabel_code(*code));
            }
            assert_eq!(other_recorder.shuffles, expected, "every shuffle is the relabelled one");
        }
    }
}
