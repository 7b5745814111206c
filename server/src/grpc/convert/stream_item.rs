//! Stream items and their encoding.

use parlor_engine::AnyView;
use parlor_host::agents::SeatAssignment;
use parlor_host::table::Decided;
use parlor_host::{
    Channel, Closed, DecisionPrompt, HostError, ItemBatch, ItemEncoder, Presence, SeatTime, Snapshot,
    StreamItem, StreamKind, ViewerUpdate,
};
use parlor_proto::convert::seat_number;
use parlor_proto::encode::{self, Encode, Prost, ToWire};
use parlor_proto::frame::{self, ItemsField};
use parlor_proto::v1;

use super::table::table;
use super::{AsMessage, ToMessage, number};
use crate::grpc::Failure;

/// An item without its channel: the `oneof` of [`v1::StreamItem`].
impl ToWire for AsMessage<'_, StreamItem<'_>> {
    type Wire = v1::stream_item::Item;

    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        use encode::stream_item::Item;
        match self.0 {
            StreamItem::Snapshot(snapshot) => Item::Snapshot(AsMessage(*snapshot)),
            StreamItem::Update(told) => Item::Update(AsMessage(*told)),
            StreamItem::Decision(asked) => Item::Decision(AsMessage(*asked)),
            StreamItem::Answered(answered) => Item::Answered(AsMessage(*answered)),
            StreamItem::Presence(presence) => Item::Presence(Prost(self::presence(*presence))),
            StreamItem::TimeLeft(seats) => Item::TimeLeft(Prost(time_left(seats))),
            StreamItem::Closed(Closed { why, number, retry }) => {
                Item::Closed(Prost(closed(why.clone().map(Failure::from), *number, *retry)))
            }
            StreamItem::SeatAssigned(given) => Item::SeatGiven(Prost(seat_given(*given))),
        }
    }
}

fn seat_given(given: SeatAssignment) -> v1::SeatGiven {
    v1::SeatGiven {
        table_id: given.table.to_string(),
        seat: seat_number(given.seat),
        game: given.game.info().id.to_owned(),
        tournament_id: given.tournament.map(|id| id.to_string()).unwrap_or_default(),
    }
}

/// A view, which says whether the deal was chosen.
pub(super) fn game_view(view: AnyView, seed_given: bool) -> Box<v1::GameView> {
    Box::new(v1::GameView { seed_given, ..view.into() })
}

impl ToWire for AsMessage<'_, Snapshot> {
    type Wire = v1::Snapshot;

    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        Prost(snapshot(self.0))
    }
}

fn snapshot(snapshot: &Snapshot) -> v1::Snapshot {
    let Snapshot { number, viewer, summary: look, view, presence, time_left } = snapshot;
    v1::Snapshot {
        number: self::number(*number),
        viewer: Some((*viewer).into()),
        // A stream may hold tables of several owners, and whoever reads it: it never has what is an owner's alone.
        table: Some(table(look, false)),
        view: view.clone().map(|view| game_view(view, look.shuffle.given)),
        presence: presence.iter().copied().map(self::presence).collect(),
        time_left: time_left.as_deref().map(self::time_left),
    }
}

impl ToWire for AsMessage<'_, ViewerUpdate> {
    type Wire = v1::Update;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let ViewerUpdate { update, view, seed_given, timed } = self.0;
        encode::Update {
            number: number(update.number),
            table_events: update.table_events.iter().map(|event| Prost(event.to_message())),
            decided: update.decided.as_ref().map(|made| decided(made, *timed)),
            events: &update.events,
            view: view.as_ref().map(|game| encode::GameView { game, seed_given: *seed_given }),
        }
    }
}

#[inline]
fn decided(made: &Decided, timed: bool) -> impl Encode<Wire = v1::Decided> {
    encode::Decided {
        decision_id: number(made.id.0),
        action: made.action,
        by: made.by.to_message(),
        think_ms: made.used,
        bank_left_ms: timed.then_some(made.bank),
        index: made.index,
    }
}

impl ToWire for AsMessage<'_, DecisionPrompt> {
    type Wire = v1::Decision;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let asked = self.0;
        let seed_given = asked.seed_given;
        encode::Decision {
            id: number(asked.id.0),
            after: number(asked.after),
            view: asked.view.as_ref().map(|game| encode::GameView { game, seed_given }),
            legal_actions: &asked.legal,
            legal_count: asked.legal_count,
            default_index: asked.default_index,
            time_left_ms: asked.time_left,
            bank_left_ms: asked.bank_left,
            hidden: asked.secret,
        }
    }
}

fn presence(presence: Presence) -> v1::Presence {
    v1::Presence {
        seat: seat_number(presence.seat),
        connected: presence.connected,
        grace_left_ms: presence.grace_left,
    }
}

fn time_left(seats: &[SeatTime]) -> v1::TimeLeft {
    let seat_time = |time: &SeatTime| v1::SeatTime {
        seat: seat_number(time.seat),
        decision_ms: time.decision,
        bank_ms: time.bank,
        running: time.running,
    };
    v1::TimeLeft { seats: seats.iter().map(seat_time).collect() }
}

/// A channel is closed, for this reason; without one if the client detached, or all is over and told.
#[must_use]
pub fn closed(why: Option<Failure>, number: u64, retry: bool) -> v1::ChannelClosed {
    if let Some(failure) = &why {
        failure.log();
    }
    v1::ChannelClosed {
        reason: why.as_ref().map_or(v1::ErrorReason::Unspecified, Failure::reason).into(),
        message: why.as_ref().map(Failure::message).unwrap_or_default(),
        number: self::number(number),
        retry,
    }
}

/// A stream is about to end, for this reason.
#[must_use]
pub fn stream_ending(why: HostError) -> v1::StreamEnding {
    let failure = Failure::from(why);
    failure.log();
    let retry_ms = failure.retry().map_or(0, |retry| u32::try_from(retry.as_millis()).unwrap_or(u32::MAX));
    v1::StreamEnding { reason: failure.reason().into(), message: failure.message(), retry_ms }
}

/// Encodes stream items as messages of the API. A batch of items is the `items` field of a stream's response message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ApiItemEncoder;

/// The field of the response message that holds the items.
const fn items_field(stream: StreamKind) -> ItemsField {
    match stream {
        StreamKind::Client => ItemsField::PLAY,
        StreamKind::Agent => ItemsField::CONNECT,
    }
}

impl ItemEncoder for ApiItemEncoder {
    fn append(&self, stream: StreamKind, channel: Channel, item: &StreamItem<'_>, to: &mut Vec<u8>) -> usize {
        frame::append_item(items_field(stream), channel.0, AsMessage(item), to)
    }

    fn append_encoded(&self, stream: StreamKind, channel: Channel, encoded: &[u8], to: &mut Vec<u8>) {
        frame::append_encoded_item(items_field(stream), channel.0, encoded, to);
    }

    fn first_item_length(&self, items: &[u8]) -> usize {
        frame::item_length(items)
    }
}

/// An item of the API, encoded for a stream.
#[must_use]
pub fn encoded_item(stream: StreamKind, channel: Channel, item: &v1::stream_item::Item) -> ItemBatch {
    let (mut content, mut bytes) = (Vec::new(), Vec::new());
    item.encode(&mut content);
    frame::append_encoded_item(items_field(stream), channel.0, &content, &mut bytes);
    ItemBatch::from_item(bytes)
}
