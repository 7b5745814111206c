//! Decoding of tournament setups, from CreateTournament and from the log.

use std::ops::RangeInclusive;

use parlor_engine::{AnyGame, Chance, NoEvents};
use parlor_host::HostError;
use parlor_host::table::TimeControl;
use parlor_host::tournaments::{EntrantSetup, NewTournament, Terms};
use parlor_proto::convert::field::{InvalidField, bytes, number, one_of};
use parlor_proto::v1;
use parlor_proto::v1::entrant_setup::Entrant as WireEntrant;
use parlor_proto::v1::tournament_setup::Format as WireFormat;
use parlor_tournament::Entrant;
use parlor_tournament::plan::{DealMode, Format, MAX_ENTRANTS, PlanSetupError, PlanVersion, SequentialTest};

use super::agent::{agent_name, agent_version};
use super::create_table::time_control;
use super::enums::visibility_or_public;
use super::game_choice::game_choice;
use super::house_bot::house_bot;
use super::required as required_host;
use super::validate::{display_text, idempotency_key};
use crate::config::{Bots, TableDefaults};
use crate::grpc::Failure;

/// Maximum length of the name of a tournament, in characters.
const MAX_NAME_CHARS: usize = 128;
/// Maximum of `max_tables`, the concurrent tables of a tournament.
const MAX_CONCURRENT_TABLES: u32 = 100_000;
/// Default and maximum wait for disconnected agents, in milliseconds.
const DEFAULT_PATIENCE_MS: u32 = 60_000;
const MAX_PATIENCE_MS: u32 = 86_400_000;
/// Default number of extra groups for a tie in a knockout.
const DEFAULT_TIE_GROUPS: u32 = 3;
/// Default error rates of a sequential test.
const DEFAULT_ERROR_RATE: f64 = 0.05;
/// Default minimum of groups before a sequential test decides.
const DEFAULT_MIN_GROUPS: u32 = 30;

/// Decodes CreateTournament; unset fields get the defaults of the server.
pub fn create_tournament(
    wire: v1::CreateTournamentRequest,
    defaults: &TableDefaults,
    bots: &Bots,
) -> Result<NewTournament, Failure> {
    let request = idempotency_key("CreateTournament", &wire.request_id, &wire)?;
    let v1::CreateTournamentRequest { request_id: _, setup } = wire;
    let setup = setup.ok_or_else(|| InvalidField::at("setup", "must be set"))?;
    let given_seed = match setup.given_seed.as_slice() {
        [] => None,
        given => Some(bytes(given, "given_seed").map_err(|wrong| wrong.within("setup"))?),
    };
    let bot_name = |seat: &v1::HouseBotSeat| house_bot(seat, bots);
    // Time away would be free time to think.
    let clock = setup.clock.unwrap_or_default();
    let clock = v1::ClockSettings { grace_ms: clock.grace_ms.or(Some(0)), ..clock };
    let clock = time_control(clock, defaults);
    let time = clock.map_err(|wrong| wrong.within("clock").within("setup"))?;
    let terms = terms(setup, bot_name, time).map_err(|failure| failure.within("setup"))?;
    Ok(NewTournament { terms, given_seed, request })
}

/// Decodes a stored setup, in which every field is set.
pub(crate) fn decode_terms(wire: v1::TournamentSetup) -> Result<Terms, InvalidField> {
    let time = required_host(wire.clock, "clock")?;
    let stored_name = |seat: &v1::HouseBotSeat| Ok(seat.name.clone());
    terms(wire, stored_name, time).map_err(|failure| match failure {
        Failure::Field(wrong) => wrong,
        other => InvalidField::new(other.to_string()),
    })
}

