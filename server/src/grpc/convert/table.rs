//! Tables as callers see them.

use parlor_engine::Seat;
use parlor_host::table::{AddedEntropy, Holder, SeatSetup, SeatSummary, Setup, State, TableSummary};
use parlor_proto::convert::seat_number;
use parlor_proto::v1;
use parlor_proto::v1::table_seat::Occupant;
use prost_types::Timestamp;

use super::ToMessage;

/// The message of a table. Metadata and user ids, the owner-only fields, are set only if the caller owns the
/// table.
#[must_use]
pub fn table(summary: &TableSummary, owned: bool) -> v1::Table {
    let TableSummary {
        setup,
        state,
        seats,
        shuffle,
        ending,
        reveal_before,
        started,
        ended,
        length: _,
        numbers: _,
        spectators: _,
        waiting_for,
        invites: _,
        rematch,
    } = summary;
    let Setup {
        table,
        owner: _,
        options,
        rules_version,
        seats: seat_setups,
        time,
        visibility,
        chance: _,
        metadata,
        created,
        fill: _,
        rematch_of,
        request: _,
    } = &**setup;
    let is_open = *state == State::Open;
    let is_withheld = |seat: Seat| {
        let added = shuffle.entropy.get(seat.index()).filter(|_| started.is_some());
        added.is_some_and(AddedEntropy::is_unrevealed)
    };
    let with_seat = |((setup, summary), seat): ((&SeatSetup, &SeatSummary), Seat)| v1::TableSeat {
        entropy_withheld: is_withheld(seat),
        ..table_seat(seat, setup, summary, owned)
    };
    let seats = seat_setups.iter().zip(seats).zip(Seat::all(seats.len() as u8));
    v1::Table {
        table_id: table.to_string(),
        game: options.game().info().id.to_owned(),
        rules_version: *rules_version,
        options: Some((*options).into()),
        state: state.to_message().into(),
        seats: seats.map(with_seat).collect(),
        clock: Some(time.to_message()),
        visibility: visibility.to_message().into(),
        shuffle: Some(shuffle.to_message()),
        create_time: Some(timestamp(*created)),
        expire_time: is_open.then(|| timestamp(setup.expires())),
        start_time: started.map(timestamp),
        end_time: ended.map(timestamp),
        result: ending.as_ref().map(ToMessage::to_message),
        rematch_of: rematch_of.map(|table| table.to_string()).unwrap_or_default(),
        rematch_table_id: rematch.map(|table| table.to_string()).unwrap_or_default(),
        owned,
        metadata: if owned { metadata.clone() } else { Default::default() },
        reveal_before: reveal_before.map(timestamp),
        waiting_for: waiting_for.iter().map(seat_number).collect(),
    }
}

fn table_seat(seat: Seat, setup: &SeatSetup, summary: &SeatSummary, owned: bool) -> v1::TableSeat {
    let SeatSummary { holder, generation: _, finish, grace: _ } = summary;
    let user_id = |user: &Option<String>| user.clone().filter(|_| owned).unwrap_or_default();
    let occupant = match (holder, setup) {
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
    let forfeited = Some(*finish).filter(|finish| finish.is_forfeit());
    v1::TableSeat {
        forfeited: forfeited.map_or(v1::SeatFinish::Unspecified, |finish| finish.to_message()).into(),
        ..occupied_seat(seat, occupant)
    }
}

/// A seat with its occupant, not forfeited.
pub(super) fn occupied_seat(seat: Seat, occupant: Occupant) -> v1::TableSeat {
    let forfeited = v1::SeatFinish::Unspecified.into();
    v1::TableSeat { seat: seat_number(seat), occupant: Some(occupant), forfeited, entropy_withheld: false }
}

/// A player. The user id is empty for everyone but the owner.
pub(super) fn player(user_id: String, name: &str) -> Occupant {
    Occupant::Player(v1::PlayerSeat { user_id, display_name: name.to_owned() })
}

/// A house bot.
pub(super) fn house_bot(bot: &str) -> Occupant {
    Occupant::HouseBot(v1::HouseBotSeat { name: bot.to_owned() })
}

/// A timestamp from milliseconds since 1970.
pub(super) fn timestamp(ms: u64) -> Timestamp {
    // No overflow: the seconds are a thousandth of a u64, and the nanoseconds are below a billion.
    Timestamp { seconds: (ms / 1000) as i64, nanos: (ms % 1000) as i32 * 1_000_000 }
}
