//! Mapping of failures to statuses: code, reason, fields, retry delay; and that internals do not leak.

use parlor_bots::BotError;
use parlor_engine::{Refusal, Seat, SetupError};
use parlor_host::TableId;
use parlor_host::agents::AgentError;
use parlor_host::limits::LimitedResource;
use parlor_host::table::{CommandError, DecisionId, InviteError};
use parlor_proto::convert::InvalidField;
use parlor_store::{LogError, OwnerId};
use parlor_tournament::InvalidEntry;
use tonic::Code;
use tonic_types::StatusExt;

use super::report::BUSY_RETRY_DELAY;
use super::*;
use crate::identity::TokenKind;

/// The code, reason and message of a failure. Our own detail and those of google.rpc must say the same.
fn convert(failure: impl Into<Failure>) -> (Code, String, String) {
    let status = Status::from(failure.into());
    let details = status.get_error_details();
    let info = details.error_info().expect("every failure has a reason");
    assert_eq!(info.domain, "parlor.v1");
    let detail = own_detail(&status);
    assert_eq!(reason_name(detail.reason()), info.reason);
    assert_eq!(detail.metadata, info.metadata.clone().into_iter().collect());
    let retry = details.retry_info().and_then(|info| info.retry_delay).map(|delay| delay.as_millis() as u32);
    assert_eq!(detail.retry_ms, retry);
    let field = details.bad_request().map(|wrong| wrong.field_violations[0].field.clone());
    assert_eq!(detail.field, field.unwrap_or_default());
    let text = detail.text.expect("a text");
    assert!(text.en == status.message() && !text.de.is_empty(), "{text:?}");
    (status.code(), info.reason.clone(), status.message().to_owned())
}

/// Our own detail of a status, as a client without the files of google.rpc reads it.
fn own_detail(status: &Status) -> v1::ErrorDetail {
    let wire = v1::ErrorStatus::decode(status.details()).expect("a status");
    assert_eq!((wire.code, wire.message.as_str()), (status.code() as i32, status.message()));
    let is_own = |any: &&Any| any.type_url == "type.googleapis.com/parlor.v1.ErrorDetail";
    let own = wire.details.iter().find(is_own).expect("a detail");
    v1::ErrorDetail::decode(own.value.as_slice()).expect("a detail")
}

fn check(failure: impl Into<Failure>, code: Code, reason: &str) {
    let (got_code, got_reason, message) = convert(failure);
    assert_eq!((got_code, got_reason.as_str()), (code, reason), "{message}");
    assert!(!message.is_empty() && !message.contains('\n'), "one line: {message:?}");
}

fn metadata(failure: impl Into<Failure>) -> Vec<(String, String)> {
    let status = Status::from(failure.into());
    let details = status.get_error_details();
    let mut entries: Vec<_> = details.error_info().unwrap().metadata.clone().into_iter().collect();
    entries.sort();
    entries
}

impl From<LogError> for Failure {
    fn from(error: LogError) -> Failure {
        HostError::from(error).into()
    }
}

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Failure {
        HostError::from(error).into()
    }
}

fn retry(failure: impl Into<Failure>) -> Option<Duration> {
    let status = Status::from(failure.into());
    let details = status.get_error_details();
    details.retry_info().and_then(|info| info.retry_delay)
}

const TABLE: TableId = TableId::from_bytes([7; 16]);
const TOURNAMENT: parlor_host::TournamentId = parlor_host::TournamentId::from_bytes(*TABLE.as_bytes());
const SEAT: Seat = Seat::FIRST;

#[test]
fn invalid_field_is_named_by_its_path() {
    let wrong = InvalidField::at("number", "must be 0 to 9, not 12").within("card").within("action");
    let status = Status::from(Failure::from(wrong));
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.message(), "action.card.number: must be 0 to 9, not 12");
    let details = status.get_error_details();
    let violations = &details.bad_request().unwrap().field_violations;
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].field, "action.card.number");
    assert_eq!(violations[0].description, "must be 0 to 9, not 12");
    assert_eq!(details.error_info().unwrap().reason, "INVALID_FIELD");
    let detail = own_detail(&status);
    assert_eq!((detail.reason(), detail.field.as_str()), (ErrorReason::InvalidField, "action.card.number"));
}

