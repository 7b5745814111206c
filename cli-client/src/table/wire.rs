//! From the messages of the wire to what a screen understands.

use std::time::Duration;

use parlor_engine::{AnyAction, AnyEvent, AnyOptions, AnyView, GameId, Seat, Viewer};
use parlor_proto::convert::{self, WrongField};
use parlor_proto::v1;

use super::{
    Decided, DecidedBy, Ended, Finish, Happening, Occupant, SeatInfo, SeatScore, SeatTime, Snapshot,
    TableInfo, TableResult, TimeLeft, Update,
};
use crate::text::clean;

/// The server said something that this client does not understand.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotUnderstood {
    /// The table plays a game that this client does not know.
    #[error("this client does not know the game {0:?}: get a newer one")]
    Game(String),
    /// A message has a field with a value that this client does not know, or lacks one.
    #[error("this client does not understand the server ({0}): get a newer one")]
    Field(WrongField),
}

impl From<WrongField> for NotUnderstood {
    fn from(wrong: WrongField) -> NotUnderstood {
        NotUnderstood::Field(wrong)
    }
}

type Understood<T> = Result<T, NotUnderstood>;

/// A field that must be there.
fn required<T>(field: Option<T>, name: &str) -> Understood<T> {
    field.ok_or_else(|| NotUnderstood::Field(WrongField::at(name, "must be there")))
}

/// A table.
pub fn table_info(table: v1::Table) -> Understood<TableInfo> {
    let game = GameId::from_id(&table.game).ok_or(NotUnderstood::Game(table.game))?;
    let seats = table.seats.into_iter().map(|seat| seat_info(seat).map(|(_, info)| info));
    Ok(TableInfo {
        id: clean(&table.table_id),
        game,
        options: AnyOptions::try_from(required(table.options, "options")?)?,
        seats: seats.collect::<Result<_, _>>()?,
        seed_given: table.shuffle.is_some_and(|shuffle| shuffle.seed_given),
        result: table.result.map(result).transpose()?,
    })
}

fn seat(number: u32) -> Understood<Seat> {
    Ok(convert::seat(number, "seat")?)
}

fn seat_info(wire: v1::TableSeat) -> Understood<(Seat, SeatInfo)> {
    use v1::table_seat::Occupant as Wire;
    let forfeited = match wire.forfeited() {
        v1::SeatFinish::Unspecified => None,
        why => Some(why.into()),
    };
    let occupant = match wire.occupant {
        None | Some(Wire::Open(_)) => Occupant::Open,
        Some(Wire::HouseBot(bot)) => Occupant::Bot(clean(&bot.name)),
        Some(Wire::Agent(agent)) => Occupant::Bot(clean(&agent.name)),
        Some(Wire::Reserved(seat)) => Occupant::Reserved(clean(&seat.display_name)),
        Some(Wire::Player(player)) => Occupant::Player(clean(&player.display_name)),
    };
    Ok((seat(wire.seat)?, SeatInfo { occupant, forfeited }))
}

impl From<v1::SeatFinish> for Finish {
    fn from(finish: v1::SeatFinish) -> Finish {
        match finish {
            v1::SeatFinish::Unspecified | v1::SeatFinish::PlayedOut => Finish::PlayedOut,
            v1::SeatFinish::TimedOut => Finish::TimedOut,
            v1::SeatFinish::Resigned => Finish::Resigned,
            v1::SeatFinish::Disconnected => Finish::Disconnected,
            v1::SeatFinish::SetAside => Finish::SetAside,
        }
    }
}

