//! Availability of an agent, and agents as they are listed.

use parlor_engine::GameId;

use super::{AgentIdentity, AgentProfile, AnswerTimes, Suspension};

/// Availability of an agent for a seat that needs a given version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Availability {
    /// Connected with this version.
    Connected {
        /// Number of further tables that it takes.
        free_tables: u32,
    },
    /// Not connected, or connected with another version.
    Disconnected {
        /// End of the last connection, in milliseconds since 1970.
        since: u64,
    },
    /// Suspended: it gets no new seats for a while.
    Suspended(Suspension),
    /// No agent of that name was ever registered.
    Unknown,
}

/// Connection status of an agent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AgentStatus {
    /// Connected, and takes seats.
    Connected,
    /// Not connected.
    Disconnected,
    /// Suspended, connected or not: it gets no new seats.
    Suspended,
}

/// An agent, as it is listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentSummary {
    /// Name, owner and key.
    pub identity: AgentIdentity,
    /// Profile of the current or the last connection.
    pub profile: AgentProfile,
    /// Connection status.
    pub status: AgentStatus,
    /// Number of tables at which it has a seat.
    pub tables: usize,
    /// The current suspension.
    pub suspension: Option<Suspension>,
    /// Time of registration, in milliseconds since 1970.
    pub created: u64,
    /// End of the last connection, in milliseconds since 1970; `None` while connected.
    pub last_seen: Option<u64>,
    /// Answers since the server started.
    pub answer_times: AnswerTimes,
}

/// Filter of a listing of agents. A field that is `None` matches every agent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AgentFilter {
    /// Agents that play this game.
    pub game: Option<GameId>,
    /// Agents with this status.
    pub status: Option<AgentStatus>,
}
