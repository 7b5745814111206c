//! Properties of the .proto files that no linter checks.

use std::collections::HashSet;
use std::sync::LazyLock;

use parlor_engine::GameId;
use parlor_proto::enum_text::enum_texts;
use parlor_proto::{FILE_DESCRIPTOR_SET, v1};
use prost_reflect::{DescriptorPool, Kind, MessageDescriptor};

/// The descriptors of the package.
static POOL: LazyLock<DescriptorPool> =
    LazyLock::new(|| DescriptorPool::decode(FILE_DESCRIPTOR_SET).expect("valid descriptors"));

/// The descriptor of a message of the package.
pub(crate) fn message(name: &str) -> MessageDescriptor {
    POOL.get_message_by_name(&format!("parlor.v1.{name}")).expect(name)
}

fn messages() -> Vec<MessageDescriptor> {
    POOL.all_messages().filter(|message| message.package_name() == "parlor.v1").collect()
}

/// A client finds its game by the id of the catalogue.
#[test]
fn game_fields_are_named_after_game_ids() {
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
fn the_catalogue_lists_every_option() {
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

/// Every enum that is not of a game has texts: every value but the unspecified one, in both languages, each its own.
#[test]
fn every_enum_value_has_a_text_of_its_own() {
    let games: Vec<String> =
        GameId::ALL.iter().map(|game| format!("parlor/v1/{}.proto", game.info().id)).collect();
    let enums = POOL.all_enums().filter(|found| {
        let file = found.parent_file();
        found.package_name() == "parlor.v1" && !games.iter().any(|game| game == file.name())
    });
    let mut defined: Vec<(String, Vec<(String, i32)>)> = enums
        .map(|found| {
            let values = found.values().filter(|value| value.number() != 0);
            (found.name().into(), values.map(|value| (value.name().into(), value.number())).collect())
        })
        .collect();
    let texts = enum_texts();
    let mut listed: Vec<(String, Vec<(String, i32)>)> = texts
        .iter()
        .map(|one| {
            let values = one.values.iter().map(|value| (value.name.clone(), value.number));
            (one.name.clone(), values.collect())
        })
        .collect();
    defined.sort();
    listed.sort();
    assert_eq!(listed, defined);
    for one in texts {
        let text = |value: &v1::EnumValueText| value.text.clone().expect("a text");
        for pick in [|text: v1::Text| text.en, |text: v1::Text| text.de] {
            let words: Vec<String> = one.values.iter().map(|value| pick(text(value))).collect();
            assert!(words.iter().all(|words| !words.is_empty()));
            let distinct: HashSet<&String> = words.iter().collect();
            assert_eq!(distinct.len(), words.len(), "{}: {words:?}", one.name);
        }
    }
}

/// In Python, a field that is named like a keyword is accessible by getattr only.
#[test]
fn no_field_is_a_python_keyword() {
    const KEYWORDS: &[&str] = &[
        "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else",
        "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
        "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ];
    for message in messages() {
        for field in message.fields() {
            assert!(!KEYWORDS.contains(&field.name()), "{}", field.full_name());
        }
    }
}

/// Reflection shows the comments, which are the documentation.
#[test]
fn descriptors_include_comments() {
    let file = POOL.get_file_by_name("parlor/v1/gap.proto").expect("the file");
    let locations = &file.file_descriptor_proto().source_code_info.as_ref().expect("source info").location;
    let commented = locations.iter().filter(|location| location.leading_comments.is_some()).count();
    assert!(commented > 40, "{commented}");
}
