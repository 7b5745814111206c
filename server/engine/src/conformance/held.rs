//! Games with held windows: the promises of the trait, with windows that are closed early and late.

use super::play::{Followed, check_end, check_not_held, check_offers, sorted_census};
use super::{Recorder, Testable, games, held_table, legal, play_on, random_move, set_ups, test_rng};
use crate::{AnyGame, AnyOptions, Chance, Game, GameId, NoEvents, Viewer, below};

pub(super) fn held_windows_keep_every_promise<G: Testable>() {
    let mut rng = test_rng("held_windows_keep_every_promise");
    for (players, options) in set_ups::<G>() {
        for _ in 0..games(5) {
            let start: G = held_table(players, options, &mut rng);
            let mut followed = Followed::new(start.clone());
            let deck = sorted_census(&start);
            while followed.game.outcome().is_none() {
                let game = &followed.game;
                check_offers(game);
                assert_eq!(sorted_census(game), deck, "cards are conserved: {game:#?}");
                for viewer in Viewer::all(players) {
                    let view = game.view(viewer);
                    let mut world = G::sample(&view, &mut rng).expect("a view of a game is possible");
                    assert_eq!((world.view(viewer), sorted_census(&world)), (view, deck.clone()));
                    if let Some(seat) = viewer.seat() {
                        assert_eq!(legal(&world, seat), legal(game, seat), "{viewer:?} in {world:#?}");
                    }
                    if below(100, &mut rng) == 0 {
                        play_on(&mut world, G::MAX_ACTIONS, &mut rng);
                        assert!(world.outcome().is_some(), "a world can be played to its end");
                    }
                }
                let next = random_move(game, &mut rng);
                if !game.window_is_held() {
                    check_not_held(game);
                    let (seat, action) = next.expect("a game without a held window waits for somebody");
                    followed.apply(seat, action);
                } else if let Some((seat, action)) = next.filter(|_| below(4, &mut rng) > 0) {
                    followed.apply(seat, action);
                    assert!(followed.game.window_is_held(), "an answer ends no window that is held");
                } else {
                    followed.close_window();
                }
            }
            check_not_held(&followed.game);
            check_end(&followed.game);
        }
    }
}

/// The type-erased game has the windows of the game itself, and the deal is that of a game without held windows.
#[test]
fn any_game_holds_windows() {
    let mut held = Vec::new();
    for id in GameId::ALL {
        let chance = || Chance::seeded([7; 32]);
        let (version, options) = (id.info().rules_version, id.default_options());
        let mut events = Recorder::new();
        let mut game = AnyGame::new_held(version, options, 2, chance(), &mut events).expect("a table");
        let mut plain = Recorder::new();
        let other = AnyGame::new(version, options, 2, chance(), &mut plain).expect("a table");
        assert_eq!((game.id(), events.shuffles), (*id, plain.shuffles));
        if game.window_is_held() {
            held.push(*id);
            let (before, mut events) = (game.clone(), Recorder::new());
            game.close_window(&mut events);
            assert!(game != before && !events.told.is_empty());
            let AnyOptions::NoDice(options) = options else { panic!("{id:?} has windows") };
            let made = crate::no_dice::NoDice::new_held(version, options, 2, chance(), &mut NoEvents);
            let mut own = Box::new(made.expect("a table"));
            assert_eq!(before, AnyGame::NoDice(own.clone()));
            own.close_window(&mut NoEvents);
            assert_eq!(game, AnyGame::NoDice(own));
        } else {
            assert_eq!(game, other, "a game without windows is the same");
        }
    }
    assert_eq!(held, [GameId::NoDice]);
}
