//! The text format of records: its lines. [`notation`](super::notation) writes and parses the values in them.

use std::fmt::Write;

use parlor_proto::reflect;
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage, Value};

use super::notation::{ParseResult, Parser, field_named, set_once, write_field, write_list, write_value};
use crate::wire;

/// First line of every record.
pub(super) const TITLE: &str = "parlor record";

/// Fields whose nested fields get a line each, under names such as `shuffle.commitment`.
const FLATTENED_FIELDS: [&str; 2] = ["shuffle", "result"];

/// Writes a record.
pub(super) fn write(record: &wire::Record) -> String {
    let message = reflect::dynamic(record);
    let mut out = format!("{TITLE}\n");
    for (field, value) in message.fields() {
        match (field.name(), value) {
            ("shuffles", Value::List(shuffles)) => {
                shuffles.iter().filter_map(Value::as_message).for_each(|one| write_shuffle(&mut out, one));
            }
            ("steps", Value::List(steps)) => {
                let steps = steps.iter().filter_map(Value::as_message).enumerate();
                steps.for_each(|(number, step)| write_step(&mut out, number, step));
            }
            (name, Value::Message(inner))
                if FLATTENED_FIELDS.contains(&name) && inner.fields().next().is_some() =>
            {
                for (field, value) in inner.fields() {
                    write_lines(&mut out, &format!("{name}.{}", field.name()), &field, value);
                }
            }
            (name, value) => write_lines(&mut out, name, &field, value),
        }
    }
    out
}

/// Writes a field: one line, or one per value of a list.
fn write_lines(out: &mut String, name: &str, field: &FieldDescriptor, value: &Value) {
    let mut line = |value: &Value| {
        out.push_str(name);
        out.push_str(": ");
        write_value(out, &field.kind(), value);
        out.push('\n');
    };
    match value {
        Value::List(values) => values.iter().for_each(line),
        value => line(value),
    }
}

/// Writes a shuffle and its cards. The game's name is written once, as all cards belong to it.
fn write_shuffle(out: &mut String, shuffle: &DynamicMessage) {
    let mut shuffle = shuffle.clone();
    let Some(Value::List(cards)) = shuffle.take_field_by_name("cards") else {
        return write_shuffle_line(out, &shuffle, |out| out.push_str("[]"));
    };
    let named: Vec<_> = cards.iter().filter_map(|card| card.as_message()?.fields().next()).collect();
    let first = named.first().map(|(field, _)| field.clone());
    match first {
        Some(game) if named.len() == cards.len() && named.iter().all(|(field, _)| *field == game) => {
            write_shuffle_line(out, &shuffle, |out| {
                out.push_str(game.name());
                out.push(' ');
                write_list(out, named.iter(), |out, (field, card)| write_field(out, field, card));
            });
        }
        _ => write_shuffle_line(out, &shuffle, |out| {
            let kind = card_kind();
            write_list(out, cards.iter(), |out, card| write_value(out, &kind, card));
        }),
    }
}

fn card_kind() -> Kind {
    Kind::Message(reflect::descriptor::<wire::GameCard>())
}

fn write_shuffle_line(out: &mut String, shuffle: &DynamicMessage, cards: impl FnOnce(&mut String)) {
    out.push_str("shuffled ");
    write_value(out, &Kind::Message(shuffle.descriptor()), &Value::Message(shuffle.clone()));
    out.push_str(": ");
    cards(out);
    out.push('\n');
}

/// Writes a step: its time, and its indented lines.
fn write_step(out: &mut String, number: usize, step: &DynamicMessage) {
    let after = step.get_field_by_name("after_ms").and_then(|after| after.as_u32()).unwrap_or_default();
    let _ = writeln!(out, "step {number} after {after} ms");
    for (field, value) in step.fields() {
        let Value::List(values) = value else { continue };
        match field.name() {
            "told" => values.iter().filter_map(Value::as_message).for_each(|one| write_event(out, one)),
            "asked" => {
                out.push_str("  asked: ");
                write_field(out, &field, value);
                out.push('\n');
            }
            name => write_lines(out, &format!("  {name}"), &field, value),
        }
    }
}

