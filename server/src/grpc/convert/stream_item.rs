//! Stream items: snapshots, updates, decisions and the other items of a channel, encoded for a stream.

use parlor_engine::AnyView;
use parlor_host::agents::{EntropyRequest, SeatAssignment};
use parlor_host::table::{Decided, Update};
use parlor_host::{
    Channel, Closed, DecisionPrompt, HostError, ItemBatch, ItemEncoder, Presence, SeatTime, Snapshot,
    StreamItem, StreamKind, ViewerUpdate,
};
use parlor_proto::convert::seat_number;
use parlor_proto::encode::{self, Encode, Prost, ToWire};
use parlor_proto::frame::{self, ItemsField};
use parlor_proto::v1;

use super::reveal::revealed;
use super::shuffle::encoded_commitments;
use super::table::table;
use super::texts::{BoardOf, TextsOf, board, snapshot_texts};
use super::{AsMessage, ToMessage, saturating_u32};
use crate::grpc::Failure;

/// An item without its channel: the `oneof` of [`v1::StreamItem`].
impl ToWire for AsMessage<'_, StreamItem<'_>> {
    type Wire = v1::stream_item::Item;

    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        use encode::stream_item::Item;
        match self.0 {
            StreamItem::Snapshot(snapshot) => Item::Snapshot(AsMessage(*snapshot)),
            StreamItem::Update(update) => Item::Update(AsMessage(*update)),
            StreamItem::Decision(prompt) => Item::Decision(AsMessage(*prompt)),
            StreamItem::Answered(answered) => Item::Answered(AsMessage(*answered)),
            StreamItem::Revealed(outcome) => Item::Revealed(Prost(revealed((*outcome).clone()))),
            StreamItem::Presence(presence) => Item::Presence(Prost(self::presence(*presence))),
            StreamItem::TimeLeft(seats) => Item::TimeLeft(Prost(time_left(seats))),
            StreamItem::Closed(Closed { why, number, retry }) => {
                Item::Closed(Prost(closed(why.clone().map(Failure::from), *number, *retry)))
            }
            StreamItem::SeatAssigned(seat) => Item::SeatGiven(Prost(seat_given(*seat))),
            StreamItem::EntropyRequested(request) => Item::EntropyAsked(Prost(entropy_asked(request))),
        }
    }
}

fn entropy_asked(request: &EntropyRequest) -> v1::TournamentEntropyAsked {
    let EntropyRequest { tournament, commitment, commitments } = request;
    v1::TournamentEntropyAsked {
        tournament_id: tournament.to_string(),
        commitment: commitment.as_bytes().to_vec(),
        entropy_commitments: encoded_commitments(commitments),
    }
}

fn seat_given(assignment: SeatAssignment) -> v1::SeatGiven {
    let SeatAssignment { table, seat, game, tournament } = assignment;
    v1::SeatGiven {
        table_id: table.to_string(),
        seat: seat_number(seat),
        game: game.info().id.to_owned(),
        tournament_id: tournament.map(|id| id.to_string()).unwrap_or_default(),
    }
}

/// A view; `seed_given` marks a table with a chosen seed.
pub(super) fn game_view(view: AnyView, seed_given: bool) -> Box<v1::GameView> {
    Box::new(v1::GameView { seed_given, ..view.into() })
}

/// The encoder of a wanted view.
#[inline]
fn view(view: Option<&AnyView>, seed_given: bool) -> Option<impl Encode<Wire = v1::GameView>> {
    view.map(|game| encode::GameView { game, seed_given })
}

impl ToWire for AsMessage<'_, Snapshot> {
    type Wire = v1::Snapshot;

    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        Prost(snapshot(self.0))
    }
}

fn snapshot(snapshot: &Snapshot) -> v1::Snapshot {
    let Snapshot { number, viewer, summary, view, presence, time_left, wants } = snapshot;
    v1::Snapshot {
        number: saturating_u32(*number),
        viewer: Some((*viewer).into()),
        // A stream does not know whether its client owns the table, so it never has the owner-only fields.
        table: Some(table(summary, false)),
        texts: wants.texts.map(|lang| snapshot_texts(snapshot, lang)),
        board: view.as_ref().filter(|_| wants.board).map(|view| board(view, &[], wants.texts)),
        view: view.clone().map(|view| game_view(view, summary.shuffle.given)),
        presence: presence.iter().copied().map(self::presence).collect(),
        time_left: time_left.as_deref().map(self::time_left),
    }
}

