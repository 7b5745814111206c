//! Mapping of failures to reasons, metadata and retry delays.

use std::time::Duration;

use parlor_bots::BotError;
use parlor_engine::SetupError;
use parlor_host::HostError;
use parlor_host::agents::AgentError;
use parlor_host::limits::{LimitExceeded, LimitedResource};
use parlor_host::table::{CommandError, InviteError, MAX_INVITES};
use parlor_host::tournaments::TournamentError;
use parlor_proto::v1::ErrorReason;
use parlor_store::LogError;
use parlor_tournament::InvalidEntry;

use super::Failure;
use crate::identity::{ApiKeyError, TokenError};

/// Retry delay while too many writes are queued: commits take milliseconds.
pub(super) const BUSY_RETRY_DELAY: Duration = Duration::from_millis(100);
/// Retry delay while the disk is full or missing: an operator has to act.
const STORE_RETRY_DELAY: Duration = Duration::from_secs(5);
/// Retry delay during a shutdown: a restarted or other server is up in a moment.
const STOPPING_RETRY_DELAY: Duration = Duration::from_secs(1);
/// Message for faults of the server; the log has the details.
const FAULT: &str = "a fault of the server: tell whoever runs it; no table is scored for it";
/// Message for damaged tables; the log has the details.
const DAMAGED: &str =
    "what is stored of this table is damaged, and it is not played on: tell whoever runs the server";

/// The client's view of a failure.
pub(super) struct ErrorReport {
    pub(super) reason: ErrorReason,
    /// The message for clients, if that of the failure is for operators only.
    pub(super) public_message: Option<&'static str>,
    /// Machine-readable details.
    pub(super) metadata: Vec<(&'static str, String)>,
    /// The path of the invalid field, and its valid values.
    pub(super) field: Option<(String, String)>,
    /// Delay before a retry, if retrying helps.
    pub(super) retry: Option<Duration>,
}

impl ErrorReport {
    fn new(reason: ErrorReason) -> ErrorReport {
        ErrorReport { reason, public_message: None, metadata: Vec::new(), field: None, retry: None }
    }

    fn with_metadata(mut self, key: &'static str, value: impl ToString) -> ErrorReport {
        self.metadata.push((key, value.to_string()));
        self
    }

    fn with_field(mut self, path: impl Into<String>, why: impl Into<String>) -> ErrorReport {
        self.field = Some((path.into(), why.into()));
        self
    }

    fn with_retry(mut self, after: Duration) -> ErrorReport {
        self.retry = Some(after);
        self
    }

