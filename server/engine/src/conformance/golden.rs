//! Golden files: readable whole games, and counts of action sequences that any change of the rules alters.

use std::fmt::Write as _;

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use super::{Testable, new_game, play_random_actions, random_move};
use crate::test_support::{Recorder, legal_actions};
use crate::{Audience, Chance, Game, Lang, Localise, NoEvents, Seat, Viewer};

/// Compares with a file in `golden/`; `INSTA_UPDATE=always` overwrites it.
fn assert_golden(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/golden"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn golden_chance(players: u8) -> Chance {
    Chance::seeded([players; 32])
}

/// One game for each number of players: the deal, every action with its events, and the final views.
pub(super) fn golden_playthroughs<G: Testable>() {
    for players in G::INFO.min_players..=G::INFO.max_players {
        let options = G::options()[0];
        let mut recorder = Recorder::new();
        let mut game: G = new_game(players, options, golden_chance(players), &mut recorder);
        let mut rng = ChaCha8Rng::seed_from_u64(players.into());
        let mut text = format!("{}, {}, {players} players\n\n", G::INFO.name.en, options.in_lang(Lang::En));
        write_events(&mut text, &mut recorder);
        while let Some((seat, action)) = random_move(&game, &mut rng) {
            let legal = legal_actions(&game, seat);
            let index = legal.iter().position(|listed| *listed == action).expect("a legal action");
            writeln!(text, "\n> seat {seat}, {} of {}: {action}", index + 1, legal.len()).expect("text");
            game.apply(seat, action, &mut recorder).expect("a legal action applies");
            write_events(&mut text, &mut recorder);
        }
        for viewer in Viewer::all(players) {
            write!(text, "\n{}", game.view(viewer)).expect("text");
        }
        assert_golden(&format!("{}_{players}_players", G::INFO.id), &text);
    }
}

fn write_events<E: std::fmt::Display>(text: &mut String, recorder: &mut Recorder<E>) {
    for (to, event) in recorder.events.drain(..) {
        let audience = match to {
            Audience::Everyone => String::new(),
            Audience::Only(seat) => format!("(only seat {seat}) "),
            Audience::AllBut(seats) => {
                let seats: Vec<String> = seats.iter().map(|seat| seat.to_string()).collect();
                format!("(all but seat {}) ", seats.join(", "))
            }
        };
        writeln!(text, "{audience}{event}").expect("text");
    }
}

/// The number of action sequences by length ("perft"), from the first deal and from a later position.
pub(super) fn golden_action_sequence_counts<G: Testable>() {
    let mut text = String::new();
    for players in G::INFO.min_players..=G::INFO.max_players {
        for start in [0, 30] {
            let mut game: G = new_game(players, G::options()[0], golden_chance(players), &mut NoEvents);
            play_random_actions(&mut game, start, &mut ChaCha8Rng::seed_from_u64(start as u64));
            let mut counts = Vec::new();
            for depth in 1..=8 {
                let count = count_sequences(&game, depth);
                counts.push(count.to_string());
                let branching = legal_actions(&game, game.to_act().first().unwrap_or(Seat::FIRST)).len();
                if count * branching as u64 > 200_000 || count == 0 {
                    break;
                }
            }
            writeln!(text, "{players} players, after {start} actions: {}", counts.join(", ")).expect("text");
        }
    }
    assert_golden(&format!("{}_counts", G::INFO.id), &text);
}

/// The number of action sequences of this length. Of several seats to act, only the lowest is expanded: the
/// order of simultaneous decisions does not count.
fn count_sequences<G: Game>(game: &G, depth: u32) -> u64 {
    let Some(seat) = game.to_act().first() else {
        return 0;
    };
    let legal = legal_actions(game, seat);
    if depth == 1 {
        return legal.len() as u64;
    }
    let counts = legal.into_iter().map(|action| {
        let mut after = game.clone();
        after.apply(seat, action, &mut NoEvents).expect("a legal action applies");
        count_sequences(&after, depth - 1)
    });
    counts.sum()
}
