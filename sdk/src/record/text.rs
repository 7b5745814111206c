//! The text form of records: the layout of its lines. What stands in them is for [`notation`](super::notation) to write and
//! read.

use std::fmt::Write;

use parlor_proto::reflect;
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, ReflectMessage, Value};

use super::notation::{Read, Reader, named, put, write_field, write_list, write_value};
use crate::wire;

/// The first line of every record.
pub(super) const TITLE: &str = "parlor record";

/// The fields whose own fields have a line each, under names such as `shuffle.commitment`.
const OPENED: [&str; 2] = ["shuffle", "result"];

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
            (name, Value::Message(inner)) if OPENED.contains(&name) && inner.fields().next().is_some() => {
                for (field, value) in inner.fields() {
                    write_lines(&mut out, &format!("{name}.{}", field.name()), &field, value);
                }
            }
            (name, value) => write_lines(&mut out, name, &field, value),
        }
    }
    out
}

/// Writes a field: a line, or one for each value of a list.
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

/// Writes a shuffle: what it was, and its cards. They are all of one game, whose name so stands there once.
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

/// Writes a step: when, and below it all that belongs to it.
fn write_step(out: &mut String, number: usize, step: &DynamicMessage) {
    let after = step.get_field_by_name("after_ms").and_then(|after| after.as_i64()).unwrap_or_default();
    let _ = writeln!(out, "step {number} after {after} ms");
    for (field, value) in step.fields() {
        let Value::List(values) = value else { continue };
        match field.name() {
            "told" => values.iter().filter_map(Value::as_message).for_each(|one| write_telling(out, one)),
            "asked" => {
                out.push_str("  asked: ");
                write_field(out, &field, value);
                out.push('\n');
            }
            name => write_lines(out, &format!("  {name}"), &field, value),
        }
    }
}

/// Writes a telling: to whom, and what.
fn write_telling(out: &mut String, telling: &DynamicMessage) {
    let (mut audience, mut told) = ("told".to_owned(), "{}".to_owned());
    for (field, value) in telling.fields() {
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
            (name, value) => {
                write_field(&mut words, &field, value);
                told = format!("{name} {words}");
            }
        }
    }
    let _ = writeln!(out, "  {audience}: {told}");
}

/// Reads a record, whose lines these are, each with its number. The error has the number of its line.
pub(super) fn read<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
) -> Result<wire::Record, (usize, String)> {
    let mut record = DynamicMessage::new(reflect::descriptor::<wire::Record>());
    let mut steps: Vec<DynamicMessage> = Vec::new();
    for (number, line) in lines {
        let is_of_step = line.starts_with([' ', '\t']);
        let mut reader = Reader::new(line.trim_end());
        let read = match steps.last_mut() {
            Some(step) if is_of_step => read_of_step(&mut reader, step),
            None if is_of_step => Err("a line that is moved in belongs to a step, and there is none".into()),
            _ => read_line(&mut reader, &mut record, &mut steps),
        };
        read.and_then(|()| reader.end()).map_err(|why| (number, why))?;
    }
    record.set_field_by_name("steps", Value::List(steps.into_iter().map(Value::Message).collect()));
    record.transcode_to().map_err(|error| (0, error.to_string()))
}

fn read_line(
    reader: &mut Reader<'_>,
    record: &mut DynamicMessage,
    steps: &mut Vec<DynamicMessage>,
) -> Read<()> {
    let name = reader.word()?;
    if name == "step" {
        steps.push(read_step(reader, steps.len())?);
        return Ok(());
    }
    if name == "shuffled" {
        let shuffle = read_shuffle(reader)?;
        return add(record, "shuffles", Value::Message(shuffle));
    }
    reader.expect(":")?;
    match name.split_once('.') {
        Some((outer, inner)) if OPENED.contains(&outer) => {
            let outer = named(&record.descriptor(), outer)?;
            let Value::Message(message) = record.get_field_mut(&outer) else {
                return Err("it has no fields of its own".to_owned());
            };
            read_field(reader, message, inner)
        }
        _ => read_field(reader, record, name),
    }
}