/// Writes an event with its audience, and its text on a line of its own.
fn write_event(out: &mut String, message: &DynamicMessage) {
    let (mut audience, mut event, mut text) = ("told".to_owned(), "{}".to_owned(), String::new());
    for (field, value) in message.fields() {
        let mut words = String::new();
        match (field.name(), value) {
            ("everyone", _) => audience = "everyone".to_owned(),
            ("only", value) => {
                write_field(&mut words, &field, value);
                audience = format!("only {words}");
            }
            ("all_but", Value::Message(seats)) => {
                let seats = seats.get_field_by_name("seats");
                let seats: Vec<u32> = seats
                    .iter()
                    .flat_map(|seats| seats.as_list())
                    .flatten()
                    .filter_map(Value::as_u32)
                    .collect();
                audience = format!("all but {seats:?}");
            }
            ("text", value) => {
                write_field(&mut words, &field, value);
                text = format!("  text: {words}\n");
            }
            (name, value) => {
                write_field(&mut words, &field, value);
                event = format!("{name} {words}");
            }
        }
    }
    let _ = writeln!(out, "  {audience}: {event}");
    out.push_str(&text);
}

/// Parses a record from numbered lines. The error carries its line number.
pub(super) fn read<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
) -> Result<wire::Record, (usize, String)> {
    let mut record = DynamicMessage::new(reflect::descriptor::<wire::Record>());
    let mut steps: Vec<DynamicMessage> = Vec::new();
    for (number, line) in lines {
        let is_indented = line.starts_with([' ', '\t']);
        let mut parser = Parser::new(line.trim_end());
        let read = match steps.last_mut() {
            Some(step) if is_indented => read_step_line(&mut parser, step),
            None if is_indented => Err("an indented line must follow a step".into()),
            _ => read_line(&mut parser, &mut record, &mut steps),
        };
        read.and_then(|()| parser.end()).map_err(|why| (number, why))?;
    }
    record.set_field_by_name("steps", Value::List(steps.into_iter().map(Value::Message).collect()));
    record.transcode_to().map_err(|error| (0, error.to_string()))
}

fn read_line(
    parser: &mut Parser<'_>,
    record: &mut DynamicMessage,
    steps: &mut Vec<DynamicMessage>,
) -> ParseResult<()> {
    let name = parser.word()?;
    if name == "step" {
        steps.push(read_step(parser, steps.len())?);
        return Ok(());
    }
    if name == "shuffled" {
        let shuffle = read_shuffle(parser)?;
        return append(record, "shuffles", Value::Message(shuffle));
    }
    parser.expect(":")?;
    match name.split_once('.') {
        Some((outer, inner)) if FLATTENED_FIELDS.contains(&outer) => {
            let outer = field_named(&record.descriptor(), outer)?;
            let Value::Message(message) = record.get_field_mut(&outer) else {
                return Err("it has no nested fields".to_owned());
            };
            read_field(parser, message, inner)
        }
        _ => read_field(parser, record, name),
    }
}

/// Parses the line of a field: its value, or one more value of its list.
fn read_field(parser: &mut Parser<'_>, message: &mut DynamicMessage, name: &str) -> ParseResult<()> {
    let field = field_named(&message.descriptor(), name)?;
    let value = parser.value(&field.kind())?;
    if field.is_list() { append(message, name, value) } else { set_once(message, &field, value) }
}

/// Adds a value to a list.
fn append(message: &mut DynamicMessage, name: &str, value: Value) -> ParseResult<()> {
    match message.get_field_by_name_mut(name) {
        Some(Value::List(list)) => {
            list.push(value);
            Ok(())
        }
        _ => Err(format!("{name} is not a list")),
    }
}

