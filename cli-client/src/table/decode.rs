//! Decodes wire messages into the client's types.

use std::time::Duration;

use parlor_engine::{AnyAction, AnyEvent, AnyOptions, AnyView, GameId, Seat, Viewer};
use parlor_proto::convert::{self, InvalidField};
use parlor_proto::v1;

use super::{
    Decided, DecidedBy, Occupant, SeatInfo, SeatScore, SeatTime, Snapshot, TableEvent, TableInfo,
    TableResult, TimeLeft, Update,
};
use crate::text::sanitise;

/// The message cannot be decoded by this version of the client.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecodeError {
    /// Unknown game.
    #[error("this client does not support the game {0:?}: update it")]
    UnknownGame(String),
    /// Missing field, or unknown value of a field.
    #[error("this client cannot decode the message of the server ({0}): update it")]
    InvalidField(InvalidField),
}

impl From<InvalidField> for DecodeError {
    fn from(error: InvalidField) -> DecodeError {
        DecodeError::InvalidField(error)
    }
}

type DecodeResult<T> = Result<T, DecodeError>;

/// Requires a field to be present.
fn required<T>(field: Option<T>, name: &str) -> DecodeResult<T> {
    field.ok_or_else(|| DecodeError::InvalidField(InvalidField::at(name, "must be there")))
}

/// Decodes a table.
pub fn decode_table(table: v1::Table) -> DecodeResult<TableInfo> {
    let game = GameId::from_id(&table.game).ok_or(DecodeError::UnknownGame(table.game))?;
    let seats = table.seats.into_iter().map(|seat| decode_seat_info(seat).map(|(_, info)| info));
    Ok(TableInfo {
        id: sanitise(&table.table_id),
        game,
        options: AnyOptions::try_from(required(table.options, "options")?)?,
        seats: seats.collect::<Result<_, _>>()?,
        has_clock: table.clock.is_some_and(|clock| clock.decision_ms() != 0),
        seed_given: table.shuffle.is_some_and(|shuffle| shuffle.seed_given),
        result: table.result.map(decode_result).transpose()?,
    })
}

fn decode_seat(number: u32) -> DecodeResult<Seat> {
    Ok(convert::seat(number, "seat")?)
}

fn decode_seat_info(wire: v1::TableSeat) -> DecodeResult<(Seat, SeatInfo)> {
    use v1::table_seat::Occupant as Wire;
    let forfeited = match wire.forfeited() {
        v1::SeatFinish::Unspecified => None,
        why => Some(why),
    };
    let occupant = match wire.occupant {
        None | Some(Wire::Open(_)) => Occupant::Open,
        Some(Wire::HouseBot(bot)) => Occupant::Bot(sanitise(&bot.name)),
        Some(Wire::Agent(agent)) => Occupant::Bot(sanitise(&agent.name)),
        Some(Wire::Reserved(seat)) => Occupant::Reserved(sanitise(&seat.display_name)),
        Some(Wire::Player(player)) => Occupant::Player(sanitise(&player.display_name)),
    };
    Ok((decode_seat(wire.seat)?, SeatInfo { occupant, forfeited }))
}

impl From<DecidedBy> for v1::DecidedBy {
    fn from(by: DecidedBy) -> v1::DecidedBy {
        match by {
            DecidedBy::Player => v1::DecidedBy::Player,
            DecidedBy::Clock => v1::DecidedBy::Clock,
            DecidedBy::Forfeit => v1::DecidedBy::Forfeit,
            DecidedBy::HouseBot => v1::DecidedBy::HouseBot,
        }
    }
}

fn decode_result(wire: v1::TableResult) -> DecodeResult<TableResult> {
    let reason = wire.reason();
    let score = |wire: v1::SeatResult| {
        Ok(SeatScore {
            seat: decode_seat(wire.seat)?,
            place: wire.place,
            points: wire.points,
            finish: wire.finish(),
            clocks_run_out: wire.clocks_run_out,
            away_ms: wire.away_ms,
        })
    };
    let seats = wire.seats.into_iter().map(score).collect::<DecodeResult<_>>()?;
    Ok(TableResult { reason, seats, note: sanitise(&wire.note) })
}

