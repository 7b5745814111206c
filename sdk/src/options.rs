//! The options of a game, by the id of the game.

use parlor_proto::FILE_DESCRIPTOR_SET;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};
use prost_types::{FieldDescriptorProto, FileDescriptorSet};

use crate::client::unknown_game;
use crate::{Error, wire};

/// The usual options of a game: what a table is made with if nothing is said.
///
/// The name of each field of `GameOptions` is the id of its game, so that the description of the wire is the list of
/// all games, and this crate needs none of its own.
///
/// ```
/// let options = parlor_sdk::options::usual("flush")?;
/// assert!(matches!(options.game, Some(parlor_sdk::wire::game_options::Game::Flush(_))));
/// assert!(parlor_sdk::options::usual("chess").is_err());
/// # Ok::<(), parlor_sdk::Error>(())
/// ```
pub fn usual(game: &str) -> Result<wire::GameOptions, Error> {
    let number = field_number(game).ok_or_else(|| unknown_game(game))?;
    // A message that is there and empty.
    let mut bytes = Vec::new();
    encode_key(number, WireType::LengthDelimited, &mut bytes);
    encode_varint(0, &mut bytes);
    wire::GameOptions::decode(bytes.as_slice()).map_err(|_| unknown_game(game))
}

/// The ids of all games that this crate knows.
pub fn games() -> Vec<String> {
    fields().into_iter().map(|field| field.name().to_owned()).collect()
}

/// The fields of `GameOptions`, one for each game.
fn fields() -> Vec<FieldDescriptorProto> {
    let files = FileDescriptorSet::decode(FILE_DESCRIPTOR_SET).map(|files| files.file).unwrap_or_default();
    let mut messages = files.into_iter().flat_map(|file| file.message_type);
    messages.find(|message| message.name() == "GameOptions").map(|options| options.field).unwrap_or_default()
}

/// The number of the field of `GameOptions` with this name.
fn field_number(name: &str) -> Option<u32> {
    let field = fields().into_iter().find(|field| field.name() == name)?;
    u32::try_from(field.number()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_its_usual_options() {
        use wire::game_options::Game;
        let game = |id: &str| usual(id).unwrap().game.unwrap();
        assert_eq!(game("habe_fertig"), Game::HabeFertig(Default::default()));
        assert_eq!(game("gap"), Game::Gap(Default::default()));
        assert_eq!(game("flush"), Game::Flush(Default::default()));
        assert_eq!(game("no_dice"), Game::NoDice(Default::default()));
        assert!(games().iter().all(|id| usual(id).is_ok()) && games().contains(&String::from("gap")));
        assert_eq!(usual("game").unwrap_err().reason(), crate::Reason::GameNotFound);
    }
}
