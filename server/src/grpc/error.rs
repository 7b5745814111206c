//! What goes wrong at the border, and how a client is told: one type, one match.

use std::{collections::HashMap, time::Duration};

use parlor_proto::{convert::WrongField, v1::ErrorReason};
use tonic::Status;
use tonic_types::{ErrorDetails, StatusExt};

use super::reasons::{DOMAIN, code, name};
use crate::{
    identity::{KeyRefused, Scope, TokenRefused},
    limits::{Counted, Exhausted},
    log::LogError,
    table::CommandError,
};

/// When to come back if too much waits to be written: commits take milliseconds.
const BUSY: Duration = Duration::from_millis(100);
/// When to come back if the disk is full or away: somebody has to see to it.
const NO_STORE: Duration = Duration::from_secs(5);
/// When to come back to a server that is going down: another one, or the same, is up in a moment.
const STOPPING: Duration = Duration::from_secs(1);

/// Why a call fails. It becomes a [`Status`] with a sentence for a person and, in its details, the reason for programs.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Failure {
    /// A field of the request has a value that it can never have.
    #[error("{0}")]
    Field(#[from] WrongField),
    /// The caller is not known.
    #[error(transparent)]
    Key(#[from] KeyRefused),
    /// The token is not good.
    #[error(transparent)]
    Token(#[from] TokenRefused),
    /// The key does not allow it.
    #[error("this API key lacks the scope {0}: ask who runs the server for one that has it")]
    Scope(Scope),
    /// There is no such game.
    #[error("there is no game of that name: ListGames has the ids")]
    NoSuchGame,
    /// A limit is reached.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
    /// The message is too large.
    #[error("a message of {bytes} bytes is more than this server takes: send at most {most}")]
    MessageTooLarge {
        /// How large it would be.
        bytes: u64,
        /// How large it may be.
        most: u64,
    },
    /// The log refused or failed.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The table does not allow it.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The server goes down.
    #[error("the server is going down: try again in a moment")]
    Stopping,
}

/// How a client is told.
struct Told {
    reason: ErrorReason,
    /// The sentence, where the failure's own one is for those who run the server alone.
    instead: Option<&'static str>,
    /// What a program may want to know beside the reason.
    metadata: Vec<(&'static str, String)>,
    /// When to try again, where that helps.
    retry: Option<Duration>,
}

impl Told {
    const fn new(reason: ErrorReason) -> Told {
        Told { reason, instead: None, metadata: Vec::new(), retry: None }
    }

    fn with(mut self, key: &'static str, value: impl ToString) -> Told {
        self.metadata.push((key, value.to_string()));
        self
    }

    const fn retry(mut self, after: Duration) -> Told {
        self.retry = Some(after);
        self
    }

    /// Paths and what the system says are nobody's business but of those who run the server.
    const fn saying(mut self, instead: &'static str) -> Told {
        self.instead = Some(instead);
        self
    }
}

impl Failure {
    fn told(&self) -> Told {
        use ErrorReason as Reason;
        let told = Told::new;
        match self {
            Failure::Field(_) => told(Reason::InvalidField),
            Failure::Key(KeyRefused::Missing) => told(Reason::CredentialsMissing),
            Failure::Key(KeyRefused::Malformed | KeyRefused::Unknown) => told(Reason::KeyInvalid),
            Failure::Token(
                TokenRefused::Malformed(_) | TokenRefused::OtherKind { .. } | TokenRefused::Wrong(_),
            ) => told(Reason::TokenInvalid),
            Failure::Token(TokenRefused::Expired(_) | TokenRefused::Reissued(_)) => {
                told(Reason::TokenExpired)
            }
            Failure::Scope(scope) => told(Reason::ScopeMissing).with("scope", scope),
            Failure::NoSuchGame => told(Reason::GameNotFound),
            Failure::Exhausted(exhausted) => match exhausted {
                Exhausted::Rate { retry_after, .. } | Exhausted::Callers { retry_after } => {
                    told(Reason::RateLimited).retry(*retry_after)
                }
                Exhausted::Count { counted: Counted::Tables, most } => {
                    told(Reason::TooManyTables).with("most", most)
                }
                Exhausted::Count { counted: Counted::Streams, most } => {
                    told(Reason::TooManyStreams).with("most", most)
                }
            },
            Failure::MessageTooLarge { most, .. } => told(Reason::MessageTooLarge).with("most", most),
            Failure::Log(error) => match error {
                LogError::NoSuchTable { table } => told(Reason::TableNotFound).with("table_id", table),
                LogError::Finished { table } => told(Reason::TableOver).with("table_id", table),
                LogError::Repeated { table } => told(Reason::RequestIdReused).with("table_id", table),
                LogError::Ahead { table, .. } => told(Reason::CursorAhead).with("table_id", table),
                LogError::FeedAhead { last, .. } => told(Reason::CursorAhead).with("last", last),
                LogError::FeedTrimmed { first, .. } => told(Reason::CursorTooOld).with("first", first),
                LogError::Behind { .. } => told(Reason::TooSlow),
                LogError::Busy => told(Reason::RateLimited).retry(BUSY),
                LogError::NoSpace { .. } | LogError::Io { .. } => {
                    told(Reason::StoreUnavailable).retry(NO_STORE).saying(
                        "the server cannot store anything now, so tables pause: try again; \
                         nothing that was acknowledged is lost",
                    )
                }
                LogError::Damaged { .. } => told(Reason::TableDamaged).saying(
                    "what is stored of this table is damaged, and it is not played on: tell whoever runs the server",
                ),
                LogError::Closed => {
                    told(Reason::ServerStopping).retry(STOPPING).saying("the server is going down: try again")
                }
                // What only a program that opens a store, or writes what it should not, can meet.
                LogError::Conflict { .. }
                | LogError::Newer { .. }
                | LogError::NotAStore { .. }
                | LogError::InUse { .. }
                | LogError::Exists { .. }
                | LogError::Invalid { .. }
                | LogError::Full { .. } => told(Reason::ServerFault).saying(FAULT),
            },
            Failure::Command(error) => match error {
                CommandError::NoSuchSeat { seat, .. } => told(Reason::SeatNotFound).with("seat", seat),
                CommandError::SeatTaken { seat }
                | CommandError::SeatReserved { seat }
                | CommandError::IsHouse { seat }
                | CommandError::Forfeited { seat } => told(Reason::SeatTaken).with("seat", seat),
                CommandError::TableFull => told(Reason::NoSeatFree),
                CommandError::NotStarted => told(Reason::TableNotStarted),
                CommandError::AlreadyStarted => told(Reason::TableStarted),
                CommandError::Over => told(Reason::TableOver),
                CommandError::NotAsked { decision, .. } => {
                    told(Reason::DecisionNotFound).with("decision_id", decision.0)
                }
                CommandError::AlreadyDecided { decision, .. } => {
                    told(Reason::DecidedOtherwise).with("decision_id", decision.0)
                }
                CommandError::NoSuchIndex { count, .. } => {
                    told(Reason::IllegalAction).with("legal_count", count)
                }
                CommandError::Illegal(refusal) => told(Reason::IllegalAction).with("rule", refusal.code),
            },
            Failure::Stopping => told(Reason::ServerStopping).retry(STOPPING),
        }
    }

    /// The reason, for programs.
    #[must_use]
    pub fn reason(&self) -> ErrorReason {
        self.told().reason
    }
}

/// What a client hears of a fault of the server; the log has the rest.
const FAULT: &str = "a fault of the server: tell whoever runs it; no table is scored for it";

impl From<Failure> for Status {
    fn from(failure: Failure) -> Status {
        let told = failure.told();
        if let Some(instead) = told.instead {
            tracing::error!(reason = name(told.reason), error = %failure, "{instead}");
        }
        let metadata: HashMap<String, String> =
            told.metadata.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let mut details = ErrorDetails::with_error_info(name(told.reason), DOMAIN, metadata);
        if let Failure::Field(wrong) = &failure {
            details.add_bad_request_violation(wrong.path(), wrong.why());
        }
        if let Some(retry) = told.retry {
            details.set_retry_info(Some(retry));
        }
        let message = told.instead.map_or_else(|| failure.to_string(), str::to_owned);
        Status::with_error_details(code(told.reason), message, details)
    }
}

#[cfg(test)]
mod tests;
