//! Agents: the handshake of Connect, and ListAgents.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use parlor_engine::{GameId, Seat};
use parlor_host::agents::{
    AgentFilter, AgentIdentity, AgentProfile, AgentStatus, AgentSummary, EntropyAnswer, SeatedBy, Suspension,
};
use parlor_host::{AgentArrival, AgentStream};
use parlor_host::{TableId, TournamentId};
use parlor_proto::convert::field::{InvalidField, number, one_of};
use parlor_proto::convert::seat;
use parlor_proto::v1;
use sha2::{Digest, Sha256};

use super::attach::{checked_items, wants};
use super::id::{table_id, tournament_id};
use super::list::{game_filter, invalid_page_token};
use super::shuffle::{entropy_commitment, revealed_entropy};
use super::table::timestamp;
use super::validate::page_size;
use super::{ToMessage, saturating_u32};
use crate::grpc::Failure;
use crate::identity::{Caller, KeyId};

/// Maximum length of a name and of a version, in characters.
const MAX_NAME_CHARS: usize = 64;
/// Valid lengths of an agent key, in bytes.
const AGENT_KEY_BYTES: RangeInclusive<usize> = 16..=64;
/// Valid values of `max_tables`.
const MAX_TABLES_RANGE: RangeInclusive<u32> = 1..=10_000;
/// Valid values of `min_decision_ms`: up to a week.
const MIN_DECISION_RANGE_MS: RangeInclusive<u32> = 0..=604_800_000;
/// Page sizes of ListAgents.
const DEFAULT_PAGE_SIZE: u32 = 100;
const MAX_PAGE_SIZE: u32 = 1000;

/// Validates the name of an agent.
pub(super) fn agent_name(text: String, field: &str) -> Result<String, InvalidField> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let has_valid_start = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if has_valid_start && text.len() <= MAX_NAME_CHARS && text.bytes().all(is_allowed) {
        return Ok(text);
    }
    let why = format!(
        "must be 1 to {MAX_NAME_CHARS} letters, digits and the characters . _ -, the first a letter or a digit"
    );
    Err(InvalidField::at(field, why))
}

/// Validates the version of an agent. It may be empty.
pub(super) fn agent_version(text: String, field: &str) -> Result<String, InvalidField> {
    if text.len() <= MAX_NAME_CHARS && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Ok(text);
    }
    Err(InvalidField::at(field, format!("must have up to {MAX_NAME_CHARS} printable ASCII characters")))
}

/// Decodes the first message of an agent: its hello, and its items.
pub fn hello(
    wire: v1::ConnectRequest,
    caller: &Caller,
) -> Result<(AgentArrival, Vec<v1::PlayRequestItem>), Failure> {
    let v1::ConnectRequest { hello, items } = wire;
    let Some(hello) = hello else {
        return Err(InvalidField::at("hello", "must be set in the first message").into());
    };
    let arrival = arrival(hello, caller).map_err(|failure| failure.within("hello"))?;
    Ok((arrival, checked_items(items)?))
}

/// Decodes the items of a later message.
pub fn connect_items(wire: v1::ConnectRequest) -> Result<Vec<v1::PlayRequestItem>, InvalidField> {
    let v1::ConnectRequest { hello, items } = wire;
    if hello.is_some() {
        return Err(InvalidField::at("hello", "must be set in the first message alone"));
    }
    checked_items(items)
}

