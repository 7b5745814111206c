//! Agents: what they say of themselves, and how they are listed.

use std::collections::HashMap;

use parlor_engine::{GameId, Seat};
use parlor_proto::convert::field::{InvalidField, number, one_of};
use parlor_proto::convert::seat;
use parlor_proto::v1;
use sha2::{Digest, Sha256};

use super::ToMessage;
use super::attach::{items, wants};
use super::id::table_id;
use super::shuffle::entropy;
use super::table::timestamp;
use crate::grpc::Failure;
use crate::identity::{Caller, KeyId};
use parlor_host::TableId;
use parlor_host::agents::{AgentFilter, AgentIdentity, AgentProfile, AgentStatus, AgentSummary, Suspension};
use parlor_host::{AgentArrival, AgentStream, Wants};

/// The longest name and the longest version, in characters.
const NAME: usize = 64;
/// The shortest and the longest agent key, in bytes.
const KEY: std::ops::RangeInclusive<usize> = 16..=64;
/// At how many tables an agent can want to play.
const TABLES: std::ops::RangeInclusive<u32> = 1..=10_000;
/// How many agents a page has if the caller does not say, and at most.
const USUAL_PAGE: u32 = 100;
const LARGEST_PAGE: u32 = 1000;

/// The name of an agent.
pub(super) fn agent_name(text: String, field: &str) -> Result<String, InvalidField> {
    let is_good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if begins && text.len() <= NAME && text.bytes().all(is_good) {
        return Ok(text);
    }
    let why = format!(
        "must be 1 to {NAME} letters, digits and the characters . _ -, the first a letter or a digit"
    );
    Err(InvalidField::at(field, why))
}

/// The version of an agent. It may be empty.
pub(super) fn agent_version(text: String, field: &str) -> Result<String, InvalidField> {
    if text.len() <= NAME && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Ok(text);
    }
    Err(InvalidField::at(field, format!("must have up to {NAME} printable ASCII characters")))
}

/// The first message of an agent: who it is, and what it says beside that.
pub fn hello(
    wire: v1::ConnectRequest,
    caller: &Caller,
) -> Result<(AgentArrival, Vec<v1::PlayRequestItem>), Failure> {
    let Some(hello) = wire.hello else {
        return Err(InvalidField::at("hello", "must be set in the first message").into());
    };
    let arrival = arrival(hello, caller).map_err(|failure| failure.within("hello"))?;
    Ok((arrival, items(wire.items)?))
}

/// The items of a later message.
pub fn connect_items(wire: v1::ConnectRequest) -> Result<Vec<v1::PlayRequestItem>, InvalidField> {
    if wire.hello.is_some() {
        return Err(InvalidField::at("hello", "must be set in the first message alone"));
    }
    items(wire.items)
}

fn arrival(wire: v1::AgentHello, caller: &Caller) -> Result<AgentArrival, Failure> {
    let name = agent_name(wire.name, "name")?;
    let key = agent_key(&wire.agent_key, caller.key() != KeyId::NONE)?;
    let profile = AgentProfile {
        version: agent_version(wire.version, "version")?,
        games: games(&wire.games)?,
        max_tables: number(wire.max_tables, TABLES, "max_tables")?,
    };
    Ok(AgentArrival {
        identity: AgentIdentity { name, owner: caller.owner().as_str().to_owned(), key },
        profile,
        wants: wire.wants.map_or_else(Wants::default, wants),
        entropy: entropy(&wire.entropy)?,
        bookmarks: bookmarks(&wire.bookmarks)?,
    })
}

/// The hash of an agent key. Whoever has an API key needs none.
fn agent_key(key: &[u8], has_api_key: bool) -> Result<Option<[u8; 32]>, InvalidField> {
    if key.is_empty() && has_api_key {
        return Ok(None);
    }
    if KEY.contains(&key.len()) {
        return Ok(Some(Sha256::digest(key).into()));
    }
    let why = format!("must have {} to {} bytes, not {}", KEY.start(), KEY.end(), key.len());
    Err(InvalidField::at("agent_key", why))
}

fn games(ids: &[String]) -> Result<Vec<GameId>, Failure> {
    if ids.is_empty() {
        return Err(InvalidField::at("games", "must have at least one game").into());
    }
    let mut games = Vec::new();
    for (place, id) in ids.iter().enumerate() {
        let game = GameId::from_id(id).ok_or(Failure::NoSuchGame)?;
        if games.contains(&game) {
            let wrong = InvalidField::new(format!("must be each once: {id} is there twice"));
            return Err(wrong.in_list(place).within("games").into());
        }
        games.push(game);
    }
    Ok(games)
}