fn result(wire: v1::TableResult) -> Understood<TableResult> {
    let ended = match wire.reason() {
        v1::EndReason::PlayedOut => Ended::PlayedOut,
        v1::EndReason::Cancelled => Ended::Cancelled,
        v1::EndReason::Expired => Ended::Expired,
        v1::EndReason::Unspecified | v1::EndReason::ServerFault => Ended::Fault,
    };
    let score = |wire: v1::SeatResult| {
        Ok(SeatScore {
            seat: seat(wire.seat)?,
            place: wire.place,
            points: wire.points,
            finish: wire.finish().into(),
            clocks_run_out: wire.clocks_run_out,
        })
    };
    let seats = wire.seats.into_iter().map(score).collect::<Understood<_>>()?;
    Ok(TableResult { ended, seats, note: clean(&wire.note) })
}

fn view(wire: Option<Box<v1::GameView>>) -> Understood<Option<AnyView>> {
    Ok(wire.map(|view| AnyView::try_from(*view)).transpose()?)
}

/// Where everything stands.
pub fn snapshot(wire: v1::Snapshot) -> Understood<Snapshot> {
    let presence = wire.presence.into_iter().map(|one| Ok((seat(one.seat)?, one.connected)));
    Ok(Snapshot {
        viewer: Viewer::try_from(required(wire.viewer, "viewer")?)?,
        table: table_info(required(wire.table, "table")?)?,
        view: view(wire.view)?,
        presence: presence.collect::<Understood<_>>()?,
        time_left: wire.time_left.map(time_left).transpose()?.unwrap_or_default(),
    })
}

/// How much time is left.
pub fn time_left(wire: v1::TimeLeft) -> Understood<Vec<SeatTime>> {
    let one = |time: v1::SeatTime| {
        let left = TimeLeft { decision: millis(time.decision_ms), bank: millis(time.bank_ms) };
        Ok(SeatTime { seat: seat(time.seat)?, left, running: time.running })
    };
    wire.seats.into_iter().map(one).collect()
}

fn millis(number: u32) -> Duration {
    Duration::from_millis(number.into())
}

/// What happened.
pub fn update(wire: v1::Update) -> Understood<Update> {
    let happenings = wire.table_events.into_iter().map(happening).collect::<Understood<Vec<_>>>()?;
    Ok(Update {
        number: wire.number,
        happenings: happenings.into_iter().flatten().collect(),
        decided: wire.decided.map(decided).transpose()?,
        events: wire.events.into_iter().map(AnyEvent::try_from).collect::<Result<_, _>>()?,
        view: view(wire.view)?,
    })
}

/// What happened at the table; nothing for what this client does not know, as the wire asks for.
fn happening(wire: v1::TableEvent) -> Understood<Option<Happening>> {
    use v1::table_event::Event;
    let Some(event) = wire.event else { return Ok(None) };
    Ok(Some(match event {
        Event::SeatJoined(joined) => {
            let (seat, info) = seat_info(required(joined.seat, "seat")?)?;
            Happening::Joined(seat, info)
        }
        Event::Started(_) => Happening::Started,
        Event::ClockRanOut(clock) => Happening::ClockRanOut(seat(clock.seat)?),
        Event::SeatForfeited(forfeited) => {
            Happening::Forfeited(seat(forfeited.seat)?, forfeited.why().into())
        }
        Event::SeatReplaced(replaced) => {
            let (seat, info) = seat_info(required(replaced.seat, "seat")?)?;
            Happening::Replaced(seat, info)
        }
        Event::Over(over) => Happening::Over(result(required(over.result, "result")?)?),
        Event::Rematch(rematch) => Happening::Rematch(clean(&rematch.table_id)),
    }))
}

fn decided(wire: v1::Decided) -> Understood<Decided> {
    let by = match wire.by() {
        v1::DecidedBy::Unspecified | v1::DecidedBy::Player => DecidedBy::Player,
        v1::DecidedBy::Clock => DecidedBy::Clock,
        v1::DecidedBy::Forfeit => DecidedBy::Forfeit,
        v1::DecidedBy::HouseBot => DecidedBy::HouseBot,
    };
    let action = AnyAction::try_from(required(wire.action, "action")?)?;
    Ok(Decided { decision: wire.decision_id, action, by })
}