/// Decodes a setup. `bot_name` gives the full name of a house bot. The clock is decoded by the caller, and
/// the given seed is not part of the terms.
fn terms(
    wire: v1::TournamentSetup,
    bot_name: impl Fn(&v1::HouseBotSeat) -> Result<String, Failure>,
    time: TimeControl,
) -> Result<Terms, Failure> {
    let v1::TournamentSetup {
        name,
        game,
        options,
        players,
        entrants,
        format,
        deals,
        clock: _,
        max_tables,
        test,
        visibility,
        patience_ms,
        given_seed: _,
    } = wire;
    let options = game_choice(&game, options)?;
    let info = options.game().info();
    let players = match players {
        0 => info.min_players,
        players => number(players, info.min_players.into()..=info.max_players.into(), "players")?,
    };
    // The engine validates the combination of options and players.
    AnyGame::new(info.rules_version, options, players, Chance::seeded([0; 32]), &mut NoEvents)
        .map_err(HostError::from)?;
    let entrants = self::entrants(entrants, bot_name)?;
    let terms = Terms {
        name: display_text(name, MAX_NAME_CHARS, "name")?,
        options,
        players,
        entrants,
        format: self::format(format)?,
        deals: one_of(deals, "deals", |deals| match deals {
            v1::Deals::Unspecified | v1::Deals::Duplicate => Some(DealMode::Duplicate),
            v1::Deals::Independent => Some(DealMode::Independent),
        })?,
        test: test.map(sequential_test).transpose().map_err(|wrong| wrong.within("test"))?,
        time,
        max_tables: number(max_tables, 0..=MAX_CONCURRENT_TABLES, "max_tables")?,
        visibility: visibility_or_public(visibility)?,
        patience: match patience_ms {
            None => DEFAULT_PATIENCE_MS,
            Some(patience) => number(patience, 0..=MAX_PATIENCE_MS, "patience_ms")?,
        },
    };
    terms
        .plan(PlanVersion::LATEST)
        .validate()
        .map_err(|error| InvalidField::at(invalid_field(&error, &terms), error.to_string()))?;
    Ok(terms)
}

/// The invalid field of a setup that the plan refuses.
fn invalid_field(error: &PlanSetupError, terms: &Terms) -> &'static str {
    let format = match terms.format {
        Format::RoundRobin { .. } => "round_robin",
        Format::Gauntlet { .. } => "gauntlet",
        Format::Swiss { .. } => "swiss",
        Format::Knockout { .. } => "knockout",
    };
    match error {
        PlanSetupError::Entrants(_) | PlanSetupError::TooFewEntrants { .. } => "entrants",
        PlanSetupError::Players(_) => "players",
        PlanSetupError::TestInKnockout | PlanSetupError::Test(_) => "test",
        PlanSetupError::OutOfRange { what: "min_groups", .. } => "test.min_groups",
        PlanSetupError::UnknownEntrant(..) if champion_is_an_entrant(terms) => "test.entrant",
        PlanSetupError::UnknownEntrant(..) => "gauntlet.champion",
        PlanSetupError::OutOfRange { .. } | PlanSetupError::TooManyTables(_) => format,
    }
}

fn champion_is_an_entrant(terms: &Terms) -> bool {
    !matches!(terms.format, Format::Gauntlet { champion, .. } if champion.index() >= terms.entrants.len())
}

fn entrants(
    wire: Vec<v1::EntrantSetup>,
    bot_name: impl Fn(&v1::HouseBotSeat) -> Result<String, Failure>,
) -> Result<Vec<EntrantSetup>, Failure> {
    let max = usize::from(MAX_ENTRANTS);
    if !(2..=max).contains(&wire.len()) {
        let why = format!("must have 2 to {max} entries, not {}", wire.len());
        return Err(InvalidField::at("entrants", why).into());
    }
    let mut entrants = Vec::with_capacity(wire.len());
    for (index, wire) in wire.into_iter().enumerate() {
        let at = |failure: Failure| failure.within(&format!("entrants[{index}]"));
        let entrant = entrant(wire, &bot_name).map_err(at)?;
        // An agent without a version matches all of its versions.
        let is_duplicate = match &entrant {
            EntrantSetup::Agent { name, version } => entrants.iter().any(|other| match other {
                EntrantSetup::Agent { name: same, version: other } => {
                    same == name && (version == other || version.is_empty() || other.is_empty())
                }
                EntrantSetup::House { .. } => false,
            }),
            EntrantSetup::House { .. } => entrants.contains(&entrant),
        };
        if is_duplicate {
            let why = "takes part already: no two entrants are the same";
            return Err(at(InvalidField::new(why).into()));
        }
        entrants.push(entrant);
    }
    Ok(entrants)
}