#[test]
fn credential_errors_have_their_reasons() {
    check(ApiKeyError::Missing, Code::Unauthenticated, "CREDENTIALS_MISSING");
    check(ApiKeyError::Malformed, Code::Unauthenticated, "KEY_INVALID");
    check(ApiKeyError::Unknown, Code::Unauthenticated, "KEY_INVALID");
    let kind = TokenKind::Seat;
    check(TokenError::Malformed(kind), Code::Unauthenticated, "TOKEN_INVALID");
    check(TokenError::OtherKind { wanted: kind, got: "an API key" }, Code::Unauthenticated, "TOKEN_INVALID");
    check(TokenError::Wrong(kind), Code::Unauthenticated, "TOKEN_INVALID");
    check(TokenError::Reissued(kind), Code::Unauthenticated, "TOKEN_EXPIRED");
    check(Failure::Scope(Scope::SeededTables), Code::PermissionDenied, "SCOPE_MISSING");
    let scope = [("scope".to_owned(), "seeded_tables".to_owned())];
    assert_eq!(metadata(Failure::Scope(Scope::SeededTables)), scope);
}

#[test]
fn limit_errors_have_metadata_and_retry_delay() {
    let after = Duration::from_millis(250);
    let rate = LimitExceeded::Rate { per_second: 10, retry_after: after };
    check(rate, Code::ResourceExhausted, "RATE_LIMITED");
    assert_eq!(retry(rate), Some(after));
    assert_eq!(retry(LimitExceeded::Callers { retry_after: after }), Some(after));
    let tables = LimitExceeded::Count { resource: LimitedResource::Tables, max: 5 };
    check(tables, Code::ResourceExhausted, "TOO_MANY_TABLES");
    assert_eq!(retry(tables), None, "no retry delay: waiting does not help");
    assert_eq!(metadata(tables), [("most".to_owned(), "5".to_owned())]);
    let streams = LimitExceeded::Count { resource: LimitedResource::Streams, max: 5 };
    check(streams, Code::ResourceExhausted, "TOO_MANY_STREAMS");
    let large = Failure::MessageTooLarge { bytes: 2_000_000, max_bytes: 1_048_576 };
    check(large.clone(), Code::ResourceExhausted, "MESSAGE_TOO_LARGE");
    assert_eq!(metadata(large), [("most".to_owned(), "1048576".to_owned())]);
}

#[test]
fn log_errors_have_their_reasons() {
    check(LogError::NoSuchTable { table: TABLE }, Code::NotFound, "TABLE_NOT_FOUND");
    check(LogError::Finished { table: TABLE }, Code::FailedPrecondition, "TABLE_OVER");
    check(LogError::DuplicateRequest { table: TABLE }, Code::AlreadyExists, "REQUEST_ID_REUSED");
    check(LogError::ReaderAhead { table: TABLE, length: 3 }, Code::DataLoss, "CURSOR_AHEAD");
    let owner = OwnerId::new("anna").unwrap();
    check(LogError::FeedTrimmed { owner, first: 9 }, Code::OutOfRange, "CURSOR_TOO_OLD");
    let owner = OwnerId::new("anna").unwrap();
    check(LogError::FeedAhead { owner, last: 9 }, Code::DataLoss, "CURSOR_AHEAD");
    check(LogError::FollowerLagged { next: 3 }, Code::ResourceExhausted, "TOO_SLOW");
    check(LogError::QueueFull, Code::ResourceExhausted, "RATE_LIMITED");
    assert_eq!(retry(LogError::QueueFull), Some(BUSY_RETRY_DELAY));
    check(LogError::Closed, Code::Unavailable, "SERVER_STOPPING");
    check(LogError::Fenced, Code::Unavailable, "SERVER_STOPPING");
    check(LogError::LogFull { table: TABLE }, Code::Internal, "SERVER_FAULT");
    check(LogError::Conflict { table: TABLE, actual: 4 }, Code::Internal, "SERVER_FAULT");
}

/// File paths and system errors must not reach clients.
#[test]
fn log_errors_do_not_leak_file_paths() {
    let file = std::path::PathBuf::from("/srv/secret/parlor.db");
    let why: std::sync::Arc<str> = "disk I/O error".into();
    let errors = [
        LogError::NoSpace { file: file.clone(), why: why.clone() },
        LogError::Io { file: file.clone(), why: why.clone() },
        LogError::Damaged { file: file.clone(), table: Some(TABLE), entry: Some(3), what: why },
        LogError::NewerSchema { file: file.clone(), found: 3, known: 2 },
        LogError::OlderSchema { file: file.clone() },
        LogError::NotAStore { file: file.clone() },
        LogError::InUse { file: file.clone() },
        LogError::FileExists { file },
    ];
    for error in errors {
        let status = Status::from(Failure::from(error));
        let everything = format!("{status:?} {}", String::from_utf8_lossy(status.details()));
        assert!(!everything.contains("secret") && !everything.contains("disk I/O"), "{everything}");
        assert!(!status.message().is_empty());
    }
}

