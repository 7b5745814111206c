//! The messages of streams as a server sends them: put together from items that are encoded already, so that an item is
//! encoded once, where it is made; and with the head that gRPC puts before a message, so that it goes out as it is. On the
//! wire there is no difference: a message within a message is its bytes.

use prost::Message;
use prost::bytes::Bytes;
use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint, uint32};

/// How many bytes gRPC puts before a message: whether it is compressed, and its length.
pub const HEAD: usize = 5;

/// A message of a stream that is being put together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// Nothing before there is an item.
    bytes: Vec<u8>,
}

impl Frame {
    /// How many bytes an item adds to a message, at the most, beside what is said: a key and a length, twice.
    pub const AROUND: usize = 16;

    /// Whether there is no item yet.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The message so far, without its head.
    #[must_use]
    pub fn message(&self) -> &[u8] {
        self.bytes.get(HEAD..).unwrap_or_default()
    }

    /// How many bytes the message has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.message().len()
    }

    /// Makes room for so many bytes of items.
    pub fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(HEAD + bytes);
    }

    /// Adds an item in the field that has them: what is said on a channel is the encoded
    /// [`crate::v1::stream_item::Item`].
    pub fn put(&mut self, field: Field, channel: u32, said: &[u8]) {
        let channel_length = if channel == 0 { 0 } else { uint32::encoded_len(CHANNEL, &channel) };
        let length = channel_length + said.len();
        self.reserve(1 + encoded_len_varint(length as u64) + length);
        self.make_head();
        encode_key(field.0, WireType::LengthDelimited, &mut self.bytes);
        encode_varint(length as u64, &mut self.bytes);
        if channel != 0 {
            uint32::encode(CHANNEL, &channel, &mut self.bytes);
        }
        self.bytes.extend_from_slice(said);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1;

    /// A message of these items and the rest, without its head.
    fn message(field: Field, items: &[v1::StreamItem], rest: &impl Message) -> Bytes {
        let mut frame = Frame::default();
        assert!(frame.is_empty() && frame.len() == 0);
        for item in items {
            let mut said = Vec::new();
            item.item.as_ref().unwrap().encode(&mut said);
            let before = frame.len();
            frame.put(field, item.channel, &said);
            assert!(!frame.is_empty() && frame.len() - before <= said.len() + Frame::AROUND);
        }
        let mut bytes = frame.finish(rest);
        let head = bytes.split_to(HEAD);
        assert_eq!(head[0], 0, "not compressed");
        assert_eq!(head[1..], (bytes.len() as u32).to_be_bytes());
        bytes
    }

    #[test]
    fn the_wire_is_the_same() {
        let item = |channel, number| v1::StreamItem {
            channel,
            item: Some(v1::stream_item::Item::Update(v1::Update { number, ..v1::Update::default() })),
        };
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
}
