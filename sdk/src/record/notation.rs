//! How the text form writes a value, and reads it back: by the descriptors alone, so that it knows every game.
//!
//! The grammar is in the documentation of [the module](super).

use std::fmt::Write;

use prost_reflect::{
    DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage, Value,
};
use prost_types::Timestamp;

/// What could not be read, in a few words.
pub(super) type Read<T> = Result<T, String>;

/// How a message is written.
enum Shape {
    /// A moment: RFC 3339.
    Moment,
    /// A card: the values of its fields.
    Card,
    /// One of several: its name, and its value.
    Choice,
    /// Everything else: names and values in braces.
    Fields,
}

fn shape(message: &MessageDescriptor) -> Shape {
    let mut fields = message.fields();
    let is_plain = |field: FieldDescriptor| !field.supports_presence() && !field.is_list() && !field.is_map();
    if message.full_name() == "google.protobuf.Timestamp" {
        Shape::Moment
    } else if message.name().ends_with("Card") && fields.len() > 0 && fields.all(is_plain) {
        Shape::Card
    } else if message.oneofs().len() == 1
        && message.fields().len() > 1
        && message.fields().all(|field| field.containing_oneof().is_some())
    {
        Shape::Choice
    } else {
        Shape::Fields
    }
}

/// Whether a message is one thing, whatever fields it has: a moment, or a card of one game or of any.
pub(super) fn is_one_thing(message: &MessageDescriptor) -> bool {
    match shape(message) {
        Shape::Moment | Shape::Card => true,
        Shape::Choice => message.name().ends_with("Card"),
        Shape::Fields => false,
    }
}

/// Writes the value of a field; all values of a list, in brackets.
pub(super) fn write_field(out: &mut String, field: &FieldDescriptor, value: &Value) {
    match value {
        Value::List(values) => {
            write_list(out, values.iter(), |out, value| write_value(out, &field.kind(), value));
        }
        value => write_value(out, &field.kind(), value),
    }
}

/// Writes a list in brackets.
pub(super) fn write_list<T>(
    out: &mut String,
    values: impl Iterator<Item = T>,
    mut one: impl FnMut(&mut String, T),
) {
    out.push('[');
    for (place, value) in values.enumerate() {
        out.push_str(if place == 0 { "" } else { ", " });
        one(out, value);
    }
    out.push(']');
}

/// Writes one value.
pub(super) fn write_value(out: &mut String, kind: &Kind, value: &Value) {
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
        // A test makes sure that a record has none of these.
        Value::F32(_) | Value::F64(_) | Value::List(_) | Value::Map(_) => Ok(()),
    };
}

fn kind_name(kind: &Kind, number: i32) -> Option<String> {
    let Kind::Enum(kind) = kind else { return None };
    kind.get_value(number).map(|value| short_name(kind, value.name()))
}

/// The name of a value without that of its enumeration: `green` for `GAP_COLOUR_GREEN`.
fn short_name(kind: &EnumDescriptor, name: &str) -> String {
    let zero = kind.get_value(0);
    let prefix = zero.as_ref().and_then(|zero| zero.name().strip_suffix("UNSPECIFIED")).unwrap_or_default();
    name.strip_prefix(prefix).unwrap_or(name).to_lowercase()
}

