//! Whole games played by keys, against the engine.

use parlor_engine::{GameId, below};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::*;
use crate::screen::ViewRenderer;
use crate::testing::TestTable;

/// Selects a listed move with one of four key sequences, and confirms it.
fn choose(screen: &mut Screen, place: usize, way: u32) -> Option<Intent> {
    match way {
        0 => {
            for _ in 0..place {
                press(screen, KeyCode::Down);
            }
        }
        1 => {
            press(screen, KeyCode::End);
            for _ in place + 1..screen.state().legal().len() {
                press(screen, KeyCode::Up);
            }
        }
        2 => type_in(screen, &format!("#{}", place + 1)),
        _ => {
            // The full label matches the move, and other labels with the same prefix.
            let label = screen
                .choice
                .picker()
                .page(usize::MAX)
                .nth(place)
                .expect("a move at this index")
                .1
                .to_owned();
            type_in(screen, &format!("/{label}"));
            // Equal labels denote equal moves.
            assert_eq!(screen.choice.picker().selected(), Some(place), "{label}");
        }
    }
    press(screen, KeyCode::Enter)
}

/// Plays a game to the end, and returns the number of the viewer's decisions.
fn play(id: GameId, players: u8, seed: u8, theme: Theme, views: bool) -> usize {
    let mut table = TestTable::new(id, players, seed);
    table.send_views = views;
    let mut screen = Screen::new(theme);
    let mut rng = ChaCha20Rng::seed_from_u64(seed.into());
    let mut messages = table.start();
    messages.extend(table.play_opponents());
    let mut asked = 0;
    loop {
        for message in messages.drain(..) {
            screen.apply(message);
        }
        assert_eq!(
            screen.state().view.as_ref(),
            Some(&table.game.view(table.viewer)),
            "the screen has the current view"
        );
        let (width, height) =
            [(80, 24), (80, 30), (120, 40), (200, 60), (40, 10)][below(5, &mut rng) as usize];
        drawn(&mut screen, width, height);
        if table.game.outcome().is_some() {
            break;
        }
        asked += 1;
        let count = screen.state().legal().len();
        let place = below(count as u32, &mut rng) as usize;
        // Long lists are not navigated by arrows, one key per move.
        let way = if count > 100 { 2 + below(2, &mut rng) } else { below(4, &mut rng) };
        let listed = ViewRenderer(&table.game.view(table.viewer)).order(screen.state().legal());
        let Some(Intent::Answer { decision, index }) = choose(&mut screen, place, way) else {
            panic!("seed {seed}: no answer to decision {asked}");
        };
        assert_eq!(index as usize, listed[place], "seed {seed}: the selected move is played");
        assert_eq!(press(&mut screen, KeyCode::Enter), None, "an answer is sent once");
        messages = table.answer(decision, index);
    }
    let over = text(&drawn(&mut screen, 80, 24));
    for score in table.result().expect("the game is over").seats {
        let in_english = ["1st", "2nd", "3rd", "4th", "5th", "6th"][score.place as usize - 1].to_owned();
        let places = [in_english, format!("Platz {}", score.place)];
        assert!(places.iter().any(|place| over.contains(place)), "the result has {places:?}:\n{over}");
    }
    assert_eq!(press(&mut screen, KeyCode::Enter), Some(Intent::Leave));
    asked
}

#[test]
fn every_game_is_played_to_the_end_by_keys() {
    for id in GameId::ALL {
        let info = id.info();
        let min_prompts = if info.test_only { 1 } else { 5 };
        for players in info.min_players..=info.max_players {
            for (seed, theme, views) in [(1, EN, true), (2, DE, false)] {
                let asked = play(*id, players, seed, theme, views);
                assert!(asked >= min_prompts, "{} with {players}: asked only {asked} times", info.id);
            }
        }
    }
}