    /// Hides the failure's own message, which may contain file paths and system errors.
    fn with_message(mut self, message: &'static str) -> ErrorReport {
        self.public_message = Some(message);
        self
    }
}

impl From<&Failure> for ErrorReport {
    fn from(failure: &Failure) -> ErrorReport {
        use ErrorReason as Reason;
        let report = ErrorReport::new;
        match failure {
            Failure::Field(wrong) => report(Reason::InvalidField).with_field(wrong.path(), wrong.why()),
            Failure::Key(ApiKeyError::Missing) => report(Reason::CredentialsMissing),
            Failure::Key(ApiKeyError::Malformed | ApiKeyError::Unknown | ApiKeyError::Revoked) => {
                report(Reason::KeyInvalid)
            }
            Failure::Scope(scope) => report(Reason::ScopeMissing).with_metadata("scope", scope),
            Failure::NoSuchGame => report(Reason::GameNotFound),
            Failure::MessageTooLarge { max_bytes, .. } => {
                report(Reason::MessageTooLarge).with_metadata("most", max_bytes)
            }
            Failure::Tournament(error) => match error {
                TournamentError::NotFound { tournament } => {
                    report(Reason::TournamentNotFound).with_metadata("tournament_id", tournament)
                }
                TournamentError::NotOwner { tournament } => {
                    report(Reason::NotOwner).with_metadata("tournament_id", tournament)
                }
                TournamentError::InvalidEntry(invalid) => report(invalid_entry(invalid)),
                TournamentError::NoAgent { name } => {
                    report(Reason::AgentUnavailable).with_metadata("agent", name)
                }
                TournamentError::EntropyMismatch { tournament } => {
                    report(Reason::EntropyMismatch).with_metadata("tournament_id", tournament)
                }
                TournamentError::NotRevealing { tournament }
                | TournamentError::RevealsOver { tournament } => {
                    report(Reason::TournamentState).with_metadata("tournament_id", tournament)
                }
                TournamentError::TooMany { most } => {
                    report(Reason::TooManyTables).with_metadata("most", most)
                }
                TournamentError::Damaged { tournament, .. } => {
                    report(Reason::TableDamaged).with_metadata("tournament_id", tournament).with_message(
                        "what is stored of this tournament is damaged: tell whoever runs the server",
                    )
                }
                // `From<TournamentError>` unwraps host errors.
                TournamentError::Host(_) => report(Reason::ServerFault).with_message(FAULT),
            },
            Failure::Host(HostError::Token(refused)) => match refused {
                TokenError::Malformed(_) | TokenError::OtherKind { .. } | TokenError::Wrong(_) => {
                    report(Reason::TokenInvalid)
                }
                TokenError::Reissued(_) => report(Reason::TokenExpired),
            },
            Failure::Host(HostError::Exhausted(exhausted)) => match exhausted {
                LimitExceeded::Rate { retry_after, .. }
                | LimitExceeded::Rematches { retry_after }
                | LimitExceeded::GuestTables { retry_after, .. }
                | LimitExceeded::Callers { retry_after } => {
                    report(Reason::RateLimited).with_retry(*retry_after)
                }
                LimitExceeded::Count { resource: LimitedResource::Tables, max: most } => {
                    report(Reason::TooManyTables).with_metadata("most", most)
                }
                LimitExceeded::Count {
                    resource:
                        LimitedResource::Streams
                        | LimitedResource::OpenStreams
                        | LimitedResource::Channels
                        | LimitedResource::CallerSpectators
                        | LimitedResource::SeatChannels
                        | LimitedResource::Agents
                        | LimitedResource::Connections,
                    max: most,
                } => report(Reason::TooManyStreams).with_metadata("most", most),
                LimitExceeded::Spectators { max: most } => {
                    report(Reason::TooManyStreams).with_metadata("most", most)
                }
                LimitExceeded::UnreadBytes { max: most, .. } => {
                    report(Reason::TooSlow).with_metadata("most", most)
                }
            },
            Failure::Host(HostError::Log(error)) => match error {
                LogError::NoSuchTable { table } => {
                    report(Reason::TableNotFound).with_metadata("table_id", table)
                }
                LogError::Finished { table } => report(Reason::TableOver).with_metadata("table_id", table),
                LogError::DuplicateRequest { table } => {
                    report(Reason::RequestIdReused).with_metadata("table_id", table)
                }
                LogError::ReaderAhead { table, .. } => {
                    report(Reason::CursorAhead).with_metadata("table_id", table)
                }
                LogError::FeedAhead { last, .. } => report(Reason::CursorAhead).with_metadata("last", last),
                LogError::FeedTrimmed { first, .. } => {
                    report(Reason::CursorTooOld).with_metadata("first", first)
                }
                LogError::FollowerLagged { .. } => report(Reason::TooSlow),
                LogError::QueueFull => report(Reason::RateLimited).with_retry(BUSY_RETRY_DELAY),
                LogError::NoSpace { .. }
                | LogError::Io { .. }
                | LogError::Unreachable { .. }
                | LogError::AccessDenied { .. } => {
                    report(Reason::StoreUnavailable).with_retry(STORE_RETRY_DELAY).with_message(
                        "the server cannot store anything now, so tables pause: try again; \
                         nothing that was acknowledged is lost",
                    )
                }
                LogError::Damaged { .. } => report(Reason::TableDamaged).with_message(DAMAGED),
                LogError::Closed | LogError::Fenced | LogError::NotOwner { .. } => {
                    report(Reason::ServerStopping).with_retry(STOPPING_RETRY_DELAY)
                }
                // Errors of opening a store, and of programming errors.
                LogError::Conflict { .. }
                | LogError::NewerSchema { .. }
                | LogError::OlderSchema { .. }
                | LogError::NotAStore { .. }
                | LogError::InUse { .. }
                | LogError::FileExists { .. }
                | LogError::NotEmpty { .. }
                | LogError::NodeDiffers { .. }
                | LogError::OldDatabase { .. }
                | LogError::Invalid { .. }
                | LogError::LogFull { .. } => report(Reason::ServerFault).with_message(FAULT),
            },
            Failure::Host(HostError::Command(error)) => match error {
                CommandError::NoSuchSeat { seat, .. } => {
                    report(Reason::SeatNotFound).with_metadata("seat", seat)
                }
                // A house bot, and the default actions of a forfeited seat, count as occupants too.
                CommandError::SeatTaken { seat }
                | CommandError::SeatReserved { seat }
                | CommandError::IsHouse { seat }
                | CommandError::IsAgent { seat }
                | CommandError::NotAgent { seat }
                | CommandError::Forfeited { seat } => report(Reason::SeatTaken).with_metadata("seat", seat),
                CommandError::EntropyMismatch { seat } => {
                    report(Reason::EntropyMismatch).with_metadata("seat", seat)
                }
                CommandError::SeatVacant { seat } => report(Reason::SeatVacant).with_metadata("seat", seat),
                CommandError::Invite(error) => match error {
                    InviteError::NotFound { number } => {
                        report(Reason::InviteNotFound).with_metadata("number", number)
                    }
                    InviteError::Revoked => report(Reason::InviteRevoked),
                    InviteError::Expired => report(Reason::InviteExpired),
                    InviteError::Spent => report(Reason::InviteSpent),
                    InviteError::OtherSeat { seat } => report(Reason::SeatTaken).with_metadata("seat", seat),
                    InviteError::TooMany => report(Reason::TooManyInvites).with_metadata("most", MAX_INVITES),
                },
                CommandError::TableFull | CommandError::AllReserved => report(Reason::NoSeatFree),
                CommandError::NotStarted => report(Reason::TableNotStarted),
                CommandError::AlreadyStarted => report(Reason::TableStarted),
                CommandError::Over => report(Reason::TableOver),
                CommandError::RequestReused => report(Reason::RequestIdReused),
                CommandError::NotAsked { decision, .. } => {
                    report(Reason::DecisionNotFound).with_metadata("decision_id", decision.0)
                }
                CommandError::AlreadyDecided { decision, .. } => {
                    report(Reason::DecidedOtherwise).with_metadata("decision_id", decision.0)
                }
                CommandError::NoSuchIndex { count, .. } => {
                    report(Reason::IllegalAction).with_metadata("legal_count", count)
                }
                CommandError::Illegal(refusal) => {
                    report(Reason::IllegalAction).with_metadata("rule", refusal.code)
                }
            },
            Failure::Host(HostError::Agent(error)) => match error {
                AgentError::Unknown { .. } => report(Reason::AgentNotFound),
                AgentError::NotConnected { name }
                | AgentError::VersionMismatch { name, .. }
                | AgentError::UnsupportedGame { name, .. }
                | AgentError::NoFreeTable { name, .. }
                | AgentError::OwnerShare { name, .. }
                | AgentError::Suspended { name, .. } => {
                    report(Reason::AgentUnavailable).with_metadata("agent", name)
                }
                AgentError::Declined { name, .. } => report(Reason::AgentUnavailable)
                    .with_metadata("agent", name)
                    .with_metadata("cause", "DECLINED"),
                AgentError::NameTaken { .. } => report(Reason::AgentNameTaken),
                AgentError::Replaced => report(Reason::AgentReplaced),
                AgentError::TooManyRefusals { refused } => {
                    report(Reason::Protocol).with_metadata("refused", refused)
                }
            },
            Failure::Host(HostError::Setup(error)) => match error {
                SetupError::Players { min, max, got, .. } => {
                    let why = format!("must have {min} to {max} entries, one a player, not {got}");
                    report(Reason::InvalidField).with_field("seats", why)
                }
                SetupError::Option { game, option, allowed, got } => {
                    let why = format!("must be {allowed}, not {got}");
                    report(Reason::InvalidField).with_field(format!("options.{game}.{option}"), why)
                }
                // The server chooses the rules version.
                _ => report(Reason::ServerFault).with_message(FAULT),
            },
            Failure::Host(HostError::Bot(BotError::UnknownBot { .. })) => report(Reason::HouseBotNotFound),
            Failure::Host(HostError::Bot(_)) => report(Reason::ServerFault).with_message(FAULT),
            Failure::Host(HostError::NotFound { table }) => {
                report(Reason::TableNotFound).with_metadata("table_id", table)
            }
            Failure::Host(HostError::NotOwner { table } | HostError::PlayedByTournament { table }) => {
                report(Reason::NotOwner).with_metadata("table_id", table)
            }
            Failure::Host(HostError::NotOver { table }) => {
                report(Reason::TableNotOver).with_metadata("table_id", table)
            }
            Failure::Host(HostError::NoSuchTournament { tournament }) => {
                report(Reason::TournamentNotFound).with_metadata("tournament_id", tournament)
            }
            Failure::Host(HostError::DealNotOver { tournament }) => {
                report(Reason::DealNotOver).with_metadata("tournament_id", tournament)
            }
            Failure::Host(HostError::RequestReused) => report(Reason::RequestIdReused),
            Failure::Host(HostError::CursorAhead { last, .. }) => {
                report(Reason::CursorAhead).with_metadata("last", last)
            }
            Failure::Host(HostError::TooSlow) => report(Reason::TooSlow),
            Failure::Host(HostError::TableBusy { table }) => {
                report(Reason::RateLimited).with_metadata("table_id", table).with_retry(BUSY_RETRY_DELAY)
            }
            Failure::Host(HostError::TableElsewhere { table }) => report(Reason::ServerStopping)
                .with_metadata("table_id", table)
                .with_retry(STOPPING_RETRY_DELAY),
            Failure::Host(HostError::Damaged { table, .. }) => {
                report(Reason::TableDamaged).with_metadata("table_id", table).with_message(DAMAGED)
            }
            Failure::Host(HostError::Reissued | HostError::Replaced) => report(Reason::TokenExpired),
            Failure::Host(HostError::NoChannel { channel }) => {
                report(Reason::Protocol).with_metadata("channel", channel)
            }
            Failure::Host(HostError::Stopping) => {
                report(Reason::ServerStopping).with_retry(STOPPING_RETRY_DELAY)
            }
            Failure::Host(HostError::Randomness(_) | HostError::Fault { .. }) => {
                report(Reason::ServerFault).with_message(FAULT)
            }
        }
    }
}

/// The reason of a refused tournament command.
fn invalid_entry(invalid: &InvalidEntry) -> ErrorReason {
    match invalid {
        InvalidEntry::UnknownEntrant(..) => ErrorReason::EntrantNotFound,
        InvalidEntry::UnknownGroup(..) | InvalidEntry::UnknownTable(..) => ErrorReason::GroupNotFound,
        InvalidEntry::NotStarted
        | InvalidEntry::Over
        | InvalidEntry::TooFewEntrants { .. }
        | InvalidEntry::RoundDecided(_)
        | InvalidEntry::WrongSeats { .. }
        | InvalidEntry::WrongPlace(..)
        | InvalidEntry::ConflictingResult(..)
        | InvalidEntry::NoEffect => ErrorReason::TournamentState,
    }
}
