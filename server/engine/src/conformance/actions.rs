//! Actions: legal ones apply, illegal ones are refused, and defaults finish the game.

use super::random_games::check_outcome;
use super::{Testable, fresh_game, game_count, random_move, set_ups};
use crate::test_support::{Recorder, legal_actions, pick, test_rng};
use crate::{Game, MAX_SEATS, NoEvents, Seat, Viewer, below};

/// Every listed action applies and changes the game.
pub(super) fn legal_actions_apply<G: Testable>() {
    let mut rng = test_rng("legal_actions_apply");
    for (players, options) in set_ups::<G>() {
        for _ in 0..game_count(3) {
            let mut game: G = fresh_game(players, options, &mut rng);
            while let Some((seat, action)) = random_move(&game, &mut rng) {
                for legal in legal_actions(&game, seat) {
                    let mut after = game.clone();
                    assert_eq!(after.apply(seat, legal, &mut NoEvents), Ok(()), "{legal:?} in {game:#?}");
                    assert_ne!(after, game, "{legal:?} changed nothing");
                }
                game.apply(seat, action, &mut NoEvents).expect("a legal action applies");
            }
        }
    }
}

/// The legal actions are in the documented order, each once. Clients that answer by index without the list rely
/// on it.
pub(super) fn legal_actions_are_in_documented_order<G: Testable>() {
    let mut rng = test_rng("legal_actions_are_in_documented_order");
    let mut compared = 0;
    for (players, options) in set_ups::<G>() {
        for _ in 0..game_count(3) {
            let mut game: G = fresh_game(players, options, &mut rng);
            while let Some((seat, action)) = random_move(&game, &mut rng) {
                for seat in game.to_act().iter() {
                    let (legal, view) = (legal_actions(&game, seat), game.view(Viewer::Seat(seat)));
                    for pair in legal.windows(2) {
                        let [before, after] = [0, 1].map(|i| G::order_key(&view, &pair[i]));
                        assert!(before < after, "{} before {}: {before:?}, {after:?}", pair[0], pair[1]);
                    }
                    compared += legal.len().saturating_sub(1);
                }
                game.apply(seat, action, &mut NoEvents).expect("a legal action applies");
            }
        }
    }
    assert!(compared > 0, "no seat had a choice");
}

/// Every action that is not listed is refused without any change or event.
pub(super) fn illegal_actions_are_refused<G: Testable>() {
    let mut rng = test_rng("illegal_actions_are_refused");
    let mut refused = 0;
    for (players, options) in set_ups::<G>() {
        for _ in 0..game_count(12) {
            let mut game: G = fresh_game(players, options, &mut rng);
            let mut earlier: Vec<G::Action> = Vec::new();
            loop {
                for _ in 0..8 {
                    let seat = Seat::new(below(MAX_SEATS as u32, &mut rng) as u8).expect("a seat number");
                    let action = match below(3, &mut rng) {
                        0 if !earlier.is_empty() => *pick(&earlier, &mut rng),
                        _ => G::random_action(&mut rng),
                    };
                    refused += usize::from(is_refused(&game, seat, action));
                }
                let Some((seat, action)) = random_move(&game, &mut rng) else {
                    break;
                };
                for other in Seat::all(MAX_SEATS as u8).filter(|other| *other != seat) {
                    refused += usize::from(is_refused(&game, other, action));
                }
                earlier.push(action);
                game.apply(seat, action, &mut NoEvents).expect("a legal action applies");
            }
        }
    }
    assert!(refused > 1000, "only {refused} actions were refused: too few for a meaningful test");
}

/// Applies the action to a clone, checks that it is refused if and only if it is illegal, and returns true if
/// it is refused.
fn is_refused<G: Game>(game: &G, seat: Seat, action: G::Action) -> bool {
    let is_legal = legal_actions(game, seat).contains(&action);
    let mut after = game.clone();
    let mut recorder = Recorder::new();
    let applied = after.apply(seat, action, &mut recorder);
    assert_eq!(applied.is_ok(), is_legal, "{seat:?} {action:?}: {applied:?} in {game:#?}");
    if is_legal {
        return false;
    }
    assert_eq!(after, *game, "a refused action changes nothing");
    assert!(recorder.events.is_empty() && recorder.shuffles.is_empty(), "a refused action emits nothing");
    true
}

/// Default actions alone lead to the end of the game within the bound.
pub(super) fn default_actions_finish_the_game<G: Testable>() {
    let mut rng = test_rng("default_actions_finish_the_game");
    for (players, options) in set_ups::<G>() {
        for _ in 0..game_count(3) {
            let mut game: G = fresh_game(players, options, &mut rng);
            let mut played = 0;
            while let Some(seat) = game.to_act().first() {
                assert!(played < G::MAX_ACTIONS, "the game exceeds MAX_ACTIONS");
                let action = game.default_action(seat).expect("a seat to act has a default");
                game.apply(seat, action, &mut NoEvents).expect("a default applies");
                played += 1;
            }
            check_outcome(&game);
        }
    }
}
