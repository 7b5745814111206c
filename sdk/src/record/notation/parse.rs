//! Parses values in the notation of the text format.

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage, Value};
use prost_types::Timestamp;

use super::{Shape, is_empty, shape, short_name};

/// Result of parsing; the error is a short message.
pub(in crate::record) type ParseResult<T> = Result<T, String>;

/// Parser of one line.
pub(in crate::record) struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    pub(in crate::record) fn new(rest: &'a str) -> Parser<'a> {
        Parser { rest: rest.trim_start() }
    }

    /// Consumes a token and the space after it, if it comes next.
    pub(in crate::record) fn eat(&mut self, what: &str) -> bool {
        let rest = self.rest.strip_prefix(what);
        self.rest = rest.map_or(self.rest, str::trim_start);
        rest.is_some()
    }

    pub(in crate::record) fn expect(&mut self, what: &str) -> ParseResult<()> {
        if self.eat(what) {
            Ok(())
        } else {
            Err(format!("expected {what:?}, found {}", self.next_characters()))
        }
    }

    /// The next characters, for error messages.
    fn next_characters(&self) -> String {
        match self.rest.chars().take(20).collect::<String>() {
            next if next.is_empty() => "the end of the line".to_owned(),
            next => format!("{next:?}"),
        }
    }

    /// A word: a name, a number or a timestamp.
    pub(in crate::record) fn word(&mut self) -> ParseResult<&'a str> {
        let is_of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '.');
        let is_digit = |c: char| c.is_ascii_digit();
        // Colons between digits belong to a timestamp; any other ends the word.
        let is_of_timestamp =
            |at: usize| self.rest.starts_with(is_digit) && self.rest[at + 1..].starts_with(is_digit);
        let end =
            self.rest.char_indices().find(|(at, c)| !(is_of_word(*c) || *c == ':' && is_of_timestamp(*at)));
        let end = end.map_or(self.rest.len(), |(at, _)| at);
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() {
            return Err(format!("expected a name or a number, found {}", self.next_characters()));
        }
        self.rest = rest.trim_start();
        Ok(word)
    }

    pub(in crate::record) fn number<T: std::str::FromStr>(&mut self) -> ParseResult<T> {
        let word = self.word()?;
        word.parse().map_err(|_| format!("{word} is not a valid number here"))
    }

    pub(in crate::record) fn end(&self) -> ParseResult<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(format!("unexpected {}", self.next_characters())) }
    }

    /// A list in brackets.
    pub(in crate::record) fn list<T>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> ParseResult<T>,
    ) -> ParseResult<Vec<T>> {
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
    pub(in crate::record) fn field(&mut self, field: &FieldDescriptor) -> ParseResult<Value> {
        let kind = field.kind();
        if field.is_list() {
            return self.list(|parser| parser.value(&kind)).map(Value::List);
        }
        self.value(&kind)
    }

    /// One value.
    pub(in crate::record) fn value(&mut self, kind: &Kind) -> ParseResult<Value> {
        Ok(match kind {
            Kind::Message(descriptor) => Value::Message(self.message(descriptor)?),
            Kind::Enum(kind) => {
                let word = self.word()?;
                let named = kind.values().find(|value| short_name(kind, value.name()) == word);
                let number = named.map(|value| value.number()).or_else(|| word.parse().ok());
                let unknown = || format!("{word} is not a {}", kind.name());
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
            Kind::Double | Kind::Float => return Err("records have no floating-point values".to_owned()),
        })
    }

    fn text(&mut self) -> ParseResult<String> {
        let mut texts = serde_json::Deserializer::from_str(self.rest).into_iter::<String>();
        let text = texts.next().and_then(Result::ok);
        let text =
            text.ok_or_else(|| format!("expected a quoted string, found {}", self.next_characters()))?;
        self.rest = self.rest[texts.byte_offset()..].trim_start();
        Ok(text)
    }

    pub(in crate::record) fn message(
        &mut self,
        descriptor: &MessageDescriptor,
    ) -> ParseResult<DynamicMessage> {
        let mut message = DynamicMessage::new(descriptor.clone());
        match shape(descriptor) {
            Shape::Timestamp if !self.rest.starts_with('{') => {
                let word = self.word()?;
                let timestamp: Timestamp = word
                    .parse()
                    .map_err(|_| format!("{word} is not a timestamp such as 2026-11-16T19:39:05Z"))?;
                message.transcode_from(&timestamp).map_err(|error| error.to_string())?;
            }
            Shape::Card => {
                for field in descriptor.fields() {
                    let value = self.field(&field)?;
                    message.set_field(&field, value);
                }
            }
            Shape::Oneof if self.eat("{") => self.expect("}")?,
            Shape::Oneof => {
                let field = field_named(descriptor, self.word()?)?;
                let value =
                    if is_empty(&field) { Value::default_value(&field.kind()) } else { self.field(&field)? };
                message.set_field(&field, value);
            }
            Shape::Timestamp | Shape::Fields => self.fields(&mut message)?,
        }
        Ok(message)
    }

    fn fields(&mut self, message: &mut DynamicMessage) -> ParseResult<()> {
        self.expect("{")?;
        if self.eat("}") {
            return Ok(());
        }
        let descriptor = message.descriptor();
        loop {
            let field = field_named(&descriptor, self.word()?)?;
            self.expect(":")?;
            let value = self.field(&field)?;
            set_once(message, &field, value)?;
            if self.eat("}") {
                return Ok(());
            }
            self.expect(",")?;
        }
    }
}

/// Field with this name.
pub(in crate::record) fn field_named(
    message: &MessageDescriptor,
    name: &str,
) -> ParseResult<FieldDescriptor> {
    message.get_field_by_name(name).ok_or_else(|| {
        let names: Vec<String> = message.fields().map(|field| field.name().to_owned()).collect();
        format!("there is no field {name} here, only {}", names.join(", "))
    })
}

/// Sets a field; an error if it, or another field of its `oneof`, is already set.
pub(in crate::record) fn set_once(
    message: &mut DynamicMessage,
    field: &FieldDescriptor,
    value: Value,
) -> ParseResult<()> {
    let alternatives: Vec<FieldDescriptor> = match field.containing_oneof() {
        Some(choice) => choice.fields().collect(),
        None => vec![field.clone()],
    };
    if let Some(other) = alternatives.iter().find(|other| message.has_field(other)) {
        return Err(if other == field {
            format!("{} is set twice", field.name())
        } else {
            format!("{} and {} exclude each other", other.name(), field.name())
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
