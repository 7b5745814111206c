//! Items of stream messages, encoded one by one: a message within a message is its bytes, so a batch of encoded items is the
//! body of a response message.

use prost::encoding::{WireType, decode_varint, encode_key, encode_varint, uint32};

use crate::write::{Fields, Write};

/// The field of a response message that holds its items.
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

/// Upper bound of the bytes of an item around its content: a key and a length, twice.
const MAX_OVERHEAD: usize = 16;

/// Appends an item. Returns the length of its content, which is at the end: the encoded
/// [`crate::v1::stream_item::Item`], without the channel.
pub fn append_item(field: Field, channel: u32, content: &impl Write, to: &mut Vec<u8>) -> usize {
    let mut length = 0;
    Fields::of(to).nested(field.0, |to| {
        to.number(CHANNEL, channel);
        let before = to.written();
        content.write(to);
        length = to.written() - before;
    });
    length
}

/// Appends an item whose content is already encoded.
pub fn append_encoded_item(field: Field, channel: u32, content: &[u8], to: &mut Vec<u8>) {
    let channel_length = if channel == 0 { 0 } else { uint32::encoded_len(CHANNEL, &channel) };
    to.reserve(MAX_OVERHEAD + content.len());
    encode_key(field.0, WireType::LengthDelimited, to);
    encode_varint((channel_length + content.len()) as u64, to);
    if channel != 0 {
        uint32::encode(CHANNEL, &channel, to);
    }
    to.extend_from_slice(content);
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
    use crate::v1;

    /// A prost message as content.
    struct Content(v1::StreamItem);

    impl Write for Content {
        fn write(&self, to: &mut Fields<'_>) {
            to.all_of(&self.0);
        }
    }

    fn item(channel: u32, length: usize) -> v1::StreamItem {
        let closed = v1::ChannelClosed { message: "x".repeat(length), ..v1::ChannelClosed::default() };
        v1::StreamItem { channel, item: Some(v1::stream_item::Item::Closed(closed)) }
    }

    #[test]
    fn items_encode_as_prost_encodes_the_message() {
        let lengths = [0, 1, 100, 127, 128, 200, 20_000];
        let items: Vec<_> =
            lengths.into_iter().flat_map(|length| [0, 5, 200].map(|channel| item(channel, length))).collect();
        for (field, expected) in [
            (Field::PLAY, v1::PlayResponse { items: items.clone(), ending: None }.encode_to_vec()),
            (Field::PLAY, v1::FollowResponse { items: items.clone(), ending: None }.encode_to_vec()),
            (
                Field::CONNECT,
                v1::ConnectResponse { items: items.clone(), ..Default::default() }.encode_to_vec(),
            ),
        ] {
            let (mut written, mut copied) = (Vec::new(), Vec::new());
            for item in &items {
                let content = Content(v1::StreamItem { channel: 0, ..item.clone() });
                let length = append_item(field, item.channel, &content, &mut written);
                let encoded = written[written.len() - length..].to_vec();
                append_encoded_item(field, item.channel, &encoded, &mut copied);
            }
            assert_eq!(written, expected);
            assert_eq!(copied, expected);
            let (mut rest, mut count) = (written.as_slice(), 0);
            while !rest.is_empty() {
                rest = &rest[item_length(rest)..];
                count += 1;
            }
            assert_eq!(count, items.len());
        }
    }
}