fn arrival(wire: v1::AgentHello, caller: &Caller) -> Result<AgentArrival, Failure> {
    let v1::AgentHello {
        name,
        version,
        agent_key,
        games,
        max_tables,
        wants,
        bookmarks,
        adds_entropy,
        seated_by,
        min_decision_ms,
    } = wire;
    let name = agent_name(name, "name")?;
    let key = agent_key_hash(&agent_key, caller.key() != KeyId::NONE)?;
    let profile = AgentProfile {
        version: agent_version(version, "version")?,
        games: self::games(&games)?,
        max_tables: number(max_tables, MAX_TABLES_RANGE, "max_tables")?,
        seated_by: one_of(seated_by, "seated_by", |seated_by| {
            Some(match seated_by {
                v1::SeatedBy::Unspecified | v1::SeatedBy::Anyone => SeatedBy::Anyone,
                v1::SeatedBy::Owner => SeatedBy::Owner,
                v1::SeatedBy::Tournaments => SeatedBy::Tournaments,
            })
        })?,
        min_decision: number(min_decision_ms, MIN_DECISION_RANGE_MS, "min_decision_ms")?,
    };
    Ok(AgentArrival {
        identity: AgentIdentity { name, owner: caller.owner().as_str().to_owned(), key },
        profile,
        wants: self::wants(wants)?,
        adds_entropy,
        bookmarks: self::bookmarks(&bookmarks)?,
    })
}

/// Decodes what an agent adds to the shuffles of a tournament.
pub fn tournament_entropy(
    wire: &v1::TournamentEntropy,
) -> Result<(TournamentId, EntropyAnswer), InvalidField> {
    use v1::tournament_entropy::Step;
    let v1::TournamentEntropy { tournament_id: id, step } = wire;
    let answer = match step {
        Some(Step::Commitment(commitment)) => {
            let commitment = entropy_commitment(commitment, "commitment")?;
            let missing = || InvalidField::at("commitment", "must have 32 bytes");
            EntropyAnswer::Commit(commitment.ok_or_else(missing)?)
        }
        Some(Step::Reveal(entropy)) => EntropyAnswer::Reveal(revealed_entropy(entropy, "reveal")?),
        None => return Err(InvalidField::new("must have a commitment or a reveal")),
    };
    Ok((tournament_id(id, "tournament_id")?, answer))
}

/// The hash of an agent key. Optional for callers with an API key.
fn agent_key_hash(key: &[u8], has_api_key: bool) -> Result<Option<[u8; 32]>, InvalidField> {
    if key.is_empty() && has_api_key {
        return Ok(None);
    }
    if AGENT_KEY_BYTES.contains(&key.len()) {
        return Ok(Some(Sha256::digest(key).into()));
    }
    let (min, max) = (AGENT_KEY_BYTES.start(), AGENT_KEY_BYTES.end());
    let why = format!("must have {min} to {max} bytes, not {}", key.len());
    Err(InvalidField::at("agent_key", why))
}

fn games(ids: &[String]) -> Result<Vec<GameId>, Failure> {
    if ids.is_empty() {
        return Err(InvalidField::at("games", "must have at least one game").into());
    }
    let mut games = Vec::new();
    for (index, id) in ids.iter().enumerate() {
        let game = GameId::from_id(id).ok_or(Failure::NoSuchGame)?;
        if games.contains(&game) {
            let wrong = InvalidField::new(format!("must be each once: {id} is there twice"));
            return Err(wrong.in_list(index).within("games").into());
        }
        games.push(game);
    }
    Ok(games)
}

fn bookmarks(wire: &[v1::AgentBookmark]) -> Result<HashMap<(TableId, Seat), u64>, InvalidField> {
    let mut bookmarks = HashMap::with_capacity(wire.len());
    for (index, v1::AgentBookmark { table_id: id, seat: number, after }) in wire.iter().enumerate() {
        let wrong = |wrong: InvalidField| wrong.in_list(index).within("bookmarks");
        let table = table_id(id, "table_id").map_err(wrong)?;
        let seat = seat(*number, "seat").map_err(wrong)?;
        if bookmarks.insert((table, seat), (*after).into()).is_some() {
            return Err(wrong(InvalidField::new("must be one for each seat: there is another one for it")));
        }
    }
    Ok(bookmarks)
}

/// The first response to a connected agent.
#[must_use]
pub fn welcome(stream: &AgentStream) -> v1::AgentWelcome {
    v1::AgentWelcome {
        max_tables: stream.max_tables,
        seats: u32::try_from(stream.resumed_seats()).unwrap_or(u32::MAX),
        set_aside: stream.suspension.map(set_aside),
    }
}

