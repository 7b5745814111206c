//! Notation of values in the text format, driven by descriptors, so that it covers every game.
//!
//! The documentation of [the module](super) has the grammar.

mod parse;
mod write;

use prost_reflect::{EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor};

pub(super) use parse::{ParseResult, Parser, field_named, set_once};
pub(super) use write::{write_field, write_list, write_value};

/// Notation of a message type.
enum Shape {
    /// Timestamp: RFC 3339.
    Timestamp,
    /// Card: the values of its fields.
    Card,
    /// Single `oneof`: name and value of the set field.
    Oneof,
    /// Anything else: names and values in braces.
    Fields,
}

fn shape(message: &MessageDescriptor) -> Shape {
    let mut fields = message.fields();
    let is_plain = |field: FieldDescriptor| !field.supports_presence() && !field.is_list() && !field.is_map();
    if message.full_name() == "google.protobuf.Timestamp" {
        Shape::Timestamp
    } else if message.name().ends_with("Card") && fields.len() > 0 && fields.all(is_plain) {
        Shape::Card
    } else if message.oneofs().len() == 1
        && message.fields().len() > 1
        && message.fields().all(|field| field.containing_oneof().is_some())
    {
        Shape::Oneof
    } else {
        Shape::Fields
    }
}

/// True if a message is compared as one value: a timestamp, or a card of one game or of any.
pub(super) fn is_atomic(message: &MessageDescriptor) -> bool {
    match shape(message) {
        Shape::Timestamp | Shape::Card => true,
        Shape::Oneof => message.name().ends_with("Card"),
        Shape::Fields => false,
    }
}

/// Name of an enum value without the type's prefix: `green` for `GAP_COLOUR_GREEN`.
fn short_name(kind: &EnumDescriptor, name: &str) -> String {
    let zero = kind.get_value(0);
    let prefix = zero.as_ref().and_then(|zero| zero.name().strip_suffix("UNSPECIFIED")).unwrap_or_default();
    name.strip_prefix(prefix).unwrap_or(name).to_lowercase()
}

/// True if the field is a message without fields.
fn is_empty(field: &FieldDescriptor) -> bool {
    matches!(field.kind(), Kind::Message(message) if message.fields().len() == 0)
}
