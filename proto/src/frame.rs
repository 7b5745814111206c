//! The messages of streams as a server sends them: put together item by item, each of them written once, where it is made;
//! and with the head that gRPC puts before a message, so that it goes out as it is. On the wire there is no difference: a
//! message within a message is its bytes.

use std::ops::Range;

use prost::Message;
use prost::bytes::{Buf, Bytes};
use prost::encoding::{WireType, decode_varint, encode_key, encode_varint, uint32};

#[cfg(feature = "engine")]
use crate::write::{Fields, Write};

/// How many bytes gRPC puts before a message: whether it is compressed, and its length.
pub const HEAD: usize = 5;

/// A message of a stream that is being put together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// With a head as soon as there is an item.
    bytes: Vec<u8>,
    items: usize,
}

impl Frame {
    /// A message with room for so many bytes.
    #[must_use]
    pub fn with_room(bytes: usize) -> Frame {
        Frame { bytes: Vec::with_capacity(HEAD + bytes), items: 0 }
    }

    /// Makes room for so many bytes more.
    pub fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(bytes);
    }

    /// How many items there are.
    #[must_use]
    pub const fn items(&self) -> usize {
        self.items
    }

    /// Whether there is no item yet.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.items == 0
    }

    /// The message so far, without its head.
    #[must_use]
    pub fn message(&self) -> &[u8] {
        self.bytes.get(HEAD..).unwrap_or_default()
    }

    /// How many bytes the message has so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.message().len()
    }

    /// Adds an item in the field that has them. What is said on a channel is the encoded
    /// [`crate::v1::stream_item::Item`].
    pub fn put(&mut self, field: Field, channel: u32, said: &[u8]) {
        self.make_head();
        put_before(field, channel, said.len(), &mut self.bytes);
        self.bytes.extend_from_slice(said);
        self.items += 1;
    }

    /// Adds an item that is written now. Gives where in the message that stands which is said.
    #[cfg(feature = "engine")]
    pub fn write(&mut self, field: Field, channel: u32, said: &impl Write) -> Range<usize> {
        self.make_head();
        let mut length = 0;
        Fields::of(&mut self.bytes).nested(field.0, |to| {
            to.number(CHANNEL, channel);
            let before = to.written();
            said.write(to);
            length = to.written() - before;
        });
        self.items += 1;
        self.len() - length..self.len()
    }

    /// Adds an item before all others.
    #[cfg(feature = "engine")]
    pub fn write_first(&mut self, field: Field, channel: u32, said: &impl Write) {
        let others = self.len();
        self.write(field, channel, said);
        self.bytes[HEAD..].rotate_left(others);
    }

    /// Adds the items of another message.
    pub fn append(&mut self, other: &Frame) {
        self.make_head();
        self.bytes.extend_from_slice(other.message());
        self.items += other.items;
    }

    /// The same items in messages of at most so many bytes, save for items that are larger.
    #[must_use]
    pub fn split(&self, most: usize) -> Vec<Frame> {
        let mut parts = Vec::new();
        let mut part = Frame::default();
        let mut rest = self.message();
        while !rest.is_empty() {
            let (item, others) = rest.split_at(item_length(rest));
            if !part.is_empty() && part.len() + item.len() > most {
                parts.push(std::mem::take(&mut part));
            }
            part.make_head();
            part.bytes.extend_from_slice(item);
            part.items += 1;
            rest = others;
        }
        parts.push(part);
        parts
    }

    /// The message with everything else that it says, as it goes over the wire.
    ///
    /// # Panics
    ///
    /// If it has 4 GiB: gRPC knows no such messages.
    #[must_use]
    pub fn finish(mut self, rest: &impl Message) -> Bytes {
        self.make_head();
        rest.encode_raw(&mut self.bytes);
        let length = u32::try_from(self.len()).expect("less than 4 GiB");
        self.bytes[1..HEAD].copy_from_slice(&length.to_be_bytes());
        // Bytes that fill their room need no other to count those who share them.
        self.bytes.shrink_to_fit();
        Bytes::from(self.bytes)
    }

    fn make_head(&mut self) {
        if self.bytes.is_empty() {
            self.bytes.extend_from_slice(&[0; HEAD]);
        }
    }
}

/// The field of a message that has its items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field(u32);

impl Field {
    /// In [`crate::v1::PlayResponse`] and [`crate::v1::FollowResponse`].
    pub const PLAY: Field = Field(1);
    /// In [`crate::v1::ConnectResponse`].
    pub const CONNECT: Field = Field(2);
}

/// The channel in [`crate::v1::StreamItem`].
const CHANNEL: u32 = 1;

/// How many bytes an item has beside what is said, at the most: a key and a length, twice.
const AROUND: usize = 16;

/// What stands in an item before that which is said.
fn put_before(field: Field, channel: u32, said: usize, to: &mut Vec<u8>) {
    let channel_length = if channel == 0 { 0 } else { uint32::encoded_len(CHANNEL, &channel) };
    to.reserve(AROUND + said);
    encode_key(field.0, WireType::LengthDelimited, to);
    encode_varint((channel_length + said) as u64, to);
    if channel != 0 {
        uint32::encode(CHANNEL, &channel, to);
    }
}

