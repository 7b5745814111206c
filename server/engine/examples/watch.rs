//! Prints a game between random players: `cargo run -p parlor-engine --example watch -- gap 3 --seed 7`.

use std::io::Write;
use std::process::ExitCode;

use parlor_engine::{AnyEvent, AnyGame, Audience, Chance, GameId, Lang, Localise, below};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

const DEFAULT_GAME: GameId = GameId::Gap;

fn help() -> String {
    format!(
        "\
Print a game between random players.

usage: watch [GAME [PLAYERS]] [--seed NUMBER] [--lang en|de]

  GAME      {} (default: {})
  PLAYERS   the number of players (default: the minimum of the game)
  --seed    the seed of deals and choices (default: 1)
  --lang    en or de (default: en)
",
        game_ids(),
        DEFAULT_GAME.info().id
    )
}

fn game_ids() -> String {
    GameId::published().map(|id| id.info().id).collect::<Vec<_>>().join(", ")
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{}", help());
        return ExitCode::SUCCESS;
    }
    match watch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("watch: {error} (see --help)");
            ExitCode::from(2)
        }
    }
}

fn watch(arguments: &[String]) -> Result<(), String> {
    let mut positional = Vec::new();
    let (mut seed, mut lang) = (1, Lang::En);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--seed" => seed = value()?.parse().map_err(|_| "--seed takes a whole number".to_owned())?,
            "--lang" => {
                lang = match value()?.as_str() {
                    "en" => Lang::En,
                    "de" => Lang::De,
                    other => return Err(format!("--lang takes en or de, not {other}")),
                }
            }
            flag if flag.starts_with('-') => return Err(format!("unknown option {flag}")),
            word => positional.push(word),
        }
    }
    let (game, players) = match positional[..] {
        [] => (DEFAULT_GAME.info().id, None),
        [game] => (game, None),
        [game, players] => (game, Some(players)),
        _ => return Err("too many arguments: expected a game and a number of players".to_owned()),
    };
    let game = GameId::from_id(game).ok_or(format!("unknown game {game}; the games are {}", game_ids()))?;
    let players = match players {
        None => game.info().min_players,
        Some(number) => number.parse().map_err(|_| format!("{number} is not a number of players"))?,
    };
    play(game, players, seed, lang)
}

fn play(id: GameId, players: u8, seed: u64, lang: Lang) -> Result<(), String> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let (version, options) = (id.info().rules_version, id.default_options());
    let mut events = Vec::new();
    let mut game = AnyGame::new(version, options, players, Chance::fresh(&mut rng), &mut events)
        .map_err(|error| error.to_string())?;
    let mut lines = vec![format!("{} ({})", id.info().name.get(lang), options.in_lang(lang))];
    loop {
        lines.extend(events.drain(..).filter_map(|(to, event)| event_line(to, &event, lang)));
        if !print(&mut lines) {
            return Ok(());
        }
        let Some(seat) = game.to_act().first() else { return Ok(()) };
        let legal = game.legal_actions(seat);
        let action = legal[below(legal.len() as u32, &mut rng) as usize];
        game.apply(seat, action, &mut events).map_err(|refusal| refusal.to_string())?;
    }
}

/// The line for an event. The program sees all events: those for one seat are marked with the seat, and the
/// reduced form for everyone else is omitted.
fn event_line(to: Audience, event: &AnyEvent, lang: Lang) -> Option<String> {
    let event = event.in_lang(lang);
    match to {
        Audience::Everyone => Some(event.to_string()),
        Audience::Only(seat) => Some(format!("  [{}] {event}", seat.in_lang(lang))),
        Audience::AllBut(_) => None,
    }
}

/// Prints and removes the lines; returns false if standard output is closed.
fn print(lines: &mut Vec<String>) -> bool {
    let mut out = std::io::stdout().lock();
    lines.drain(..).all(|line| writeln!(out, "{line}").is_ok())
}
