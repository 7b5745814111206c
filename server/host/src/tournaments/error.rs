//! Errors of tournaments.

use parlor_tournament::InvalidEntry;

use crate::HostError;
use crate::TournamentId;
use crate::tournaments::log_id::tournament_of_log;
use parlor_store::LogError;

/// Reason why a request about a tournament fails. Each text is one line and says how to go on.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum TournamentError {
    /// The tournament does not exist, or is hidden from the caller.
    #[error("there is no tournament {tournament}, or it is private and not yours to see")]
    NotFound {
        /// The tournament.
        tournament: TournamentId,
    },
    /// The caller is not the organiser.
    #[error("only the organiser of tournament {tournament} may do this: call with the organiser's API key")]
    NotOwner {
        /// The tournament.
        tournament: TournamentId,
    },
    /// The tournament rejects the command.
    #[error(transparent)]
    InvalidEntry(#[from] InvalidEntry),
    /// An agent is not connected, which it must be for the start.
    #[error("agent {name} is not connected, and has to be when the tournament starts: connect it first")]
    NoAgent {
        /// Name of the agent.
        name: String,
    },
    /// The revealed entropy is not what the organiser committed to, or it committed to nothing.
    #[error(
        "the organiser of tournament {tournament} did not commit to this entropy: reveal what its commitment was made of"
    )]
    EntropyMismatch {
        /// The tournament.
        tournament: TournamentId,
    },
    /// The commitments of all participants are not known yet.
    #[error("tournament {tournament} does not show the commitments of all yet: reveal when it does")]
    NotRevealing {
        /// The tournament.
        tournament: TournamentId,
    },
    /// The tournament has begun without the entropy.
    #[error("tournament {tournament} has begun: the time to reveal is over")]
    RevealsOver {
        /// The tournament.
        tournament: TournamentId,
    },
    /// The organiser has the maximum number of tournaments that are not over.
    #[error(
        "you have {most} tournaments that are not over, and that is the most: finish or cancel one first"
    )]
    TooMany {
        /// The maximum.
        most: u32,
    },
    /// The stored state of the tournament is damaged.
    #[error("what is stored of tournament {tournament} is damaged, and it is not gone on with: {what}")]
    Damaged {
        /// The tournament.
        tournament: TournamentId,
        /// Description of the damage.
        what: String,
    },
    /// Error of the host.
    #[error(transparent)]
    Host(#[from] HostError),
}

impl From<LogError> for TournamentError {
    fn from(error: LogError) -> TournamentError {
        match error {
            LogError::NoSuchTable { table: log } => {
                TournamentError::NotFound { tournament: tournament_of_log(log) }
            }
            LogError::Damaged { table: Some(log), .. } => {
                TournamentError::Damaged { tournament: tournament_of_log(log), what: error.to_string() }
            }
            error => HostError::from(error).into(),
        }
    }
}

impl TournamentError {
    /// Returns whether the error is transient, so that a retry may succeed.
    pub(super) fn is_transient(&self) -> bool {
        matches!(self, TournamentError::Host(error) if error.is_transient())
    }
}
