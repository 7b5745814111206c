//! Messages of the wire as JSON, and back: protobuf's own JSON, with the names of the .proto files.
//!
//! The fields are called as in `proto/parlor/v1`, enums are the names of their values, moments are RFC 3339, bytes are
//! Base64, and what has a default is there also where it has that value, so that a program need not know it.

use std::sync::LazyLock;

use parlor_proto::FILE_DESCRIPTOR_SET;
use parlor_sdk::wire;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, SerializeOptions};
use serde_json::Value;

/// A message that has a name.
pub(crate) trait Shown: Message + Default {
    /// The name, with its package.
    const NAME: &'static str;
}

macro_rules! shown {
    ($($message:ident),* $(,)?) => {
        $(impl Shown for wire::$message {
            const NAME: &'static str = concat!("parlor.v1.", stringify!($message));
        })*

        #[cfg(test)]
        const NAMES: &[&str] = &[$(<wire::$message as Shown>::NAME),*];
    };
}

shown!(
    GameInfo,
    GameOptions,
    GetRulesResponse,
    JoinTableResponse,
    AgentWelcome,
    ListAgentsResponse,
    SeatGiven,
    ListGamesResponse,
    ListHouseBotsResponse,
    ListTablesResponse,
    StreamItem,
    Table,
    TableNews,
    TableResult,
);

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(FILE_DESCRIPTOR_SET).expect("the descriptors of the build are sound")
});

fn descriptor<M: Shown>() -> MessageDescriptor {
    POOL.get_message_by_name(M::NAME).expect("a test looks every name up")
}

/// A message as JSON.
pub(crate) fn to_json<M: Shown>(message: &M) -> Value {
    let options = SerializeOptions::new()
        .use_proto_field_name(true)
        .skip_default_fields(false)
        .stringify_64_bit_integers(false);
    let bytes = message.encode_to_vec();
    let message =
        DynamicMessage::decode(descriptor::<M>(), bytes.as_slice()).expect("it was encoded just now");
    message
        .serialize_with_options(serde_json::value::Serializer, &options)
        .expect("every message has a form in JSON")
}

/// A message of its JSON; the error says what is wrong with it.
pub(crate) fn from_json<M: Shown>(value: Value) -> Result<M, String> {
    let message = DynamicMessage::deserialize(descriptor::<M>(), value).map_err(|error| error.to_string())?;
    message.transcode_to().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_message_has_its_descriptor() {
        for name in NAMES {
            assert!(POOL.get_message_by_name(name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_message_has_the_names_of_the_wire() {
        let mut rules = wire::GetRulesResponse { markdown: "# GAP".into(), ..Default::default() };
        rules.set_language(wire::Language::German);
        let expected = json!({ "markdown": "# GAP", "rules_version": 0, "language": "LANGUAGE_GERMAN" });
        assert_eq!(to_json(&rules), expected);
        assert_eq!(from_json::<wire::GetRulesResponse>(expected), Ok(rules));
    }

    #[test]
    fn moments_and_bytes_are_text() {
        let seconds = prost_types::Timestamp { seconds: 1_700_000_000, nanos: 0 };
        let shuffle = wire::FairShuffle { commitment: vec![0xff; 3], ..Default::default() };
        let table = wire::Table { create_time: Some(seconds), shuffle: Some(shuffle), ..Default::default() };
        let json = to_json(&table);
        assert_eq!(json["create_time"], "2023-11-14T22:13:20Z");
        assert_eq!(json["shuffle"]["commitment"], "////");
        assert_eq!(json["state"], "TABLE_STATE_UNSPECIFIED");
    }

    #[test]
    fn what_is_not_a_message_is_refused() {
        let wrong = from_json::<wire::GameOptions>(json!({ "gap": { "colour": 3 } }));
        assert!(wrong.unwrap_err().contains("colour"));
    }
}