#[test]
fn command_errors_have_their_reasons() {
    let decision = DecisionId(4);
    let cases = [
        (CommandError::NoSuchSeat { seat: SEAT, last: 1 }, Code::NotFound, "SEAT_NOT_FOUND"),
        (CommandError::SeatTaken { seat: SEAT }, Code::FailedPrecondition, "SEAT_TAKEN"),
        (CommandError::SeatReserved { seat: SEAT }, Code::FailedPrecondition, "SEAT_TAKEN"),
        (CommandError::IsHouse { seat: SEAT }, Code::FailedPrecondition, "SEAT_TAKEN"),
        (CommandError::Forfeited { seat: SEAT }, Code::FailedPrecondition, "SEAT_TAKEN"),
        (CommandError::SeatVacant { seat: SEAT }, Code::FailedPrecondition, "SEAT_VACANT"),
        (CommandError::RequestReused, Code::AlreadyExists, "REQUEST_ID_REUSED"),
        (CommandError::TableFull, Code::FailedPrecondition, "NO_SEAT_FREE"),
        (CommandError::AllReserved, Code::FailedPrecondition, "NO_SEAT_FREE"),
        (CommandError::NotStarted, Code::FailedPrecondition, "TABLE_NOT_STARTED"),
        (CommandError::AlreadyStarted, Code::FailedPrecondition, "TABLE_STARTED"),
        (CommandError::Over, Code::FailedPrecondition, "TABLE_OVER"),
        (CommandError::NotAsked { seat: SEAT, decision }, Code::NotFound, "DECISION_NOT_FOUND"),
        (
            CommandError::AlreadyDecided { decision, played: None },
            Code::FailedPrecondition,
            "DECIDED_OTHERWISE",
        ),
        (CommandError::NoSuchIndex { index: 9, count: 2 }, Code::FailedPrecondition, "ILLEGAL_ACTION"),
        (CommandError::Illegal(Refusal::NOT_IN_HAND), Code::FailedPrecondition, "ILLEGAL_ACTION"),
    ];
    for (error, code, reason) in cases {
        check(error, code, reason);
    }
    let rule = [("rule".to_owned(), "not_in_hand".to_owned())];
    assert_eq!(metadata(CommandError::Illegal(Refusal::NOT_IN_HAND)), rule);
    check(Failure::NoSuchGame, Code::NotFound, "GAME_NOT_FOUND");
}

#[test]
fn host_errors_have_their_reasons() {
    let cases = [
        (HostError::NotFound { table: TABLE }, Code::NotFound, "TABLE_NOT_FOUND"),
        (HostError::NotOwner { table: TABLE }, Code::PermissionDenied, "NOT_OWNER"),
        (HostError::PlayedByTournament { table: TABLE }, Code::PermissionDenied, "NOT_OWNER"),
        (HostError::NotOver { table: TABLE }, Code::FailedPrecondition, "TABLE_NOT_OVER"),
        (HostError::RequestReused, Code::AlreadyExists, "REQUEST_ID_REUSED"),
        (HostError::CursorAhead { after: 9, last: 3 }, Code::DataLoss, "CURSOR_AHEAD"),
        (HostError::TooSlow, Code::ResourceExhausted, "TOO_SLOW"),
        (HostError::TableBusy { table: TABLE }, Code::ResourceExhausted, "RATE_LIMITED"),
        (HostError::Reissued, Code::Unauthenticated, "TOKEN_EXPIRED"),
        (HostError::NoChannel { channel: 7 }, Code::InvalidArgument, "PROTOCOL"),
        (HostError::Stopping, Code::Unavailable, "SERVER_STOPPING"),
        (HostError::TableElsewhere { table: TABLE }, Code::Unavailable, "SERVER_STOPPING"),
        (HostError::Fault { reason: "a bot".to_owned() }, Code::Internal, "SERVER_FAULT"),
    ];
    for (error, code, reason) in cases {
        check(error, code, reason);
    }
    assert!(retry(HostError::Stopping).is_some() && retry(HostError::TableBusy { table: TABLE }).is_some());
    let fault = HostError::Fault { reason: "card 7 of the pile".to_owned() };
    assert!(!Failure::from(fault).message().contains("card"), "details of a fault are only logged");

    let unknown = parlor_bots::HouseBot::by_name("deep blue").unwrap_err();
    check(HostError::from(unknown), Code::NotFound, "HOUSE_BOT_NOT_FOUND");
    check(HostError::from(BotError::SpectatorView), Code::Internal, "SERVER_FAULT");
}