fn bookmarks(wire: &[v1::AgentBookmark]) -> Result<HashMap<(TableId, Seat), u64>, InvalidField> {
    let mut bookmarks = HashMap::with_capacity(wire.len());
    for (place, bookmark) in wire.iter().enumerate() {
        let wrong = |wrong: InvalidField| wrong.in_list(place).within("bookmarks");
        let table = table_id(&bookmark.table_id, "table_id").map_err(wrong)?;
        let seat = seat(bookmark.seat, "seat").map_err(wrong)?;
        if bookmarks.insert((table, seat), bookmark.after.into()).is_some() {
            return Err(wrong(InvalidField::new("must be one for each seat: there is another one for it")));
        }
    }
    Ok(bookmarks)
}

/// The agent is connected.
#[must_use]
pub fn welcome(stream: &AgentStream) -> v1::AgentWelcome {
    v1::AgentWelcome {
        max_tables: stream.max_tables,
        seats: u32::try_from(stream.resumed_seats()).unwrap_or(u32::MAX),
        set_aside: stream.suspension.map(set_aside),
    }
}

/// Why an agent gets no new seats.
#[must_use]
pub fn set_aside(aside: Suspension) -> v1::SetAside {
    v1::SetAside {
        reason: aside.reason.to_message().into(),
        message: format!("{}: it gets no new seats for a while", aside.reason.description()),
        since_time: Some(timestamp(aside.since)),
        until_time: Some(timestamp(aside.until)),
    }
}

/// An agent, as this caller sees it.
#[must_use]
pub fn agent(look: &AgentSummary, caller: Option<&Caller>) -> v1::Agent {
    let micros = |time: std::time::Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let state = match look.status {
        AgentStatus::Connected => v1::AgentState::Here,
        AgentStatus::Disconnected => v1::AgentState::Gone,
        AgentStatus::Suspended => v1::AgentState::SetAside,
    };
    v1::Agent {
        name: look.identity.name.clone(),
        version: look.profile.version.clone(),
        games: look.profile.games.iter().map(|game| game.info().id.to_owned()).collect(),
        max_tables: look.profile.max_tables,
        state: state.into(),
        playing: u32::try_from(look.tables).unwrap_or(u32::MAX),
        set_aside: look.suspension.map(set_aside),
        create_time: Some(timestamp(look.created)),
        last_seen_time: look.last_seen.map(timestamp),
        times: Some(v1::AgentTimes {
            answers: look.answer_times.answers,
            refused: look.answer_times.refused,
            clocks_run_out: look.answer_times.timeouts,
            mean_us: micros(look.answer_times.mean()),
            longest_us: micros(look.answer_times.longest),
            reported_mean_us: look.answer_times.reported_mean().map(micros),
        }),
        owned: caller.is_some_and(|caller| caller.owner().as_str() == look.identity.owner),
    }
}

/// One page of agents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentPage {
    /// Which agents.
    pub filter: AgentFilter,
    /// The name with which the page before ended.
    pub after: Option<String>,
    /// How many at most.
    pub size: usize,
}

/// Listing agents.
pub fn list_agents(wire: v1::ListAgentsRequest) -> Result<AgentPage, Failure> {
    let game = match wire.game.as_str() {
        "" => None,
        id => Some(GameId::from_id(id).ok_or(Failure::NoSuchGame)?),
    };
    let status = one_of(wire.state, "state", |state: v1::AgentState| match state {
        v1::AgentState::Unspecified => Some(None),
        v1::AgentState::Here => Some(Some(AgentStatus::Connected)),
        v1::AgentState::Gone => Some(Some(AgentStatus::Disconnected)),
        v1::AgentState::SetAside => Some(Some(AgentStatus::Suspended)),
    })?;
    let size: u32 = match wire.page_size {
        0 => USUAL_PAGE,
        size => number(size, 1..=LARGEST_PAGE, "page_size")?,
    };
    let after = match wire.page_token {
        token if token.is_empty() => None,
        // A page ends with an agent, and the token is its name.
        token => {
            let wrong = |_| InvalidField::at("page_token", "must be next_page_token of the page before");
            Some(agent_name(token, "page_token").map_err(wrong)?)
        }
    };
    Ok(AgentPage { filter: AgentFilter { game, status }, after, size: size as usize })
}
