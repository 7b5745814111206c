//! Messages by their descriptors: in JSON, and field by field.
//!
//! There are two kinds of JSON, and both are read by the same functions. [`to_json`] is for scripts: the names of the .proto
//! files, and every field that has a default, so that a program need not know it. [`to_canonical_json`] is protobuf's
//! own: names such as `tableId`, numbers of 64 bits as text, defaults left out. In both, enums are the names of their values,
//! moments are RFC 3339, and bytes are Base64.

use std::sync::LazyLock;

use prost::{Message, Name};
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, SerializeOptions};
use serde_json::Value;

use crate::FILE_DESCRIPTOR_SET;

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(FILE_DESCRIPTOR_SET).expect("the descriptors of the build are sound")
});

/// What a message of `parlor.v1` is made of.
#[must_use]
pub fn descriptor<M: Name>() -> MessageDescriptor {
    POOL.get_message_by_name(&M::full_name()).expect("the messages are made from the descriptors")
}

/// A message, to be looked at field by field.
#[must_use]
pub fn dynamic<M: Message + Name>(message: &M) -> DynamicMessage {
    let bytes = message.encode_to_vec();
    DynamicMessage::decode(descriptor::<M>(), bytes.as_slice()).expect("it was encoded just now")
}

/// A message as JSON for scripts.
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
        .expect("what a server sends has a form in JSON")
}

/// A message as canonical JSON. An error if a moment in it is none that a calendar has.
pub fn to_canonical_json<M: Message + Name>(message: &M) -> Result<Value, serde_json::Error> {
    dynamic(message).serialize_with_options(serde_json::value::Serializer, &SerializeOptions::new())
}

/// A message of its JSON, of either kind; the error says what is wrong with it.
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
    fn a_message_has_the_names_of_the_wire() {
        let mut rules = v1::GetRulesResponse { markdown: "# GAP".into(), ..Default::default() };
        rules.set_language(v1::Language::German);
        let expected = json!({ "markdown": "# GAP", "rules_version": 0, "language": "LANGUAGE_GERMAN" });
        assert_eq!(to_json(&rules), expected);
        assert_eq!(from_json::<v1::GetRulesResponse, _>(expected).unwrap(), rules);
        let canonical = json!({ "markdown": "# GAP", "language": "LANGUAGE_GERMAN" });
        assert_eq!(to_canonical_json(&rules).unwrap(), canonical);
        assert_eq!(from_json::<v1::GetRulesResponse, _>(canonical).unwrap(), rules);
    }

    #[test]
    fn moments_and_bytes_are_text() {
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
    fn what_is_not_a_message_is_refused() {
        let wrong = from_json::<v1::GameOptions, _>(json!({ "gap": { "colour": 3 } }));
        assert!(wrong.unwrap_err().to_string().contains("colour"));
    }
}
