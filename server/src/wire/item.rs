//! What the host says on a stream.

use parlor_engine::AnyView;
use parlor_proto::convert::seat_number;
use parlor_proto::v1;
use parlor_proto::write::{Fields, Write};

use super::number;
use super::table::table;
use crate::agents::Given;
use crate::grpc::Failure;
use crate::host::{Asked, Closed, HostError, Presence, SeatTime, Snapshot, Told, What};
use crate::table::Decided;

/// What the host says on a channel: one of the fields of [`v1::StreamItem`].
impl Write for What<'_> {
    fn write(&self, to: &mut Fields<'_>) {
        match self {
            What::Snapshot(snapshot) => to.made(2, &self::snapshot(snapshot)),
            What::Update(told) => to.message(3, *told),
            What::Decision(asked) => to.message(4, *asked),
            What::Answered(answered) => to.message(5, *answered),
            What::Presence(presence) => to.made(6, &self::presence(*presence)),
            What::TimeLeft(seats) => to.made(7, &time_left(seats)),
            What::Closed(Closed { why, number, retry }) => {
                to.made(8, &closed(why.clone().map(Failure::from), *number, *retry));
            }
            What::Given(given) => to.made(9, &seat_given(*given)),
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
impl Write for Told {
    fn write(&self, to: &mut Fields<'_>) {
        let Told { update, view, seed_given, timed } = self;
        to.number(1, number(update.number));
        for event in &update.table_events {
            to.made(2, &v1::TableEvent::from(event));
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
    to.number(3, v1::DecidedBy::from(made.by) as u32);
    to.number(4, made.used);
    if timed {
        to.present(5, made.bank);
    }
    to.number(6, made.index);
}

/// A [`v1::Decision`].
impl Write for Asked {
    fn write(&self, to: &mut Fields<'_>) {
        to.number(1, number(self.id.0));
        to.number(2, number(self.after));
        write_view(3, self.view.as_ref(), self.seed_given, to);
        to.messages(4, &self.legal);
        to.number(5, self.legal_count);
        to.number(6, self.default_index);
        if let Some(left) = self.time_left {
            to.present(7, left);
        }
        if let Some(left) = self.bank_left {
            to.present(8, left);
        }
        to.flag(9, self.secret);
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
