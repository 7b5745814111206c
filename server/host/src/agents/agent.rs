//! One agent in memory: its connection, its tables and its conduct.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parlor_engine::{GameId, MAX_SEATS};
use subtle::ConstantTimeEq;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::health::{AgentHealth, Suspension};
use super::registration::Registration;
use super::{
    AgentError, AgentIdentity, AgentProfile, AgentRequirement, AgentStatus, AgentSummary, SeatAssignment,
};
use crate::HostError;
use crate::TableId;
use parlor_fair::Entropy;

/// One agent in memory.
pub(crate) struct Agent {
    pub(crate) identity: AgentIdentity,
    created: u64,
    state: Mutex<AgentState>,
    /// Number of entries in its log. The lock is held while an entry is appended.
    pub(super) log_length: tokio::sync::Mutex<u64>,
}

/// The connection of an agent.
pub(super) struct Connection {
    pub(super) number: u64,
    /// Seats to assign next, at tables that are not over.
    pub(super) pending: Vec<SeatAssignment>,
    /// A suspension since the connection began, not sent to the agent yet.
    pub(super) suspension: Option<Suspension>,
    /// Notified of a new pending seat or suspension.
    pub(super) assigned: Arc<Notify>,
    pub(super) replaced: CancellationToken,
}

/// Mutable state of an agent.
pub(super) struct AgentState {
    pub(super) profile: AgentProfile,
    pub(super) entropy: Entropy,
    pub(super) connection: Option<Connection>,
    /// Tables at which it has a seat, and that are not over.
    pub(super) tables: HashSet<TableId>,
    pub(super) health: AgentHealth,
    /// The last suspension, which may have ended.
    pub(super) suspension: Option<Suspension>,
    /// End of the last connection, in milliseconds since 1970.
    pub(super) last_seen: u64,
    /// Time of the last log entry for a changed profile, in milliseconds since 1970.
    pub(super) profile_logged: u64,
    /// Time of the last log entry, in milliseconds since 1970: the latest time at which the agent was seen, after a
    /// restart.
    pub(super) seen_logged: u64,
    /// Set when the name was taken away: another agent may have it by now.
    pub(super) is_removed: bool,
}

impl AgentState {
    /// The suspension that is in force at this time, in milliseconds since 1970.
    pub(super) fn suspension_at(&self, now: u64) -> Option<Suspension> {
        self.suspension.filter(|suspension| now < suspension.until)
    }

    /// Reports whether the agent is not connected, has no seats, and was last seen before this time, in milliseconds
    /// since 1970.
    pub(super) fn is_unused_since(&self, time: u64) -> bool {
        self.connection.is_none() && self.tables.is_empty() && self.last_seen < time
    }

    /// Number of further tables that the agent takes.
    pub(super) fn free_tables(&self) -> u32 {
        self.profile.max_tables.saturating_sub(u32::try_from(self.tables.len()).unwrap_or(u32::MAX))
    }
}

impl Agent {
    pub(super) fn new(registration: Registration) -> Agent {
        let Registration { identity, profile, suspension, created, last_seen, log_length } = registration;
        let state = AgentState {
            profile,
            entropy: Entropy::NONE,
            connection: None,
            tables: HashSet::new(),
            health: AgentHealth::default(),
            suspension,
            last_seen,
            profile_logged: 0,
            seen_logged: last_seen,
            is_removed: false,
        };
        Agent { identity, created, state: Mutex::new(state), log_length: tokio::sync::Mutex::new(log_length) }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, AgentState> {
        // A panic leaves the state consistent: no change spans a call that can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Authorises a connection under this name: it needs the agent key or, if there is none, the owner's API
    /// key.
    pub(super) fn authorise(self: Arc<Self>, claimed: AgentIdentity) -> Result<Arc<Agent>, HostError> {
        let is_authorised = match (self.identity.key, claimed.key) {
            (Some(key), Some(claimed)) => bool::from(key.ct_eq(&claimed)),
            (Some(_), None) => false,
            (None, _) => self.identity.owner == claimed.owner,
        };
        if is_authorised { Ok(self) } else { Err(AgentError::NameTaken { name: claimed.name }.into()) }
    }

    /// Counts a new table, if the agent meets the requirement. Fills in the version if it is empty.
    pub(super) fn reserve(
        &self,
        table: TableId,
        game: GameId,
        version: &mut String,
        requirement: AgentRequirement,
        now: u64,
    ) -> Result<(), AgentError> {
        let mut state = self.state();
        let name = || self.identity.name.clone();
        if requirement == AgentRequirement::Connected {
            if let Some(suspension) = state.suspension_at(now) {
                return Err(AgentError::Suspended { name: name(), why: suspension.reason.description() });
            }
            if state.connection.is_none() {
                return Err(AgentError::NotConnected { name: name() });
            }
            if !version.is_empty() && *version != state.profile.version {
                let version = state.profile.version.clone();
                return Err(AgentError::VersionMismatch { name: name(), version });
            }
            if !state.profile.games.contains(&game) {
                return Err(AgentError::UnsupportedGame { name: name(), game: game.info().id });
            }
            // Two seats at one table count as one table.
            if state.free_tables() == 0 && !state.tables.contains(&table) {
                return Err(AgentError::NoFreeTable { name: name(), tables: state.tables.len() });
            }
        }
        if version.is_empty() {
            version.clone_from(&state.profile.version);
        }
        state.tables.insert(table);
        Ok(())
    }

    /// Queues a seat for the connection, if one with this version exists.
    pub(super) fn assign(&self, version: &str, assignment: SeatAssignment) {
        let mut state = self.state();
        let AgentState { profile, connection, tables, .. } = &mut *state;
        if let Some(connection) = connection.as_mut().filter(|_| profile.version == version) {
            // The queue is bounded: seats at tables that are over are dropped.
            if connection.pending.len() >= MAX_SEATS * tables.len() {
                connection.pending.retain(|pending| tables.contains(&pending.table));
            }
            connection.pending.push(assignment);
            connection.assigned.notify_one();
        }
    }

    /// Takes the pending seats of a connection, and its suspension since the last call; `None` if another
    /// connection has replaced it.
    pub(crate) fn take_pending(&self, number: u64) -> Option<(Vec<SeatAssignment>, Option<Suspension>)> {
        let mut state = self.state();
        let connection = state.connection.as_mut().filter(|connection| connection.number == number)?;
        Some((std::mem::take(&mut connection.pending), connection.suspension.take()))
    }

    /// Counts a table at which the agent has a seat.
    pub(crate) fn add_table(&self, table: TableId) {
        self.state().tables.insert(table);
    }

    /// The agent, as it is listed at this time, in milliseconds since 1970.
    pub(super) fn summary(&self, now: u64) -> AgentSummary {
        let state = self.state();
        let suspension = state.suspension_at(now);
        AgentSummary {
            identity: self.identity.clone(),
            profile: state.profile.clone(),
            status: match (suspension, &state.connection) {
                (Some(_), _) => AgentStatus::Suspended,
                (None, Some(_)) => AgentStatus::Connected,
                (None, None) => AgentStatus::Disconnected,
            },
            tables: state.tables.len(),
            suspension,
            created: self.created,
            last_seen: state.connection.is_none().then_some(state.last_seen),
            answer_times: state.health.times,
        }
    }
}