/// A text in quotes, as in JSON. What cannot be seen, or would turn the line about, is written as its code.
fn write_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        let is_unseen = c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if is_unseen => {
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
        Shape::Moment => match moment(message) {
            Some(text) => out.push_str(&text),
            None => write_fields(out, message),
        },
        Shape::Card => {
            for (place, field) in descriptor.fields().enumerate() {
                out.push_str(if place == 0 { "" } else { " " });
                write_field(out, &field, &message.get_field(&field));
            }
        }
        Shape::Choice => match message.fields().next() {
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
    for (place, (field, value)) in message.fields().enumerate() {
        out.push_str(if place == 0 { "" } else { ", " });
        out.push_str(field.name());
        out.push_str(": ");
        write_field(out, &field, value);
    }
    out.push('}');
}

/// Whether a field can have but one value: a message without fields.
fn is_empty(field: &FieldDescriptor) -> bool {
    matches!(field.kind(), Kind::Message(message) if message.fields().len() == 0)
}

/// A moment as text, if it reads back as the same.
fn moment(message: &DynamicMessage) -> Option<String> {
    let moment: Timestamp = message.transcode_to().ok()?;
    let text = moment.to_string();
    (text.parse().ok() == Some(moment)).then_some(text)
}

/// What is left to read of a line.
pub(super) struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    pub(super) fn new(rest: &'a str) -> Reader<'a> {
        Reader { rest: rest.trim_start() }
    }

    /// Takes this off the front, and the space after it.
    pub(super) fn eat(&mut self, what: &str) -> bool {
        let rest = self.rest.strip_prefix(what);
        self.rest = rest.map_or(self.rest, str::trim_start);
        rest.is_some()
    }

    pub(super) fn expect(&mut self, what: &str) -> Read<()> {
        if self.eat(what) { Ok(()) } else { Err(format!("{what:?} must come where {} is", self.here())) }
    }

    /// What comes next, for a message to a person.
    fn here(&self) -> String {
        match self.rest.chars().take(20).collect::<String>() {
            nothing if nothing.is_empty() => "the end of the line".to_owned(),
            next => format!("{next:?}"),
        }
    }

    /// A word: a name, a number, a moment.
    pub(super) fn word(&mut self) -> Read<&'a str> {
        let is_of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '.');
        let is_digit = |c: char| c.is_ascii_digit();
        // The colons in a moment belong to it; any other ends the word.
        let is_of_moment =
            |at: usize| self.rest.starts_with(is_digit) && self.rest[at + 1..].starts_with(is_digit);
        let end =
            self.rest.char_indices().find(|(at, c)| !(is_of_word(*c) || *c == ':' && is_of_moment(*at)));
        let end = end.map_or(self.rest.len(), |(at, _)| at);
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() {
            return Err(format!("a name or a number must come where {} is", self.here()));
        }
        self.rest = rest.trim_start();
        Ok(word)
    }

    pub(super) fn number<T: std::str::FromStr>(&mut self) -> Read<T> {
        let word = self.word()?;
        word.parse().map_err(|_| format!("{word} is no number that can stand here"))
    }

    pub(super) fn end(&self) -> Read<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(format!("{} is too much", self.here())) }
    }

    /// A list in brackets.
    pub(super) fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        self.expect("[")?;
        let mut list = Vec::new();
        if self.eat("]") {
            return Ok(list);
        }
        loop {
            list.push(one(self)?);
            if self.eat("]") {
                return Ok(list);
            }
            self.expect(",")?;
        }
    }

    /// The value of a field; all values of a list.
    pub(super) fn field(&mut self, field: &FieldDescriptor) -> Read<Value> {
        let kind = field.kind();
        if field.is_list() {
            return self.list(|reader| reader.value(&kind)).map(Value::List);
        }
        self.value(&kind)
    }

    /// One value.
    pub(super) fn value(&mut self, kind: &Kind) -> Read<Value> {
        Ok(match kind {
            Kind::Message(descriptor) => Value::Message(self.message(descriptor)?),
            Kind::Enum(kind) => {
                let word = self.word()?;
                let named = kind.values().find(|value| short_name(kind, value.name()) == word);
                let number = named.map(|value| value.number()).or_else(|| word.parse().ok());
                let unknown = || format!("{word} is no {}", kind.name());
                Value::EnumNumber(number.ok_or_else(unknown)?)
            }
            Kind::String => Value::String(self.text()?),
            Kind::Bytes => {
                let word = self.word()?;
                let digits = word.strip_prefix("0x").and_then(unhex);
                Value::Bytes(
                    digits.ok_or_else(|| format!("{word} is not 0x and pairs of hex digits"))?.into(),
                )
            }
            Kind::Bool => Value::Bool(self.number()?),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(self.number()?),
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(self.number()?),
            Kind::Uint32 | Kind::Fixed32 => Value::U32(self.number()?),
            Kind::Uint64 | Kind::Fixed64 => Value::U64(self.number()?),
            Kind::Double | Kind::Float => return Err("a record has no fractions".to_owned()),
        })
    }

    fn text(&mut self) -> Read<String> {
        let mut texts = serde_json::Deserializer::from_str(self.rest).into_iter::<String>();
        let text = texts.next().and_then(Result::ok);
        let text = text.ok_or_else(|| format!("a text in quotes must come where {} is", self.here()))?;
        self.rest = self.rest[texts.byte_offset()..].trim_start();
        Ok(text)
    }

    pub(super) fn message(&mut self, descriptor: &MessageDescriptor) -> Read<DynamicMessage> {
        let mut message = DynamicMessage::new(descriptor.clone());
        match shape(descriptor) {
            Shape::Moment if !self.rest.starts_with('{') => {
                let word = self.word()?;
                let moment: Timestamp =
                    word.parse().map_err(|_| format!("{word} is no moment such as 2026-11-16T19:39:05Z"))?;
                message.transcode_from(&moment).map_err(|error| error.to_string())?;
            }
            Shape::Card => {
                for field in descriptor.fields() {
                    let value = self.field(&field)?;
                    message.set_field(&field, value);
                }
            }
            Shape::Choice if self.eat("{") => self.expect("}")?,
            Shape::Choice => {
                let field = named(descriptor, self.word()?)?;
                let value =
                    if is_empty(&field) { Value::default_value(&field.kind()) } else { self.field(&field)? };
                message.set_field(&field, value);
            }
            Shape::Moment | Shape::Fields => self.fields(&mut message)?,
        }
        Ok(message)
    }

    fn fields(&mut self, message: &mut DynamicMessage) -> Read<()> {
        self.expect("{")?;
        if self.eat("}") {
            return Ok(());
        }
        let descriptor = message.descriptor();
        loop {
            let field = named(&descriptor, self.word()?)?;
            self.expect(":")?;
            let value = self.field(&field)?;
            put(message, &field, value)?;
            if self.eat("}") {
                return Ok(());
            }
            self.expect(",")?;
        }
    }
}

/// The field of this name.
pub(super) fn named(message: &MessageDescriptor, name: &str) -> Read<FieldDescriptor> {
    message.get_field_by_name(name).ok_or_else(|| {
        let names: Vec<String> = message.fields().map(|field| field.name().to_owned()).collect();
        format!("there is no {name} here, but {}", names.join(", "))
    })
}

/// Sets a field that was not set yet, nor another one of its choice.
pub(super) fn put(message: &mut DynamicMessage, field: &FieldDescriptor, value: Value) -> Read<()> {
    let rivals: Vec<FieldDescriptor> = match field.containing_oneof() {
        Some(choice) => choice.fields().collect(),
        None => vec![field.clone()],
    };
    if let Some(rival) = rivals.iter().find(|rival| message.has_field(rival)) {
        return Err(if rival == field {
            format!("{} stands here twice", field.name())
        } else {
            format!("{} and {} exclude each other", rival.name(), field.name())
        });
    }
    message.set_field(field, value);
    Ok(())
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let is_hex = digits.len().is_multiple_of(2) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
    if is_hex { (0..digits.len()).step_by(2).map(byte).collect() } else { None }
}
