//! How tournaments are set up and shown.

use std::ops::RangeInclusive;
use std::sync::Arc;

use parlor_engine::{AnyGame, AnyOptions, Chance, NoEvents};
use parlor_proto::convert::field::{InvalidField, bytes, number, one_of, required};
use parlor_proto::v1;
use parlor_proto::v1::entrant_setup::Entrant as WireEntrant;
use parlor_proto::v1::tournament_setup::Format as WireFormat;
use parlor_tournament::plan::{DealMode, Format, MAX_ENTRANTS, PlanSetupError, SequentialTest};
use parlor_tournament::{Entrant, TournamentState};

use super::agent::{agent_name, agent_version};
use super::create_table::time_control;
use super::enums::visibility;
use super::house_bot::house_bot;
use super::shuffle::entropy;
use super::table::timestamp;
use super::validate::{request_mark, shown};
use super::{ToMessage, required as required_host};
use crate::config::{Bots, TableDefaults};
use crate::grpc::Failure;
use parlor_host::HostError;
use parlor_host::TournamentId;
use parlor_host::table::Visibility;
use parlor_host::tournaments::{
    EntrantSetup, LiveOrStored, NewTournament, StandingsSnapshot, Terms, TournamentSnapshot,
};

/// The longest name of a tournament, in characters.
const NAME: usize = 128;
/// The most tables at once that can be asked for.
const MAX_TABLES: u32 = 100_000;
/// How long it waits for agents that are not there, if nobody says, and at most, in milliseconds.
const PATIENCE: u32 = 60_000;
const LONGEST_PATIENCE: u32 = 86_400_000;
/// How many more groups a tied line-up of a knockout plays, if nobody says.
const TIE_GROUPS: u32 = 3;
/// The error rates of a sequential test, and the groups before which nothing is decided, if nobody says.
const ERROR_RATE: f64 = 0.05;
const MIN_GROUPS: u32 = 30;

/// The tournament that a request asks for, with the defaults of the server for what it does not say.
pub fn create_tournament(
    wire: v1::CreateTournamentRequest,
    defaults: &TableDefaults,
    bots: &Bots,
) -> Result<NewTournament, Failure> {
    let request = request_mark("CreateTournament", &wire.request_id, &wire)?;
    let entropy = entropy(&wire.entropy)?;
    let setup = wire.setup.ok_or_else(|| InvalidField::at("setup", "must be set"))?;
    let given_seed = match setup.given_seed.as_slice() {
        [] => None,
        given => Some(bytes(given, "given_seed").map_err(|wrong| wrong.within("setup"))?),
    };
    let house = |seat: &v1::HouseBotSeat| house_bot(seat, bots);
    let clock = time_control(setup.clock.unwrap_or_default(), defaults);
    let time = clock.map_err(|wrong| wrong.within("clock").within("setup"))?;
    let terms = terms(setup, house, time).map_err(|failure| failure.within("setup"))?;
    Ok(NewTournament { terms, given_seed, entropy, request })
}

/// What a log holds of a tournament. All of it is set.
pub(crate) fn decode_terms(wire: v1::TournamentSetup) -> Result<Terms, InvalidField> {
    let time = required_host(wire.clock, "clock")?;
    let as_it_was = |seat: &v1::HouseBotSeat| Ok(seat.name.clone());
    terms(wire, as_it_was, time).map_err(|failure| match failure {
        Failure::Field(wrong) => wrong,
        other => InvalidField::new(other.to_string()),
    })
}