fn entrant(
    wire: v1::EntrantSetup,
    bot_name: impl Fn(&v1::HouseBotSeat) -> Result<String, Failure>,
) -> Result<EntrantSetup, Failure> {
    let v1::EntrantSetup { entrant } = wire;
    match entrant {
        Some(WireEntrant::HouseBot(seat)) => {
            let bot = bot_name(&seat).map_err(|failure| failure.within("house_bot"))?;
            Ok(EntrantSetup::House { bot })
        }
        Some(WireEntrant::Agent(v1::AgentSeat { name, version })) => {
            let agent = |wrong: InvalidField| wrong.within("agent");
            Ok(EntrantSetup::Agent {
                name: agent_name(name, "name").map_err(agent)?,
                version: agent_version(version, "version").map_err(agent)?,
            })
        }
        None => Err(InvalidField::new("must say who takes part: an agent or a house_bot").into()),
    }
}

fn format(wire: Option<WireFormat>) -> Result<Format, InvalidField> {
    let count = |count, max, field| number(count, RangeInclusive::new(1, max), field);
    Ok(match wire {
        Some(WireFormat::RoundRobin(v1::RoundRobinFormat { groups })) => {
            Format::RoundRobin { groups: count(groups, 100_000, "round_robin.groups")? }
        }
        Some(WireFormat::Gauntlet(v1::GauntletFormat { champion, groups })) => Format::Gauntlet {
            champion: Entrant(number(champion, 0..=u32::from(MAX_ENTRANTS) - 1, "gauntlet.champion")?),
            groups: count(groups, 100_000, "gauntlet.groups")?,
        },
        Some(WireFormat::Swiss(v1::SwissFormat { rounds, groups })) => Format::Swiss {
            rounds: count(rounds, 100, "swiss.rounds")?,
            groups: count(groups, 10_000, "swiss.groups")?,
        },
        Some(WireFormat::Knockout(v1::KnockoutFormat { groups, tie_groups })) => Format::Knockout {
            groups: count(groups, 10_000, "knockout.groups")?,
            tie_groups: number(tie_groups.unwrap_or(DEFAULT_TIE_GROUPS), 0..=1000, "knockout.tie_groups")?,
        },
        None => {
            let why = "must have a format: round_robin, gauntlet, swiss or knockout";
            return Err(InvalidField::new(why));
        }
    })
}

fn sequential_test(wire: v1::SequentialTest) -> Result<SequentialTest, InvalidField> {
    let v1::SequentialTest { entrant, lower, upper, alpha, beta, min_groups } = wire;
    let rate = |rate: f64, field: &str| match rate {
        0.0 => Ok(DEFAULT_ERROR_RATE),
        rate if rate > 0.0 && rate <= 0.5 => Ok(rate),
        _ => Err(InvalidField::at(field, "must be above 0, up to 0.5")),
    };
    let mean = |mean: f64, field: &str| match mean.is_finite() {
        true => Ok(mean),
        false => Err(InvalidField::at(field, "must be a number")),
    };
    let (lower, upper) = (mean(lower, "lower")?, mean(upper, "upper")?);
    if lower >= upper {
        return Err(InvalidField::at("upper", "must be more than lower"));
    }
    Ok(SequentialTest {
        entrant: Entrant(number(entrant, 0..=u32::from(MAX_ENTRANTS) - 1, "entrant")?),
        lower,
        upper,
        alpha: rate(alpha, "alpha")?,
        beta: rate(beta, "beta")?,
        min_groups: match min_groups {
            0 => DEFAULT_MIN_GROUPS,
            groups => number(groups, 2..=100_000, "min_groups")?,
        },
    })
}
