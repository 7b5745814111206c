//! What stands in a message, and what should.

use parlor_proto::reflect;
use prost::{Message, Name};
use prost_reflect::{DynamicMessage, FieldDescriptor, ReflectMessage, Value};

use super::finding::Finding;
use super::notation::{is_one_thing, write_field, write_value};

/// Every difference between two messages, with the path of its field.
pub(super) fn differences<M: Message + Name + PartialEq>(path: &str, found: &M, right: &M) -> Vec<Finding> {
    let mut findings = Vec::new();
    if found != right {
        messages(path, &reflect::dynamic(found), &reflect::dynamic(right), &mut findings);
    }
    findings
}

/// A message as the text form writes it.
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

fn messages(path: &str, found: &DynamicMessage, right: &DynamicMessage, out: &mut Vec<Finding>) {
    let descriptor = found.descriptor();
    for choice in descriptor.oneofs().filter(|choice| !choice.is_synthetic()) {
        let set = |message: &DynamicMessage| choice.fields().find(|field| message.has_field(field));
        match (set(found), set(right)) {
            (Some(this), Some(that)) if this != that => {
                let value = |message: &DynamicMessage, field: &FieldDescriptor| {
                    let mut words = format!("{} ", field.name());
                    write_field(&mut words, field, &message.get_field(field));
                    words
                };
                let path = below(path, choice.name());
                out.push(Finding::differs(path, value(found, &this), value(right, &that)));
            }
            (this, that) => {
                if let Some(field) = this.or(that) {
                    fields(path, &field, found, right, out);
                }
            }
        }
    }
    let is_of_choice =
        |field: &FieldDescriptor| field.containing_oneof().is_some_and(|choice| !choice.is_synthetic());
    for field in descriptor.fields().filter(|field| !is_of_choice(field)) {
        fields(path, &field, found, right, out);
    }
}

fn fields(
    path: &str,
    field: &FieldDescriptor,
    found: &DynamicMessage,
    right: &DynamicMessage,
    out: &mut Vec<Finding>,
) {
    let path = below(path, field.name());
    // What has a default is never nothing.
    let is_there = |message: &DynamicMessage| !field.supports_presence() || message.has_field(field);
    let (is_found, is_right) = (is_there(found), is_there(right));
    let (this, that) = (found.get_field(field), right.get_field(field));
    if (is_found, &this) == (is_right, &that) {
        return;
    }
    match (&*this, &*that) {
        (Value::Message(this), Value::Message(that))
            if is_found && is_right && !is_one_thing(&this.descriptor()) =>
        {
            messages(&path, this, that, out);
        }
        (Value::List(this), Value::List(that)) => lists(&path, field, this, that, out),
        _ => {
            let value = |is_there: bool, value: &Value| is_there.then(|| one(field, value));
            out.push(Finding::differs(path, value(is_found, &this), value(is_right, &that)));
        }
    }
}

fn one(field: &FieldDescriptor, value: &Value) -> String {
    let mut words = String::new();
    write_value(&mut words, &field.kind(), value);
    words
}

/// Lists of the same length are compared one by one. Otherwise what both begin and end with is passed over, so that what is
/// missing or too much is named, and not all that has moved because of it.
fn lists(path: &str, field: &FieldDescriptor, found: &[Value], right: &[Value], out: &mut Vec<Finding>) {
    let (mut first, mut last) = (0, 0);
    if found.len() != right.len() {
        first = found.iter().zip(right).take_while(|(this, that)| this == that).count();
        let rest = found[first..].iter().rev().zip(right[first..].iter().rev());
        last = rest.take_while(|(this, that)| this == that).count();
    }
    let (found, right) = (&found[first..found.len() - last], &right[first..right.len() - last]);
    for place in 0..found.len().max(right.len()) {
        let path = format!("{path}[{}]", first + place);
        match (found.get(place), right.get(place)) {
            (Some(this), Some(that)) if this == that => {}
            (Some(Value::Message(this)), Some(Value::Message(that))) if !is_one_thing(&this.descriptor()) => {
                messages(&path, this, that, out);
            }
            (this, that) => {
                let value = |value: &Value| one(field, value);
                out.push(Finding::differs(path, this.map(value), that.map(value)));
            }
        }
    }
}
