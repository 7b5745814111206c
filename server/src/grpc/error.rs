//! What goes wrong at the border, and how a client is report: one type, one match.

use std::{collections::HashMap, time::Duration};

use parlor_bots::BotError;
use parlor_engine::SetupError;
use parlor_proto::{convert::InvalidField, v1::ErrorReason};
use tonic::Status;
use tonic_types::{ErrorDetails, StatusExt};

use super::error_code::{DOMAIN, code, name};
use super::tournament;
use crate::identity::{ApiKeyError, Scope, TokenError};
use parlor_host::HostError;
use parlor_host::agents::AgentError;
use parlor_host::limits::{LimitExceeded, LimitedResource};
use parlor_host::table::CommandError;
use parlor_host::tournaments::TournamentError;
use parlor_store::LogError;

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
    Field(#[from] InvalidField),
    /// The caller is not known.
    #[error(transparent)]
    Key(#[from] ApiKeyError),
    /// The key does not allow it.
    #[error("this API key lacks the scope {0}: ask who runs the server for one that has it")]
    Scope(Scope),
    /// There is no such game.
    #[error("there is no game of that name: ListGames has the ids")]
    NoSuchGame,
    /// The message is too large.
    #[error("a message of {bytes} bytes is more than this server takes: send at most {most}")]
    MessageTooLarge {
        /// How large it would be.
        bytes: u64,
        /// How large it may be.
        most: u64,
    },
    /// A tournament refused or failed.
    #[error(transparent)]
    Tournament(TournamentError),
    /// The host refused or failed.
    #[error(transparent)]
    Host(#[from] HostError),
}

impl From<LimitExceeded> for Failure {
    fn from(exhausted: LimitExceeded) -> Failure {
        HostError::from(exhausted).into()
    }
}

impl From<TokenError> for Failure {
    fn from(refused: TokenError) -> Failure {
        HostError::from(refused).into()
    }
}

/// How a client is report.
struct ErrorReport {
    reason: ErrorReason,
    /// The sentence, where the failure's own one is for those who run the server alone.
    instead: Option<&'static str>,
    /// What a program may want to know beside the reason.
    metadata: Vec<(&'static str, String)>,
    /// The field that is wrong, by its path, and what it may be.
    field: Option<(String, String)>,
    /// When to try again, where that helps.
    retry: Option<Duration>,
}

impl ErrorReport {
    fn new(reason: ErrorReason) -> ErrorReport {
        ErrorReport { reason, instead: None, metadata: Vec::new(), field: None, retry: None }
    }

    fn with(mut self, key: &'static str, value: impl ToString) -> ErrorReport {
        self.metadata.push((key, value.to_string()));
        self
    }

    fn field(mut self, path: impl Into<String>, why: impl Into<String>) -> ErrorReport {
        self.field = Some((path.into(), why.into()));
        self
    }

    fn retry(mut self, after: Duration) -> ErrorReport {
        self.retry = Some(after);
        self
    }

    /// Paths and what the system says are nobody's business but of those who run the server.
    fn command(mut self, instead: &'static str) -> ErrorReport {
        self.instead = Some(instead);
        self
    }
}

/// What is damaged is for the server's own log to say.
const DAMAGED: &str =
    "what is stored of this table is damaged, and it is not played on: tell whoever runs the server";

impl Failure {
    fn report(&self) -> ErrorReport {
        use ErrorReason as Reason;
        let report = ErrorReport::new;
        match self {
            Failure::Field(wrong) => report(Reason::InvalidField).field(wrong.path(), wrong.why()),
            Failure::Key(ApiKeyError::Missing) => report(Reason::CredentialsMissing),
            Failure::Key(ApiKeyError::Malformed | ApiKeyError::Unknown) => report(Reason::KeyInvalid),
            Failure::Scope(scope) => report(Reason::ScopeMissing).with("scope", scope),
            Failure::NoSuchGame => report(Reason::GameNotFound),
            Failure::MessageTooLarge { most, .. } => report(Reason::MessageTooLarge).with("most", most),
            Failure::Tournament(error) => match error {
                TournamentError::NotFound { tournament } => {
                    report(Reason::TournamentNotFound).with("tournament_id", tournament)
                }
                TournamentError::NotOwner { tournament } => {
                    report(Reason::NotOwner).with("tournament_id", tournament)
                }
                TournamentError::InvalidEntry(invalid) => report(tournament::reason(invalid)),
                TournamentError::NoAgent { name } => report(Reason::AgentUnavailable).with("agent", name),
                TournamentError::TooMany { most } => report(Reason::TooManyTables).with("most", most),
                TournamentError::Damaged { tournament, .. } => report(Reason::TableDamaged)
                    .with("tournament_id", tournament)
                    .command("what is stored of this tournament is damaged: tell whoever runs the server"),
                // It becomes the host's own.
                TournamentError::Host(_) => report(Reason::ServerFault).command(FAULT),
            },
            Failure::Host(HostError::Token(refused)) => match refused {
                TokenError::Malformed(_) | TokenError::OtherKind { .. } | TokenError::Wrong(_) => {
                    report(Reason::TokenInvalid)
                }
                TokenError::Reissued(_) => report(Reason::TokenExpired),
            },
            Failure::Host(HostError::Exhausted(exhausted)) => match exhausted {
                LimitExceeded::Rate { retry_after, .. } | LimitExceeded::Callers { retry_after } => {
                    report(Reason::RateLimited).retry(*retry_after)
                }
                LimitExceeded::Count { resource: LimitedResource::Tables, max: most } => {
                    report(Reason::TooManyTables).with("most", most)
                }
                LimitExceeded::Count {
                    resource: LimitedResource::Streams | LimitedResource::Channels | LimitedResource::Agents,
                    max: most,
                } => report(Reason::TooManyStreams).with("most", most),
            },
            Failure::Host(HostError::Log(error)) => match error {
                LogError::NoSuchTable { table } => report(Reason::TableNotFound).with("table_id", table),
                LogError::Finished { table } => report(Reason::TableOver).with("table_id", table),
                LogError::DuplicateRequest { table } => {
                    report(Reason::RequestIdReused).with("table_id", table)
                }
                LogError::ReaderAhead { table, .. } => report(Reason::CursorAhead).with("table_id", table),
                LogError::FeedAhead { last, .. } => report(Reason::CursorAhead).with("last", last),
                LogError::FeedTrimmed { first, .. } => report(Reason::CursorTooOld).with("first", first),
                LogError::FollowerLagged { .. } => report(Reason::TooSlow),
                LogError::QueueFull => report(Reason::RateLimited).retry(BUSY),
                LogError::NoSpace { .. } | LogError::Io { .. } => {
                    report(Reason::StoreUnavailable).retry(NO_STORE).command(
                        "the server cannot store anything now, so tables pause: try again; \
                         nothing that was acknowledged is lost",
                    )
                }
                LogError::Damaged { .. } => report(Reason::TableDamaged).command(DAMAGED),
                LogError::Closed => report(Reason::ServerStopping).retry(STOPPING),
                // What only a program that opens a store, or writes what it should not, can meet.
                LogError::Conflict { .. }
                | LogError::NewerSchema { .. }
                | LogError::OlderSchema { .. }
                | LogError::NotAStore { .. }
                | LogError::InUse { .. }
                | LogError::FileExists { .. }
                | LogError::Invalid { .. }
                | LogError::LogFull { .. } => report(Reason::ServerFault).command(FAULT),
            },
            Failure::Host(HostError::Command(error)) => match error {
                CommandError::NoSuchSeat { seat, .. } => report(Reason::SeatNotFound).with("seat", seat),
                // The house has the seat too, when a bot plays it or the defaults of one that forfeited.
                CommandError::SeatTaken { seat }
                | CommandError::SeatReserved { seat }
                | CommandError::IsHouse { seat }
                | CommandError::IsAgent { seat }
                | CommandError::NotAgent { seat }
                | CommandError::Forfeited { seat } => report(Reason::SeatTaken).with("seat", seat),
                CommandError::SeatVacant { seat } => report(Reason::SeatVacant).with("seat", seat),
                CommandError::TableFull => report(Reason::NoSeatFree),
                CommandError::NotStarted => report(Reason::TableNotStarted),
                CommandError::AlreadyStarted => report(Reason::TableStarted),
                CommandError::Over => report(Reason::TableOver),
                CommandError::RequestReused => report(Reason::RequestIdReused),
                CommandError::NotAsked { decision, .. } => {
                    report(Reason::DecisionNotFound).with("decision_id", decision.0)
                }
                CommandError::AlreadyDecided { decision, .. } => {
                    report(Reason::DecidedOtherwise).with("decision_id", decision.0)
                }
                CommandError::NoSuchIndex { count, .. } => {
                    report(Reason::IllegalAction).with("legal_count", count)
                }
                CommandError::Illegal(refusal) => report(Reason::IllegalAction).with("rule", refusal.code),
            },
            Failure::Host(HostError::Agent(error)) => match error {
                AgentError::Unknown { .. } => report(Reason::AgentNotFound),
                AgentError::NotConnected { .. }
                | AgentError::VersionMismatch { .. }
                | AgentError::UnsupportedGame { .. }
                | AgentError::NoFreeTable { .. }
                | AgentError::Suspended { .. } => report(Reason::AgentUnavailable),
                AgentError::NameTaken { .. } => report(Reason::AgentNameTaken),
                AgentError::Replaced => report(Reason::AgentReplaced),
                AgentError::TooManyRefusals { refused } => report(Reason::Protocol).with("refused", refused),
            },
            Failure::Host(HostError::Setup(error)) => match error {
                SetupError::Players { min, max, got, .. } => {
                    let why = format!("must have {min} to {max} entries, one a player, not {got}");
                    report(Reason::InvalidField).field("seats", why)
                }
                SetupError::Option { game, option, allowed, got } => {
                    let why = format!("must be {allowed}, not {got}");
                    report(Reason::InvalidField).field(format!("options.{game}.{option}"), why)
                }
                // The version is the server's own choice.
                _ => report(Reason::ServerFault).command(FAULT),
            },
            Failure::Host(HostError::Bot(BotError::UnknownBot { .. })) => report(Reason::HouseBotNotFound),
            Failure::Host(HostError::Bot(_)) => report(Reason::ServerFault).command(FAULT),
            Failure::Host(HostError::NotFound { table }) => {
                report(Reason::TableNotFound).with("table_id", table)
            }
            Failure::Host(HostError::NotOwner { table }) => report(Reason::NotOwner).with("table_id", table),
            Failure::Host(HostError::NotOver { table }) => {
                report(Reason::TableNotOver).with("table_id", table)
            }
            Failure::Host(HostError::NoSuchTournament { tournament }) => {
                report(Reason::TournamentNotFound).with("tournament_id", tournament)
            }
            Failure::Host(HostError::DealNotOver { tournament, number }) => {
                report(Reason::DealNotOver).with("tournament_id", tournament).with("group", number)
            }
            Failure::Host(HostError::RequestReused) => report(Reason::RequestIdReused),
            Failure::Host(HostError::CursorAhead { last, .. }) => {
                report(Reason::CursorAhead).with("last", last)
            }
            Failure::Host(HostError::TooSlow) => report(Reason::TooSlow),
            Failure::Host(HostError::TableBusy { table }) => {
                report(Reason::RateLimited).with("table_id", table).retry(BUSY)
            }
            Failure::Host(HostError::Damaged { table, .. }) => {
                report(Reason::TableDamaged).with("table_id", table).command(DAMAGED)
            }
            Failure::Host(HostError::Reissued | HostError::Replaced) => report(Reason::TokenExpired),
            Failure::Host(HostError::NoChannel { channel }) => {
                report(Reason::Protocol).with("channel", channel)
            }
            Failure::Host(HostError::Stopping) => report(Reason::ServerStopping).retry(STOPPING),
            Failure::Host(HostError::Randomness(_) | HostError::Fault { .. }) => {
                report(Reason::ServerFault).command(FAULT)
            }
        }
    }

    /// The reason, for programs.
    #[must_use]
    pub fn reason(&self) -> ErrorReason {
        self.report().reason
    }

    /// The sentence for a person. What is only for those who run the server is left out; the log has it.
    #[must_use]
    pub fn message(&self) -> String {
        self.report().instead.map_or_else(|| self.to_string(), str::to_owned)
    }

    /// The same, with a wrong field seen from the message that holds the one in question in this field.
    #[must_use]
    pub fn within(self, field: &str) -> Failure {
        match self {
            Failure::Field(wrong) => wrong.within(field).into(),
            other => other,
        }
    }

    /// When to try again; none where waiting alone does not help.
    #[must_use]
    pub fn retry(&self) -> Option<Duration> {
        self.report().retry
    }

    /// Logs what the client is not report, if there is anything.
    pub(crate) fn log(&self) {
        let report = self.report();
        if let Some(instead) = report.instead {
            tracing::error!(reason = name(report.reason), error = %self, "{instead}");
        }
    }
}

/// What a client hears of a fault of the server; the log has the rest.
const FAULT: &str = "a fault of the server: tell whoever runs it; no table is scored for it";

impl From<Failure> for Status {
    fn from(failure: Failure) -> Status {
        failure.log();
        let report = failure.report();
        let metadata: HashMap<String, String> =
            report.metadata.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let mut details = ErrorDetails::with_error_info(name(report.reason), DOMAIN, metadata);
        if let Some((path, why)) = report.field {
            details.add_bad_request_violation(path, why);
        }
        if let Some(retry) = report.retry {
            details.set_retry_info(Some(retry));
        }
        let message = report.instead.map_or_else(|| failure.to_string(), str::to_owned);
        Status::with_error_details(code(report.reason), message, details)
    }
}

#[cfg(test)]
mod tests;
