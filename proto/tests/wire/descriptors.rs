//! Promises of the .proto files that no linter checks.

use parlor_engine::GameId;
use parlor_proto::{FILE_DESCRIPTOR_SET, v1};
use prost_reflect::{DescriptorPool, Kind, MessageDescriptor};

fn messages() -> Vec<MessageDescriptor> {
    let pool = DescriptorPool::decode(FILE_DESCRIPTOR_SET).expect("the descriptors are whole");
    let ours = pool.all_messages().filter(|message| message.package_name() == "parlor.v1");
    ours.collect()
}

fn message(name: &str) -> MessageDescriptor {
    let found = messages().into_iter().find(|message| message.name() == name);
    found.expect(name)
}

/// A client finds its game by the id of the catalogue.
#[test]
fn the_id_of_a_game_is_its_field() {
    for name in ["GameOptions", "GameAction", "GameEvent", "GameView"] {
        let oneof = message(name).oneofs().next().expect("the oneof of the games");
        let mut fields: Vec<String> = oneof.fields().map(|field| field.name().into()).collect();
        let mut ids: Vec<String> = GameId::ALL.iter().map(|game| game.info().id.into()).collect();
        fields.sort();
        ids.sort();
        assert_eq!(fields, ids, "{name}");
    }
}

/// The catalogue describes exactly the fields that the options of a game have.
#[test]
fn every_option_is_described() {
    for game in GameId::ALL {
        let info = v1::GameInfo::from(*game);
        let field = message("GameOptions").get_field_by_name(&info.game).expect("the game");
        let Kind::Message(options) = field.kind() else { panic!("options are messages") };
        let described: Vec<&str> = info.options.iter().map(|option| option.name.as_str()).collect();
        let fields: Vec<String> = options.fields().map(|field| field.name().into()).collect();
        assert_eq!(described, fields, "{}", info.game);
        for option in &info.options {
            let field = options.get_field_by_name(&option.name).expect("the option");
            let group = field.containing_oneof().map_or(String::new(), |oneof| oneof.name().into());
            assert_eq!(option.group, group, "{}", option.name);
            let text = option.summary.as_ref().expect("a summary");
            assert!(!text.en.is_empty() && !text.de.is_empty() && option.values.is_some());
        }
    }
}

/// In Python, a field with such a name could be reached by getattr only.
#[test]
fn no_field_is_a_word_of_python() {
    const WORDS: &[&str] = &[
        "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
        "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
        "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ];
    for message in messages() {
        for field in message.fields() {
            assert!(!WORDS.contains(&field.name()), "{}", field.full_name());
        }
    }
}

/// Reflection shows the comments too: they are the documentation.
#[test]
fn the_descriptors_have_their_comments() {
    let pool = DescriptorPool::decode(FILE_DESCRIPTOR_SET).expect("the descriptors are whole");
    let file = pool.get_file_by_name("parlor/v1/gap.proto").expect("the file");
    let locations = &file.file_descriptor_proto().source_code_info.as_ref().expect("source info").location;
    let commented = locations.iter().filter(|location| location.leading_comments.is_some()).count();
    assert!(commented > 40, "{commented}");
}
