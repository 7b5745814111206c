//! Channel, kind and number of each item, which is all that a carried channel looks at. The rest passes as it is.

use parlor_proto::v1::{self, ErrorReason};
use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

/// Numbers of the kinds of items, in `StreamItem.item`.
mod kind {
    pub(super) const SNAPSHOT: u32 = 2;
    pub(super) const UPDATE: u32 = 3;
    pub(super) const DECISION: u32 = 4;
    pub(super) const ANSWERED: u32 = 5;
    pub(super) const CLOSED: u32 = 8;
    pub(super) const REVEALED: u32 = 11;
}

/// The kind of an item.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum ItemKind {
    /// A snapshot, with the number of its last update.
    Snapshot(u32),
    /// An update, with its number.
    Update(u32),
    /// A decision, with its id.
    Decision(u32),
    /// The outcome of an answer to this decision.
    Answered(u32),
    /// An answer to this decision was refused because its node stops or has lost the table.
    Displaced(u32),
    /// The outcome of a reveal.
    Revealed,
    /// The end of the channel.
    Closed(v1::ChannelClosed),
    /// Anything else.
    Other,
}

/// An item of a response message.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct CarriedItem<'a> {
    pub(super) channel: u32,
    pub(super) kind: ItemKind,
    /// The item without its channel.
    pub(super) content: &'a [u8],
}

/// A field of a response message of Play.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum ResponseField<'a> {
    Item(CarriedItem<'a>),
    Ending(v1::StreamEnding),
}

/// The fields of a response message of Play, until damage is found.
pub(super) fn fields(message: &[u8]) -> impl Iterator<Item = ResponseField<'_>> {
    let mut rest = message;
    std::iter::from_fn(move || {
        loop {
            let (field, bytes) = next_bytes(&mut rest)?;
            match field {
                v1::PlayResponse::ITEMS_FIELD_NUMBER => return item(bytes).map(ResponseField::Item),
                ENDING => return v1::StreamEnding::decode(bytes).ok().map(ResponseField::Ending),
                _ => {}
            }
        }
    })
}

/// The number of `PlayResponse.ending`.
const ENDING: u32 = 2;

/// The next length-delimited field; others are skipped. `None` at the end, and where the bytes are damaged.
fn next_bytes<'a>(rest: &mut &'a [u8]) -> Option<(u32, &'a [u8])> {
    while !rest.is_empty() {
        let (field, wire_type) = decode_key(rest).ok()?;
        if wire_type == WireType::LengthDelimited {
            let length = usize::try_from(decode_varint(rest).ok()?).ok()?;
            let (bytes, others) = rest.split_at_checked(length)?;
            *rest = others;
            return Some((field, bytes));
        }
        skip_field(wire_type, field, rest, DecodeContext::default()).ok()?;
    }
    None
}

fn item(bytes: &[u8]) -> Option<CarriedItem<'_>> {
    let mut rest = bytes;
    let (mut channel, mut content) = (0, bytes);
    // The encoders write the channel first, and leave it out if it is 0.
    let (field, wire_type) = decode_key(&mut rest).ok()?;
    if field == v1::StreamItem::CHANNEL_FIELD_NUMBER && wire_type == WireType::Varint {
        channel = u32::try_from(decode_varint(&mut rest).ok()?).ok()?;
        content = rest;
    }
    let mut rest = content;
    let kind = match next_bytes(&mut rest) {
        Some((kind::SNAPSHOT, snapshot)) => ItemKind::Snapshot(first_number(snapshot)?),
        Some((kind::UPDATE, update)) => ItemKind::Update(first_number(update)?),
        Some((kind::DECISION, decision)) => ItemKind::Decision(first_number(decision)?),
        Some((kind::ANSWERED, answered)) => {
            let decision = first_number(answered)?;
            if is_displaced(answered)? { ItemKind::Displaced(decision) } else { ItemKind::Answered(decision) }
        }
        Some((kind::REVEALED, _)) => ItemKind::Revealed,
        Some((kind::CLOSED, closed)) => ItemKind::Closed(v1::ChannelClosed::decode(closed).ok()?),
        _ => ItemKind::Other,
    };
    Some(CarriedItem { channel, kind, content })
}