fn terms(
    wire: v1::TournamentSetup,
    house: impl Fn(&v1::HouseBotSeat) -> Result<String, Failure>,
    time: parlor_host::table::TimeControl,
) -> Result<Terms, Failure> {
    let options: AnyOptions = required(wire.options, "options")?;
    let info = options.game().info();
    let players = match wire.players {
        0 => info.min_players,
        said => number(said, info.min_players.into()..=info.max_players.into(), "players")?,
    };
    // The engine has the last word on what can be played.
    AnyGame::new(info.rules_version, options, players, Chance::seeded([0; 32]), &mut NoEvents)
        .map_err(HostError::from)?;
    let entrants = entrants(wire.entrants, house)?;
    let terms = Terms {
        name: shown(wire.name, NAME, "name")?,
        options,
        players,
        entrants,
        format: format(wire.format)?,
        deals: one_of(wire.deals, "deals", |deals| match deals {
            v1::Deals::Unspecified | v1::Deals::Duplicate => Some(DealMode::Duplicate),
            v1::Deals::Independent => Some(DealMode::Independent),
        })?,
        test: wire.test.map(sequential_test).transpose().map_err(|wrong| wrong.within("test"))?,
        time,
        max_tables: number(wire.max_tables, 0..=MAX_TABLES, "max_tables")?,
        visibility: match wire.visibility {
            0 => Visibility::Public,
            said => visibility(said, "visibility")?,
        },
        patience: match wire.patience_ms {
            None => PATIENCE,
            Some(patience) => number(patience, 0..=LONGEST_PATIENCE, "patience_ms")?,
        },
    };
    terms.plan().validate().map_err(|error| InvalidField::at(field_of(&error, &terms), error.to_string()))?;
    Ok(terms)
}

/// The field of the setup that an error of the plan is about.
fn field_of(error: &PlanSetupError, terms: &Terms) -> &'static str {
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
        PlanSetupError::UnknownEntrant(..) if champion_is_there(terms) => "test.entrant",
        PlanSetupError::UnknownEntrant(..) => "gauntlet.champion",
        PlanSetupError::OutOfRange { .. } | PlanSetupError::TooManyTables(_) => format,
    }
}

fn champion_is_there(terms: &Terms) -> bool {
    !matches!(terms.format, Format::Gauntlet { champion, .. } if champion.index() >= terms.entrants.len())
}

fn entrants(
    wire: Vec<v1::EntrantSetup>,
    house: impl Fn(&v1::HouseBotSeat) -> Result<String, Failure>,
) -> Result<Vec<EntrantSetup>, Failure> {
    let most = usize::from(MAX_ENTRANTS);
    if !(2..=most).contains(&wire.len()) {
        let why = format!("must have 2 to {most} entries, not {}", wire.len());
        return Err(InvalidField::at("entrants", why).into());
    }
    let mut known = Vec::with_capacity(wire.len());
    for (place, wire) in wire.into_iter().enumerate() {
        let at = |failure: Failure| failure.within(&format!("entrants[{place}]"));
        let entrant = entrant(wire, &house).map_err(at)?;
        // An agent whose version is not said is whichever of its versions comes.
        let is_known = match &entrant {
            EntrantSetup::Agent { name, version } => known.iter().any(|other| match other {
                EntrantSetup::Agent { name: same, version: other } => {
                    same == name && (version == other || version.is_empty() || other.is_empty())
                }
                EntrantSetup::House { .. } => false,
            }),
            EntrantSetup::House { .. } => known.contains(&entrant),
        };
        if is_known {
            let why = "takes part already: no two entrants are the same";
            return Err(at(InvalidField::new(why).into()));
        }
        known.push(entrant);
    }
    Ok(known)
}