fn decode_view(wire: Option<Box<v1::GameView>>) -> DecodeResult<Option<AnyView>> {
    Ok(wire.map(|view| AnyView::try_from(*view)).transpose()?)
}

/// Decodes a snapshot.
pub fn decode_snapshot(wire: v1::Snapshot) -> DecodeResult<Snapshot> {
    let presence = wire.presence.into_iter().map(|one| Ok((decode_seat(one.seat)?, one.connected)));
    Ok(Snapshot {
        viewer: Viewer::try_from(required(wire.viewer, "viewer")?)?,
        table: decode_table(required(wire.table, "table")?)?,
        view: decode_view(wire.view)?,
        presence: presence.collect::<DecodeResult<_>>()?,
        time_left: wire.time_left.map(decode_time_left).transpose()?.unwrap_or_default(),
    })
}

/// Decodes the clocks of all seats.
pub fn decode_time_left(wire: v1::TimeLeft) -> DecodeResult<Vec<SeatTime>> {
    let one = |time: v1::SeatTime| {
        let left = TimeLeft { decision: millis(time.decision_ms), bank: millis(time.bank_ms) };
        Ok(SeatTime { seat: decode_seat(time.seat)?, left, running: time.running })
    };
    wire.seats.into_iter().map(one).collect()
}

fn millis(number: u32) -> Duration {
    Duration::from_millis(number.into())
}

/// Decodes an update.
pub fn decode_update(wire: v1::Update) -> DecodeResult<Update> {
    let table_events =
        wire.table_events.into_iter().map(decode_table_event).collect::<DecodeResult<Vec<_>>>()?;
    Ok(Update {
        number: wire.number,
        table_events: table_events.into_iter().flatten().collect(),
        decided: wire.decided.map(decode_decided).transpose()?,
        events: wire.events.into_iter().map(AnyEvent::try_from).collect::<Result<_, _>>()?,
        view: decode_view(wire.view)?,
    })
}

/// Decodes a table event; `None` for an unknown one, which clients must ignore.
fn decode_table_event(wire: v1::TableEvent) -> DecodeResult<Option<TableEvent>> {
    use v1::table_event::Event;
    let Some(event) = wire.event else { return Ok(None) };
    Ok(Some(match event {
        Event::SeatJoined(joined) => {
            let (seat, info) = decode_seat_info(required(joined.seat, "seat")?)?;
            TableEvent::Joined(seat, info)
        }
        Event::Starting(_) => TableEvent::Starting,
        Event::Started(_) => TableEvent::Started,
        Event::ClockRanOut(clock) => TableEvent::ClockRanOut(decode_seat(clock.seat)?),
        Event::SeatForfeited(forfeited) => {
            TableEvent::Forfeited(decode_seat(forfeited.seat)?, forfeited.why())
        }
        Event::SeatReplaced(replaced) => {
            let (seat, info) = decode_seat_info(required(replaced.seat, "seat")?)?;
            TableEvent::Replaced(seat, info)
        }
        Event::Over(over) => TableEvent::Over(decode_result(required(over.result, "result")?)?),
        Event::Rematch(rematch) => TableEvent::Rematch(sanitise(&rematch.table_id)),
    }))
}

fn decode_decided(wire: v1::Decided) -> DecodeResult<Decided> {
    let by = match wire.by() {
        v1::DecidedBy::Unspecified | v1::DecidedBy::Player => DecidedBy::Player,
        v1::DecidedBy::Clock => DecidedBy::Clock,
        v1::DecidedBy::Forfeit => DecidedBy::Forfeit,
        v1::DecidedBy::HouseBot => DecidedBy::HouseBot,
    };
    let action = AnyAction::try_from(required(wire.action, "action")?)?;
    Ok(Decided { decision: wire.decision_id, action, by })
}