/// The suspension of an agent, which gets no new seats meanwhile.
#[must_use]
pub fn set_aside(suspension: Suspension) -> v1::SetAside {
    let Suspension { reason, tournament, since, until, consecutive: _ } = suspension;
    let place = if tournament.is_some() { "in this tournament" } else { "at tables of one organiser" };
    v1::SetAside {
        reason: reason.to_message().into(),
        message: format!("{} {place}: it gets no new seats there for a while", reason.description()),
        tournament_id: tournament.map(|tournament| tournament.to_string()).unwrap_or_default(),
        since_time: Some(timestamp(since)),
        until_time: Some(timestamp(until)),
    }
}

/// An agent, as the caller sees it.
#[must_use]
pub fn agent(summary: &AgentSummary, caller: Option<&Caller>) -> v1::Agent {
    let AgentSummary {
        identity,
        profile,
        status,
        tables,
        suspension,
        created,
        last_seen,
        answer_times,
        entropy_withheld,
    } = summary;
    let micros = |time: Duration| u32::try_from(time.as_micros()).unwrap_or(u32::MAX);
    let state = match status {
        AgentStatus::Connected => v1::AgentState::Here,
        AgentStatus::Disconnected => v1::AgentState::Gone,
        AgentStatus::Suspended => v1::AgentState::SetAside,
    };
    v1::Agent {
        name: identity.name.clone(),
        version: profile.version.clone(),
        games: profile.games.iter().map(|game| game.info().id.to_owned()).collect(),
        max_tables: profile.max_tables,
        state: state.into(),
        playing: u32::try_from(*tables).unwrap_or(u32::MAX),
        set_aside: suspension.map(set_aside),
        create_time: Some(timestamp(*created)),
        last_seen_time: last_seen.map(timestamp),
        times: Some(v1::AgentTimes {
            answers: saturating_u32(answer_times.answers),
            refused: saturating_u32(answer_times.refused),
            clocks_run_out: saturating_u32(answer_times.timeouts),
            mean_us: micros(answer_times.mean()),
            longest_us: micros(answer_times.longest),
            reported_mean_us: answer_times.reported_mean().map(micros),
            entropy_withheld: *entropy_withheld,
        }),
        seated_by: match profile.seated_by {
            SeatedBy::Anyone => v1::SeatedBy::Anyone,
            SeatedBy::Owner => v1::SeatedBy::Owner,
            SeatedBy::Tournaments => v1::SeatedBy::Tournaments,
        }
        .into(),
        min_decision_ms: profile.min_decision,
        owned: caller.is_some_and(|caller| caller.owner().as_str() == identity.owner),
    }
}

/// A page of ListAgents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentPage {
    /// Selects the agents.
    pub filter: AgentFilter,
    /// The last name of the previous page.
    pub after: Option<String>,
    /// Maximum number of agents.
    pub size: usize,
}

/// Decodes ListAgents.
pub fn list_agents(wire: v1::ListAgentsRequest) -> Result<AgentPage, Failure> {
    let v1::ListAgentsRequest { game, state, page_size: size, page_token } = wire;
    let game = game_filter(&game)?;
    let status = one_of(state, "state", |state: v1::AgentState| match state {
        v1::AgentState::Unspecified => Some(None),
        v1::AgentState::Here => Some(Some(AgentStatus::Connected)),
        v1::AgentState::Gone => Some(Some(AgentStatus::Disconnected)),
        v1::AgentState::SetAside => Some(Some(AgentStatus::Suspended)),
    })?;
    let size = page_size(size, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)?;
    // The token is the name of the last agent of the previous page.
    let after = match page_token {
        token if token.is_empty() => None,
        token => Some(agent_name(token, "page_token").map_err(|_| invalid_page_token())?),
    };
    Ok(AgentPage { filter: AgentFilter { game, status }, after, size })
}
