//! What the host says on a stream.

use parlor_engine::AnyView;
use parlor_proto::convert::seat_number;
use parlor_proto::v1;
use parlor_proto::v1::stream_item::Item as Wire;

use super::answer::answered;
use super::number;
use super::table::table;
use crate::agents::Given;
use crate::grpc::Failure;
use crate::host::{Asked, Closed, HostError, Item, Presence, SeatTime, Snapshot, Told, What};
use crate::table::Decided;

/// One thing that the host says.
#[must_use]
pub fn item(item: Item) -> v1::StreamItem {
    let what = match item.what {
        What::Given(given) => Wire::SeatGiven(seat_given(given)),
        What::Snapshot(snapshot) => Wire::Snapshot(Box::new(self::snapshot(*snapshot))),
        What::Update(told) => Wire::Update(update(*told)),
        What::Decision(asked) => Wire::Decision(decision(*asked)),
        What::Answered(what) => Wire::Answered(answered(*what)),
        What::Presence(presence) => Wire::Presence(self::presence(presence)),
        What::TimeLeft(seats) => Wire::TimeLeft(time_left(&seats)),
        What::Closed(Closed { why, number, retry }) => {
            Wire::Closed(closed(why.map(Failure::from), number, retry))
        }
    };
    v1::StreamItem { channel: item.channel.0, item: Some(what) }
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

fn snapshot(snapshot: Snapshot) -> v1::Snapshot {
    let Snapshot { number, viewer, look, view, presence, time_left } = snapshot;
    v1::Snapshot {
        number: self::number(number),
        viewer: Some(viewer.into()),
        // A stream may hold tables of several owners, and whoever reads it: it never has what is an owner's alone.
        table: Some(table(&look, false)),
        view: view.map(|view| game_view(view, look.shuffle.given)),
        presence: presence.into_iter().map(self::presence).collect(),
        time_left: time_left.as_deref().map(self::time_left),
    }
}

fn update(told: Told) -> v1::Update {
    let Told { update, view, seed_given, timed } = told;
    v1::Update {
        number: number(update.number),
        table_events: update.table_events.iter().map(v1::TableEvent::from).collect(),
        decided: update.decided.map(|made| decided(made, timed)),
        events: update.events.into_iter().map(v1::GameEvent::from).collect(),
        view: view.map(|view| game_view(view, seed_given)),
    }
}

fn decided(made: Decided, timed: bool) -> v1::Decided {
    v1::Decided {
        decision_id: number(made.id.0),
        action: Some(made.action.into()),
        by: v1::DecidedBy::from(made.by).into(),
        think_ms: made.used,
        bank_left_ms: timed.then_some(made.bank),
        index: made.index,
    }
}

fn decision(asked: Asked) -> v1::Decision {
    v1::Decision {
        id: number(asked.id.0),
        after: number(asked.after),
        view: asked.view.map(|view| game_view(view, asked.seed_given)),
        legal_actions: asked.legal.into_iter().map(v1::GameAction::from).collect(),
        legal_count: asked.legal_count,
        default_index: asked.default_index,
        time_left_ms: asked.time_left,
        bank_left_ms: asked.bank_left,
        hidden: asked.secret,
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
