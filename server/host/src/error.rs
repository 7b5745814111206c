//! Why the host refused or failed.

use parlor_bots::BotError;
use parlor_engine::SetupError;

use crate::agents::AgentError;
use crate::identity::TokenError;
use crate::limits::LimitExceeded;
use crate::table::CommandError;
use crate::{RandomnessError, TableId};
use parlor_store::LogError;

/// Why the host refused or failed. Each is one line that says what to do.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum HostError {
    /// The log refused or failed.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The table is against it.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The token is not good, or not any more.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// A limit is reached.
    #[error(transparent)]
    Exhausted(#[from] LimitExceeded),
    /// The game cannot be set up so.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// An agent cannot connect, or play.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// There is no such house bot.
    #[error(transparent)]
    Bot(#[from] BotError),
    /// There is no such table, or it is not the caller's to see.
    #[error("there is no table {table}, or it is private and not yours to see")]
    NotFound {
        /// The table.
        table: TableId,
    },
    /// Only the owner may do this.
    #[error("only the owner of table {table} may do this: call with the owner's API key")]
    NotOwner {
        /// The table.
        table: TableId,
    },
    /// The table is still being played.
    #[error("table {table} is not over yet: cancel it first, or wait")]
    NotOver {
        /// The table.
        table: TableId,
    },
    /// There is no such tournament, or it is not the caller's to see.
    #[error("there is no tournament {tournament}, or it is private and not yours to see")]
    NoSuchTournament {
        /// The tournament.
        tournament: TableId,
    },
    /// A table of a tournament's deal may be looked at when all tables of the deal are over.
    #[error(
        "deal {number} of tournament {tournament} is still being played, so its tables have neither spectators nor records: wait for its last table"
    )]
    DealNotOver {
        /// The tournament.
        tournament: TableId,
        /// The number of the deal.
        number: u32,
    },
    /// The request id was used before, for a different request.
    #[error("this request id was used for a different request: take a new id")]
    RequestReused,
    /// The cursor is ahead of what the log has.
    #[error(
        "the number {after} is ahead of the table, whose last is {last}: the server has lost what you have seen; tell whoever runs it, and attach without a number"
    )]
    CursorAhead {
        /// The number that was given.
        after: u64,
        /// The last one there is.
        last: u64,
    },
    /// The reader was too slow.
    #[error(
        "you read more slowly than the tables were played, and were cut off: attach again with the last number you have"
    )]
    TooSlow,
    /// Too much waits for the table.
    #[error("too many requests wait for table {table}: try again in a moment")]
    TableBusy {
        /// The table.
        table: TableId,
    },
    /// The token was reissued while it was in use.
    #[error("this token was made anew: ask the owner of the table for the new one, and attach with it")]
    Reissued,
    /// A house bot has the seat now.
    #[error("a house bot has taken over this seat: watch the table without the token")]
    Replaced,
    /// What is stored of the table makes no sense.
    #[error("what is stored of table {table} is damaged, and the server refuses to go on with it: {what}")]
    Damaged {
        /// The table.
        table: TableId,
        /// What is wrong.
        what: String,
    },
    /// No such channel.
    #[error("channel {channel} is not attached: attach it first")]
    NoChannel {
        /// The channel.
        channel: u32,
    },
    /// The server is going down.
    #[error("the server is stopping: come back in a moment")]
    Stopping,
    /// There is no randomness.
    #[error(transparent)]
    Randomness(#[from] RandomnessError),
    /// The server is at fault. What exactly is for its own log.
    #[error("a fault of the server ended this: {what}")]
    Fault {
        /// What went wrong, for people.
        what: String,
    },
}

impl HostError {
    /// Whether the same may work in a moment, without anybody doing anything.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            HostError::Log(error) => {
                matches!(
                    error,
                    LogError::QueueFull | LogError::NoSpace { .. } | LogError::Io { .. } | LogError::Closed
                )
            }
            HostError::TooSlow | HostError::TableBusy { .. } | HostError::Stopping => true,
            HostError::Exhausted(exhausted) => exhausted.retry_after().is_some(),
            _ => false,
        }
    }
}
