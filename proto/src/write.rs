//! Writing messages field by field, without making them first.
//!
//! A server writes a view for each player after each move, and a message made of lists within lists costs more to make and
//! to take apart than to write: so what the engine gives is written as it is. A field is named by its number in the .proto
//! file, and the tests read everything back.

use std::ops::Range;

use prost::Message;
use prost::encoding::{WireType, encode_varint, encoded_len_varint};

/// Something that has a form on the wire.
pub trait Write {
    /// Writes its fields.
    fn write(&self, to: &mut Fields<'_>);

    /// Writes it as the message in a field of another one.
    fn write_in(&self, field: u32, to: &mut Fields<'_>) {
        to.nested(field, |to| self.write(to));
    }
}

impl<W: Write + ?Sized> Write for &W {
    fn write(&self, to: &mut Fields<'_>) {
        W::write(self, to);
    }

    fn write_in(&self, field: u32, to: &mut Fields<'_>) {
        W::write_in(self, field, to);
    }
}

/// The fields of one message, which are added to what was written before. As everywhere in proto3, what a field has when
/// it is not there is not written, unless the name of the method says so.
#[derive(Debug)]
pub struct Fields<'a>(&'a mut Vec<u8>);

impl<'a> Fields<'a> {
    /// The fields of a message that is written here.
    pub fn of(message: &'a mut Vec<u8>) -> Fields<'a> {
        Fields(message)
    }

    /// How many bytes are written here, these fields and whatever is before them.
    #[cfg(all(feature = "server", feature = "engine"))]
    pub(crate) fn written(&self) -> usize {
        self.0.len()
    }

    /// A number, or one of an enum's.
    #[inline]
    pub fn number(&mut self, field: u32, value: impl Into<u64>) {
        let value = value.into();
        if value != 0 {
            self.present(field, value);
        }
    }

    /// A number in a field that can be missing, and is there: it is written though it may be 0.
    #[inline]
    pub fn present(&mut self, field: u32, value: impl Into<u64>) {
        self.key(field, WireType::Varint);
        self.varint(value.into());
    }

    /// A number that may be negative (`sint32`).
    pub fn signed(&mut self, field: u32, value: i32) {
        self.number(field, zigzag(value));
    }

    /// Yes or no.
    pub fn flag(&mut self, field: u32, value: bool) {
        self.number(field, value);
    }

    /// A list of numbers that may be negative (`repeated sint32`).
    pub fn signed_list(&mut self, field: u32, values: impl IntoIterator<Item = i32>) {
        self.list(field, values.into_iter().map(zigzag));
    }

    /// A list of numbers (`repeated uint32`).
    pub fn list(&mut self, field: u32, values: impl IntoIterator<Item = u32>) {
        let mut values = values.into_iter().peekable();
        if values.peek().is_some() {
            self.nested(field, |list| values.for_each(|value| list.varint(value.into())));
        }
    }

    /// A message, which is there even if it is empty.
    pub fn message(&mut self, field: u32, value: &(impl Write + ?Sized)) {
        value.write_in(field, self);
    }

    /// A message that may be missing.
    pub fn optional(&mut self, field: u32, value: Option<impl Write>) {
        if let Some(value) = value {
            self.message(field, &value);
        }
    }

    /// A list of messages.
    pub fn messages(&mut self, field: u32, values: impl IntoIterator<Item = impl Write>) {
        values.into_iter().for_each(|value| self.message(field, &value));
    }

    /// Two numbers, which are the fields 1 and 2: such are most cards.
    pub fn pair(&mut self, [first, second]: [u32; 2]) {
        self.number(1, first);
        self.number(2, second);
    }

    /// A message of nothing but [two numbers](Fields::pair). Nothing is written as often: mostly all of it is put down at once.
    #[inline]
    pub fn message_of_pair(&mut self, field: u32, pair: [u32; 2]) {
        let [first, second] = pair;
        let is_short = |number: u32| (1..0x80).contains(&number);
        if field < 0x10 && is_short(first) && is_short(second) {
            let key = |field: u32, kind: WireType| (field << 3) as u8 | kind as u8;
            let [one, two] = [1, 2].map(|field| key(field, WireType::Varint));
            let message = [key(field, WireType::LengthDelimited), 4, one, first as u8, two, second as u8];
            self.0.extend_from_slice(&message);
        } else {
            self.nested(field, |to| to.pair(pair));
        }
    }

    /// All that a message of the same kind has which has been made.
    pub fn all_of(&mut self, message: &impl Message) {
        message.encode_raw(self.0);
    }

    /// A message that has been made.
    pub fn made(&mut self, field: u32, message: &impl Message) {
        self.nested(field, |to| to.all_of(message));
    }

    /// A message whose fields are written by the function.
    #[inline]
    pub fn nested(&mut self, field: u32, write: impl FnOnce(&mut Fields<'_>)) {
        self.key(field, WireType::LengthDelimited);
        let start = self.0.len();
        self.0.push(0);
        write(&mut Fields(self.0));
        let content = start + 1..self.0.len();
        if content.len() < 0x80 {
            self.0[start] = content.len() as u8;
        } else {
            self.long(content);
        }
    }

    /// The length before this takes more than the one byte that was left for it: what follows moves on.
    fn long(&mut self, content: Range<usize>) {
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

    /// A number. Nearly all have one byte, and are written without a call.
    #[inline]
    fn varint(&mut self, value: u64) {
        if value < 0x80 {
            self.0.push(value as u8);
        } else {
            encode_varint(value, self.0);
        }
    }
}

const fn zigzag(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

/// What was written, as a message.
pub fn read_back<M: Message + Default>(written: &impl Write) -> M {
    let mut bytes = Vec::new();
    written.write(&mut Fields::of(&mut bytes));
    M::decode(bytes.as_slice()).expect("what is written can be read")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1;

    struct Fn<F>(F);

    impl<F: std::ops::Fn(&mut Fields<'_>)> Write for Fn<F> {
        fn write(&self, to: &mut Fields<'_>) {
            (self.0)(to);
        }
    }

    fn written(write: impl std::ops::Fn(&mut Fields<'_>)) -> Vec<u8> {
        let mut bytes = Vec::new();
        Fn(write).write(&mut Fields::of(&mut bytes));
        bytes
    }

    #[test]
    fn it_is_what_the_generated_code_writes() {
        for value in [0, 1, -1, 63, -64, 64, 8191, i32::MAX, i32::MIN] {
            let standing = v1::Standing { seat: 7, points: value, place: 1 << 20 };
            let by_hand = |to: &mut Fields<'_>| {
                to.number(1, 7_u32);
                to.signed(2, value);
                to.number(3, 1_u32 << 20);
            };
            assert_eq!(written(by_hand), standing.encode_to_vec(), "{value}");
            assert_eq!(read_back::<v1::Standing>(&Fn(by_hand)), standing);
        }
        let shown = v1::HabeFertigRoundScored { round: 0, points: vec![0, -1, 300] };
        let by_hand = written(|to| {
            to.number(1, 0_u32);
            to.signed_list(2, shown.points.iter().copied());
        });
        assert_eq!(by_hand, shown.encode_to_vec());
        assert!(written(|to| to.signed_list(2, [])).is_empty());
    }

    #[test]
    fn a_pair_is_written_as_any_other_message() {
        let values = [0, 1, 2, 126, 127, 128, 300, u32::MAX];
        for (first, second) in values.into_iter().flat_map(|first| values.map(|second| (first, second))) {
            let pair = v1::NoDicePlayingCard { lower: first, higher: second };
            for field in [1, 2, 15, 16, 100] {
                let by_hand = written(|to| to.message_of_pair(field, [first, second]));
                assert_eq!(by_hand, written(|to| to.made(field, &pair)), "{first} and {second} in {field}");
            }
        }
    }

    #[test]
    fn a_message_of_any_length_has_its_length_before_it() {
        for length in [0, 1, 127, 128, 129, 16_383, 16_384, 100_000] {
            let text = v1::Text { en: "x".repeat(length), de: String::new() };
            let info =
                v1::OptionInfo { name: "n".to_owned(), summary: Some(text.clone()), ..Default::default() };
            let by_hand = written(|to| {
                let before = v1::OptionInfo { name: "n".to_owned(), ..Default::default() };
                to.all_of(&before);
                to.made(2, &text);
            });
            assert_eq!(by_hand, info.encode_to_vec(), "{length}");
        }
    }
}
