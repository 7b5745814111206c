//! The messages of streams as a server sends them: with items that are encoded already, so that an item is encoded once,
//! where it is made, however its message is put together. On the wire there is no difference: a message within a message
//! is its bytes.

use prost::Message;
use prost::bytes::{Buf, BufMut};
use prost::encoding::{DecodeContext, WireType, encode_key, encode_varint, encoded_len_varint, uint32};

use crate::v1;

/// [`v1::PlayResponse`] with encoded items.
pub type PlayResponse = Encoded<v1::PlayResponse>;
/// [`v1::FollowResponse`] with encoded items.
pub type FollowResponse = Encoded<v1::FollowResponse>;
/// [`v1::ConnectResponse`] with encoded items.
pub type ConnectResponse = Encoded<v1::ConnectResponse>;

/// A message of which the items are encoded already.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Encoded<M> {
    /// Its items, one after the other as [`Field::put`] writes them.
    pub items: Vec<u8>,
    /// Everything else.
    pub rest: M,
}

impl<M> From<M> for Encoded<M> {
    fn from(message: M) -> Encoded<M> {
        Encoded { items: Vec::new(), rest: message }
    }
}

impl<M: Message> Message for Encoded<M> {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        buf.put_slice(&self.items);
        self.rest.encode_raw(buf);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), prost::DecodeError> {
        self.rest.merge_field(tag, wire_type, buf, ctx)
    }

    fn encoded_len(&self) -> usize {
        self.items.len() + self.rest.encoded_len()
    }

    fn clear(&mut self) {
        self.items.clear();
        self.rest.clear();
    }
}

/// The field of a message that has its items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field(u32);

impl Field {
    /// In [`v1::PlayResponse`] and [`v1::FollowResponse`].
    pub const PLAY: Field = Field(1);
    /// In [`v1::ConnectResponse`].
    pub const CONNECT: Field = Field(2);

    /// How many bytes an item adds to a message, at the most, beside what is said: a key and a length, twice.
    pub const AROUND: usize = 16;

    /// Adds an item to those of a message: what is said on a channel is the encoded [`v1::stream_item::Item`].
    pub fn put(self, channel: u32, said: &[u8], items: &mut Vec<u8>) {
        let channel_length = if channel == 0 { 0 } else { uint32::encoded_len(CHANNEL, &channel) };
        let length = channel_length + said.len();
        items.reserve(1 + encoded_len_varint(length as u64) + length);
        encode_key(self.0, WireType::LengthDelimited, items);
        encode_varint(length as u64, items);
        if channel != 0 {
            uint32::encode(CHANNEL, &channel, items);
        }
        items.extend_from_slice(said);
    }
}

/// The channel in [`v1::StreamItem`].
const CHANNEL: u32 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    fn put(field: Field, items: &[v1::StreamItem]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for item in items {
            let mut said = Vec::new();
            item.item.as_ref().unwrap().encode(&mut said);
            let before = bytes.len();
            field.put(item.channel, &said, &mut bytes);
            assert!(bytes.len() - before <= said.len() + Field::AROUND);
        }
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

        let rest = v1::PlayResponse { items: Vec::new(), ending };
        let encoded = Encoded { items: put(Field::PLAY, &items), rest };
        let play = v1::PlayResponse { items: items.clone(), ..encoded.rest.clone() };
        assert_eq!(encoded.encode_to_vec(), play.encode_to_vec());
        let follow = v1::FollowResponse { items: items.clone(), ending: play.ending.clone() };
        assert_eq!(encoded.encode_to_vec(), follow.encode_to_vec());

        let rest = v1::ConnectResponse { welcome, set_aside, ending: play.ending, items: Vec::new() };
        let encoded = Encoded { items: put(Field::CONNECT, &items), rest };
        let connect = v1::ConnectResponse { items, ..encoded.rest.clone() };
        assert_eq!(encoded.encoded_len(), connect.encoded_len());
        // In another order: that is nothing to whoever reads it.
        assert_eq!(v1::ConnectResponse::decode(encoded.encode_to_vec().as_slice()), Ok(connect));
    }
}
