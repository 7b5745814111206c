//! Availability of an agent, and agents as they are listed.

use parlor_engine::GameId;

use super::{AgentIdentity, AgentProfile, AnswerTimes, Suspension};

/// Availability of an agent for a seat that needs a given version, in a tournament.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Availability {
    /// Connected with this version.
    Connected {
        /// Number of further tables of the organiser that it takes.
        free_tables: u32,
        /// Number of tables of the organiser's tournaments at which it has a seat.
        tournament_tables: usize,
    },
    /// Not connected, or connected with another version.
    Disconnected {
        /// End of the last connection, in milliseconds since 1970.
        since: u64,
    },
    /// Suspended in this tournament: it gets no new seats for a while.
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
    /// Suspended at tables of the caller, connected or not: it gets no new seats there.
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
    /// Number of tables at which it plays. Those that wait for players are not counted.
    pub tables: usize,
    /// The current suspension at tables of the caller, or for the owner of its name at any tables.
    pub suspension: Option<Suspension>,
    /// Time of registration, in milliseconds since 1970.
    pub created: u64,
    /// End of the last connection, in milliseconds since 1970; `None` while connected.
    pub last_seen: Option<u64>,
    /// Answers since the server started.
    pub answer_times: AnswerTimes,
    /// Number of tournaments since the server started in which it withheld the entropy that it had committed to.
    pub entropy_withheld: u32,
}

/// Filter of a listing of agents. A field that is `None` matches every agent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AgentFilter {
    /// Agents that play this game.
    pub game: Option<GameId>,
    /// Agents with this status.
    pub status: Option<AgentStatus>,
}