/// How many bytes the first of some items has.
fn item_length(items: &[u8]) -> usize {
    let mut rest = items;
    let mut varint = || decode_varint(&mut rest).expect("written by a frame");
    let (_key, length) = (varint(), varint());
    items.len() - rest.remaining() + length as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1;

    fn item(channel: u32, number: u32) -> v1::StreamItem {
        let update = v1::Update { number, ..v1::Update::default() };
        v1::StreamItem { channel, item: Some(v1::stream_item::Item::Update(update)) }
    }

    fn said(item: &v1::StreamItem) -> Vec<u8> {
        let mut said = Vec::new();
        item.item.as_ref().unwrap().encode(&mut said);
        said
    }

    fn frame(field: Field, items: &[v1::StreamItem]) -> Frame {
        let mut frame = Frame::default();
        for item in items {
            assert!(frame.items() != 0 || frame.is_empty());
            let (before, said) = (frame.len(), said(item));
            frame.put(field, item.channel, &said);
            assert!(frame.len() - before <= AROUND + said.len());
        }
        assert_eq!(frame.items(), items.len());
        frame
    }

    /// A message of these items and the rest, without its head.
    fn message(field: Field, items: &[v1::StreamItem], rest: &impl Message) -> Bytes {
        let mut bytes = frame(field, items).finish(rest);
        let head = bytes.split_to(HEAD);
        assert_eq!(head[0], 0, "not compressed");
        assert_eq!(head[1..], (bytes.len() as u32).to_be_bytes());
        bytes
    }

    #[test]
    fn the_wire_is_the_same() {
        let items = vec![item(0, 300), item(7, 1), item(u32::MAX, 0)];
        let ending = Some(v1::StreamEnding { retry_ms: 5, ..v1::StreamEnding::default() });
        let welcome = Some(v1::AgentWelcome { max_tables: 3, ..v1::AgentWelcome::default() });
        let set_aside = Some(v1::SetAside { message: "slow".to_owned(), ..v1::SetAside::default() });

        for ending in [None, ending.clone()] {
            let rest = v1::PlayResponse { items: Vec::new(), ending };
            let play = v1::PlayResponse { items: items.clone(), ..rest.clone() };
            assert_eq!(message(Field::PLAY, &items, &rest), play.encode_to_vec());
            let follow = v1::FollowResponse { items: items.clone(), ending: play.ending };
            assert_eq!(message(Field::PLAY, &items, &rest), follow.encode_to_vec());
            assert_eq!(message(Field::PLAY, &[], &rest), rest.encode_to_vec());
        }

        let rest = v1::ConnectResponse { welcome, set_aside, ending, items: Vec::new() };
        let encoded = message(Field::CONNECT, &items, &rest);
        let connect = v1::ConnectResponse { items, ..rest };
        assert_eq!(encoded.len(), connect.encoded_len());
        // In another order: that is nothing to whoever reads it.
        assert_eq!(v1::ConnectResponse::decode(encoded), Ok(connect));
    }

    #[test]
    fn items_are_put_together_and_taken_apart_again() {
        let items: Vec<_> = (0..100).map(|number| item(number % 3, number * number)).collect();
        let whole = frame(Field::CONNECT, &items);
        for number in [0, 1, 40, 100] {
            let mut some = Frame::with_room(number);
            some.append(&frame(Field::CONNECT, &items[..number]));
            some.append(&frame(Field::CONNECT, &items[number..]));
            assert_eq!(some, whole);
        }

        for most in [0, 20, 64, 10_000] {
            let parts = whole.split(most);
            let mut again = Frame::default();
            for part in &parts {
                assert!(!part.is_empty() && (part.len() <= most || part.items() == 1), "{part:?}");
                again.append(part);
            }
            assert_eq!(again, whole);
            assert_eq!(parts.len() == 1, most == 10_000);
        }
    }

    #[cfg(feature = "engine")]
    #[test]
    fn what_is_written_is_what_is_put() {
        struct Said(Vec<u8>);
        impl Write for Said {
            fn write(&self, to: &mut Fields<'_>) {
                to.all_of(&v1::StreamItem::decode(self.0.as_slice()).unwrap());
            }
        }
        for length in [0, 1, 100, 127, 128, 200, 20_000] {
            for channel in [0, 5, 200] {
                let text = "x".repeat(length);
                let closed = v1::ChannelClosed { message: text, ..v1::ChannelClosed::default() };
                let item = v1::StreamItem { channel, item: Some(v1::stream_item::Item::Closed(closed)) };
                let said = said(&item);
                let (mut put, mut written) = (Frame::default(), Frame::default());
                for _ in 0..2 {
                    put.put(Field::PLAY, channel, &said);
                    let place = written.write(Field::PLAY, channel, &Said(said.clone()));
                    assert_eq!(written.message()[place], said);
                }
                assert_eq!(put, written);
                for others in [Frame::default(), Frame::with_room(1000), written] {
                    let mut all = Frame::default();
                    all.put(Field::PLAY, channel, &said);
                    all.append(&others);
                    let mut first = others;
                    first.write_first(Field::PLAY, channel, &Said(said.clone()));
                    assert_eq!(first, all);
                }
            }
        }
    }
}
