//! Why something cannot be done with a tournament.

use parlor_tournament::InvalidEntry;

use crate::HostError;
use crate::TableId;
use parlor_store::LogError;

/// Why something cannot be done with a tournament. Each is one line that says what to do.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum TournamentError {
    /// There is no such tournament, or it is not the caller's to see.
    #[error("there is no tournament {tournament}, or it is private and not yours to see")]
    NotFound {
        /// The tournament.
        tournament: TableId,
    },
    /// Only the organiser may do this.
    #[error("only the organiser of tournament {tournament} may do this: call with the organiser's API key")]
    NotOwner {
        /// The tournament.
        tournament: TableId,
    },
    /// The tournament is against it.
    #[error(transparent)]
    InvalidEntry(#[from] InvalidEntry),
    /// An agent has to be connected before the tournament starts.
    #[error("agent {name} is not connected, and has to be when the tournament starts: connect it first")]
    NoAgent {
        /// Its name.
        name: String,
    },
    /// The organiser has too many tournaments that are not over.
    #[error(
        "you have {most} tournaments that are not over, and that is the most: finish or cancel one first"
    )]
    TooMany {
        /// How many there may be.
        most: u32,
    },
    /// What is stored of the tournament makes no sense.
    #[error("what is stored of tournament {tournament} is damaged, and it is not gone on with: {what}")]
    Damaged {
        /// The tournament.
        tournament: TableId,
        /// What is wrong.
        what: String,
    },
    /// The host refused or failed.
    #[error(transparent)]
    Host(#[from] HostError),
}

impl From<LogError> for TournamentError {
    fn from(error: LogError) -> TournamentError {
        match error {
            LogError::NoSuchTable { table: tournament } => TournamentError::NotFound { tournament },
            LogError::Damaged { table: Some(tournament), .. } => {
                TournamentError::Damaged { tournament, what: error.to_string() }
            }
            error => HostError::from(error).into(),
        }
    }
}

impl TournamentError {
    /// Whether the same may work in a moment, without anybody doing anything.
    pub(super) fn is_transient(&self) -> bool {
        matches!(self, TournamentError::Host(error) if error.is_transient())
    }
}
