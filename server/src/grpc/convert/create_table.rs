//! Making a table.

use std::ops::RangeInclusive;
use std::time::Duration;

use parlor_engine::{AnyGame, AnyOptions, Chance, NoEvents};
use parlor_proto::convert::field::{InvalidField, bytes, length, number, required};
use parlor_proto::v1;
use parlor_proto::v1::create_table_request::Chance as WireChance;
use parlor_proto::v1::seat_setup::Occupant;

use super::agent::{agent_name, agent_version};
use super::enums::visibility;
use super::house_bot::house_bot;
use super::validate::{metadata, name, request_mark, user_id};
use crate::config::{Bots, TableDefaults};
use crate::grpc::Failure;
use parlor_host::agents::AgentRequirement;
use parlor_host::table::{SeatSetup, TimeControl, Visibility};
use parlor_host::{HostError, NewChance, NewTable};

/// 30 days in milliseconds: as long as any time may be.
const LONGEST: u32 = 2_592_000_000;
const TIMES: RangeInclusive<u32> = 0..=LONGEST;

/// The table that a request asks for, with the defaults of the server for what it does not say.
pub fn create_table(
    wire: v1::CreateTableRequest,
    defaults: &TableDefaults,
    bots: &Bots,
) -> Result<NewTable, Failure> {
    let request = request_mark("CreateTable", &wire.request_id, &wire)?;
    let options: AnyOptions = required(wire.options, "options")?;
    let info = options.game().info();
    let players = length(&wire.seats, info.min_players.into()..=info.max_players.into(), "seats")?;
    // The engine has the last word on what can be played.
    AnyGame::new(info.rules_version, options, players, Chance::seeded([0; 32]), &mut NoEvents)
        .map_err(HostError::from)?;
    let seats = wire.seats.into_iter().enumerate().map(|(place, seat)| {
        seat_setup(seat, bots).map_err(|failure| failure.within(&format!("seats[{place}]")))
    });
    let fill = wire.fill_ms.map(|fill| number::<u64>(fill, 1000..=LONGEST, "fill_ms")).transpose()?;
    Ok(NewTable {
        options,
        seats: seats.collect::<Result<_, Failure>>()?,
        time: time_control(wire.clock.unwrap_or_default(), defaults)
            .map_err(|wrong| wrong.within("clock"))?,
        visibility: match wire.visibility {
            0 => Visibility::Public,
            said => visibility(said, "visibility")?,
        },
        chance: match wire.chance {
            None | Some(WireChance::Fresh(v1::FreshChance {})) => NewChance::Fresh,
            Some(WireChance::GivenSeed(given)) => {
                NewChance::Given(bytes(&given.seed, "seed").map_err(|wrong| wrong.within("given_seed"))?)
            }
        },
        metadata: metadata(wire.metadata)?,
        fill: fill.unwrap_or_else(|| milliseconds(defaults.fill_within.get()).into()),
        agents: AgentRequirement::Connected,
        request,
    })
}

fn seat_setup(wire: v1::SeatSetup, bots: &Bots) -> Result<SeatSetup, Failure> {
    match wire.occupant {
        None | Some(Occupant::Open(v1::OpenSeat {})) => Ok(SeatSetup::Open),
        Some(Occupant::HouseBot(bot)) => {
            let bot = house_bot(&bot, bots).map_err(|failure| failure.within("house_bot"))?;
            Ok(SeatSetup::House { bot })
        }
        Some(Occupant::Agent(seat)) => agent(seat).map_err(|wrong| wrong.within("agent").into()),
        Some(Occupant::Reserved(seat)) => reserved(seat).map_err(|wrong| wrong.within("reserved").into()),
    }
}

/// The seat of an agent. Whether the agent is there is for the host to say.
fn agent(wire: v1::AgentSeat) -> Result<SeatSetup, InvalidField> {
    Ok(SeatSetup::Agent {
        name: agent_name(wire.name, "name")?,
        version: agent_version(wire.version, "version")?,
    })
}

fn reserved(wire: v1::ReservedSeat) -> Result<SeatSetup, InvalidField> {
    let user = user_id(wire.user_id, "user_id")?;
    if user.is_none() {
        return Err(InvalidField::at("user_id", "must be set, to the user whom the seat is for"));
    }
    Ok(SeatSetup::Reserved { user, name: name(wire.display_name, "display_name")?, previous: None })
}

pub(super) fn time_control(
    wire: v1::ClockSettings,
    defaults: &TableDefaults,
) -> Result<TimeControl, InvalidField> {
    let or_default = |value: Option<u32>, default: u32, range: RangeInclusive<u32>, field: &str| {
        value.map_or(Ok(default), |value| number(value, range, field))
    };
    let (decision, bank) = (milliseconds(defaults.decision.get()), milliseconds(defaults.bank.get()));
    let (grace, secret) = (milliseconds(defaults.grace.get()), milliseconds(defaults.hidden_window.get()));
    let forfeit_after = defaults.forfeit_after.get();
    Ok(TimeControl {
        decision: or_default(wire.decision_ms, decision, TIMES, "decision_ms")?,
        bank: or_default(wire.bank_ms, bank, TIMES, "bank_ms")?,
        grace: or_default(wire.grace_ms, grace, TIMES, "grace_ms")?,
        forfeit_after: or_default(wire.forfeit_after, forfeit_after, 1..=1000, "forfeit_after")?,
        secret: or_default(wire.hidden_window_ms, secret, 100..=600_000, "hidden_window_ms")?,
        constant_secret: wire.constant_hidden_windows.unwrap_or(defaults.hidden_window_constant),
    })
}

/// A time of the settings, which are all within 30 days.
fn milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(LONGEST)
}
