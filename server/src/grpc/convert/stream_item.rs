//! What the host says on a stream.

use parlor_engine::AnyView;
use parlor_proto::convert::seat_number;
use parlor_proto::frame::{self, Field};
use parlor_proto::v1;
use parlor_proto::write::{Fields, Write};

use super::table::table;
use super::{AsMessage, ToMessage, number};
use crate::grpc::Failure;
use parlor_host::agents::Given;
use parlor_host::table::Decided;
use parlor_host::{
    Asked, Channel, Closed, HostError, ItemBatch, ItemEncoder, Presence, SeatTime, Snapshot, StreamItem,
    StreamKind, Told,
};

/// What the host says on a channel: one of the fields of [`v1::StreamItem`].
impl Write for AsMessage<'_, StreamItem<'_>> {
    fn write(&self, to: &mut Fields<'_>) {
        match self.0 {
            StreamItem::Snapshot(snapshot) => to.made(2, &self::snapshot(snapshot)),
            StreamItem::Update(told) => to.message(3, &AsMessage(*told)),
            StreamItem::Decision(asked) => to.message(4, &AsMessage(*asked)),
            StreamItem::Answered(answered) => to.message(5, &AsMessage(*answered)),
            StreamItem::Presence(presence) => to.made(6, &self::presence(*presence)),
            StreamItem::TimeLeft(seats) => to.made(7, &time_left(seats)),
            StreamItem::Closed(Closed { why, number, retry }) => {
                to.made(8, &closed(why.clone().map(Failure::from), *number, *retry));
            }
            StreamItem::Given(given) => to.made(9, &seat_given(*given)),
        }
    }
}

fn seat_given(given: Given) -> v1::SeatGiven {
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

fn write_view(field: u32, view: Option<&AnyView>, seed_given: bool, to: &mut Fields<'_>) {
    if let Some(view) = view {
        to.nested(field, |to| {
            view.write(to);
            to.flag(100, seed_given);
        });
    }
}

fn snapshot(snapshot: &Snapshot) -> v1::Snapshot {
    let Snapshot { number, viewer, look, view, presence, time_left } = snapshot;
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

/// A [`v1::Update`].
impl Write for AsMessage<'_, Told> {
    fn write(&self, to: &mut Fields<'_>) {
        let Told { update, view, seed_given, timed } = self.0;
        to.number(1, number(update.number));
        for event in &update.table_events {
            to.made(2, &ToMessage::<v1::TableEvent>::to_message(event));
        }
        if let Some(made) = &update.decided {
            to.nested(3, |to| write_decided(made, *timed, to));
        }
        to.messages(4, &update.events);
        write_view(5, view.as_ref(), *seed_given, to);
    }
}

/// A [`v1::Decided`].
fn write_decided(made: &Decided, timed: bool, to: &mut Fields<'_>) {
    to.number(1, number(made.id.0));
    to.message(2, &made.action);
    to.number(3, made.by.to_message() as u32);
    to.number(4, made.used);
    if timed {
        to.present(5, made.bank);
    }
    to.number(6, made.index);
}

/// A [`v1::Decision`].
impl Write for AsMessage<'_, Asked> {
    fn write(&self, to: &mut Fields<'_>) {
        let asked = self.0;
        to.number(1, number(asked.id.0));
        to.number(2, number(asked.after));
        write_view(3, asked.view.as_ref(), asked.seed_given, to);
        to.messages(4, &asked.legal);
        to.number(5, asked.legal_count);
        to.number(6, asked.default_index);
        if let Some(left) = asked.time_left {
            to.present(7, left);
        }
        if let Some(left) = asked.bank_left {
            to.present(8, left);
        }
        to.flag(9, asked.secret);
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
const fn items_field(stream: StreamKind) -> Field {
    match stream {
        StreamKind::Client => Field::PLAY,
        StreamKind::Agent => Field::CONNECT,
    }
}

impl ItemEncoder for ApiItemEncoder {
    fn append(&self, stream: StreamKind, channel: Channel, item: &StreamItem<'_>, to: &mut Vec<u8>) -> usize {
        frame::append_item(items_field(stream), channel.0, &AsMessage(item), to)
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
