//! Table events: joins, start, timeouts, forfeits, replacements, the end, rematches.

use parlor_host::table::TableEvent;
use parlor_proto::convert::field::InvalidField;
use parlor_proto::convert::{seat, seat_number};
use parlor_proto::v1;
use parlor_proto::v1::table_event::Event as Wire;
use parlor_proto::v1::table_seat::Occupant;

use super::enums::forfeit;
use super::id::table_id;
use super::table::{house_bot, occupied_seat, player};
use super::{FromMessage, ToMessage, required};

impl ToMessage<v1::TableEvent> for TableEvent {
    fn to_message(&self) -> v1::TableEvent {
        let event = match self {
            TableEvent::Joined { seat, name } => {
                // The event is public, so it has no user id.
                let seat = occupied_seat(*seat, player(String::new(), name));
                Wire::SeatJoined(v1::SeatJoined { seat: Some(seat) })
            }
            TableEvent::Starting { shuffle } => {
                Wire::Starting(v1::TableStarting { shuffle: Some(shuffle.to_message()) })
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
                Wire::SeatReplaced(v1::SeatReplaced { seat: Some(occupied_seat(*seat, house_bot(bot))) })
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
        let v1::TableEvent { event } = wire;
        let Some(event) = event else {
            return Err(InvalidField::new("must have an event"));
        };
        let (field, event) = match event {
            Wire::SeatJoined(wire) => ("seat_joined", joined(wire)),
            Wire::Starting(wire) => ("starting", starting(wire)),
            Wire::Started(wire) => ("started", started(wire)),
            Wire::ClockRanOut(v1::ClockRanOut { seat: number, times }) => {
                ("clock_ran_out", seat(number, "seat").map(|seat| TableEvent::TimedOut { seat, times }))
            }
            Wire::SeatForfeited(wire) => ("seat_forfeited", forfeited(&wire)),
            Wire::SeatReplaced(wire) => ("seat_replaced", replaced(wire)),
            Wire::Over(wire) => ("over", over(wire)),
            Wire::Rematch(v1::RematchMade { table_id: id }) => {
                ("rematch", table_id(&id, "table_id").map(|table| TableEvent::Rematch { table }))
            }
        };
        event.map_err(|wrong| wrong.within(field))
    }
}

fn joined(v1::SeatJoined { seat: joined }: v1::SeatJoined) -> Result<TableEvent, InvalidField> {
    match joined {
        Some(v1::TableSeat { seat: number, occupant: Some(Occupant::Player(player)), .. }) => {
            let v1::PlayerSeat { user_id: _, display_name: name } = player;
            Ok(TableEvent::Joined { seat: seat(number, "seat.seat")?, name })
        }
        _ => Err(InvalidField::at("seat", "must be a player's")),
    }
}

fn replaced(v1::SeatReplaced { seat: replaced }: v1::SeatReplaced) -> Result<TableEvent, InvalidField> {
    match replaced {
        Some(v1::TableSeat { seat: number, occupant: Some(Occupant::HouseBot(bot)), .. }) => {
            let v1::HouseBotSeat { name: bot } = bot;
            Ok(TableEvent::Replaced { seat: seat(number, "seat.seat")?, bot })
        }
        _ => Err(InvalidField::at("seat", "must be a house bot's")),
    }
}

fn starting(v1::TableStarting { shuffle }: v1::TableStarting) -> Result<TableEvent, InvalidField> {
    Ok(TableEvent::Starting { shuffle: Box::new(required(shuffle, "shuffle")?) })
}

fn started(v1::TableStarted { shuffle }: v1::TableStarted) -> Result<TableEvent, InvalidField> {
    Ok(TableEvent::Started { shuffle: Box::new(required(shuffle, "shuffle")?) })
}

fn forfeited(wire: &v1::SeatForfeited) -> Result<TableEvent, InvalidField> {
    let v1::SeatForfeited { seat: number, why } = *wire;
    Ok(TableEvent::Forfeited { seat: seat(number, "seat")?, finish: forfeit(why, "why")? })
}

fn over(v1::TableOver { result, shuffle }: v1::TableOver) -> Result<TableEvent, InvalidField> {
    Ok(TableEvent::Ended {
        ending: required(result, "result")?,
        shuffle: Box::new(required(shuffle, "shuffle")?),
    })
}
