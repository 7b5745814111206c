//! Structural comparison of messages.

use parlor_proto::reflect;
use prost::{Message, Name};
use prost_reflect::{DynamicMessage, FieldDescriptor, ReflectMessage, Value};

use super::notation::{is_atomic, write_field, write_value};
use super::report::Finding;

/// All differences between two messages, with the path of each field.
pub(super) fn differences<M: Message + Name + PartialEq>(
    path: &str,
    found: &M,
    expected: &M,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    if found != expected {
        messages(path, &reflect::dynamic(found), &reflect::dynamic(expected), &mut findings);
    }
    findings
}

/// A message in the notation of the text format.
pub(super) fn written<M: Message + Name>(message: &M) -> String {
    let message = reflect::dynamic(message);
    let mut out = String::new();
    write_value(
        &mut out,
        &prost_reflect::Kind::Message(message.descriptor()),
        &Value::Message(message.clone()),
    );
    out
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn messages(path: &str, found: &DynamicMessage, expected: &DynamicMessage, out: &mut Vec<Finding>) {
    let descriptor = found.descriptor();
    for choice in descriptor.oneofs().filter(|choice| !choice.is_synthetic()) {
        let set = |message: &DynamicMessage| choice.fields().find(|field| message.has_field(field));
        match (set(found), set(expected)) {
            (Some(actual), Some(wanted)) if actual != wanted => {
                let value = |message: &DynamicMessage, field: &FieldDescriptor| {
                    let mut words = format!("{} ", field.name());
                    write_field(&mut words, field, &message.get_field(field));
                    words
                };
                let path = below(path, choice.name());
                out.push(Finding::differs(path, value(found, &actual), value(expected, &wanted)));
            }
            (actual, wanted) => {
                if let Some(field) = actual.or(wanted) {
                    fields(path, &field, found, expected, out);
                }
            }
        }
    }
    let is_of_choice =
        |field: &FieldDescriptor| field.containing_oneof().is_some_and(|choice| !choice.is_synthetic());
    for field in descriptor.fields().filter(|field| !is_of_choice(field)) {
        fields(path, &field, found, expected, out);
    }
}

fn fields(
    path: &str,
    field: &FieldDescriptor,
    found: &DynamicMessage,
    expected: &DynamicMessage,
    out: &mut Vec<Finding>,
) {
    let path = below(path, field.name());
    // Fields without presence always have a value.
    let is_there = |message: &DynamicMessage| !field.supports_presence() || message.has_field(field);
    let (is_recorded, is_expected) = (is_there(found), is_there(expected));
    let (actual, wanted) = (found.get_field(field), expected.get_field(field));
    if (is_recorded, &actual) == (is_expected, &wanted) {
        return;
    }
    match (&*actual, &*wanted) {
        (Value::Message(actual), Value::Message(wanted))
            if is_recorded && is_expected && !is_atomic(&actual.descriptor()) =>
        {
            messages(&path, actual, wanted, out);
        }
        (Value::List(actual), Value::List(wanted)) => lists(&path, field, actual, wanted, out),
        _ => {
            let value = |is_there: bool, value: &Value| is_there.then(|| one(field, value));
            out.push(Finding::differs(path, value(is_recorded, &actual), value(is_expected, &wanted)));
        }
    }
}

fn one(field: &FieldDescriptor, value: &Value) -> String {
    let mut words = String::new();
    write_value(&mut words, &field.kind(), value);
    words
}

/// Compares lists. Lists of equal length are compared element by element. Otherwise the common prefix and
/// suffix are skipped, so that a missing or extra element is named, not everything it shifted.
fn lists(path: &str, field: &FieldDescriptor, found: &[Value], expected: &[Value], out: &mut Vec<Finding>) {
    let (mut first, mut last) = (0, 0);
    if found.len() != expected.len() {
        first = found.iter().zip(expected).take_while(|(actual, wanted)| actual == wanted).count();
        let rest = found[first..].iter().rev().zip(expected[first..].iter().rev());
        last = rest.take_while(|(actual, wanted)| actual == wanted).count();
    }
    let (found, expected) = (&found[first..found.len() - last], &expected[first..expected.len() - last]);
    for index in 0..found.len().max(expected.len()) {
        let path = format!("{path}[{}]", first + index);
        match (found.get(index), expected.get(index)) {
            (Some(actual), Some(wanted)) if actual == wanted => {}
            (Some(Value::Message(actual)), Some(Value::Message(wanted)))
                if !is_atomic(&actual.descriptor()) =>
            {
                messages(&path, actual, wanted, out);
            }
            (actual, wanted) => {
                let value = |value: &Value| one(field, value);
                out.push(Finding::differs(path, actual.map(value), wanted.map(value)));
            }
        }
    }
}