#[test]
fn setup_errors_name_the_field() {
    let field = |error: SetupError| {
        let status = Status::from(Failure::from(HostError::from(error)));
        assert_eq!(status.code(), Code::InvalidArgument);
        let details = status.get_error_details();
        let violation = &details.bad_request().unwrap().field_violations[0];
        (violation.field.clone(), violation.description.clone())
    };
    let players = SetupError::Players { game: "gap", got: 9, min: 2, max: 6 };
    assert_eq!(
        field(players),
        ("seats".to_owned(), "must have 2 to 6 entries, one a player, not 9".to_owned())
    );
    let option = SetupError::Option { game: "gap", option: "target", got: 0, allowed: "at least 1" };
    assert_eq!(field(option), ("options.gap.target".to_owned(), "must be at least 1, not 0".to_owned()));
    let version = SetupError::RulesVersion { game: "gap", got: 2, known: 1 };
    check(HostError::from(version), Code::Internal, "SERVER_FAULT");
}

/// The server uses every reason of error.proto.
#[test]
fn every_error_reason_is_used() {
    use std::collections::BTreeSet;
    let (decision, kind, file) = (DecisionId(1), TokenKind::Seat, std::path::PathBuf::from("parlor.db"));
    let count = |counted| Failure::from(LimitExceeded::Count { resource: counted, max: 1 });
    let failures = [
        InvalidField::new("is wrong").into(),
        ApiKeyError::Missing.into(),
        ApiKeyError::Unknown.into(),
        TokenError::Wrong(kind).into(),
        TokenError::Reissued(kind).into(),
        Failure::Scope(Scope::Play),
        Failure::NoSuchGame,
        Failure::MessageTooLarge { bytes: 2, max_bytes: 1 },
        LimitExceeded::Callers { retry_after: BUSY_RETRY_DELAY }.into(),
        count(LimitedResource::Tables),
        count(LimitedResource::Streams),
        HostError::NotOwner { table: TABLE }.into(),
        HostError::PlayedByTournament { table: TABLE }.into(),
        HostError::NotFound { table: TABLE }.into(),
        HostError::NotOver { table: TABLE }.into(),
        HostError::NoSuchTournament { tournament: TOURNAMENT }.into(),
        HostError::DealNotOver { tournament: TOURNAMENT }.into(),
        TournamentError::from(InvalidEntry::Over).into(),
        TournamentError::from(InvalidEntry::UnknownEntrant(2, 2)).into(),
        TournamentError::from(InvalidEntry::UnknownGroup(9, 1)).into(),
        HostError::RequestReused.into(),
        HostError::NoChannel { channel: 1 }.into(),
        HostError::TooSlow.into(),
        HostError::Stopping.into(),
        HostError::Fault { reason: String::new() }.into(),
        HostError::from(parlor_bots::HouseBot::by_name("nobody").unwrap_err()).into(),
        LogError::ReaderAhead { table: TABLE, length: 1 }.into(),
        LogError::FeedTrimmed { owner: OwnerId::new("anna").unwrap(), first: 1 }.into(),
        LogError::Io { file: file.clone(), why: "gone".into() }.into(),
        LogError::Damaged { file, table: None, entry: None, what: "a row".into() }.into(),
        CommandError::NoSuchSeat { seat: SEAT, last: 1 }.into(),
        CommandError::SeatTaken { seat: SEAT }.into(),
        CommandError::SeatVacant { seat: SEAT }.into(),
        CommandError::TableFull.into(),
        CommandError::AllReserved.into(),
        CommandError::from(InviteError::NotFound { number: 1 }).into(),
        CommandError::from(InviteError::Revoked).into(),
        CommandError::from(InviteError::Expired).into(),
        CommandError::from(InviteError::Spent).into(),
        CommandError::from(InviteError::TooMany).into(),
        CommandError::NotStarted.into(),
        CommandError::AlreadyStarted.into(),
        CommandError::EntropyMismatch { seat: SEAT }.into(),
        CommandError::Over.into(),
        CommandError::NotAsked { seat: SEAT, decision }.into(),
        CommandError::AlreadyDecided { decision, played: None }.into(),
        CommandError::NoSuchIndex { index: 1, count: 1 }.into(),
        HostError::from(AgentError::Unknown { name: "ann".to_owned() }).into(),
        HostError::from(AgentError::NotConnected { name: "ann".to_owned() }).into(),
        HostError::from(AgentError::NameTaken { name: "ann".to_owned() }).into(),
        HostError::from(AgentError::Replaced).into(),
    ];
    failures.iter().for_each(|failure| drop(convert(failure.clone())));
    let given: BTreeSet<i32> = failures.iter().map(|failure| failure.reason().into()).collect();
    let known = (1..1000).filter(|number| ErrorReason::try_from(*number).is_ok());
    for number in known {
        assert!(given.contains(&number), "unused reason {:?}", ErrorReason::try_from(number));
    }
}
