//! Durable state of an agent: its identity, profile and last suspension, folded from a log of its own.

use std::collections::HashMap;

use parlor_engine::GameId;
use sha2::{Digest, Sha256};

use super::suspension::{Suspension, SuspensionReason, SuspensionScope};
use crate::TableId;

/// Entry in the log of an agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AgentEntry {
    /// Registration: always the first entry, and only the first.
    Registered(AgentIdentity),
    /// Connection with a changed profile.
    Connected(AgentProfile),
    /// Suspension.
    Suspended {
        /// Tables within which it holds. `None` in logs of earlier versions, where it held for all tables: it is over.
        scope: Option<SuspensionScope>,
        /// The reason.
        reason: SuspensionReason,
        /// End of the suspension, in milliseconds since 1970.
        until: u64,
        /// Number of consecutive suspensions, this one included.
        consecutive: u32,
    },
}

/// Identity of an agent: its name, and the credentials that own it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentIdentity {
    /// The name.
    pub name: String,
    /// Owner of the API key that registered it.
    pub owner: String,
    /// SHA-256 of its agent key; `None` if the name belongs to the owner.
    pub key: Option<[u8; 32]>,
}

/// Profile of an agent, as it states it when it connects.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AgentProfile {
    /// Version of the program.
    pub version: String,
    /// Games that it plays.
    pub games: Vec<GameId>,
    /// Maximum number of tables at once.
    pub max_tables: u32,
    /// Those who may give it seats.
    pub seated_by: SeatedBy,
    /// Shortest time for a decision at which it plays, in milliseconds. A table without a clock suits every agent.
    pub min_decision: u32,
}

/// Those who may give an agent seats.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SeatedBy {
    /// Everyone, at tables and in tournaments.
    #[default]
    Anyone,
    /// The owner of its name alone, at tables and in tournaments.
    Owner,
    /// Tournaments alone, of any organiser.
    Tournaments,
}

impl AgentProfile {
    /// Reason, in words, for which the agent takes no seat in this scope with this time for a decision; `None` if it does.
    pub(super) fn declines(
        &self,
        name_owner: &str,
        scope: &SuspensionScope,
        decision_ms: u32,
    ) -> Option<String> {
        let refusal = match self.seated_by {
            SeatedBy::Owner if scope.owner != name_owner => Some("it takes seats of its owner alone"),
            SeatedBy::Tournaments if scope.tournament.is_none() => {
                Some("it takes seats in tournaments alone")
            }
            SeatedBy::Anyone | SeatedBy::Owner | SeatedBy::Tournaments => None,
        };
        let is_too_short = decision_ms > 0 && decision_ms < self.min_decision;
        let too_short = || format!("it needs at least {} ms for a decision", self.min_decision);
        refusal.map(str::to_owned).or_else(|| is_too_short.then(too_short))
    }
}

/// An agent, folded from its log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Registration {
    pub(super) identity: AgentIdentity,
    pub(super) profile: AgentProfile,
    /// The last suspension in each scope.
    pub(super) suspensions: HashMap<SuspensionScope, Suspension>,
    /// Time of registration, in milliseconds since 1970.
    pub(super) created: u64,
    /// Time of the last entry, in milliseconds since 1970.
    pub(super) last_seen: u64,
    /// Number of entries in its log.
    pub(super) log_length: u64,
}

impl Registration {
    /// A new registration; `None` if the entry is not one.
    pub(super) fn from_first_entry(at: u64, first: &AgentEntry) -> Option<Registration> {
        let AgentEntry::Registered(identity) = first else { return None };
        let (identity, profile) = (identity.clone(), AgentProfile::default());
        let suspensions = HashMap::new();
        Some(Registration { identity, profile, suspensions, created: at, last_seen: at, log_length: 1 })
    }

    /// Applies the next entry. Returns `false` if it is invalid here.
    pub(super) fn fold(&mut self, at: u64, entry: &AgentEntry) -> bool {
        match entry {
            AgentEntry::Registered(_) => return false,
            AgentEntry::Connected(profile) => self.profile = profile.clone(),
            AgentEntry::Suspended { scope, reason, until, consecutive } => {
                if let Some(scope) = scope {
                    let (reason, tournament) = (*reason, scope.tournament);
                    let (until, consecutive) = (*until, *consecutive);
                    let suspension = Suspension { reason, tournament, since: at, until, consecutive };
                    self.suspensions.insert(scope.clone(), suspension);
                }
            }
        }
        (self.last_seen, self.log_length) = (at, self.log_length + 1);
        true
    }
}

/// Id of the log of an agent, derived from its name.
pub(super) fn log_id(name: &str) -> TableId {
    let hash = Sha256::new().chain_update(b"parlor agent v1").chain_update(name).finalize();
    let mut id = [0; 16];
    id.copy_from_slice(&hash[..16]);
    TableId::from_bytes(id)
}
