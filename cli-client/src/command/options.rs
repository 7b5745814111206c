//! Game options from text, validated against the server's catalogue.

use parlor_sdk::NewTable;
use parlor_sdk::wire::{CreateTableRequest, GameInfo, GameOptions, OptionInfo, option_info::Values};
use serde_json::{Map, Value, json};

use super::games;
use crate::context::Context;
use crate::errors::Failure;
use crate::output::from_json;

/// Parses an option such as `target=30`.
pub(super) fn parse_option(text: &str) -> Result<(String, String), String> {
    let (name, value) =
        text.split_once('=').ok_or("an option is written as NAME=VALUE, such as target=30")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// A new table of the game with the chosen options.
pub(crate) fn new_table(
    game: &GameInfo,
    chosen: &[(String, String)],
    context: &Context,
) -> Result<NewTable, Failure> {
    let options = build_options(game, chosen, context)?;
    let request = CreateTableRequest { game: game.game.clone(), options, ..Default::default() };
    Ok(request.into())
}

/// Builds the options message of a table; `None` if no option was chosen, so that a game needs none of this
/// program's messages to be played with its default options.
pub(super) fn build_options(
    game: &GameInfo,
    chosen: &[(String, String)],
    context: &Context,
) -> Result<Option<GameOptions>, Failure> {
    if chosen.is_empty() {
        return Ok(None);
    }
    let mut fields = Map::new();
    for (name, text) in chosen {
        let Some(option) = game.options.iter().find(|option| option.name == *name) else {
            return Err(unknown_option(game, name));
        };
        let value = parse_value(option, text).ok_or_else(|| {
            let allowed = games::option_values(option, context);
            Failure::usage(
                format!("the option {name} cannot be {text:?}: it can be {allowed}"),
                format!("Die Option {name} kann nicht {text:?} sein: möglich ist {allowed}"),
            )
        })?;
        let conflicting = game.options.iter().find(|other| {
            other.name != *name
                && !option.group.is_empty()
                && other.group == option.group
                && fields.contains_key(&other.name)
        });
        if let Some(conflicting) = conflicting {
            let conflicting = &conflicting.name;
            return Err(Failure::usage(
                format!("the options {conflicting} and {name} exclude each other: give one of them"),
                format!("Die Optionen {conflicting} und {name} schließen einander aus: gib eine an"),
            ));
        }
        fields.insert(name.clone(), value);
    }
    from_json(json!({ &game.game: fields })).map(Some).map_err(|why| {
        let game = &game.game;
        Failure::usage(
            format!("this version of parlor does not support {game} with these options ({why}): update it"),
            format!("Dieses parlor kennt {game} mit diesen Optionen nicht ({why}): Aktualisiere es"),
        )
    })
}

fn parse_value(option: &OptionInfo, text: &str) -> Option<Value> {
    match option.values.as_ref()? {
        Values::Integer(integer) => {
            let number: u32 = text.parse().ok()?;
            (integer.min..=integer.max).contains(&number).then(|| number.into())
        }
        Values::Flag(_) => text.parse::<bool>().ok().map(Value::Bool),
    }
}

fn unknown_option(game: &GameInfo, name: &str) -> Failure {
    let names: Vec<&str> = game.options.iter().map(|option| option.name.as_str()).collect();
    let (game, names) = (&game.game, names.join(", "));
    if names.is_empty() {
        return Failure::usage(format!("{game} has no options"), format!("{game} hat keine Optionen"));
    }
    Failure::usage(
        format!("{game} has no option {name:?}: it has {names}"),
        format!("{game} hat keine Option {name:?}: es hat {names}"),
    )
}
