//! Held windows: the invariants of [`Game`](crate::Game) with windows that are closed early and late.

use super::random_games::{
    FollowedGame, check_legal_actions, check_no_held_window, check_outcome, sorted_card_codes,
};
use super::{Testable, fresh_held_game, game_count, play_random_actions, random_move, set_ups};
use crate::test_support::{legal_actions, test_rng};
use crate::{Viewer, below};

/// Random games with held windows conform, and samples reproduce their views.
pub(super) fn held_windows_conform<G: Testable>() {
    let mut rng = test_rng("held_windows_conform");
    for (players, options) in set_ups::<G>() {
        for _ in 0..game_count(5) {
            let mut followed: FollowedGame<G> =
                FollowedGame::new(fresh_held_game(players, options, &mut rng));
            let deck = sorted_card_codes(&followed.game);
            while followed.game.outcome().is_none() {
                let game = &followed.game;
                check_legal_actions(game);
                assert_eq!(sorted_card_codes(game), deck, "cards are conserved: {game:#?}");
                for viewer in Viewer::all(players) {
                    let view = game.view(viewer);
                    let mut sample = G::sample(&view, &mut rng).expect("the view of a game is possible");
                    assert_eq!((sample.view(viewer), sorted_card_codes(&sample)), (view, deck.clone()));
                    if let Some(seat) = viewer.seat() {
                        let legal = legal_actions(game, seat);
                        assert_eq!(legal_actions(&sample, seat), legal, "{viewer:?} in {sample:#?}");
                    }
                    if below(100, &mut rng) == 0 {
                        play_random_actions(&mut sample, G::MAX_ACTIONS, &mut rng);
                        assert!(sample.outcome().is_some(), "a sample can be played to its end");
                    }
                }
                let next = random_move(game, &mut rng);
                if !game.window_is_held() {
                    check_no_held_window(game);
                    let (seat, action) = next.expect("without a held window, a seat is to act");
                    followed.apply(seat, action);
                } else if let Some((seat, action)) = next.filter(|_| below(4, &mut rng) > 0) {
                    followed.apply(seat, action);
                    assert!(followed.game.window_is_held(), "answers do not close a held window");
                } else {
                    followed.close_window();
                }
            }
            check_no_held_window(&followed.game);
            check_outcome(&followed.game);
        }
    }
}
