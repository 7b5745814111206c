//! Errors of the host.

use parlor_bots::BotError;
use parlor_engine::SetupError;

use crate::agents::AgentError;
use crate::identity::TokenError;
use crate::limits::LimitExceeded;
use crate::table::CommandError;
use crate::{RandomnessError, TableId, TournamentId};
use parlor_store::LogError;

/// Error of the host. Each message is one line that says what to do.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum HostError {
    /// The log refused or failed.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The table refused the command.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The token is invalid or was reissued.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// A limit is exceeded.
    #[error(transparent)]
    Exhausted(#[from] LimitExceeded),
    /// The setup of the game is invalid.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// An agent cannot connect or play.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// There is no such house bot.
    #[error(transparent)]
    Bot(#[from] BotError),
    /// The table does not exist or is hidden from the caller.
    #[error("there is no table {table}, or it is private and not yours to see")]
    NotFound {
        /// The table.
        table: TableId,
    },
    /// Only the owner is authorised.
    #[error("only the owner of table {table} may do this: call with the owner's API key")]
    NotOwner {
        /// The table.
        table: TableId,
    },
    /// A tournament plays the table, and decides about it.
    #[error(
        "table {table} is played by a tournament: a seat is resigned by its holder alone, and the tournament ends its tables; withdraw an entrant, or void the group"
    )]
    PlayedByTournament {
        /// The table.
        table: TableId,
    },
    /// The table is not over.
    #[error("table {table} is not over yet: cancel it first, or wait")]
    NotOver {
        /// The table.
        table: TableId,
    },
    /// The tournament does not exist or is hidden from the caller.
    #[error("there is no tournament {tournament}, or it is private and not yours to see")]
    NoSuchTournament {
        /// The tournament.
        tournament: TournamentId,
    },
    /// A deal is still in play. Its tables become visible when all of them are over.
    #[error(
        "the deal of this table of tournament {tournament} is still being played, so its tables have neither spectators nor records: wait for the last of them"
    )]
    DealNotOver {
        /// The tournament. The number of the deal stays secret: it would link the tables of the deal.
        tournament: TournamentId,
    },
    /// The request id was used for a different request.
    #[error("this request id was used for a different request: take a new id")]
    RequestReused,
    /// The cursor is ahead of the log.
    #[error(
        "the number {after} is ahead of the table, whose last is {last}: the server has lost what you have seen; tell whoever runs it, and attach without a number"
    )]
    CursorAhead {
        /// The cursor of the caller.
        after: u64,
        /// Number of the last update.
        last: u64,
    },
    /// The stream was cut off because its reader was too slow.
    #[error(
        "you read more slowly than the tables were played, and were cut off: attach again with the last number you have"
    )]
    TooSlow,
    /// The request queue of the table is full.
    #[error("too many requests wait for table {table}: try again in a moment")]
    TableBusy {
        /// The table.
        table: TableId,
    },
    /// The table is on another node, or on none at the moment.
    #[error("table {table} is moving to another node, or its node cannot be reached: try again in a moment")]
    TableElsewhere {
        /// The table.
        table: TableId,
    },
    /// The token was reissued while it was in use.
    #[error("this token was made anew: ask the owner of the table for the new one, and attach with it")]
    Reissued,
    /// A house bot has the seat now.
    #[error("a house bot has taken over this seat: watch the table without the token")]
    Replaced,
    /// The stored table is corrupt.
    #[error("what is stored of table {table} is damaged, and the server refuses to go on with it: {reason}")]
    Damaged {
        /// The table.
        table: TableId,
        /// Reason.
        reason: String,
    },
    /// The channel is not attached.
    #[error("channel {channel} is not attached: attach it first")]
    NoChannel {
        /// The channel.
        channel: u32,
    },
    /// The server is stopping.
    #[error("the server is stopping: come back in a moment")]
    Stopping,
    /// The operating system returned no random bytes.
    #[error(transparent)]
    Randomness(#[from] RandomnessError),
    /// Fault of the server. The reason is for its own log.
    #[error("a fault of the server ended this: {reason}")]
    Fault {
        /// Human-readable reason.
        reason: String,
    },
}

impl HostError {
    /// True if a retry may succeed without any other action.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            HostError::Log(error) => {
                matches!(
                    error,
                    LogError::QueueFull
                        | LogError::NoSpace { .. }
                        | LogError::Io { .. }
                        | LogError::Unreachable { .. }
                        | LogError::AccessDenied { .. }
                        | LogError::Fenced
                        | LogError::NotOwner { .. }
                        | LogError::Closed
                )
            }
            HostError::TooSlow
            | HostError::TableBusy { .. }
            | HostError::TableElsewhere { .. }
            | HostError::Stopping => true,
            HostError::Exhausted(LimitExceeded::UnreadBytes { .. }) => true,
            HostError::Exhausted(exhausted) => exhausted.retry_after().is_some(),
            _ => false,
        }
    }
}
