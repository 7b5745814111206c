//! Type erasure: [`AnyGame`] behaves like the game it holds.

use std::hash::Hash;

use super::{Testable, new_game, random_move, set_ups};
use crate::test_support::{Recorder, legal_actions, test_rng};
use crate::{
    AnyAction, AnyGame, AnyOptions, AnyView, Chance, Game, GameId, MAX_SEATS, NoEvents, Seat, Viewer,
};

/// The erased game has the same seats to act, actions, views, events and outcome as the game.
pub(super) fn erased_game_equals_the_game<G: Testable>(
    id: GameId,
    any_action: fn(G::Action) -> AnyAction,
    any_view: fn(G::View) -> AnyView,
    any_options: fn(G::Options) -> AnyOptions,
) {
    let mut rng = test_rng("erased_game_equals_the_game");
    assert_eq!((GameId::from_id(G::INFO.id), id.info().id), (Some(id), G::INFO.id));
    assert_eq!(id.default_options(), any_options(G::Options::default()));
    for (players, options) in set_ups::<G>() {
        let chance = Chance::fresh(&mut rng);
        let (mut recorder, mut any_recorder) = (Recorder::new(), Recorder::new());
        let mut game: G = new_game(players, options, chance.clone(), &mut recorder);
        let mut any =
            AnyGame::new(G::INFO.rules_version, any_options(options), players, chance, &mut any_recorder)
                .expect("a valid set-up");
        let mut followed = any.view(Viewer::Spectator);
        assert_eq!((any.id(), any.players(), any_options(options).game()), (id, players, id));
        loop {
            assert_eq!((any.to_act(), any.outcome()), (game.to_act(), game.outcome()));
            for viewer in Viewer::all(players) {
                let view = any.view(viewer);
                assert_eq!(view, any_view(game.view(viewer)));
                let sample = AnyGame::sample(&view, &mut rng).expect("the view of a game is possible");
                assert_eq!((sample.view(viewer), view.game()), (view, id));
            }
            for seat in Seat::all(MAX_SEATS as u8) {
                let legal: Vec<AnyAction> = legal_actions(&game, seat).into_iter().map(any_action).collect();
                assert_eq!(any.legal_actions(seat), legal);
                assert_eq!(any.default_action(seat), game.default_action(seat).map(any_action));
                assert_eq!(any.has_secret_decision(seat), game.has_secret_decision(seat));
            }
            assert_eq!(any.window_is_held(), game.window_is_held());
            let before = any_recorder.events.len();
            let Some((seat, action)) = random_move(&game, &mut rng) else {
                break;
            };
            assert_eq!(any_action(action).to_string(), action.to_string());
            game.apply(seat, action, &mut recorder).expect("a legal action applies");
            any.apply(seat, any_action(action), &mut any_recorder).expect("the same action applies");
            for (to, event) in &any_recorder.events[before..] {
                if to.includes(Viewer::Spectator) {
                    assert_eq!(event.game(), id);
                    followed.apply_event(event);
                }
            }
            assert_eq!(followed, any.view(Viewer::Spectator));
        }
        assert_eq!(any_recorder.shuffles, recorder.shuffles);
        assert_eq!(any_recorder.events.len(), recorder.events.len());
        for ((any_to, any_event), (to, event)) in any_recorder.events.iter().zip(&recorder.events) {
            assert_eq!((any_to, any_event.to_string()), (to, event.to_string()));
        }
    }
}

/// Compile-time check: erased actions are plain values.
const _: fn() = || {
    fn is_value<T: Hash + Eq + Copy>() {}
    is_value::<AnyAction>();
};

#[test]
fn actions_and_events_of_other_games_are_rejected() {
    let mut rng = test_rng("actions_and_events_of_other_games_are_rejected");
    let games: Vec<AnyGame> = GameId::ALL
        .iter()
        .map(|id| {
            let chance = Chance::fresh(&mut rng);
            AnyGame::new(id.info().rules_version, id.default_options(), 2, chance, &mut NoEvents)
                .expect("a valid set-up")
        })
        .collect();
    for game in &games {
        let seat = game.to_act().first().expect("a new game has a seat to act");
        let action = game.legal_actions(seat)[0];
        let mut recorder = Recorder::new();
        game.clone().apply(seat, action, &mut recorder).expect("a legal action applies");
        for other in games.iter().filter(|other| other.id() != game.id()) {
            let mut after = other.clone();
            let refusal = after.apply(seat, action, &mut NoEvents).expect_err("another game's action");
            assert_eq!((refusal.code, &after), ("other_game", other));
            let mut view = other.view(Viewer::Spectator);
            recorder.events.iter().for_each(|(_, event)| view.apply_event(event));
            assert_eq!(view, other.view(Viewer::Spectator));
        }
    }
}

/// The erased game has the windows of the game, and held windows do not change the deal.
#[test]
fn erased_game_holds_windows() {
    let mut with_windows = Vec::new();
    for id in GameId::ALL {
        let chance = || Chance::seeded([7; 32]);
        let (version, options) = (id.info().rules_version, id.default_options());
        let mut recorder = Recorder::new();
        let mut game = AnyGame::new_with_held_windows(version, options, 2, chance(), &mut recorder)
            .expect("a valid set-up");
        let mut plain_recorder = Recorder::new();
        let plain = AnyGame::new(version, options, 2, chance(), &mut plain_recorder).expect("a valid set-up");
        assert_eq!((game.id(), recorder.shuffles), (*id, plain_recorder.shuffles));
        if game.window_is_held() {
            with_windows.push(*id);
            let (before, mut recorder) = (game.clone(), Recorder::new());
            game.close_window(&mut recorder);
            assert!(game != before && !recorder.events.is_empty());
            let AnyOptions::NoDice(options) = options else { panic!("{id:?} has windows") };
            let no_dice =
                crate::no_dice::NoDice::new_with_held_windows(version, options, 2, chance(), &mut NoEvents);
            let mut no_dice = Box::new(no_dice.expect("a valid set-up"));
            assert_eq!(before, AnyGame::NoDice(no_dice.clone()));
            no_dice.close_window(&mut NoEvents);
            assert_eq!(game, AnyGame::NoDice(no_dice));
        } else {
            assert_eq!(game, plain, "a game without windows is the same");
        }
    }
    assert_eq!(with_windows, [GameId::NoDice]);
}