fn entrant(
    wire: v1::EntrantSetup,
    house: impl Fn(&v1::HouseBotSeat) -> Result<String, Failure>,
) -> Result<EntrantSetup, Failure> {
    match wire.entrant {
        Some(WireEntrant::HouseBot(seat)) => {
            let bot = house(&seat).map_err(|failure| failure.within("house_bot"))?;
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
    let groups = |said, most, field| number(said, RangeInclusive::new(1, most), field);
    Ok(match wire {
        Some(WireFormat::RoundRobin(format)) => {
            Format::RoundRobin { groups: groups(format.groups, 100_000, "round_robin.groups")? }
        }
        Some(WireFormat::Gauntlet(format)) => Format::Gauntlet {
            champion: Entrant(number(format.champion, 0..=u32::from(MAX_ENTRANTS) - 1, "gauntlet.champion")?),
            groups: groups(format.groups, 100_000, "gauntlet.groups")?,
        },
        Some(WireFormat::Swiss(format)) => Format::Swiss {
            rounds: groups(format.rounds, 100, "swiss.rounds")?,
            groups: groups(format.groups, 10_000, "swiss.groups")?,
        },
        Some(WireFormat::Knockout(format)) => Format::Knockout {
            groups: groups(format.groups, 10_000, "knockout.groups")?,
            tie_groups: number(format.tie_groups.unwrap_or(TIE_GROUPS), 0..=1000, "knockout.tie_groups")?,
        },
        None => {
            let why = "must have a format: round_robin, gauntlet, swiss or knockout";
            return Err(InvalidField::new(why));
        }
    })
}

fn sequential_test(wire: v1::SequentialTest) -> Result<SequentialTest, InvalidField> {
    let rate = |said: f64, field: &str| match said {
        0.0 => Ok(ERROR_RATE),
        rate if rate > 0.0 && rate <= 0.5 => Ok(rate),
        _ => Err(InvalidField::at(field, "must be above 0, up to 0.5")),
    };
    let mean = |said: f64, field: &str| match said.is_finite() {
        true => Ok(said),
        false => Err(InvalidField::at(field, "must be a number")),
    };
    let (lower, upper) = (mean(wire.lower, "lower")?, mean(wire.upper, "upper")?);
    if lower >= upper {
        return Err(InvalidField::at("upper", "must be more than lower"));
    }
    Ok(SequentialTest {
        entrant: Entrant(number(wire.entrant, 0..=u32::from(MAX_ENTRANTS) - 1, "entrant")?),
        lower,
        upper,
        alpha: rate(wire.alpha, "alpha")?,
        beta: rate(wire.beta, "beta")?,
        min_groups: match wire.min_groups {
            0 => MIN_GROUPS,
            said => number(said, 2..=100_000, "min_groups")?,
        },
    })
}

/// All of it is set, without a seed.
impl ToMessage<v1::TournamentSetup> for Terms {
    fn to_message(&self) -> v1::TournamentSetup {
        let terms = self;
        v1::TournamentSetup {
            name: terms.name.clone(),
            options: Some(terms.options.into()),
            players: terms.players.into(),
            entrants: terms.entrants.iter().map(ToMessage::to_message).collect(),
            format: Some(wire_format(terms.format)),
            deals: match terms.deals {
                DealMode::Duplicate => v1::Deals::Duplicate,
                DealMode::Independent => v1::Deals::Independent,
            }
            .into(),
            clock: Some(terms.time.to_message()),
            max_tables: terms.max_tables,
            test: terms.test.map(|test| v1::SequentialTest {
                entrant: test.entrant.0.into(),
                lower: test.lower,
                upper: test.upper,
                alpha: test.alpha,
                beta: test.beta,
                min_groups: test.min_groups,
            }),
            visibility: terms.visibility.to_message().into(),
            patience_ms: Some(terms.patience),
            given_seed: Vec::new(),
        }
    }
}

impl ToMessage<v1::EntrantSetup> for EntrantSetup {
    fn to_message(&self) -> v1::EntrantSetup {
        let entrant = self;
        let entrant = match entrant {
            EntrantSetup::Agent { name, version } => {
                WireEntrant::Agent(v1::AgentSeat { name: name.clone(), version: version.clone() })
            }
            EntrantSetup::House { bot } => WireEntrant::HouseBot(v1::HouseBotSeat { name: bot.clone() }),
        };
        v1::EntrantSetup { entrant: Some(entrant) }
    }
}

fn wire_format(format: Format) -> WireFormat {
    match format {
        Format::RoundRobin { groups } => WireFormat::RoundRobin(v1::RoundRobinFormat { groups }),
        Format::Gauntlet { champion, groups } => {
            WireFormat::Gauntlet(v1::GauntletFormat { champion: champion.0.into(), groups })
        }
        Format::Swiss { rounds, groups } => WireFormat::Swiss(v1::SwissFormat { rounds, groups }),
        Format::Knockout { groups, tie_groups } => {
            WireFormat::Knockout(v1::KnockoutFormat { groups, tie_groups: Some(tie_groups) })
        }
    }
}

/// Where a tournament is in its life.
pub(crate) fn state(state: TournamentState) -> v1::TournamentState {
    match state {
        TournamentState::Created => v1::TournamentState::Created,
        TournamentState::Running => v1::TournamentState::Running,
        TournamentState::Paused => v1::TournamentState::Paused,
        TournamentState::Finished => v1::TournamentState::Finished,
        TournamentState::Cancelled => v1::TournamentState::Cancelled,
    }
}

/// A tournament, as anyone may see it, and whether it is the caller's own.
pub(crate) fn tournament(snapshot: &TournamentSnapshot, owned: bool) -> v1::Tournament {
    let TournamentSnapshot { setup, state, versions, entropy, server_seed, started, ended, note } = snapshot;
    let mut shown: v1::TournamentSetup = setup.terms.to_message();
    for (entrant, version) in shown.entrants.iter_mut().zip(versions) {
        if let Some(WireEntrant::Agent(agent)) = &mut entrant.entrant {
            agent.version.clone_from(version);
        }
    }
    let commitment = (!setup.given).then(|| setup.seed().tournament_commitment(setup.tournament));
    v1::Tournament {
        tournament_id: setup.tournament.to_string(),
        setup: Some(shown),
        state: self::state(*state).into(),
        shuffle: Some(v1::TournamentShuffle {
            commitment: commitment.map(|commitment| commitment.as_bytes().to_vec()).unwrap_or_default(),
            entropy: entropy.iter().map(|added| added.as_bytes().to_vec()).collect(),
            server_seed: server_seed.map(|seed| seed.to_vec()).unwrap_or_default(),
            seed_given: setup.given,
        }),
        create_time: Some(timestamp(setup.created)),
        start_time: started.map(timestamp),
        end_time: ended.map(timestamp),
        owned,
        note: note.clone(),
    }
}

/// A tournament in memory, or from its record.
pub(crate) fn shown_tournament(
    tournament: &LiveOrStored<TournamentSnapshot>,
    owned: bool,
) -> Result<v1::Tournament, Failure> {
    match tournament {
        LiveOrStored::Live(snapshot) => Ok(self::tournament(snapshot, owned)),
        LiveOrStored::Stored(bytes) => Ok(v1::Tournament { owned, ..stored(bytes)? }),
    }
}

/// Standings in memory, or from the record of a finished tournament; with their history if that is wanted.
pub(crate) fn shown_standings(
    standings: &LiveOrStored<Arc<StandingsSnapshot>>,
    history: bool,
) -> Result<v1::Standings, Failure> {
    let shown = match standings {
        LiveOrStored::Live(snapshot) => super::standings::standings(snapshot),
        LiveOrStored::Stored(bytes) => stored(bytes)?,
    };
    Ok(if history { shown } else { v1::Standings { history: Vec::new(), ..shown } })
}

/// A message from the record of a finished tournament.
fn stored<M: prost::Message + Default>(bytes: &[u8]) -> Result<M, Failure> {
    M::decode(bytes)
        .map_err(|error| HostError::Fault { reason: format!("a stored tournament: {error}") }.into())
}

/// The id of a tournament.
pub(crate) fn tournament_id(text: &str) -> Result<TournamentId, InvalidField> {
    let why = "a tournament id has 26 digits and letters (without i, l, o and u)";
    text.parse().map_err(|_| InvalidField::at("tournament_id", why))
}

/// Why something is done to a tournament, for everyone.
pub(crate) fn reason(text: String, least: usize) -> Result<String, InvalidField> {
    if text.chars().count() < least {
        return Err(InvalidField::at("reason", "must have 1 to 256 characters"));
    }
    super::validate::note(text, "reason")
}

/// How many a page has, if the caller does not say, and at most.
const USUAL_PAGE: u32 = 100;
const LARGEST_PAGE: u32 = 1000;

/// The size of a page.
pub(crate) fn page_size(said: u32) -> Result<usize, InvalidField> {
    match said {
        0 => Ok(USUAL_PAGE as usize),
        said => number::<u32>(said, 1..=LARGEST_PAGE, "page_size").map(|size| size as usize),
    }
}
