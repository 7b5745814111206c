//! JSON and field access of messages by their descriptors.
//!
//! There are two JSON formats, and [`from_json`] reads both. [`to_json`] is for scripts: field names as in the .proto files.
//! [`to_canonical_json`] is protobuf's canonical mapping: names such as `tableId`, 64-bit numbers as strings. Both have
//! the default values, such as the number of a blue 0, so that a reader need not know them, and both are read with or
//! without. Enums are the names of their values, timestamps are RFC 3339, and bytes are Base64.

use std::sync::LazyLock;

use prost::{Message, Name};
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, SerializeOptions};
use serde_json::Value;

use crate::FILE_DESCRIPTOR_SET;

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(FILE_DESCRIPTOR_SET).expect("the build script emits valid descriptors")
});

/// Returns the descriptor of a message of `parlor.v1`.
#[must_use]
pub fn descriptor<M: Name>() -> MessageDescriptor {
    POOL.get_message_by_name(&M::full_name()).expect("every message is generated from a descriptor")
}

/// Converts a message to a dynamic one, for access field by field.
#[must_use]
pub fn dynamic<M: Message + Name>(message: &M) -> DynamicMessage {
    let bytes = message.encode_to_vec();
    DynamicMessage::decode(descriptor::<M>(), bytes.as_slice()).expect("an encoded message decodes")
}

/// Converts a message to JSON for scripts.
///
/// ```
/// use parlor_proto::{reflect, v1};
/// let seat = v1::HouseBotSeat { name: "greedy".into() };
/// assert_eq!(reflect::to_json(&seat), serde_json::json!({ "name": "greedy" }));
/// ```
#[must_use]
pub fn to_json<M: Message + Name>(message: &M) -> Value {
    let options = SerializeOptions::new()
        .use_proto_field_name(true)
        .skip_default_fields(false)
        .stringify_64_bit_integers(false);
    dynamic(message)
        .serialize_with_options(serde_json::value::Serializer, &options)
        .expect("messages of a server convert to JSON")
}

/// Converts a message to canonical JSON.
///
/// # Errors
///
/// If a timestamp is out of range.
pub fn to_canonical_json<M: Message + Name>(message: &M) -> Result<Value, serde_json::Error> {
    let options = SerializeOptions::new().skip_default_fields(false);
    dynamic(message).serialize_with_options(serde_json::value::Serializer, &options)
}

/// Parses a message from either JSON format.
pub fn from_json<'de, M, D>(json: D) -> Result<M, D::Error>
where
    M: Message + Name + Default,
    D: serde::Deserializer<'de>,
{
    let message = DynamicMessage::deserialize(descriptor::<M>(), json)?;
    message.transcode_to().map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::v1;

    #[test]
    fn json_has_the_names_of_the_proto_files() {
        let mut rules = v1::GetRulesResponse { markdown: "# GAP".into(), ..Default::default() };
        rules.set_language(v1::Language::German);
        let expected = json!({ "markdown": "# GAP", "rules_version": 0, "language": "LANGUAGE_GERMAN" });
        assert_eq!(to_json(&rules), expected);
        assert_eq!(from_json::<v1::GetRulesResponse, _>(expected).unwrap(), rules);
        let canonical = json!({ "markdown": "# GAP", "rulesVersion": 0, "language": "LANGUAGE_GERMAN" });
        assert_eq!(to_canonical_json(&rules).unwrap(), canonical);
        assert_eq!(from_json::<v1::GetRulesResponse, _>(canonical).unwrap(), rules);
        let without_defaults = json!({ "markdown": "# GAP", "language": "LANGUAGE_GERMAN" });
        assert_eq!(from_json::<v1::GetRulesResponse, _>(without_defaults).unwrap(), rules);
    }

    /// An `optional` field, a message and a `oneof` are there only if they are set; a zero that is set is there.
    #[test]
    fn json_has_default_values_but_not_what_is_not_set() {
        let card = v1::GapCard { colour: v1::GapColour::Blue.into(), number: 0 };
        assert_eq!(to_canonical_json(&card).unwrap(), json!({ "colour": "GAP_COLOUR_BLUE", "number": 0 }));
        let answer = v1::Answer { choice: Some(v1::answer::Choice::Index(0)), ..Default::default() };
        assert_eq!(to_json(&answer), json!({ "decision_id": 0, "index": 0 }));
        assert_eq!(to_canonical_json(&v1::Attach::default()).unwrap(), json!({}));
    }

    #[test]
    fn timestamps_and_bytes_are_strings() {
        let seconds = prost_types::Timestamp { seconds: 1_700_000_000, nanos: 0 };
        let shuffle = v1::FairShuffle { commitment: vec![0xff; 3], ..Default::default() };
        let table = v1::Table { create_time: Some(seconds), shuffle: Some(shuffle), ..Default::default() };
        let json = to_json(&table);
        assert_eq!(json["create_time"], "2023-11-14T22:13:20Z");
        assert_eq!(json["shuffle"]["commitment"], "////");
        assert_eq!(json["state"], "TABLE_STATE_UNSPECIFIED");
        assert_eq!(to_canonical_json(&table).unwrap()["createTime"], "2023-11-14T22:13:20Z");
        let never = prost_types::Timestamp { seconds: i64::MAX, nanos: -1 };
        let table = v1::Table { create_time: Some(never), ..Default::default() };
        assert!(to_canonical_json(&table).is_err());
    }

    #[test]
    fn unknown_json_fields_are_errors() {
        let wrong = from_json::<v1::GameOptions, _>(json!({ "gap": { "colour": 3 } }));
        assert!(wrong.unwrap_err().to_string().contains("colour"));
    }
}
