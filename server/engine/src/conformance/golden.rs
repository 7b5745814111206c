//! Golden files: whole games that a person can read, and counts that any change of the rules moves.

use std::fmt::Write as _;

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use super::{Recorder, Testable, legal, random_move};
use crate::{Audience, Chance, Game, NoEvents, Say, Viewer};

/// Compares with a file in `golden/`; `INSTA_UPDATE=always` writes it anew.
fn assert_golden(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/golden"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn chance(players: u8) -> Chance {
    Chance::seeded([players; 32])
}

/// One game for each number of players: the first deal, every action with what each audience is told, the end.
pub(super) fn playthroughs_are_as_they_were<G: Testable>() {
    for players in G::INFO.min_players..=G::INFO.max_players {
        let options = G::options()[0];
        let mut events = Recorder::new();
        let mut game =
            G::new(G::INFO.rules_version, options, players, chance(players), &mut events).expect("a table");
        let mut rng = ChaCha8Rng::seed_from_u64(players.into());
        let mut text =
            format!("{}, {}, {players} players\n\n", G::INFO.name.en, options.in_lang(crate::Lang::En));
        write_events(&mut text, &mut events);
        while let Some((seat, action)) = random_move(&game, &mut rng) {
            let offered = legal(&game, seat);
            let index = offered.iter().position(|offer| *offer == action).expect("an action that is offered");
            writeln!(text, "\n> seat {seat}, {} of {}: {action}", index + 1, offered.len()).expect("text");
            game.apply(seat, action, &mut events).expect("an action that is offered applies");
            write_events(&mut text, &mut events);
        }
        for viewer in Viewer::all(players) {
            write!(text, "\n{}", game.view(viewer)).expect("text");
        }
        assert_golden(&format!("{}_{players}_players", G::INFO.id), &text);
    }
}

fn write_events<E: std::fmt::Display>(text: &mut String, events: &mut Recorder<E>) {
    for (to, event) in events.told.drain(..) {
        let told = match to {
            Audience::Everyone => String::new(),
            Audience::Only(seat) => format!("(only seat {seat}) "),
            Audience::AllBut(seats) => {
                let seats: Vec<String> = seats.iter().map(|seat| seat.to_string()).collect();
                format!("(all but seat {}) ", seats.join(", "))
            }
        };
        writeln!(text, "{told}{event}").expect("text");
    }
}

/// How many sequences of actions there are, by length, from the first deal on and from a moment later in the game.
pub(super) fn counts_of_sequences_are_as_they_were<G: Testable>() {
    let mut text = String::new();
    for players in G::INFO.min_players..=G::INFO.max_players {
        for moment in [0, 30] {
            let options = G::options()[0];
            let mut game = G::new(G::INFO.rules_version, options, players, chance(players), &mut NoEvents)
                .expect("a table");
            super::play_on(&mut game, moment, &mut ChaCha8Rng::seed_from_u64(moment as u64));
            let mut counts = Vec::new();
            for depth in 1..=8 {
                let count = sequences(&game, depth);
                counts.push(count.to_string());
                let growth = legal(&game, game.to_act().first().unwrap_or(crate::Seat::FIRST)).len();
                if count * growth as u64 > 200_000 || count == 0 {
                    break;
                }
            }
            writeln!(text, "{players} players, after {moment} actions: {}", counts.join(", ")).expect("text");
        }
    }
    assert_golden(&format!("{}_counts", G::INFO.id), &text);
}

/// Of seats that are asked at once, the lowest answers first: the order of their answers is no choice.
fn sequences<G: Game>(game: &G, depth: u32) -> u64 {
    let Some(seat) = game.to_act().first() else {
        return 0;
    };
    let offered = legal(game, seat);
    if depth == 1 {
        return offered.len() as u64;
    }
    let after = offered.into_iter().map(|action| {
        let mut after = game.clone();
        after.apply(seat, action, &mut NoEvents).expect("an action that is offered applies");
        sequences(&after, depth - 1)
    });
    after.sum()
}
