//! `Covered`: field coverage of messages, so that a test misses no field.

use std::collections::HashSet;

use parlor_proto::FILE_DESCRIPTOR_SET;
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, Kind, MessageDescriptor, ReflectMessage, Value};

/// The fields that were set in the messages passed to [`see`](Covered::see).
pub(super) struct Covered {
    pool: DescriptorPool,
    seen: HashSet<String>,
}

/// Messages of the games are excluded: `parlor-proto` tests them.
fn is_looked_into(message: &MessageDescriptor) -> bool {
    let is_game = matches!(message.name(), "GameOptions" | "GameAction" | "GameEvent" | "GameView");
    message.package_name() == "parlor.v1" && !is_game && !message.is_map_entry()
}

impl Covered {
    pub(super) fn new() -> Covered {
        let pool = DescriptorPool::decode(FILE_DESCRIPTOR_SET).expect("the descriptors are whole");
        Covered { pool, seen: HashSet::new() }
    }

    fn descriptor(&self, name: &str) -> MessageDescriptor {
        self.pool.get_message_by_name(&format!("parlor.v1.{name}")).expect(name)
    }

    /// Records the fields that are set in a message.
    pub(super) fn see(&mut self, name: &str, message: &impl Message) {
        let bytes = message.encode_to_vec();
        let message = DynamicMessage::decode(self.descriptor(name), &*bytes).expect("a message");
        self.walk(&message);
    }

    fn walk(&mut self, message: &DynamicMessage) {
        for (field, value) in message.fields() {
            self.seen.insert(field.full_name().to_owned());
            match value {
                Value::Message(inner) if is_looked_into(&inner.descriptor()) => self.walk(inner),
                Value::List(list) => {
                    let inner = list.iter().filter_map(Value::as_message);
                    inner
                        .filter(|inner| is_looked_into(&inner.descriptor()))
                        .for_each(|inner| self.walk(inner));
                }
                _ => {}
            }
        }
    }

    /// Asserts that every field of the message, and of all messages within it, was set in some recorded
    /// message.
    pub(super) fn check(&self, name: &str) {
        let (mut queue, mut known) = (vec![self.descriptor(name)], HashSet::new());
        let mut missing = Vec::new();
        while let Some(message) = queue.pop() {
            if !known.insert(message.full_name().to_owned()) {
                continue;
            }
            for field in message.fields() {
                if !self.seen.contains(field.full_name()) {
                    missing.push(field.full_name().to_owned());
                }
                match field.kind() {
                    Kind::Message(inner) if is_looked_into(&inner) => queue.push(inner),
                    _ => {}
                }
            }
        }
        assert!(missing.is_empty(), "never set in {name}: {missing:?}");
    }
}