impl ToWire for AsMessage<'_, ViewerUpdate> {
    type Wire = v1::Update;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let ViewerUpdate { update, viewer: _, view, wants, seed_given, timed } = self.0;
        let Update { number, table_events, decided, events } = update;
        let board = |view| BoardOf { view, actions: &[], lang: wants.texts };
        encode::Update {
            number: saturating_u32(*number),
            table_events: table_events.iter().map(|event| Prost(event.to_message())),
            decided: decided.as_ref().map(|decided| self::decided(decided, *timed)),
            events: if wants.events { events.as_slice() } else { &[] },
            view: self::view(view.as_ref().filter(|_| wants.update_views), *seed_given),
            texts: wants.texts.map(|lang| TextsOf(self.0, lang)),
            board: view.as_ref().filter(|_| wants.board).map(board),
        }
    }
}

#[inline]
fn decided(decided: &Decided, timed: bool) -> impl Encode<Wire = v1::Decided> {
    let Decided { id, index, action, by, used, reported: _, bank, number: _ } = *decided;
    encode::Decided {
        decision_id: saturating_u32(id.0),
        action,
        by: by.to_message(),
        think_ms: used,
        bank_left_ms: timed.then_some(bank),
        index,
    }
}

impl ToWire for AsMessage<'_, DecisionPrompt> {
    type Wire = v1::Decision;

    #[inline]
    fn to_wire(&self) -> impl Encode<Wire = Self::Wire> {
        let DecisionPrompt {
            id,
            after,
            view,
            wants,
            seed_given,
            legal,
            default_index,
            time_left,
            bank_left,
            secret,
        } = self.0;
        let board = |view| BoardOf { view, actions: legal, lang: wants.texts };
        encode::Decision {
            id: saturating_u32(id.0),
            after: saturating_u32(*after),
            view: self::view(view.as_ref().filter(|_| wants.decision_views), *seed_given),
            legal_actions: if wants.legal_actions { legal.as_slice() } else { &[] },
            legal_count: legal.len() as u32,
            default_index: *default_index,
            time_left_ms: *time_left,
            bank_left_ms: *bank_left,
            hidden: *secret,
            texts: wants.texts.map(|lang| TextsOf(self.0, lang)),
            board: view.as_ref().filter(|_| wants.board).map(board),
        }
    }
}

fn presence(presence: Presence) -> v1::Presence {
    let Presence { seat, connected, grace_left } = presence;
    v1::Presence { seat: seat_number(seat), connected, grace_left_ms: grace_left }
}

fn time_left(seats: &[SeatTime]) -> v1::TimeLeft {
    let seat_time = |&SeatTime { seat, decision, bank, running }: &SeatTime| v1::SeatTime {
        seat: seat_number(seat),
        decision_ms: decision,
        bank_ms: bank,
        running,
    };
    v1::TimeLeft { seats: seats.iter().map(seat_time).collect() }
}

/// The last item of a channel. `why` is `None` after a detach, or if the table is over and fully sent.
#[must_use]
pub fn closed(why: Option<Failure>, number: u64, retry: bool) -> v1::ChannelClosed {
    if let Some(failure) = &why {
        failure.log();
    }
    v1::ChannelClosed {
        reason: why.as_ref().map_or(v1::ErrorReason::Unspecified, Failure::reason).into(),
        message: why.as_ref().map(Failure::message).unwrap_or_default(),
        number: saturating_u32(number),
        retry,
    }
}

/// The announcement that a stream ends.
#[must_use]
pub fn stream_ending(why: HostError) -> v1::StreamEnding {
    let failure = Failure::from(why);
    failure.log();
    let retry_ms = failure.retry().map_or(0, |retry| u32::try_from(retry.as_millis()).unwrap_or(u32::MAX));
    v1::StreamEnding { reason: failure.reason().into(), message: failure.message(), retry_ms }
}

/// Encodes stream items as messages of the API. A batch of items is the `items` field of the stream's
/// response message.
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

/// Encodes an item of the API for a stream.
#[must_use]
pub fn encoded_item(stream: StreamKind, channel: Channel, item: &v1::stream_item::Item) -> ItemBatch {
    let (mut content, mut bytes) = (Vec::new(), Vec::new());
    item.encode(&mut content);
    frame::append_encoded_item(items_field(stream), channel.0, &content, &mut bytes);
    ItemBatch::from_item(bytes)
}