/// Reads a line of a field: its value, or one more of its list.
fn read_field(reader: &mut Reader<'_>, message: &mut DynamicMessage, name: &str) -> Read<()> {
    let field = named(&message.descriptor(), name)?;
    let value = reader.value(&field.kind())?;
    if field.is_list() { add(message, name, value) } else { put(message, &field, value) }
}

/// Adds a value to a list.
fn add(message: &mut DynamicMessage, name: &str, value: Value) -> Read<()> {
    match message.get_field_by_name_mut(name) {
        Some(Value::List(list)) => {
            list.push(value);
            Ok(())
        }
        _ => Err(format!("{name} is no list")),
    }
}

fn read_shuffle(reader: &mut Reader<'_>) -> Read<DynamicMessage> {
    let descriptor = reflect::descriptor::<wire::RecordShuffle>();
    let mut shuffle = reader.message(&descriptor)?;
    reader.expect(":")?;
    let cards = reflect::descriptor::<wire::GameCard>();
    let list = match reader.word() {
        Ok(game) => {
            let game = named(&cards, game)?;
            reader.list(|reader| {
                let card = reader.value(&game.kind())?;
                let mut any = DynamicMessage::new(cards.clone());
                any.set_field(&game, card);
                Ok(Value::Message(any))
            })?
        }
        Err(_) => reader.list(|reader| reader.value(&card_kind()))?,
    };
    put(&mut shuffle, &named(&descriptor, "cards")?, Value::List(list))?;
    Ok(shuffle)
}

/// The first line of a step. Its number must be its place.
fn read_step(reader: &mut Reader<'_>, place: usize) -> Read<DynamicMessage> {
    let number: usize = reader.number()?;
    if number != place {
        return Err(format!("step {number} stands where step {place} should: number the steps from 0"));
    }
    let mut step = DynamicMessage::new(step_descriptor());
    reader.expect("after")?;
    step.set_field_by_name("after_ms", Value::I64(reader.number()?));
    reader.expect("ms")?;
    Ok(step)
}

fn step_descriptor() -> MessageDescriptor {
    reflect::descriptor::<wire::RecordStep>()
}

/// A line below a step.
fn read_of_step(reader: &mut Reader<'_>, step: &mut DynamicMessage) -> Read<()> {
    let telling = reflect::descriptor::<wire::RecordTelling>();
    let mut told = DynamicMessage::new(telling.clone());
    match reader.word()? {
        "decided" => {
            reader.expect(":")?;
            return read_field(reader, step, "decided");
        }
        "asked" => {
            reader.expect(":")?;
            let asked = named(&step.descriptor(), "asked")?;
            let seats = reader.field(&asked)?;
            return put(step, &asked, seats);
        }
        "told" => {}
        "everyone" => {
            let everyone = DynamicMessage::new(reflect::descriptor::<wire::RecordEveryone>());
            told.set_field_by_name("everyone", Value::Message(everyone));
        }
        "only" => told.set_field_by_name("only", Value::U32(reader.number()?)),
        "all" => {
            reader.expect("but")?;
            let seats = reader.list(|reader| reader.number().map(Value::U32))?;
            let mut all_but = DynamicMessage::new(reflect::descriptor::<wire::RecordSeats>());
            all_but.set_field_by_name("seats", Value::List(seats));
            told.set_field_by_name("all_but", Value::Message(all_but));
        }
        other => {
            return Err(format!("{other} is none of everyone, only, all but, told, decided and asked"));
        }
    }
    reader.expect(":")?;
    if !reader.eat("{}") {
        let field = match reader.word()? {
            what @ ("game" | "table") => named(&telling, what)?,
            other => return Err(format!("{other} is neither game nor table")),
        };
        let what = reader.field(&field)?;
        told.set_field(&field, what);
    }
    add(step, "told", Value::Message(told))
}
