//! Default options of a game, and the ids of all games.

use parlor_proto::FILE_DESCRIPTOR_SET;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};
use prost_types::{FieldDescriptorProto, FileDescriptorSet};

use crate::client::unknown_game;
use crate::{Error, wire};

/// Default options of a game.
///
/// Each field of the message `GameOptions` is named after its game, so the descriptor is the list of games
/// and this crate keeps no list of its own.
///
/// # Errors
///
/// [`Reason::GameNotFound`](crate::Reason::GameNotFound) if this crate has no such game.
///
/// ```
/// let options = parlor_sdk::options::default_for("five_three_five")?;
/// assert!(matches!(options.game, Some(parlor_sdk::wire::game_options::Game::FiveThreeFive(_))));
/// assert!(parlor_sdk::options::default_for("chess").is_err());
/// # Ok::<(), parlor_sdk::Error>(())
/// ```
pub fn default_for(game: &str) -> Result<wire::GameOptions, Error> {
    let number = field_number(game).ok_or_else(|| unknown_game(game))?;
    // The game's field, present and empty.
    let mut bytes = Vec::new();
    encode_key(number, WireType::LengthDelimited, &mut bytes);
    encode_varint(0, &mut bytes);
    wire::GameOptions::decode(bytes.as_slice()).map_err(|_| unknown_game(game))
}

/// First field number of games for tests, which servers offer only with the setting `testing.games`.
const FIRST_TEST_GAME: i32 = 90;

/// Ids of all games that this crate knows, without games for tests.
///
/// ```
/// let ids = parlor_sdk::options::game_ids();
/// assert!(ids.contains(&"gap".to_owned()));
/// ```
pub fn game_ids() -> Vec<String> {
    let published = fields().into_iter().filter(|field| field.number() < FIRST_TEST_GAME);
    published.map(|field| field.name().to_owned()).collect()
}

/// Fields of `GameOptions`, one per game.
fn fields() -> Vec<FieldDescriptorProto> {
    let files = FileDescriptorSet::decode(FILE_DESCRIPTOR_SET).map(|files| files.file).unwrap_or_default();
    let mut messages = files.into_iter().flat_map(|file| file.message_type);
    messages.find(|message| message.name() == "GameOptions").map(|options| options.field).unwrap_or_default()
}

/// Field number in `GameOptions` of the game with this id.
fn field_number(name: &str) -> Option<u32> {
    let field = fields().into_iter().find(|field| field.name() == name)?;
    u32::try_from(field.number()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_game_has_default_options() {
        for id in game_ids() {
            assert!(default_for(&id).unwrap().game.is_some(), "{id}");
        }
        assert_eq!(default_for("game").unwrap_err().reason(), crate::Reason::GameNotFound);
    }

    #[cfg(feature = "engine")]
    #[test]
    fn games_and_default_options_are_those_of_the_engine() {
        use parlor_engine::{AnyOptions, GameId};
        assert_eq!(game_ids(), GameId::published().map(|game| game.info().id).collect::<Vec<_>>());
        for game in GameId::ALL {
            let options = AnyOptions::try_from(default_for(game.info().id).unwrap());
            assert_eq!(options, Ok(game.default_options()));
        }
    }
}
