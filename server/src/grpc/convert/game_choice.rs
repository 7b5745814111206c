//! The choice of a game and its options, in CreateTable and in the setup of a tournament.

use parlor_engine::{AnyOptions, GameId};
use parlor_proto::convert::field::{InvalidField, required};
use parlor_proto::v1;

use crate::grpc::Failure;

/// Decodes a game by its id, its options, or both, which must agree. A game without options has its default
/// ones.
pub(super) fn game_choice(id: &str, options: Option<v1::GameOptions>) -> Result<AnyOptions, Failure> {
    let Some(options) = options else {
        return match id {
            "" => {
                Err(InvalidField::at("game", "must be set, to the id of a game, unless options are").into())
            }
            id => Ok(game(id)?.default_options()),
        };
    };
    let chosen = if id.is_empty() { None } else { Some(game(id)?) };
    let options: AnyOptions = required(Some(options), "options")?;
    let of = options.game();
    match chosen {
        Some(chosen) if chosen != of => {
            let (chosen, of) = (chosen.info().id, of.info().id);
            let why = format!("must be options of {chosen}, the game of the request, not of {of}");
            Err(InvalidField::at(of, why).within("options").into())
        }
        _ => Ok(options),
    }
}

fn game(id: &str) -> Result<GameId, Failure> {
    GameId::from_id(id).ok_or(Failure::NoSuchGame)
}
