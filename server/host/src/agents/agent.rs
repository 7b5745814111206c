//! One agent in memory.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parlor_engine::{GameId, MAX_SEATS};
use subtle::ConstantTimeEq;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::health::{SeatFinish, Suspension};
use super::registration::Registration;
use super::{
    AgentError, AgentIdentity, AgentProfile, AgentRequirement, AgentStatus, AgentSummary, SeatAssignment,
};
use crate::HostError;
use crate::TableId;
use parlor_fair::Entropy;

/// One agent in memory.
pub(crate) struct Agent {
    pub(crate) who: AgentIdentity,
    created: u64,
    state: Mutex<State>,
    /// How many entries its log has. Held by whoever writes to it.
    pub(super) length: tokio::sync::Mutex<u64>,
}

/// A connection of an agent.
pub(super) struct Connection {
    pub(super) number: u64,
    /// The seats that it is given next: those of tables that are not over.
    pub(super) waiting: Vec<SeatAssignment>,
    /// Set aside while it was connected, which it has yet to be told.
    pub(super) aside: Option<Suspension>,
    /// Something waits.
    pub(super) gives: Arc<Notify>,
    pub(super) replaced: CancellationToken,
}

pub(super) struct State {
    pub(super) says: AgentProfile,
    pub(super) entropy: Entropy,
    pub(super) connection: Option<Connection>,
    /// The tables at which it has a seat, and that are not over.
    pub(super) tables: HashSet<TableId>,
    pub(super) finish: SeatFinish,
    /// The last time that it was set aside.
    pub(super) aside: Option<Suspension>,
    /// When it was last seen, in milliseconds since 1970.
    pub(super) seen: u64,
    /// When it was last noted in the log what it says.
    pub(super) noted: u64,
}

impl State {
    /// Why it is set aside, if it is at this time.
    pub(super) fn aside_at(&self, now: u64) -> Option<Suspension> {
        self.aside.filter(|aside| now < aside.until)
    }

    /// At how many more tables it plays.
    pub(super) fn room(&self) -> u32 {
        self.says.max_tables.saturating_sub(u32::try_from(self.tables.len()).unwrap_or(u32::MAX))
    }
}

impl Agent {
    pub(super) fn new(agent: Registration) -> Agent {
        let Registration { who, says, aside, created, seen, length } = agent;
        let state = State {
            says,
            entropy: Entropy::NONE,
            connection: None,
            tables: HashSet::new(),
            finish: SeatFinish::default(),
            aside,
            seen,
            noted: 0,
        };
        Agent { who, created, state: Mutex::new(state), length: tokio::sync::Mutex::new(length) }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here is left half done by a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets in whoever the name belongs to: who has its agent key or, where there is none, its owner.
    pub(super) fn admit(self: Arc<Self>, asking: AgentIdentity) -> Result<Arc<Agent>, HostError> {
        let is_its_own = match (self.who.key, asking.key) {
            (Some(key), Some(asked)) => bool::from(key.ct_eq(&asked)),
            (Some(_), None) => false,
            (None, _) => self.who.owner == asking.owner,
        };
        if is_its_own { Ok(self) } else { Err(AgentError::NameTaken { name: asking.name }.into()) }
    }

    /// Counts a new table, if the agent can play there. Fills in the version where none was asked for.
    pub(super) fn reserve(
        &self,
        table: TableId,
        game: GameId,
        version: &mut String,
        must_be: AgentRequirement,
        now: u64,
    ) -> Result<(), AgentError> {
        let mut state = self.state();
        let name = || self.who.name.clone();
        if must_be == AgentRequirement::Here {
            if let Some(aside) = state.aside_at(now) {
                return Err(AgentError::SetAside { name: name(), why: aside.why.in_words() });
            }
            if state.connection.is_none() {
                return Err(AgentError::Gone { name: name() });
            }
            if !version.is_empty() && *version != state.says.version {
                return Err(AgentError::OtherVersion { name: name(), version: state.says.version.clone() });
            }
            if !state.says.games.contains(&game) {
                return Err(AgentError::DoesNotPlay { name: name(), game: game.info().id });
            }
            // At a table where it has two seats, it needs room for one.
            if state.room() == 0 && !state.tables.contains(&table) {
                return Err(AgentError::Full { name: name(), tables: state.tables.len() });
            }
        }
        if version.is_empty() {
            version.clone_from(&state.says.version);
        }
        state.tables.insert(table);
        Ok(())
    }

    /// Gives a seat to the connection, if one with the right version is there.
    pub(super) fn give(&self, version: &str, given: SeatAssignment) {
        let mut state = self.state();
        let State { says, connection, tables, .. } = &mut *state;
        if let Some(connection) = connection.as_mut().filter(|_| says.version == version) {
            if connection.waiting.len() >= MAX_SEATS * tables.len() {
                connection.waiting.retain(|given| tables.contains(&given.table));
            }
            connection.waiting.push(given);
            connection.gives.notify_one();
        }
    }

    /// The seats that wait for this connection, and why it was set aside since it last asked; none if another one has taken
    /// its place.
    pub(crate) fn waiting(&self, number: u64) -> Option<(Vec<SeatAssignment>, Option<Suspension>)> {
        let mut state = self.state();
        let connection = state.connection.as_mut().filter(|connection| connection.number == number)?;
        Some((std::mem::take(&mut connection.waiting), connection.aside.take()))
    }

    /// Notes that it has a seat at a table.
    pub(crate) fn sits_at(&self, table: TableId) {
        self.state().tables.insert(table);
    }

    /// The agent, as it is listed at this time.
    pub(super) fn look(&self, now: u64) -> AgentSummary {
        let state = self.state();
        let aside = state.aside_at(now);
        AgentSummary {
            who: self.who.clone(),
            says: state.says.clone(),
            state: match (aside, &state.connection) {
                (Some(_), _) => AgentStatus::SetAside,
                (None, Some(_)) => AgentStatus::Here,
                (None, None) => AgentStatus::Gone,
            },
            playing: state.tables.len(),
            aside,
            created: self.created,
            seen: state.connection.is_none().then_some(state.seen),
            times: state.finish.times,
        }
    }
}
