//! Sampling: samples reproduce their view, and no view causes a panic.

use rand_chacha::ChaCha8Rng;

use super::random_games::sorted_card_codes;
use super::texts::action_text;
use super::{Testable, fresh_game, game_count, play_random_actions, random_move, set_ups};
use crate::test_support::{Recorder, legal_actions, pick, test_rng};
use crate::{Lang, TextBuilder, Viewer, below};

/// Samples have the same view, cards and legal actions as the game, and can be played to the end.
pub(super) fn samples_reproduce_the_view<G: Testable>() {
    let mut rng = test_rng("samples_reproduce_the_view");
    for (players, options) in set_ups::<G>() {
        for _ in 0..game_count(10) {
            let mut game: G = fresh_game(players, options, &mut rng);
            loop {
                for viewer in Viewer::all(players) {
                    let view = game.view(viewer);
                    let mut sample = G::sample(&view, &mut rng).expect("the view of a game is possible");
                    assert_eq!(sample.view(viewer), view);
                    assert_eq!(
                        sorted_card_codes(&sample),
                        sorted_card_codes(&game),
                        "a sample has all cards"
                    );
                    if let Some(seat) = viewer.seat() {
                        let legal = legal_actions(&game, seat);
                        assert_eq!(legal_actions(&sample, seat), legal, "{viewer:?} in {sample:#?}");
                    }
                    if below(50, &mut rng) == 0 {
                        play_random_actions(&mut sample, G::MAX_ACTIONS, &mut rng);
                        assert!(sample.outcome().is_some(), "a sample can be played to its end");
                    }
                }
                if random_move(&game, &mut rng).is_none() {
                    break;
                }
                play_random_actions(&mut game, 1 + below(12, &mut rng) as usize, &mut rng);
            }
        }
    }
}

/// Writes all texts of a view and builds its board, with some actions.
fn show<G: Testable>(view: &G::View, rng: &mut ChaCha8Rng) {
    let actions: Vec<G::Action> = (0..4).map(|_| G::random_action(rng)).collect();
    let board = G::board(view, &actions, Lang::En);
    assert_eq!(board.targets.len(), actions.len());
    for action in &actions {
        let _ = action_text::<G>(view, Viewer::Spectator, action, Lang::En);
    }
    G::write_question(view, &mut TextBuilder::new(Lang::En, Viewer::Spectator));
    let _ = view.to_string();
}

/// A tampered view is rejected, or has a sample that reproduces it and can be played.
pub(super) fn tampered_views_do_not_panic<G: Testable>() {
    let mut rng = test_rng("tampered_views_do_not_panic");
    let (mut impossible, mut possible) = (0, 0);
    for (players, options) in set_ups::<G>() {
        let mut recorder = Recorder::new();
        let mut game: G = fresh_game(players, options, &mut rng);
        while let Some((seat, action)) = random_move(&game, &mut rng) {
            game.apply(seat, action, &mut recorder).expect("a legal action applies");
        }
        for _ in 0..game_count(400) {
            let mut game: G = fresh_game(players, options, &mut rng);
            let actions = below(120, &mut rng) as usize;
            play_random_actions(&mut game, actions, &mut rng);
            let viewers: Vec<Viewer> = Viewer::all(players).collect();
            let mut view = game.view(*pick(&viewers, &mut rng));
            for _ in 0..=below(4, &mut rng) {
                G::tamper(&mut view, &mut rng);
            }
            show::<G>(&view, &mut rng);
            match G::sample(&view, &mut rng) {
                Err(error) => {
                    assert!(error.to_string().starts_with("impossible view: "));
                    impossible += 1;
                }
                Ok(mut sample) => {
                    let mut viewers = Viewer::all(sample.players());
                    let is_reproduced = viewers.any(|viewer| sample.view(viewer) == view);
                    assert!(is_reproduced, "no viewer of {sample:#?} has the view {view:#?}");
                    play_random_actions(&mut sample, 200, &mut rng);
                    possible += 1;
                }
            }
            for _ in 0..10 {
                G::apply_event(&mut view, &pick(&recorder.events, &mut rng).1);
                let _ = G::sample(&view, &mut rng);
            }
            show::<G>(&view, &mut rng);
        }
    }
    assert!(impossible > 100 && possible > 10, "{impossible} impossible and {possible} possible views");
}