fn read_shuffle(parser: &mut Parser<'_>) -> ParseResult<DynamicMessage> {
    let descriptor = reflect::descriptor::<wire::RecordShuffle>();
    let mut shuffle = parser.message(&descriptor)?;
    parser.expect(":")?;
    let cards = reflect::descriptor::<wire::GameCard>();
    let list = match parser.word() {
        Ok(game) => {
            let game = field_named(&cards, game)?;
            parser.list(|parser| {
                let card = parser.value(&game.kind())?;
                let mut any = DynamicMessage::new(cards.clone());
                any.set_field(&game, card);
                Ok(Value::Message(any))
            })?
        }
        Err(_) => parser.list(|parser| parser.value(&card_kind()))?,
    };
    set_once(&mut shuffle, &field_named(&descriptor, "cards")?, Value::List(list))?;
    Ok(shuffle)
}

/// Sets the text of the last event of a step.
fn set_text(step: &mut DynamicMessage, text: Value) -> ParseResult<()> {
    let told = step.get_field_by_name_mut("told").and_then(Value::as_list_mut);
    let Some(Value::Message(event)) = told.and_then(|told| told.last_mut()) else {
        return Err("a text must follow an event".to_owned());
    };
    let field = field_named(&event.descriptor(), "text")?;
    set_once(event, &field, text)
}

/// Parses the first line of a step. Its number must be its position.
fn read_step(parser: &mut Parser<'_>, index: usize) -> ParseResult<DynamicMessage> {
    let number: usize = parser.number()?;
    if number != index {
        return Err(format!("expected step {index}, found step {number}: steps are numbered from 0"));
    }
    let mut step = DynamicMessage::new(step_descriptor());
    parser.expect("after")?;
    step.set_field_by_name("after_ms", Value::U32(parser.number()?));
    parser.expect("ms")?;
    Ok(step)
}

fn step_descriptor() -> MessageDescriptor {
    reflect::descriptor::<wire::RecordStep>()
}

/// Parses an indented line of a step.
fn read_step_line(parser: &mut Parser<'_>, step: &mut DynamicMessage) -> ParseResult<()> {
    let event_descriptor = reflect::descriptor::<wire::RecordTelling>();
    let mut event = DynamicMessage::new(event_descriptor.clone());
    match parser.word()? {
        "decided" => {
            parser.expect(":")?;
            return read_field(parser, step, "decided");
        }
        "asked" => {
            parser.expect(":")?;
            let asked = field_named(&step.descriptor(), "asked")?;
            let seats = parser.field(&asked)?;
            return set_once(step, &asked, seats);
        }
        "text" => {
            parser.expect(":")?;
            let text = parser.field(&field_named(&event_descriptor, "text")?)?;
            return set_text(step, text);
        }
        "told" => {}
        "everyone" => {
            let everyone = DynamicMessage::new(reflect::descriptor::<wire::RecordEveryone>());
            event.set_field_by_name("everyone", Value::Message(everyone));
        }
        "only" => event.set_field_by_name("only", Value::U32(parser.number()?)),
        "all" => {
            parser.expect("but")?;
            let seats = parser.list(|parser| parser.number().map(Value::U32))?;
            let mut all_but = DynamicMessage::new(reflect::descriptor::<wire::RecordSeats>());
            all_but.set_field_by_name("seats", Value::List(seats));
            event.set_field_by_name("all_but", Value::Message(all_but));
        }
        other => {
            return Err(format!(
                "expected everyone, only, all but, told, text, decided or asked, found {other}"
            ));
        }
    }
    parser.expect(":")?;
    if !parser.eat("{}") {
        let field = match parser.word()? {
            kind @ ("game" | "table") => field_named(&event_descriptor, kind)?,
            other => return Err(format!("expected game or table, found {other}")),
        };
        let value = parser.field(&field)?;
        event.set_field(&field, value);
    }
    append(step, "told", Value::Message(event))
}
