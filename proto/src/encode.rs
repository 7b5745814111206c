//! Encoding of protobuf messages straight from the values that they describe.
//!
//! A server encodes a view for each player after each move. A prost message of lists within lists costs more to build
//! and drop than to encode, so the messages of that path are encoded without being built: `build/encoders.rs` generates
//! a struct for each of them, whose fields are those of the message and hold any values with the right encoding. Nothing
//! is allocated but room in the output. The bytes are those of prost.
//!
//! ```
//! use parlor_proto::encode::{self, build_message};
//! use parlor_proto::v1;
//!
//! let standings = [(3, 1), (-1, 2)].into_iter().zip(0_u32..);
//! let outcome = encode::Outcome {
//!     standings: standings.map(|((points, place), seat)| encode::Standing { seat, points, place: place as u8 }),
//! };
//! let message: v1::Outcome = build_message(outcome);
//! assert_eq!(message.standings[1], v1::Standing { seat: 1, points: -1, place: 2 });
//! ```

use std::ops::Range;

use prost::Message;
use prost::encoding::{WireType, encode_varint, encoded_len_varint};

pub use generated::*;

/// The encoders of the messages of package `parlor.v1`.
#[allow(clippy::all, reason = "generated code")]
mod generated {
    use super::{Encode, Encoder, Uint32};
    use crate::v1;

    include!(concat!(env!("OUT_DIR"), "/encoders.rs"));
}

/// A value that encodes itself as a message or as the field of a `oneof`.
///
/// Implemented by the generated encoders, by [`Prost`], by everything with [`ToWire`], and by an `Option` of them: `None`
/// leaves the field of a message out.
pub trait Encode: Sized {
    /// The prost type with the same encoding: a message, or the enum of a `oneof`.
    type Wire;

    /// Appends the fields.
    fn encode(self, to: &mut Encoder<'_>);

    /// Appends a field of the outer message with this message in it.
    #[inline]
    fn encode_field(self, field: u32, to: &mut Encoder<'_>) {
        to.nested(field, |to| self.encode(to));
    }
}

/// A type with a conversion to an encoder.
pub trait ToWire {
    /// The prost type with the same encoding: a message, or the enum of a `oneof`.
    type Wire;

    /// Returns the encoder of this value.
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire>;
}

impl<T: ToWire> ToWire for &T {
    type Wire = T::Wire;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        (**self).to_wire()
    }
}

impl<T: ToWire> Encode for T {
    type Wire = T::Wire;

    #[inline]
    fn encode(self, to: &mut Encoder<'_>) {
        self.to_wire().encode(to);
    }

    #[inline]
    fn encode_field(self, field: u32, to: &mut Encoder<'_>) {
        self.to_wire().encode_field(field, to);
    }
}

impl<E: Encode> Encode for Option<E> {
    type Wire = E::Wire;

    #[inline]
    fn encode(self, to: &mut Encoder<'_>) {
        if let Some(value) = self {
            value.encode(to);
        }
    }

    #[inline]
    fn encode_field(self, field: u32, to: &mut Encoder<'_>) {
        if let Some(value) = self {
            value.encode_field(field, to);
        }
    }
}

/// A prost message, for what is built before it is encoded.
#[derive(Clone, Copy, Debug)]
pub struct Prost<M>(pub M);

impl<M: Message> Encode for Prost<M> {
    type Wire = M;

    fn encode(self, to: &mut Encoder<'_>) {
        self.0.encode_raw(to.0);
    }
}

/// A value that fits into a `uint32` field.
pub trait Uint32 {
    /// Converts the value.
    fn to_uint32(self) -> u32;
}

macro_rules! uint32 {
    ($($number:ty),*) => {
        $(impl Uint32 for $number {
            #[inline]
            fn to_uint32(self) -> u32 {
                self.into()
            }
        })*
    };
}
uint32!(u8, u16, u32);

/// Appends the fields of one message to a buffer. As in prost, default values are skipped where a field has no presence.
#[derive(Debug)]
pub struct Encoder<'a>(&'a mut Vec<u8>);

