//! Why an agent cannot connect, or is not given a seat.

/// Why an agent cannot connect, or is not given a seat. Each is one line that says what to do.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AgentError {
    /// Nobody has ever connected under that name.
    #[error("there is no agent {name:?}: ListAgents has the names")]
    Unknown {
        /// The name.
        name: String,
    },
    /// It is not connected.
    #[error("agent {name:?} is not connected: wait until it is, or choose another one")]
    Gone {
        /// The name.
        name: String,
    },
    /// Another version is connected.
    #[error("agent {name:?} is connected with version {version:?}: ask for that one, or wait for the other")]
    OtherVersion {
        /// The name.
        name: String,
        /// The version that is connected.
        version: String,
    },
    /// It does not play the game.
    #[error("agent {name:?} does not play {game}: ListAgents says what it plays")]
    DoesNotPlay {
        /// The name.
        name: String,
        /// The id of the game.
        game: &'static str,
    },
    /// It has no room for a table.
    #[error("agent {name:?} plays at {tables} tables, and takes no more: wait until one is over")]
    Full {
        /// The name.
        name: String,
        /// At how many tables it plays.
        tables: usize,
    },
    /// It is set aside.
    #[error("agent {name:?} is set aside for a while ({why}): wait until ListAgents says that it is here")]
    SetAside {
        /// The name.
        name: String,
        /// Why.
        why: &'static str,
    },
    /// The name belongs to somebody else.
    #[error("the name {name:?} belongs to somebody else: connect with its agent key, or choose another name")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// Another connection has taken the place of this one.
    #[error(
        "the agent has connected anew under this name: this connection is over, and should not come back"
    )]
    Replaced,
    /// Far too much of what it says is refused.
    #[error("your last {refused} answers were refused: this connection is over, mend the agent first")]
    AllRefused {
        /// How many were.
        refused: u32,
    },
}
