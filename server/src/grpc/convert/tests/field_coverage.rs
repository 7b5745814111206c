//! `FieldCoverage`: checks that the messages of a test set every field.

use std::collections::HashSet;

use parlor_proto::FILE_DESCRIPTOR_SET;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, Kind, MessageDescriptor, ReflectMessage, Value};

/// The fields that were set in the messages passed to [`record`](FieldCoverage::record).
pub(super) struct FieldCoverage {
    pool: DescriptorPool,
    fields: HashSet<String>,
}

/// Messages of the games, texts and boards are not inspected: `parlor-proto` tests them.
fn is_inspected(message: &MessageDescriptor) -> bool {
    let is_game = matches!(message.name(), "GameOptions" | "GameAction" | "GameEvent" | "GameView");
    let is_display = matches!(message.name(), "RichText" | "Board");
    message.package_name() == "parlor.v1" && !is_game && !is_display && !message.is_map_entry()
}

impl FieldCoverage {
    pub(super) fn new() -> FieldCoverage {
        let pool = DescriptorPool::decode(FILE_DESCRIPTOR_SET).expect("valid descriptors");
        FieldCoverage { pool, fields: HashSet::new() }
    }

    fn descriptor(&self, name: &str) -> MessageDescriptor {
        self.pool.get_message_by_name(&format!("parlor.v1.{name}")).expect(name)
    }

    /// Records the fields that are set in a message.
    pub(super) fn record(&mut self, name: &str, message: &impl Message) {
        let bytes = message.encode_to_vec();
        let message = DynamicMessage::decode(self.descriptor(name), &*bytes).expect("a message");
        self.walk(&message);
    }

    fn walk(&mut self, message: &DynamicMessage) {
        for (field, value) in message.fields() {
            self.fields.insert(field.full_name().to_owned());
            match value {
                Value::Message(inner) if is_inspected(&inner.descriptor()) => self.walk(inner),
                Value::List(list) => {
                    let inner = list.iter().filter_map(Value::as_message);
                    inner
                        .filter(|inner| is_inspected(&inner.descriptor()))
                        .for_each(|inner| self.walk(inner));
                }
                _ => {}
            }
        }
    }

    /// Asserts that every field of the message, and of all messages within it, was set in some recorded
    /// message.
    pub(super) fn assert_all_set(&self, name: &str) {
        let (mut queue, mut visited) = (vec![self.descriptor(name)], HashSet::new());
        let mut missing = Vec::new();
        while let Some(message) = queue.pop() {
            if !visited.insert(message.full_name().to_owned()) {
                continue;
            }
            for field in message.fields() {
                if !self.fields.contains(field.full_name()) {
                    missing.push(field.full_name().to_owned());
                }
                match field.kind() {
                    Kind::Message(inner) if is_inspected(&inner) => queue.push(inner),
                    _ => {}
                }
            }
        }
        assert!(missing.is_empty(), "never set in {name}: {missing:?}");
    }
}
