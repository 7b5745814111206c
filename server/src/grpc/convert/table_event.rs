//! What happens at a table beside the moves of its game.

use parlor_proto::convert::field::InvalidField;
use parlor_proto::convert::{seat, seat_number};
use parlor_proto::v1;
use parlor_proto::v1::table_event::Event as Wire;
use parlor_proto::v1::table_seat::Occupant;

use super::enums::forfeit;
use super::id::table_id;
use super::table::{house_bot, player, taken};
use super::{FromMessage, ToMessage, required};
use parlor_host::table::TableEvent;

impl ToMessage<v1::TableEvent> for TableEvent {
    fn to_message(&self) -> v1::TableEvent {
        let event = self;
        let event = match event {
            TableEvent::Joined { seat, name } => {
                // Everyone is told, so the owner's own name for the user is not in it.
                let seat = taken(*seat, player(String::new(), name));
                Wire::SeatJoined(v1::SeatJoined { seat: Some(seat) })
            }
            TableEvent::Started { shuffle } => {
                Wire::Started(v1::TableStarted { shuffle: Some(shuffle.to_message()) })
            }
            TableEvent::TimedOut { seat, times } => {
                Wire::ClockRanOut(v1::ClockRanOut { seat: seat_number(*seat), times: *times })
            }
            TableEvent::Forfeited { seat, finish } => Wire::SeatForfeited(v1::SeatForfeited {
                seat: seat_number(*seat),
                why: finish.to_message().into(),
            }),
            TableEvent::Replaced { seat, bot } => {
                Wire::SeatReplaced(v1::SeatReplaced { seat: Some(taken(*seat, house_bot(bot))) })
            }
            TableEvent::Ended { ending, shuffle } => Wire::Over(v1::TableOver {
                result: Some(ending.to_message()),
                shuffle: Some(shuffle.to_message()),
            }),
            TableEvent::Rematch { table } => Wire::Rematch(v1::RematchMade { table_id: table.to_string() }),
        };
        v1::TableEvent { event: Some(event) }
    }
}

impl FromMessage<v1::TableEvent> for TableEvent {
    fn from_message(wire: v1::TableEvent) -> Result<TableEvent, InvalidField> {
        let Some(event) = wire.event else {
            return Err(InvalidField::new("must have an event"));
        };
        let (field, event) = match event {
            Wire::SeatJoined(wire) => ("seat_joined", joined(wire)),
            Wire::Started(wire) => ("started", started(wire)),
            Wire::ClockRanOut(wire) => (
                "clock_ran_out",
                seat(wire.seat, "seat").map(|seat| TableEvent::TimedOut { seat, times: wire.times }),
            ),
            Wire::SeatForfeited(wire) => ("seat_forfeited", forfeited(&wire)),
            Wire::SeatReplaced(wire) => ("seat_replaced", replaced(wire)),
            Wire::Over(wire) => ("over", over(wire)),
            Wire::Rematch(wire) => {
                ("rematch", table_id(&wire.table_id, "table_id").map(|table| TableEvent::Rematch { table }))
            }
        };
        event.map_err(|wrong| wrong.within(field))
    }
}

fn joined(wire: v1::SeatJoined) -> Result<TableEvent, InvalidField> {
    match wire.seat {
        Some(v1::TableSeat { seat: number, occupant: Some(Occupant::Player(player)), .. }) => {
            Ok(TableEvent::Joined { seat: seat(number, "seat.seat")?, name: player.display_name })
        }
        _ => Err(InvalidField::at("seat", "must be a player's")),
    }
}

fn replaced(wire: v1::SeatReplaced) -> Result<TableEvent, InvalidField> {
    match wire.seat {
        Some(v1::TableSeat { seat: number, occupant: Some(Occupant::HouseBot(bot)), .. }) => {
            Ok(TableEvent::Replaced { seat: seat(number, "seat.seat")?, bot: bot.name })
        }
        _ => Err(InvalidField::at("seat", "must be a house bot's")),
    }
}

fn started(wire: v1::TableStarted) -> Result<TableEvent, InvalidField> {
    Ok(TableEvent::Started { shuffle: Box::new(required(wire.shuffle, "shuffle")?) })
}

fn forfeited(wire: &v1::SeatForfeited) -> Result<TableEvent, InvalidField> {
    Ok(TableEvent::Forfeited { seat: seat(wire.seat, "seat")?, finish: forfeit(wire.why, "why")? })
}

fn over(wire: v1::TableOver) -> Result<TableEvent, InvalidField> {
    Ok(TableEvent::Ended {
        ending: required(wire.result, "result")?,
        shuffle: Box::new(required(wire.shuffle, "shuffle")?),
    })
}