/// True if an answer was refused because its node stops or has lost the table.
fn is_displaced(mut answered: &[u8]) -> Option<bool> {
    while !answered.is_empty() {
        let Some((field, bytes)) = next_bytes(&mut answered) else { return Some(false) };
        if field == REFUSAL {
            return Some(first_number(bytes)? == ErrorReason::ServerStopping as u32);
        }
    }
    Some(false)
}

/// The number of `Answered.refusal`.
const REFUSAL: u32 = 5;

/// Field 1 of a message, a number; 0 if it is left out.
fn first_number(mut message: &[u8]) -> Option<u32> {
    let mut number = 0;
    while !message.is_empty() {
        let (field, wire_type) = decode_key(&mut message).ok()?;
        if field == 1 && wire_type == WireType::Varint {
            number = u32::try_from(decode_varint(&mut message).ok()?).ok()?;
            break;
        }
        skip_field(wire_type, field, &mut message, DecodeContext::default()).ok()?;
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use v1::stream_item::Item;

    use super::*;

    fn refused(decision_id: u32, reason: ErrorReason) -> v1::Answered {
        let refusal = Some(v1::AnswerRefusal { reason: reason.into(), ..Default::default() });
        v1::Answered { decision_id, status: v1::AnswerStatus::Refused.into(), refusal, ..Default::default() }
    }

    #[test]
    fn items_keep_their_content_and_show_their_numbers() {
        let closed = v1::ChannelClosed { message: "over".to_owned(), number: 7, ..Default::default() };
        let cases = [
            (
                Item::Snapshot(Box::new(v1::Snapshot { number: 300, ..Default::default() })),
                ItemKind::Snapshot(300),
            ),
            (Item::Snapshot(Box::default()), ItemKind::Snapshot(0)),
            (Item::Update(v1::Update { number: 5, ..Default::default() }), ItemKind::Update(5)),
            (Item::Decision(v1::Decision { id: 9, after: 4, ..Default::default() }), ItemKind::Decision(9)),
            (
                Item::Answered(v1::Answered { decision_id: 9, number: 1, ..Default::default() }),
                ItemKind::Answered(9),
            ),
            (Item::Answered(refused(9, ErrorReason::IllegalAction)), ItemKind::Answered(9)),
            (Item::Answered(refused(9, ErrorReason::ServerStopping)), ItemKind::Displaced(9)),
            (Item::Revealed(v1::EntropyRevealed::default()), ItemKind::Revealed),
            (Item::Closed(closed.clone()), ItemKind::Closed(closed)),
            (Item::Presence(v1::Presence { seat: 3, ..Default::default() }), ItemKind::Other),
        ];
        for (item, kind) in cases {
            for channel in [0, 1, 70_000] {
                let item = v1::StreamItem { channel, item: Some(item.clone()) };
                let ending = v1::StreamEnding { retry_ms: 3, ..Default::default() };
                let message =
                    v1::PlayResponse { items: vec![item.clone(), item.clone()], ending: Some(ending) };
                let bytes = message.encode_to_vec();
                let fields: Vec<_> = fields(&bytes).collect();
                assert_eq!(fields.len(), 3);
                assert!(matches!(&fields[2], ResponseField::Ending(ending) if ending.retry_ms == 3));
                for field in &fields[..2] {
                    let ResponseField::Item(carried) = field else { panic!("{field:?}") };
                    assert_eq!((carried.channel, &carried.kind), (channel, &kind));
                    let without = v1::StreamItem { channel: 0, ..item.clone() };
                    assert_eq!(carried.content, without.encode_to_vec());
                }
            }
        }
    }

    proptest! {
        #[test]
        fn arbitrary_messages_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _count = fields(&bytes).count();
        }
    }

    #[test]
    fn damaged_messages_end_without_an_item() {
        for damaged in [&[0x0a, 0x05, 0x08][..], &[0x0a], &[0xff; 12]] {
            assert_eq!(fields(damaged).count(), 0, "{damaged:?}");
        }
    }
}
