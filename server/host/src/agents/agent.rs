//! One agent in memory: its connection, its tables and its conduct.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parlor_engine::MAX_SEATS;
use subtle::ConstantTimeEq;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::entropy::{EntropyExchange, EntropyRequest};
use super::health::AgentHealth;
use super::registration::Registration;
use super::seat_counts::{SeatCounts, SeatedTable};
use super::{
    AgentError, AgentIdentity, AgentProfile, AgentRequirement, AgentStatus, AgentSummary, AnswerTimes,
    SeatAssignment, Suspension,
};
use crate::HostError;
use crate::TableId;
use crate::TournamentId;
use crate::table::{SeatSetup, Setup};

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
    /// Requests for entropy to send next.
    pub(super) entropy_requests: Vec<EntropyRequest>,
    /// A suspension since the connection began, not sent to the agent yet.
    pub(super) suspension: Option<Suspension>,
    /// Notified of a new pending seat, request or suspension.
    pub(super) assigned: Arc<Notify>,
    pub(super) replaced: CancellationToken,
}

/// News for a connection since the last time.
pub(crate) struct Pending {
    pub(crate) seats: Vec<SeatAssignment>,
    pub(crate) entropy_requests: Vec<EntropyRequest>,
    pub(crate) suspension: Option<Suspension>,
}

/// Mutable state of an agent.
pub(super) struct AgentState {
    pub(super) profile: AgentProfile,
    /// It adds entropy to the shuffles of tournaments.
    pub(super) adds_entropy: bool,
    /// Open requests for entropy, by tournament.
    pub(super) entropy: HashMap<TournamentId, EntropyExchange>,
    /// Number of tournaments, since the server started, in which it withheld the entropy that it had committed to.
    pub(super) entropy_withheld: u32,
    pub(super) connection: Option<Connection>,
    /// Tables at which it has a seat, and that are not over.
    pub(super) tables: SeatCounts,
    pub(super) health: AgentHealth,
    pub(super) answer_times: AnswerTimes,
    /// Refused answers since the last accepted one, at all tables.
    pub(super) consecutive_refusals: u32,
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
    /// Reports whether the agent is not connected, has no seats, and was last seen before this time, in milliseconds
    /// since 1970.
    pub(super) fn is_unused_since(&self, time: u64) -> bool {
        self.connection.is_none() && self.tables.is_empty() && self.last_seen < time
    }

    /// Number of further tables at which the agent plays.
    pub(super) fn free_tables(&self) -> u32 {
        remaining(self.profile.max_tables, self.tables.playing())
    }
}

/// Rest of a maximum of which this many are in use.
fn remaining(max: u32, in_use: usize) -> u32 {
    max.saturating_sub(u32::try_from(in_use).unwrap_or(u32::MAX))
}

