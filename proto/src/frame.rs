//! Items of the server's response streams, encoded one by one.
//!
//! An item is encoded once, where it is made. An embedded message is its length and its bytes, so a batch of encoded items
//! is the body of a response message.

use prost::encoding::{WireType, decode_varint, encode_key, encode_varint, uint32};

use crate::encode::{self, Encode, Encoder};
use crate::v1;

/// The field of a response message that holds its items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ItemsField(u32);

impl ItemsField {
    /// Of [`v1::PlayResponse`] and [`v1::FollowResponse`].
    pub const PLAY: ItemsField = ItemsField(v1::PlayResponse::ITEMS_FIELD_NUMBER);
    /// Of [`v1::ConnectResponse`].
    pub const CONNECT: ItemsField = ItemsField(v1::ConnectResponse::ITEMS_FIELD_NUMBER);
}

const _: () = assert!(
    v1::PlayResponse::ITEMS_FIELD_NUMBER == v1::FollowResponse::ITEMS_FIELD_NUMBER,
    "messages of Play and Follow are assembled alike"
);

/// Upper bound of the bytes of an item around its content: a key and a length, twice.
const MAX_OVERHEAD: usize = 16;

/// An item that reports its encoded length.
struct Measured<'a, I> {
    item: I,
    length: &'a mut usize,
}

impl<I: Encode> Encode for Measured<'_, I> {
    type Wire = I::Wire;

    #[inline]
    fn encode(self, to: &mut Encoder<'_>) {
        let before = to.buffer_len();
        self.item.encode(to);
        *self.length = to.buffer_len() - before;
    }
}

/// Appends an item. Returns the length of its [`v1::stream_item::Item`], which is at the end.
pub fn append_item(
    field: ItemsField,
    channel: u32,
    item: impl Encode<Wire = v1::stream_item::Item>,
    to: &mut Vec<u8>,
) -> usize {
    let mut length = 0;
    let item = Measured { item, length: &mut length };
    encode::StreamItem { channel, item }.encode_field(field.0, &mut Encoder::new(to));
    length
}

/// Appends an item whose [`v1::stream_item::Item`] is already encoded.
pub fn append_encoded_item(field: ItemsField, channel: u32, item: &[u8], to: &mut Vec<u8>) {
    const CHANNEL: u32 = v1::StreamItem::CHANNEL_FIELD_NUMBER;
    let channel_length = if channel == 0 { 0 } else { uint32::encoded_len(CHANNEL, &channel) };
    to.reserve(MAX_OVERHEAD + item.len());
    encode_key(field.0, WireType::LengthDelimited, to);
    encode_varint((channel_length + item.len()) as u64, to);
    if channel != 0 {
        uint32::encode(CHANNEL, &channel, to);
    }
    to.extend_from_slice(item);
}

/// The length of the first of some encoded items.
///
/// # Panics
/// If the bytes are not items that were encoded here.
#[must_use]
pub fn item_length(items: &[u8]) -> usize {
    let mut rest = items;
    let mut varint = || decode_varint(&mut rest).expect("encoded items");
    let (_key, length) = (varint(), varint());
    items.len() - rest.len() + length as usize
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;
    use crate::encode::Prost;

    fn closed(length: usize) -> v1::ChannelClosed {
        v1::ChannelClosed { message: "x".repeat(length), ..v1::ChannelClosed::default() }
    }

    #[test]
    fn items_encode_as_prost_encodes_the_message() {
        let lengths = [0, 1, 100, 127, 128, 200, 20_000];
        let cases = lengths.into_iter().flat_map(|length| [0, 5, 200].map(|channel| (channel, length)));
        let cases: Vec<(u32, usize)> = cases.collect();
        let item = |(channel, length): (u32, usize)| v1::StreamItem {
            channel,
            item: Some(v1::stream_item::Item::Closed(closed(length))),
        };
        let items: Vec<_> = cases.iter().copied().map(item).collect();
        let play = v1::PlayResponse { items: items.clone(), ending: None };
        let follow = v1::FollowResponse { items: items.clone(), ending: None };
        let connect = v1::ConnectResponse { items, ..Default::default() };
        for (field, expected) in [
            (ItemsField::PLAY, play.encode_to_vec()),
            (ItemsField::PLAY, follow.encode_to_vec()),
            (ItemsField::CONNECT, connect.encode_to_vec()),
        ] {
            let (mut written, mut copied) = (Vec::new(), Vec::new());
            for (channel, length) in &cases {
                type Item = encode::stream_item::Item<
                    Prost<v1::Snapshot>,
                    Prost<v1::Update>,
                    Prost<v1::Decision>,
                    Prost<v1::Answered>,
                    Prost<v1::Presence>,
                    Prost<v1::TimeLeft>,
                    Prost<v1::ChannelClosed>,
                    Prost<v1::SeatGiven>,
                    Prost<v1::TournamentEntropyAsked>,
                    Prost<v1::EntropyRevealed>,
                >;
                let length = append_item(field, *channel, Item::Closed(Prost(closed(*length))), &mut written);
                let encoded = written[written.len() - length..].to_vec();
                append_encoded_item(field, *channel, &encoded, &mut copied);
            }
            assert_eq!(written, expected);
            assert_eq!(copied, expected);
            let (mut rest, mut count) = (written.as_slice(), 0);
            while !rest.is_empty() {
                rest = &rest[item_length(rest)..];
                count += 1;
            }
            assert_eq!(count, cases.len());
        }
    }
}
