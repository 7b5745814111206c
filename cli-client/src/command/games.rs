//! `parlor games`: lists the games, or shows one with its options.

use parlor_sdk::wire::{self, option_info::Values};

use super::describe::text;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::output::Columns;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Show this game, with its options
    game: Option<String>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let games = context.connect().await?.games().await?;
    match args.game {
        Some(id) => print_game(context, &find_game(games, &id)?)?,
        None if context.json => context.out.document(&wire::ListGamesResponse { games })?,
        None => {
            let (game, name) = (context.localise(|| "game".into(), || "Spiel".into()), "name");
            let players = context.localise(|| "players".into(), || "Spieler".into());
            let about = context.localise(|| "about".into(), || "worum es geht".into());
            let mut columns = Columns::new([&game, name, &players, &about]);
            for game in &games {
                columns.row([
                    game.game.clone(),
                    text(game.name.as_ref(), context.lang).to_owned(),
                    format!("{}-{}", game.min_players, game.max_players),
                    text(game.summary.as_ref(), context.lang).to_owned(),
                ]);
            }
            context.out.lines(columns.lines())?;
        }
    }
    Ok(Exit::Ok)
}

/// Finds a game by its id.
pub(crate) fn find_game(games: Vec<wire::GameInfo>, id: &str) -> Result<wire::GameInfo, Failure> {
    let ids = games.iter().map(|game| game.game.clone()).collect::<Vec<_>>().join(", ");
    games.into_iter().find(|game| game.game == id).ok_or_else(|| {
        Failure::new(
            Exit::NotFound,
            "GAME_NOT_FOUND",
            format!("the server has no game {id:?}: it has {ids}"),
            format!("Das Spiel {id:?} hat der Server nicht: Er hat {ids}"),
        )
    })
}

fn print_game(context: &Context, game: &wire::GameInfo) -> Result<(), Failure> {
    if context.json {
        return context.out.document(game);
    }
    let (lang, out) = (context.lang, context.out);
    let (min, max, version) = (game.min_players, game.max_players, game.rules_version);
    out.line(context.localise(
        || {
            format!(
                "{} ({}), for {min} to {max} players, rules version {version}",
                text(game.name.as_ref(), lang),
                game.game
            )
        },
        || {
            format!(
                "{} ({}), für {min} bis {max} Spieler, Regelversion {version}",
                text(game.name.as_ref(), lang),
                game.game
            )
        },
    ))?;
    out.line(text(game.summary.as_ref(), lang))?;
    if game.options.is_empty() {
        return out
            .line(context.localise(|| "It has no options.".into(), || "Es gibt nichts zu wählen.".into()));
    }
    out.line(context.localise(
        || "Options, as --option NAME=VALUE:".into(),
        || "Optionen, als --option NAME=WERT:".into(),
    ))?;
    let mut columns = Columns::without_headings();
    for option in &game.options {
        columns.row([
            format!("  {}", option.name),
            option_values(option, context),
            text(option.summary.as_ref(), lang).to_owned(),
        ]);
    }
    out.lines(columns.lines())
}

/// The values an option accepts.
pub(crate) fn option_values(option: &wire::OptionInfo, context: &Context) -> String {
    let default =
        |value: String| context.localise(|| format!(" (usually {value})"), || format!(" (sonst {value})"));
    match &option.values {
        Some(Values::Integer(integer)) => {
            let usual = integer.default_value.map_or_else(String::new, |value| default(value.to_string()));
            format!("{}-{}{usual}", integer.min, integer.max)
        }
        Some(Values::Flag(flag)) => format!("true, false{}", default(flag.default_value.to_string())),
        None => String::new(),
    }
}
