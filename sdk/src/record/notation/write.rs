//! Writes values in the notation of the text format.

use std::fmt::Write;

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, ReflectMessage, Value};
use prost_types::Timestamp;

use super::{Shape, is_empty, shape, short_name};

/// Writes the value of a field; a list in brackets.
pub(in crate::record) fn write_field(out: &mut String, field: &FieldDescriptor, value: &Value) {
    match value {
        Value::List(values) => {
            write_list(out, values.iter(), |out, value| write_value(out, &field.kind(), value));
        }
        value => write_value(out, &field.kind(), value),
    }
}

/// Writes a list in brackets.
pub(in crate::record) fn write_list<T>(
    out: &mut String,
    values: impl Iterator<Item = T>,
    mut one: impl FnMut(&mut String, T),
) {
    out.push('[');
    for (index, value) in values.enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        one(out, value);
    }
    out.push(']');
}

/// Writes one value.
pub(in crate::record) fn write_value(out: &mut String, kind: &Kind, value: &Value) {
    // Writing to a string cannot fail.
    let _ = match value {
        Value::Message(message) => {
            write_message(out, message);
            Ok(())
        }
        Value::EnumNumber(number) => match (kind, kind_name(kind, *number)) {
            (Kind::Enum(_), Some(name)) => write!(out, "{name}"),
            _ => write!(out, "{number}"),
        },
        Value::String(text) => {
            write_text(out, text);
            Ok(())
        }
        Value::Bytes(bytes) => {
            out.push_str("0x");
            bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
        }
        Value::Bool(value) => write!(out, "{value}"),
        Value::I32(number) => write!(out, "{number}"),
        Value::I64(number) => write!(out, "{number}"),
        Value::U32(number) => write!(out, "{number}"),
        Value::U64(number) => write!(out, "{number}"),
        // A test ensures that records have none of these.
        Value::F32(_) | Value::F64(_) | Value::List(_) | Value::Map(_) => Ok(()),
    };
}

fn kind_name(kind: &Kind, number: i32) -> Option<String> {
    let Kind::Enum(kind) = kind else { return None };
    kind.get_value(number).map(|value| short_name(kind, value.name()))
}

/// Writes a string in quotes, as in JSON. Control, invisible and bidirectional characters are escaped.
fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        let is_invisible = c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if is_invisible => {
                // All of these have four digits.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

fn write_message(out: &mut String, message: &DynamicMessage) {
    let descriptor = message.descriptor();
    match shape(&descriptor) {
        Shape::Timestamp => match timestamp_text(message) {
            Some(text) => out.push_str(&text),
            None => write_fields(out, message),
        },
        Shape::Card => {
            for (index, field) in descriptor.fields().enumerate() {
                out.push_str(if index == 0 { "" } else { " " });
                write_field(out, &field, &message.get_field(&field));
            }
        }
        Shape::Oneof => match message.fields().next() {
            Some((field, value)) => {
                out.push_str(field.name());
                if !is_empty(&field) {
                    out.push(' ');
                    write_field(out, &field, value);
                }
            }
            None => out.push_str("{}"),
        },
        Shape::Fields => write_fields(out, message),
    }
}

fn write_fields(out: &mut String, message: &DynamicMessage) {
    out.push('{');
    for (index, (field, value)) in message.fields().enumerate() {
        out.push_str(if index == 0 { "" } else { ", " });
        out.push_str(field.name());
        out.push_str(": ");
        write_field(out, &field, value);
    }
    out.push('}');
}

/// Formats a timestamp, if the text parses back to the same value.
fn timestamp_text(message: &DynamicMessage) -> Option<String> {
    let timestamp: Timestamp = message.transcode_to().ok()?;
    let text = timestamp.to_string();
    (text.parse().ok() == Some(timestamp)).then_some(text)
}
