//! A table as a caller may see it.

use parlor_engine::Seat;
use parlor_proto::convert::seat_number;
use parlor_proto::v1;
use parlor_proto::v1::table_seat::Occupant;
use prost_types::Timestamp;

use super::ToMessage;

use parlor_host::table::{Holder, SeatSetup, SeatSummary, State, TableSummary};

/// The table. What is the owner's alone, which is the metadata and the owner's names for users, is in it only if the
/// caller owns the table.
#[must_use]
pub fn table(look: &TableSummary, owned: bool) -> v1::Table {
    let setup = &*look.setup;
    let is_open = look.state == State::Open;
    let seats = setup.seats.iter().zip(&look.seats).zip(Seat::all(look.seats.len() as u8));
    v1::Table {
        table_id: setup.table.to_string(),
        game: setup.options.game().info().id.to_owned(),
        rules_version: setup.rules_version,
        options: Some(setup.options.into()),
        state: look.state.to_message().into(),
        seats: seats.map(|((setup, look), seat)| table_seat(seat, setup, look, owned)).collect(),
        clock: Some(setup.time.to_message()),
        visibility: setup.visibility.to_message().into(),
        shuffle: Some(look.shuffle.to_message()),
        create_time: Some(timestamp(setup.created)),
        expire_time: is_open.then(|| timestamp(setup.expires())),
        start_time: look.started.map(timestamp),
        end_time: look.ended.map(timestamp),
        result: look.ending.as_ref().map(ToMessage::to_message),
        rematch_of: setup.rematch_of.map(|table| table.to_string()).unwrap_or_default(),
        rematch_table_id: look.rematch.map(|table| table.to_string()).unwrap_or_default(),
        owned,
        metadata: if owned { setup.metadata.clone() } else { Default::default() },
    }
}

fn table_seat(seat: Seat, setup: &SeatSetup, look: &SeatSummary, owned: bool) -> v1::TableSeat {
    let user_id = |user: &Option<String>| user.clone().filter(|_| owned).unwrap_or_default();
    let occupant = match (&look.holder, setup) {
        (Holder::Player { user, name }, _) => player(user_id(user), name),
        (Holder::House { bot }, _) => house_bot(bot),
        (Holder::Agent { name, version }, _) => {
            Occupant::Agent(v1::AgentSeat { name: name.clone(), version: version.clone() })
        }
        (Holder::Vacant, SeatSetup::Reserved { user, name, .. }) => {
            Occupant::Reserved(v1::ReservedSeat { user_id: user_id(user), display_name: name.clone() })
        }
        (Holder::Vacant, SeatSetup::Open | SeatSetup::House { .. } | SeatSetup::Agent { .. }) => {
            Occupant::Open(v1::OpenSeat {})
        }
    };
    let forfeited = Some(look.finish).filter(|finish| finish.is_forfeit());
    v1::TableSeat {
        forfeited: forfeited.map_or(v1::SeatFinish::Unspecified, |finish| finish.to_message()).into(),
        ..taken(seat, occupant)
    }
}

/// A seat on which somebody has just sat down.
pub(super) fn taken(seat: Seat, occupant: Occupant) -> v1::TableSeat {
    let forfeited = v1::SeatFinish::Unspecified.into();
    v1::TableSeat { seat: seat_number(seat), occupant: Some(occupant), forfeited }
}

/// A player. The owner's own name for the user is empty for everyone else.
pub(super) fn player(user_id: String, name: &str) -> Occupant {
    Occupant::Player(v1::PlayerSeat { user_id, display_name: name.to_owned() })
}

/// A bot of the house.
pub(super) fn house_bot(bot: &str) -> Occupant {
    Occupant::HouseBot(v1::HouseBotSeat { name: bot.to_owned() })
}

/// A moment, from milliseconds since 1970.
pub(super) fn timestamp(ms: u64) -> Timestamp {
    // Seconds of 64 bits hold a thousandth of any number of milliseconds, and nanoseconds are below a billion.
    Timestamp { seconds: (ms / 1000) as i64, nanos: (ms % 1000) as i32 * 1_000_000 }
}
