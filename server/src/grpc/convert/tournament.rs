//! Encoding of tournaments and their setups; ids, reasons and page sizes of tournament requests.

use std::sync::Arc;

use parlor_engine::AnyOptions;
use parlor_host::HostError;
use parlor_host::TournamentId;
use parlor_host::tournaments::{EntrantSetup, LiveOrStored, StandingsSnapshot, Terms, TournamentSnapshot};
use parlor_proto::convert::field::InvalidField;
use parlor_proto::v1;
use parlor_proto::v1::entrant_setup::Entrant as WireEntrant;
use parlor_proto::v1::tournament_setup::Format as WireFormat;
use parlor_tournament::TournamentState;
use parlor_tournament::plan::{DealMode, Format, SequentialTest};

use super::ToMessage;
use super::shuffle::{commitments, revealed};
use super::table::timestamp;
use crate::grpc::Failure;

/// Page sizes of ListTournaments and ListTournamentTables.
const DEFAULT_PAGE_SIZE: u32 = 100;
const MAX_PAGE_SIZE: u32 = 1000;

/// Every field is set, except the seed, and the id of the game: entries have it in the options alone.
impl ToMessage<v1::TournamentSetup> for Terms {
    fn to_message(&self) -> v1::TournamentSetup {
        let Terms {
            name,
            options,
            players,
            entrants,
            format,
            deals,
            test,
            time,
            max_tables,
            visibility,
            patience,
        } = self;
        v1::TournamentSetup {
            name: name.clone(),
            options: Some((*options).into()),
            players: (*players).into(),
            entrants: entrants.iter().map(ToMessage::to_message).collect(),
            format: Some(wire_format(*format)),
            deals: match deals {
                DealMode::Duplicate => v1::Deals::Duplicate,
                DealMode::Independent => v1::Deals::Independent,
            }
            .into(),
            clock: Some(time.to_message()),
            max_tables: *max_tables,
            test: test.map(wire_test),
            visibility: visibility.to_message().into(),
            patience_ms: Some(*patience),
            given_seed: Vec::new(),
            game: String::new(),
        }
    }
}

impl ToMessage<v1::EntrantSetup> for EntrantSetup {
    fn to_message(&self) -> v1::EntrantSetup {
        let entrant = match self {
            EntrantSetup::Agent { name, version } => {
                WireEntrant::Agent(v1::AgentSeat { name: name.clone(), version: version.clone() })
            }
            EntrantSetup::House { bot } => WireEntrant::HouseBot(v1::HouseBotSeat { name: bot.clone() }),
        };
        v1::EntrantSetup { entrant: Some(entrant) }
    }
}

fn wire_test(test: SequentialTest) -> v1::SequentialTest {
    let SequentialTest { entrant, lower, upper, alpha, beta, min_groups } = test;
    v1::SequentialTest { entrant: entrant.0.into(), lower, upper, alpha, beta, min_groups }
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

/// The state of a tournament.
pub(crate) fn state(state: TournamentState) -> v1::TournamentState {
    match state {
        TournamentState::Created => v1::TournamentState::Created,
        TournamentState::Running => v1::TournamentState::Running,
        TournamentState::Paused => v1::TournamentState::Paused,
        TournamentState::Finished => v1::TournamentState::Finished,
        TournamentState::Cancelled => v1::TournamentState::Cancelled,
        TournamentState::Starting => v1::TournamentState::Starting,
    }
}

/// A tournament. All fields are public; `owned` is true if the caller owns it.
pub(crate) fn tournament(snapshot: &TournamentSnapshot, owned: bool) -> v1::Tournament {
    let TournamentSnapshot { setup, state, versions, entropy, server_seed, started, ended, note } = snapshot;
    let game = setup.terms.options.game().info().id.to_owned();
    let mut setup_message = v1::TournamentSetup { game, ..setup.terms.to_message() };
    for (entrant, version) in setup_message.entrants.iter_mut().zip(versions) {
        if let Some(WireEntrant::Agent(agent)) = &mut entrant.entrant {
            agent.version.clone_from(version);
        }
    }
    let commitment = (!setup.given).then(|| setup.seed().tournament_commitment(setup.tournament));
    v1::Tournament {
        tournament_id: setup.tournament.to_string(),
        setup: Some(setup_message),
        state: self::state(*state).into(),
        shuffle: Some(v1::TournamentShuffle {
            commitment: commitment.map(|commitment| commitment.as_bytes().to_vec()).unwrap_or_default(),
            entropy: if started.is_some() { revealed(entropy) } else { Vec::new() },
            entropy_commitments: commitments(entropy),
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

/// The message of a tournament in memory, or of a finished one from its record.
pub(crate) fn tournament_message(
    tournament: &LiveOrStored<TournamentSnapshot>,
    owned: bool,
) -> Result<v1::Tournament, Failure> {
    match tournament {
        LiveOrStored::Live(snapshot) => Ok(self::tournament(snapshot, owned)),
        LiveOrStored::Stored(bytes) => {
            let mut message = v1::Tournament { owned, ..decode_stored(bytes)? };
            // Records of older servers have the game in the options alone.
            if let Some(setup) = &mut message.setup
                && let Some(Ok(options)) = setup.options.map(AnyOptions::try_from)
            {
                options.game().info().id.clone_into(&mut setup.game);
            }
            Ok(message)
        }
    }
}

/// The message of standings in memory, or of a finished tournament from its record; `history` includes their
/// history.
pub(crate) fn standings_message(
    standings: &LiveOrStored<Arc<StandingsSnapshot>>,
    history: bool,
) -> Result<v1::Standings, Failure> {
    let message = match standings {
        LiveOrStored::Live(snapshot) => super::standings::standings(snapshot),
        LiveOrStored::Stored(bytes) => decode_stored(bytes)?,
    };
    Ok(if history { message } else { v1::Standings { history: Vec::new(), ..message } })
}

/// Decodes a message of the record of a finished tournament.
fn decode_stored<M: prost::Message + Default>(bytes: &[u8]) -> Result<M, Failure> {
    M::decode(bytes)
        .map_err(|error| HostError::Fault { reason: format!("a stored tournament: {error}") }.into())
}

/// Parses a tournament id.
pub fn tournament_id(text: &str) -> Result<TournamentId, InvalidField> {
    let why = "a tournament id has 26 digits and letters (without i, l, o and u)";
    text.parse().map_err(|_| InvalidField::at("tournament_id", why))
}

/// Validates the public reason of a command, which has at least `min_chars` (0 or 1) characters.
pub fn reason(text: String, min_chars: usize) -> Result<String, InvalidField> {
    if text.chars().count() < min_chars {
        return Err(InvalidField::at("reason", "must have 1 to 256 characters"));
    }
    super::validate::note(text, "reason")
}

/// Validates the page size of ListTournaments and ListTournamentTables.
pub fn page_size(size: u32) -> Result<usize, InvalidField> {
    super::validate::page_size(size, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)
}