impl<'a> Encoder<'a> {
    /// Creates an encoder that appends to the buffer.
    pub fn new(buffer: &'a mut Vec<u8>) -> Encoder<'a> {
        Encoder(buffer)
    }

    /// Length of the whole buffer, including the bytes before this message.
    #[cfg(feature = "server")]
    pub(crate) fn buffer_len(&self) -> usize {
        self.0.len()
    }

    /// `uint32`.
    #[inline]
    fn uint32(&mut self, field: u32, value: impl Uint32) {
        let value = value.to_uint32();
        if value != 0 {
            self.present_uint32(field, value);
        }
    }

    /// `uint32` with presence: encoded even if it is 0.
    #[inline]
    fn present_uint32(&mut self, field: u32, value: impl Uint32) {
        self.key(field, WireType::Varint);
        self.varint(value.to_uint32().into());
    }

    /// `optional uint32`.
    #[inline]
    fn optional_uint32(&mut self, field: u32, value: Option<impl Uint32>) {
        if let Some(value) = value {
            self.present_uint32(field, value);
        }
    }

    /// `repeated uint32`, packed. Always inlined: the iterators are large, and a call copies them.
    #[inline(always)]
    fn repeated_uint32(&mut self, field: u32, values: impl IntoIterator<Item: Uint32>) {
        let mut values = values.into_iter();
        if let Some(first) = values.next() {
            self.nested(field, |list| {
                list.varint(first.to_uint32().into());
                values.for_each(|value| list.varint(value.to_uint32().into()));
            });
        }
    }

    /// `sint32`.
    #[inline]
    fn sint32(&mut self, field: u32, value: i32) {
        self.uint32(field, zigzag(value));
    }

    /// `repeated sint32`, packed.
    #[inline]
    fn repeated_sint32(&mut self, field: u32, values: impl IntoIterator<Item = i32>) {
        self.repeated_uint32(field, values.into_iter().map(zigzag));
    }

    /// `bool`.
    #[inline]
    fn bool(&mut self, field: u32, value: bool) {
        self.uint32(field, u8::from(value));
    }

    /// An enum; its values are not negative.
    #[inline]
    fn enumeration<E: Into<i32>>(&mut self, field: u32, value: impl Into<E>) {
        self.uint32(field, value.into().into() as u32);
    }

    /// An enum with presence: encoded even if it is 0.
    #[inline]
    fn present_enumeration<E: Into<i32>>(&mut self, field: u32, value: impl Into<E>) {
        self.present_uint32(field, value.into().into() as u32);
    }

    /// A message. It is encoded even if it is empty, unless it is `None`.
    #[inline]
    fn message(&mut self, field: u32, value: impl Encode<Wire: Message>) {
        value.encode_field(field, self);
    }

    /// A repeated message.
    #[inline]
    fn messages(&mut self, field: u32, values: impl IntoIterator<Item: Encode<Wire: Message>>) {
        values.into_iter().for_each(|value| self.message(field, value));
    }

    /// A message of two numbers, its fields 1 and 2. Cards are such messages, and the most frequent ones: if every number
    /// has one byte, all six bytes are appended at once, without a call.
    #[inline(always)]
    fn message_of_two(&mut self, field: u32, numbers: [u32; 2]) {
        let [first, second] = numbers;
        let is_short = |number: u32| (1..0x80).contains(&number);
        if field < 0x10 && is_short(first) && is_short(second) {
            let key = |field: u32, kind: WireType| (field << 3) as u8 | kind as u8;
            let [one, two] = [1, 2].map(|field| key(field, WireType::Varint));
            let message = [key(field, WireType::LengthDelimited), 4, one, first as u8, two, second as u8];
            self.0.extend_from_slice(&message);
        } else {
            self.message_of_two_any(field, numbers);
        }
    }

    /// [`message_of_two`](Encoder::message_of_two) for all numbers.
    #[inline(never)]
    fn message_of_two_any(&mut self, field: u32, [first, second]: [u32; 2]) {
        self.nested(field, |to| {
            to.uint32(1, first);
            to.uint32(2, second);
        });
    }

    /// A length-delimited field whose content the function appends. The length is filled in afterwards.
    #[inline]
    pub(crate) fn nested(&mut self, field: u32, content: impl FnOnce(&mut Encoder<'_>)) {
        self.key(field, WireType::LengthDelimited);
        let start = self.0.len();
        self.0.push(0);
        content(&mut Encoder(self.0));
        let content = start + 1..self.0.len();
        if content.len() < 0x80 {
            self.0[start] = content.len() as u8;
        } else {
            self.insert_long_length(content);
        }
    }

    /// Writes a length of more bytes than the one reserved before the content, which moves to make room.
    fn insert_long_length(&mut self, content: Range<usize>) {
        let length = content.len() as u64;
        let start = content.start - 1;
        let room = encoded_len_varint(length);
        self.0.resize(start + room + content.len(), 0);
        self.0.copy_within(content, start + room);
        encode_varint(length, &mut &mut self.0[start..start + room]);
    }

    #[inline]
    fn key(&mut self, field: u32, kind: WireType) {
        self.varint(u64::from(field) << 3 | kind as u64);
    }

    /// A varint. Nearly all have one byte, which is appended without a call.
    #[inline]
    fn varint(&mut self, value: u64) {
        if value < 0x80 {
            self.0.push(value as u8);
        } else {
            encode_varint(value, self.0);
        }
    }
}

/// Maps signed to unsigned numbers so that small absolute values stay small.
const fn zigzag(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

/// Encodes a value.
#[must_use]
pub fn to_bytes(value: impl Encode) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.encode(&mut Encoder::new(&mut bytes));
    bytes
}

/// Builds the prost message of a value, by encoding and decoding it.
#[must_use]
pub fn build_message<E: Encode<Wire: Message + Default>>(value: E) -> E::Wire {
    E::Wire::decode(to_bytes(value).as_slice()).expect("an encoder's output decodes")
}

#[cfg(test)]
mod tests;
