//! CreateTable.

use std::ops::RangeInclusive;
use std::time::Duration;

use parlor_engine::{AnyGame, Chance, NoEvents};
use parlor_host::agents::AgentRequirement;
use parlor_host::table::{SeatSetup, TimeControl};
use parlor_host::{HostError, NewChance, NewTable};
use parlor_proto::convert::field::{InvalidField, bytes, length, number};
use parlor_proto::v1;
use parlor_proto::v1::create_table_request::Chance as WireChance;
use parlor_proto::v1::seat_setup::Occupant;

use super::agent::{agent_name, agent_version};
use super::enums::visibility_or_public;
use super::game_choice::game_choice;
use super::house_bot::house_bot;
use super::validate::{display_name, guest_idempotency_key, idempotency_key, metadata, user_id};
use crate::config::{Bots, TableDefaults};
use crate::grpc::Failure;

/// Maximum of every time: 30 days, in milliseconds.
pub(super) const MAX_TIME_MS: u32 = 2_592_000_000;
const TIME_RANGE_MS: RangeInclusive<u32> = 0..=MAX_TIME_MS;

/// Decodes a request, by a caller with a key or a guest; unset fields get the defaults of the server.
pub fn create_table(
    wire: v1::CreateTableRequest,
    defaults: &TableDefaults,
    bots: &Bots,
    by_guest: bool,
) -> Result<NewTable, Failure> {
    let key = if by_guest { guest_idempotency_key } else { idempotency_key };
    let request = key("CreateTable", &wire.request_id, &wire)?;
    let v1::CreateTableRequest {
        request_id: _,
        game,
        options,
        seats,
        clock,
        visibility,
        metadata,
        fill_ms,
        chance,
    } = wire;
    let options = game_choice(&game, options)?;
    let info = options.game().info();
    let players = length(&seats, info.min_players.into()..=info.max_players.into(), "seats")?;
    // The engine validates the combination of options and players.
    AnyGame::new(info.rules_version, options, players, Chance::seeded([0; 32]), &mut NoEvents)
        .map_err(HostError::from)?;
    let seats = seats.into_iter().enumerate().map(|(index, seat)| {
        seat_setup(seat, bots).map_err(|failure| failure.within(&format!("seats[{index}]")))
    });
    let fill = fill_ms.map(|fill| number::<u64>(fill, 1000..=MAX_TIME_MS, "fill_ms")).transpose()?;
    Ok(NewTable {
        options,
        seats: seats.collect::<Result<_, Failure>>()?,
        time: time_control(clock.unwrap_or_default(), defaults).map_err(|wrong| wrong.within("clock"))?,
        visibility: visibility_or_public(visibility)?,
        chance: match chance {
            None | Some(WireChance::Fresh(v1::FreshChance {})) => NewChance::Fresh,
            Some(WireChance::GivenSeed(v1::GivenSeed { seed })) => {
                NewChance::Given(bytes(&seed, "seed").map_err(|wrong| wrong.within("given_seed"))?)
            }
        },
        metadata: self::metadata(metadata)?,
        fill: fill.unwrap_or_else(|| milliseconds(defaults.fill_within.get()).into()),
        agents: AgentRequirement::Connected,
        request,
    })
}

fn seat_setup(wire: v1::SeatSetup, bots: &Bots) -> Result<SeatSetup, Failure> {
    let v1::SeatSetup { occupant } = wire;
    match occupant {
        None | Some(Occupant::Open(v1::OpenSeat {})) => Ok(SeatSetup::Open),
        Some(Occupant::HouseBot(bot)) => {
            let bot = house_bot(&bot, bots).map_err(|failure| failure.within("house_bot"))?;
            Ok(SeatSetup::House { bot })
        }
        Some(Occupant::Agent(seat)) => agent(seat).map_err(|wrong| wrong.within("agent").into()),
        Some(Occupant::Reserved(seat)) => reserved(seat).map_err(|wrong| wrong.within("reserved").into()),
    }
}

/// Decodes the seat of an agent. The host checks that the agent is connected.
fn agent(wire: v1::AgentSeat) -> Result<SeatSetup, InvalidField> {
    let v1::AgentSeat { name, version } = wire;
    Ok(SeatSetup::Agent { name: agent_name(name, "name")?, version: agent_version(version, "version")? })
}

fn reserved(wire: v1::ReservedSeat) -> Result<SeatSetup, InvalidField> {
    let v1::ReservedSeat { user_id: user, display_name: name } = wire;
    let user = user_id(user, "user_id")?;
    if user.is_none() {
        return Err(InvalidField::at("user_id", "must be set, to the user whom the seat is for"));
    }
    Ok(SeatSetup::Reserved { user, name: display_name(name, "display_name")?, previous: None })
}

/// Decodes clock settings; unset fields get the defaults of the server.
pub(super) fn time_control(
    wire: v1::ClockSettings,
    defaults: &TableDefaults,
) -> Result<TimeControl, InvalidField> {
    let or_default = |value: Option<u32>, default: u32, range: RangeInclusive<u32>, field: &str| {
        value.map_or(Ok(default), |value| number(value, range, field))
    };
    let v1::ClockSettings {
        decision_ms,
        bank_ms,
        grace_ms,
        forfeit_after,
        hidden_window_ms,
        constant_hidden_windows,
    } = wire;
    let (decision, bank) = (milliseconds(defaults.decision.get()), milliseconds(defaults.bank.get()));
    let (grace, secret) = (milliseconds(defaults.grace.get()), milliseconds(defaults.hidden_window.get()));
    let forfeits = defaults.forfeit_after.get();
    Ok(TimeControl {
        decision: or_default(decision_ms, decision, TIME_RANGE_MS, "decision_ms")?,
        bank: or_default(bank_ms, bank, TIME_RANGE_MS, "bank_ms")?,
        grace: or_default(grace_ms, grace, TIME_RANGE_MS, "grace_ms")?,
        forfeit_after: or_default(forfeit_after, forfeits, 1..=1000, "forfeit_after")?,
        secret: or_default(hidden_window_ms, secret, 100..=600_000, "hidden_window_ms")?,
        constant_secret: constant_hidden_windows.unwrap_or(defaults.hidden_window_constant),
    })
}

/// A time of the settings in milliseconds. Settings are at most 30 days.
fn milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(MAX_TIME_MS)
}
