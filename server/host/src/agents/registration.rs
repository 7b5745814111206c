//! What is durable of an agent: a log of its own, in which stands who it is and when it was set aside.

use parlor_engine::GameId;
use sha2::{Digest, Sha256};

use super::health::{Suspension, SuspensionReason};
use crate::TableId;

/// One thing that happened to an agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AgentEntry {
    /// It was registered. Always the first entry, and only the first.
    Registered(AgentIdentity),
    /// It connected, and said something else of itself than before.
    Connected(AgentProfile),
    /// It was set aside.
    SetAside {
        /// Why.
        why: SuspensionReason,
        /// Until when, in milliseconds since 1970.
        until: u64,
        /// The how manieth time in a row it was.
        times: u32,
    },
}

/// Whose a name is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentIdentity {
    /// The name.
    pub name: String,
    /// The owner of the key that registered it.
    pub owner: String,
    /// The SHA-256 of its agent key; none if the name is the owner's.
    pub key: Option<[u8; 32]>,
}

/// What an agent says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AgentProfile {
    /// The version of the program.
    pub version: String,
    /// The games that it plays.
    pub games: Vec<GameId>,
    /// At how many tables it plays at once.
    pub max_tables: u32,
}

/// An agent, by its log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Registration {
    pub(super) who: AgentIdentity,
    pub(super) says: AgentProfile,
    pub(super) aside: Option<Suspension>,
    /// When it was registered, in milliseconds since 1970.
    pub(super) created: u64,
    /// When something last happened to it.
    pub(super) seen: u64,
    /// How many entries its log has.
    pub(super) length: u64,
}

impl Registration {
    /// The agent that this first entry registers.
    pub(super) fn open(at: u64, first: &AgentEntry) -> Option<Registration> {
        let AgentEntry::Registered(who) = first else { return None };
        let (who, says) = (who.clone(), AgentProfile::default());
        Some(Registration { who, says, aside: None, created: at, seen: at, length: 1 })
    }

    /// Takes in the next entry. AgentProfile whether it can follow.
    pub(super) fn fold(&mut self, at: u64, entry: &AgentEntry) -> bool {
        match entry {
            AgentEntry::Registered(_) => return false,
            AgentEntry::Connected(says) => self.says = says.clone(),
            AgentEntry::SetAside { why, until, times } => {
                self.aside = Some(Suspension { why: *why, since: at, until: *until, times: *times });
            }
        }
        (self.seen, self.length) = (at, self.length + 1);
        true
    }
}

/// What the log of an agent is called.
pub(super) fn log_of(name: &str) -> TableId {
    let hash = Sha256::new().chain_update(b"parlor agent v1").chain_update(name).finalize();
    let mut id = [0; 16];
    id.copy_from_slice(&hash[..16]);
    TableId::from_bytes(id)
}
