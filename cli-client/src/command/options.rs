//! The options of a game, as text: checked against what the server says the game has.

use parlor_sdk::wire::{GameInfo, GameOptions, OptionInfo, option_info::Values};
use serde_json::{Map, Value, json};

use super::games;
use crate::context::Context;
use crate::errors::Failure;
use crate::output::from_json;

/// An option such as `target=30`.
pub(super) fn parse(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("an option is such as target=30")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// The options for a table.
pub(super) fn make(
    game: &GameInfo,
    chosen: &[(String, String)],
    context: &Context,
) -> Result<GameOptions, Failure> {
    let mut fields = Map::new();
    for (name, text) in chosen {
        let Some(option) = game.options.iter().find(|option| option.name == *name) else {
            return Err(unknown(game, name));
        };
        let value = value(option, text).ok_or_else(|| {
            let allowed = games::values(option, context);
            Failure::usage(
                format!("the option {name} cannot be {text:?}: it can be {allowed}"),
                format!("Die Option {name} kann nicht {text:?} sein: möglich ist {allowed}"),
            )
        })?;
        let rival = game.options.iter().find(|other| {
            other.name != *name
                && !option.group.is_empty()
                && other.group == option.group
                && fields.contains_key(&other.name)
        });
        if let Some(rival) = rival {
            let rival = &rival.name;
            return Err(Failure::usage(
                format!("the options {rival} and {name} exclude each other: give one of them"),
                format!("Die Optionen {rival} und {name} schließen einander aus: gib eine an"),
            ));
        }
        fields.insert(name.clone(), value);
    }
    from_json(json!({ &game.game: fields })).map_err(|why| {
        let game = &game.game;
        Failure::usage(
            format!("this parlor does not know {game} with these options ({why}): update it"),
            format!("Dieses parlor kennt {game} mit diesen Optionen nicht ({why}): Aktualisiere es"),
        )
    })
}

fn value(option: &OptionInfo, text: &str) -> Option<Value> {
    match option.values.as_ref()? {
        Values::Integer(integer) => {
            let number: u32 = text.parse().ok()?;
            (integer.min..=integer.max).contains(&number).then(|| number.into())
        }
        Values::Flag(_) => text.parse::<bool>().ok().map(Value::Bool),
    }
}

fn unknown(game: &GameInfo, name: &str) -> Failure {
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
