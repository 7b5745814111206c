//! Whole games played through the screen, by keys, against the engine.

use parlor_engine::{GameId, below};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::*;
use crate::testing::House;

/// Chooses the move at this place with the keys of one way to do it, and confirms it.
fn choose(screen: &mut Screen, place: usize, way: u32) -> Option<Intent> {
    match way {
        0 => {
            for _ in 0..place {
                press(screen, KeyCode::Down);
            }
        }
        1 => {
            press(screen, KeyCode::End);
            for _ in place + 1..screen.situation().legal().len() {
                press(screen, KeyCode::Up);
            }
        }
        2 => type_in(screen, &(place + 1).to_string()),
        _ => {
            // The whole line finds it, and whatever begins with the same words.
            let label = screen.picker.page(usize::MAX).nth(place).expect("a move").1.to_owned();
            type_in(screen, &format!("/{label}"));
            // Two cards that look the same are the same move; otherwise it is the one.
            assert_eq!(screen.picker.chosen(), Some(place), "{label}");
        }
    }
    press(screen, KeyCode::Enter)
}

/// Plays a game to its end, and counts how often the viewer was asked.
fn play(id: GameId, players: u8, seed: u8, ink: Ink, views: bool) -> usize {
    let mut house = House::new(id, players, seed);
    house.views = views;
    let mut screen = Screen::new(ink);
    let mut rng = ChaCha20Rng::seed_from_u64(seed.into());
    let mut told = house.begin();
    told.extend(house.others_play());
    let mut asked = 0;
    loop {
        for news in told.drain(..) {
            screen.take(news);
        }
        assert_eq!(screen.situation().view.as_ref(), Some(&house.game.view(house.viewer)), "all is followed");
        let (width, height) =
            [(80, 24), (80, 30), (120, 40), (200, 60), (40, 10)][below(5, &mut rng) as usize];
        drawn(&mut screen, width, height);
        if house.game.outcome().is_some() {
            break;
        }
        asked += 1;
        let count = screen.situation().legal().len();
        let place = below(count as u32, &mut rng) as usize;
        // A list as long as it is takes as many keys: arrows are for the short ones.
        let way = if count > 100 { 2 + below(2, &mut rng) } else { below(4, &mut rng) };
        let Some(Intent::Answer { decision, index }) = choose(&mut screen, place, way) else {
            panic!("seed {seed}: no answer to decision {asked}");
        };
        assert_eq!(index as usize, place, "seed {seed}: what was chosen is what is played");
        assert_eq!(press(&mut screen, KeyCode::Enter), None, "an answer is sent once");
        told = house.answer(decision, index);
    }
    let over = text(&drawn(&mut screen, 80, 24));
    for score in house.result().expect("a result").seats {
        let line = format!("{}. {} ", score.place, score.seat);
        assert!(over.contains(&line), "the result has {line:?}:\n{over}");
    }
    assert_eq!(press(&mut screen, KeyCode::Enter), Some(Intent::Leave));
    asked
}

#[test]
fn every_game_is_played_through_by_keys() {
    for id in GameId::ALL {
        let info = id.info();
        for players in info.min_players..=info.max_players {
            for (seed, ink, views) in [(1, EN, true), (2, DE, false)] {
                let asked = play(*id, players, seed, ink, views);
                assert!(asked >= 5, "{} with {players}: asked only {asked} times", info.id);
            }
        }
    }
}
