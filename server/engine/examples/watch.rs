//! Watch a game between players who choose at random: `cargo run -p parlor-engine --example watch -- gap 3 --seed 7`.

use std::io::Write;
use std::process::ExitCode;

use parlor_engine::{AnyEvent, AnyGame, Audience, Chance, GameId, Lang, Say, below};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

const HELP: &str = "\
Watch a game between players who choose at random.

usage: watch [GAME [PLAYERS]] [--seed NUMBER] [--lang en|de]

  GAME      habe_fertig, gap, flush or no_dice (default: gap)
  PLAYERS   how many play (default: as few as the game allows)
  --seed    deals and choices come from this number (default: 1)
  --lang    en or de (default: en)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    match watch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("watch: {why} (--help explains)");
            ExitCode::from(2)
        }
    }
}

fn watch(arguments: &[String]) -> Result<(), String> {
    let mut words = Vec::new();
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
            flag if flag.starts_with('-') => return Err(format!("there is no {flag}")),
            word => words.push(word),
        }
    }
    let (game, players) = match words[..] {
        [] => ("gap", None),
        [game] => (game, None),
        [game, players] => (game, Some(players)),
        _ => return Err("at most a game and a number of players".to_owned()),
    };
    let ids: Vec<&str> = GameId::ALL.iter().map(|id| id.info().id).collect();
    let game =
        GameId::from_id(game).ok_or(format!("there is no game {game}; there are {}", ids.join(", ")))?;
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
        lines.extend(events.drain(..).filter_map(|(to, event)| line(to, &event, lang)));
        if !print(&mut lines) {
            return Ok(());
        }
        let Some(seat) = game.to_act().first() else { return Ok(()) };
        let legal = game.legal_actions(seat);
        let action = legal[below(legal.len() as u32, &mut rng) as usize];
        game.apply(seat, action, &mut events).map_err(|refusal| refusal.to_string())?;
    }
}

/// This program is the referee: it also sees what only one player is told, and says whom. What the others are told
/// instead is less, and left out.
fn line(to: Audience, event: &AnyEvent, lang: Lang) -> Option<String> {
    let event = event.in_lang(lang);
    match to {
        Audience::Everyone => Some(event.to_string()),
        Audience::Only(seat) => Some(format!("  [{}] {event}", seat.in_lang(lang))),
        Audience::AllBut(_) => None,
    }
}

/// Prints the lines; false when nobody reads them any more.
fn print(lines: &mut Vec<String>) -> bool {
    let mut out = std::io::stdout().lock();
    lines.drain(..).all(|line| writeln!(out, "{line}").is_ok())
}
