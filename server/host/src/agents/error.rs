//! Errors of agents.

/// Reason why an agent cannot connect or take a seat. Each text is one line and says how to go on.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AgentError {
    /// No agent of that name was ever registered.
    #[error("there is no agent {name:?}: ListAgents has the names")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The agent is not connected.
    #[error("agent {name:?} is not connected: wait until it is, or choose another one")]
    NotConnected {
        /// The name.
        name: String,
    },
    /// The agent is connected with another version.
    #[error("agent {name:?} is connected with version {version:?}: ask for that one, or wait for the other")]
    VersionMismatch {
        /// The name.
        name: String,
        /// The connected version.
        version: String,
    },
    /// The agent does not play the game.
    #[error("agent {name:?} does not play {game}: ListAgents says what it plays")]
    UnsupportedGame {
        /// The name.
        name: String,
        /// Id of the game.
        game: &'static str,
    },
    /// The agent takes no further table.
    #[error("agent {name:?} plays at {tables} tables, and takes no more: wait until one is over")]
    NoFreeTable {
        /// The name.
        name: String,
        /// Number of tables at which it has a seat.
        tables: usize,
    },
    /// The agent takes no further table of this owner.
    #[error(
        "your tables hold {tables} seats of agent {name:?}, the most for one owner: wait until one of them is over"
    )]
    OwnerShare {
        /// The name.
        name: String,
        /// Number of the owner's tables at which it has a seat.
        tables: usize,
    },
    /// The agent has declined such tables.
    #[error("agent {name:?} does not play there: {why}")]
    Declined {
        /// The name.
        name: String,
        /// The reason, in words.
        why: String,
    },
    /// The agent is suspended.
    #[error(
        "agent {name:?} is set aside for a while at your tables ({why}): wait until ListAgents says that it is here"
    )]
    Suspended {
        /// The name.
        name: String,
        /// The reason, in words.
        why: &'static str,
    },
    /// The name belongs to another owner or agent key.
    #[error("the name {name:?} belongs to somebody else: connect with its agent key, or choose another name")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// Another connection has replaced this one.
    #[error(
        "the agent has connected anew under this name: this connection is over, and should not come back"
    )]
    Replaced,
    /// Too many consecutive answers were refused.
    #[error("your last {refused} answers were refused: this connection is over, mend the agent first")]
    TooManyRefusals {
        /// Number of consecutive refused answers.
        refused: u32,
    },
}