impl Agent {
    pub(super) fn new(registration: Registration) -> Agent {
        let Registration { identity, profile, suspensions, created, last_seen, log_length } = registration;
        let state = AgentState {
            profile,
            adds_entropy: false,
            entropy: HashMap::new(),
            entropy_withheld: 0,
            connection: None,
            tables: SeatCounts::default(),
            health: AgentHealth::with_suspensions(suspensions),
            answer_times: AnswerTimes::default(),
            consecutive_refusals: 0,
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

    /// Counts a new table, if the agent meets the requirement. Fills in the version if it is empty. `share` is the part
    /// of its capacity that one owner may hold, in percent.
    pub(super) fn reserve(
        &self,
        setup: &Setup,
        version: &mut String,
        requirement: AgentRequirement,
        share: u32,
        now: u64,
    ) -> Result<(), AgentError> {
        let mut state = self.state();
        let table = SeatedTable::new(setup, setup.seats.iter().all(SeatSetup::is_filled));
        if requirement == AgentRequirement::Connected {
            self.check(&state, setup, version, &table, now)?;
            // Two seats at one table count as one table.
            if !state.tables.contains(setup.table) {
                self.check_capacity(&state, &table, share)?;
            }
        }
        if version.is_empty() {
            version.clone_from(&state.profile.version);
        }
        state.tables.insert(setup.table, table);
        Ok(())
    }

    /// Checks that the agent is there with this version, plays the game, and takes seats at such a table.
    fn check(
        &self,
        state: &AgentState,
        setup: &Setup,
        version: &str,
        table: &SeatedTable,
        now: u64,
    ) -> Result<(), AgentError> {
        let name = || self.identity.name.clone();
        if let Some(suspension) = state.health.suspension(&table.scope, now) {
            return Err(AgentError::Suspended { name: name(), why: suspension.reason.description() });
        }
        if state.connection.is_none() {
            return Err(AgentError::NotConnected { name: name() });
        }
        if !version.is_empty() && *version != state.profile.version {
            let version = state.profile.version.clone();
            return Err(AgentError::VersionMismatch { name: name(), version });
        }
        let game = setup.options.game();
        if !state.profile.games.contains(&game) {
            return Err(AgentError::UnsupportedGame { name: name(), game: game.info().id });
        }
        match state.profile.declines(&self.identity.owner, &table.scope, setup.time.decision) {
            Some(why) => Err(AgentError::Declined { name: name(), why }),
            None => Ok(()),
        }
    }

    /// Checks that the agent takes one more table. One that has open seats takes no capacity before it begins, and may
    /// never do: as many of them may wait as the agent plays at.
    fn check_capacity(&self, state: &AgentState, table: &SeatedTable, share: u32) -> Result<(), AgentError> {
        let name = self.identity.name.clone();
        if self.owner_capacity(state, &table.scope.owner, share) == 0 {
            let tables = state.tables.of_owner(&table.scope.owner);
            return Err(AgentError::OwnerShare { name, tables });
        }
        let tables = if table.plays { state.tables.playing() } else { state.tables.waiting() };
        match remaining(state.profile.max_tables, tables) {
            0 => Err(AgentError::NoFreeTable { name, tables }),
            _ => Ok(()),
        }
    }

    /// Number of further tables of this owner that the agent takes. The owner of its name may hold all of its capacity.
    pub(super) fn owner_capacity(&self, state: &AgentState, owner: &str, share: u32) -> u32 {
        let max_tables = state.profile.max_tables;
        let max = if owner == self.identity.owner {
            // Those that wait are bounded apart.
            max_tables.saturating_mul(2)
        } else {
            (max_tables.saturating_mul(share) / 100).max(1)
        };
        remaining(max, state.tables.of_owner(owner))
    }

    /// Counts a table that begins now against the capacity of the agent.
    pub(super) fn begin_table(&self, table: TableId) -> Result<(), AgentError> {
        let mut state = self.state();
        if state.free_tables() == 0 && state.tables.contains(table) {
            let (name, tables) = (self.identity.name.clone(), state.tables.playing());
            return Err(AgentError::NoFreeTable { name, tables });
        }
        state.tables.set_plays(table, true);
        Ok(())
    }

    /// Queues a seat for the connection, if one with this version exists.
    pub(super) fn assign(&self, version: &str, assignment: SeatAssignment) {
        let mut state = self.state();
        let AgentState { profile, connection, tables, .. } = &mut *state;
        if let Some(connection) = connection.as_mut().filter(|_| profile.version == version) {
            // The queue is bounded: seats at tables that are over are dropped.
            if connection.pending.len() >= MAX_SEATS * tables.len() {
                connection.pending.retain(|pending| tables.contains(pending.table));
            }
            connection.pending.push(assignment);
            connection.assigned.notify_one();
        }
    }

    /// Takes what is pending for a connection; `None` if another connection has replaced it.
    pub(crate) fn take_pending(&self, number: u64) -> Option<Pending> {
        let mut state = self.state();
        let connection = state.connection.as_mut().filter(|connection| connection.number == number)?;
        Some(Pending {
            seats: std::mem::take(&mut connection.pending),
            entropy_requests: std::mem::take(&mut connection.entropy_requests),
            suspension: connection.suspension.take(),
        })
    }

    /// Counts a table at which the agent has a seat. `plays` says that the game has begun.
    pub(crate) fn add_table(&self, setup: &Setup, plays: bool) {
        self.state().tables.insert(setup.table, SeatedTable::new(setup, plays));
    }

    /// The agent, as it is listed for this caller at this time, in milliseconds since 1970: with the suspension at the
    /// caller's tables, or for the owner of its name with that at any tables.
    pub(super) fn summary(&self, caller: Option<&str>, now: u64) -> AgentSummary {
        let state = self.state();
        let suspension: Option<Suspension> = match caller {
            Some(caller) if caller == self.identity.owner => state.health.longest_suspension(None, now),
            Some(caller) => state.health.longest_suspension(Some(caller), now),
            None => None,
        };
        AgentSummary {
            identity: self.identity.clone(),
            profile: state.profile.clone(),
            status: match (suspension, &state.connection) {
                (Some(_), _) => AgentStatus::Suspended,
                (None, Some(_)) => AgentStatus::Connected,
                (None, None) => AgentStatus::Disconnected,
            },
            tables: state.tables.playing(),
            suspension,
            created: self.created,
            last_seen: state.connection.is_none().then_some(state.last_seen),
            answer_times: state.answer_times,
            entropy_withheld: state.entropy_withheld,
        }
    }
}
