//! Batches of encoded stream items: the body of one stream message, encoded once, when a change is made.

use std::fmt::Debug;
use std::ops::Range;

use super::StreamItem;
use crate::Channel;

/// The kind of a stream. It determines the field of the message that holds the items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamKind {
    /// A stream of a client that attaches its channels: Play and Follow.
    Client,
    /// A stream of an agent, whose channels the server attaches: Connect.
    Agent,
}

/// Encodes stream items for the transport. An encoded message is the concatenation of its encoded items.
pub trait ItemEncoder: Debug + Send + Sync + 'static {
    /// Appends an item. Returns the length of its suffix that does not depend on the channel, the input of
    /// [`ItemEncoder::append_encoded`].
    fn append(&self, stream: StreamKind, channel: Channel, item: &StreamItem<'_>, to: &mut Vec<u8>) -> usize;

    /// Appends an item on another channel, from its channel-independent bytes.
    fn append_encoded(&self, stream: StreamKind, channel: Channel, encoded: &[u8], to: &mut Vec<u8>);

    /// Length in bytes of the first of several encoded items.
    fn first_item_length(&self, items: &[u8]) -> usize;
}

/// Encoded items of one stream.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ItemBatch {
    bytes: Vec<u8>,
    items: usize,
}

impl ItemBatch {
    /// An empty batch with room for this many bytes.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> ItemBatch {
        ItemBatch { bytes: Vec::with_capacity(bytes), items: 0 }
    }

    /// A batch of one item, which is already encoded.
    #[must_use]
    pub const fn from_item(bytes: Vec<u8>) -> ItemBatch {
        ItemBatch { bytes, items: 1 }
    }

    /// Reserves room for more bytes.
    pub fn reserve(&mut self, additional: usize) {
        self.bytes.reserve(additional);
    }

    /// The number of items.
    #[must_use]
    pub const fn items(&self) -> usize {
        self.items
    }

    /// Returns whether the batch has no item.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.items == 0
    }

    /// The length in bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The encoded items.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The encoded items.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Appends an item. Returns the range of its channel-independent bytes.
    pub fn push(
        &mut self,
        encoder: &dyn ItemEncoder,
        stream: StreamKind,
        channel: Channel,
        item: &StreamItem<'_>,
    ) -> Range<usize> {
        let length = encoder.append(stream, channel, item, &mut self.bytes);
        self.items += 1;
        self.bytes.len() - length..self.bytes.len()
    }

    /// Prepends an item.
    pub fn push_front(
        &mut self,
        encoder: &dyn ItemEncoder,
        stream: StreamKind,
        channel: Channel,
        item: &StreamItem<'_>,
    ) {
        let others = self.bytes.len();
        self.push(encoder, stream, channel, item);
        self.bytes.rotate_left(others);
    }

    /// Appends an item for another channel from the bytes at the range that [`ItemBatch::push`] returned.
    pub fn push_encoded(
        &mut self,
        encoder: &dyn ItemEncoder,
        stream: StreamKind,
        channel: Channel,
        encoded: &[u8],
    ) {
        encoder.append_encoded(stream, channel, encoded, &mut self.bytes);
        self.items += 1;
    }

    /// Appends the items of another batch.
    pub fn append(&mut self, other: &ItemBatch) {
        self.bytes.extend_from_slice(&other.bytes);
        self.items += other.items;
    }

    /// Splits the items into batches of at most `max_bytes`, except for single larger items.
    #[must_use]
    pub fn split(&self, encoder: &dyn ItemEncoder, max_bytes: usize) -> Vec<ItemBatch> {
        let (mut parts, mut part) = (Vec::new(), ItemBatch::default());
        let mut rest = self.bytes.as_slice();
        while !rest.is_empty() {
            let (item, others) = rest.split_at(encoder.first_item_length(rest));
            if !part.is_empty() && part.len() + item.len() > max_bytes {
                parts.push(std::mem::take(&mut part));
            }
            part.bytes.extend_from_slice(item);
            part.items += 1;
            rest = others;
        }
        parts.push(part);
        parts
    }
}

/// An encoder for tests: four bytes of length, the channel, and a text of the item.
#[cfg(test)]
pub(crate) mod test_encoder {
    use super::*;

    #[derive(Debug)]
    pub(crate) struct TestEncoder;

    impl ItemEncoder for TestEncoder {
        fn append(
            &self,
            stream: StreamKind,
            channel: Channel,
            item: &StreamItem<'_>,
            to: &mut Vec<u8>,
        ) -> usize {
            let text = match item {
                // Long texts, so that an item can be larger than a message.
                StreamItem::Closed(closed) => {
                    format!(
                        "{}{}",
                        closed.number,
                        closed.why.as_ref().map(ToString::to_string).unwrap_or_default()
                    )
                }
                other => format!("{other:?}"),
            };
            self.append_encoded(stream, channel, text.as_bytes(), to);
            text.len()
        }

        fn append_encoded(&self, _: StreamKind, channel: Channel, encoded: &[u8], to: &mut Vec<u8>) {
            to.extend_from_slice(&(encoded.len() as u32).to_be_bytes());
            to.push(channel.0 as u8);
            to.extend_from_slice(encoded);
        }

        fn first_item_length(&self, items: &[u8]) -> usize {
            let length: [u8; 4] = items[..4].try_into().expect("a length");
            5 + u32::from_be_bytes(length) as usize
        }
    }

    /// The texts of encoded items.
    pub(crate) fn texts(batch: &ItemBatch) -> Vec<String> {
        let mut rest = batch.as_bytes();
        let mut texts = Vec::new();
        while !rest.is_empty() {
            let (item, others) = rest.split_at(TestEncoder.first_item_length(rest));
            texts.push(String::from_utf8(item[5..].to_vec()).expect("a text"));
            rest = others;
        }
        texts
    }
}

#[cfg(test)]
mod tests {
    use super::test_encoder::TestEncoder;
    use super::*;
    use crate::stream::queue::channel_closed;

    fn batch(numbers: impl IntoIterator<Item = u64>) -> ItemBatch {
        let mut batch = ItemBatch::default();
        for number in numbers {
            let item = StreamItem::Closed(channel_closed(None, number * number));
            batch.push(&TestEncoder, StreamKind::Client, Channel(number as u32 % 3), &item);
        }
        batch
    }

    #[test]
    fn batches_append_and_split_without_losing_items() {
        let whole = batch(0..100);
        for middle in [0, 1, 40, 100] {
            let mut joined = ItemBatch::with_capacity(10);
            joined.append(&batch(0..middle));
            joined.append(&batch(middle..100));
            assert_eq!(joined, whole);
        }
        for max_bytes in [0, 20, 64, 10_000] {
            let parts = whole.split(&TestEncoder, max_bytes);
            let mut joined = ItemBatch::default();
            for part in &parts {
                assert!(!part.is_empty() && (part.len() <= max_bytes || part.items() == 1), "{part:?}");
                joined.append(part);
            }
            assert_eq!(joined, whole);
            assert_eq!(parts.len() == 1, max_bytes == 10_000);
        }
    }

    #[test]
    fn an_item_pushed_to_the_front_comes_first() {
        let item = StreamItem::Closed(channel_closed(None, 7));
        for others in [batch([]), batch(1..4)] {
            let mut expected = ItemBatch::default();
            expected.push(&TestEncoder, StreamKind::Client, Channel(1), &item);
            expected.append(&others);
            let mut front = others;
            front.push_front(&TestEncoder, StreamKind::Client, Channel(1), &item);
            assert_eq!(front, expected);
        }
    }
}
