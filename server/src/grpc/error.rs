//! `Failure`, the error of a call, and its conversion to a gRPC status. `report.rs` maps failures to reasons.

mod report;

use std::time::Duration;

use parlor_host::HostError;
use parlor_host::limits::LimitExceeded;
use parlor_host::tournaments::TournamentError;
use parlor_proto::convert::InvalidField;
use parlor_proto::v1::{self, ErrorReason};
use prost::Message;
use prost_types::Any;
use tonic::Status;
use tonic_types::pb;

use super::error_code::{ERROR_DOMAIN, reason_name, status_code};
use crate::identity::{ApiKeyError, Scope, TokenError};

use report::ErrorReport;

/// The error of a call. Becomes a [`Status`] with a message for people and, in its details, the reason for
/// programs.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Failure {
    /// A field of the request is invalid.
    #[error("{0}")]
    Field(#[from] InvalidField),
    /// Authentication failed.
    #[error(transparent)]
    Key(#[from] ApiKeyError),
    /// The API key lacks a scope.
    #[error("this API key lacks the scope {0}: ask who runs the server for one that has it")]
    Scope(Scope),
    /// The game does not exist.
    #[error("there is no game of that name: ListGames has the ids")]
    NoSuchGame,
    /// A message exceeds the size limit.
    #[error("a message of {bytes} bytes is more than this server takes: send at most {max_bytes}")]
    MessageTooLarge {
        /// Size of the message in bytes.
        bytes: u64,
        /// Size limit in bytes.
        max_bytes: u64,
    },
    /// A tournament command was refused or failed.
    #[error(transparent)]
    Tournament(TournamentError),
    /// The host refused the call or failed.
    #[error(transparent)]
    Host(#[from] HostError),
}

impl From<LimitExceeded> for Failure {
    fn from(error: LimitExceeded) -> Failure {
        HostError::from(error).into()
    }
}

impl From<TokenError> for Failure {
    fn from(error: TokenError) -> Failure {
        HostError::from(error).into()
    }
}

impl From<TournamentError> for Failure {
    fn from(error: TournamentError) -> Failure {
        match error {
            TournamentError::Host(error) => error.into(),
            error => Failure::Tournament(error),
        }
    }
}

impl Failure {
    fn report(&self) -> ErrorReport {
        self.into()
    }

    /// The machine-readable reason.
    #[must_use]
    pub fn reason(&self) -> ErrorReason {
        self.report().reason
    }

    /// The message for people, without internals: those are only logged.
    #[must_use]
    pub fn message(&self) -> String {
        self.report().public_message.map_or_else(|| self.to_string(), str::to_owned)
    }

    /// Prefixes the path of an invalid field with the field of the enclosing message.
    #[must_use]
    pub fn within(self, field: &str) -> Failure {
        match self {
            Failure::Field(wrong) => wrong.within(field).into(),
            other => other,
        }
    }

    /// Delay before a retry; `None` if waiting alone does not help.
    #[must_use]
    pub fn retry(&self) -> Option<Duration> {
        self.report().retry
    }

    /// Logs the failure if its own message is hidden from the client.
    pub(crate) fn log(&self) {
        let report = self.report();
        if let Some(message) = report.public_message {
            tracing::error!(reason = reason_name(report.reason), error = %self, "{message}");
        }
    }
}

impl From<Failure> for Status {
    fn from(failure: Failure) -> Status {
        failure.log();
        let report = failure.report();
        let message = report.public_message.map_or_else(|| failure.to_string(), str::to_owned);
        let code = status_code(report.reason);
        let details = details(report, &message);
        let status = v1::ErrorStatus { code: code as i32, message: message.clone(), details };
        Status::with_details(code, message, status.encode_to_vec().into())
    }
}

/// The failure as a detail, for refusals that are no error of a call.
impl From<Failure> for v1::ErrorDetail {
    fn from(failure: Failure) -> v1::ErrorDetail {
        failure.log();
        detail(&failure.report(), &failure.message())
    }
}

/// Our own detail of a failure.
fn detail(report: &ErrorReport, message: &str) -> v1::ErrorDetail {
    let ErrorReport { reason, public_message: _, metadata, field, retry } = report;
    let entries = metadata.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
    v1::ErrorDetail {
        reason: (*reason).into(),
        field: field.as_ref().map(|(path, _)| path.clone()).unwrap_or_default(),
        text: Some(v1::Text { en: message.to_owned(), de: reason.text().de.to_owned() }),
        retry_ms: retry.map(|retry| u32::try_from(retry.as_millis()).unwrap_or(u32::MAX)),
        metadata: entries.collect(),
    }
}

/// The details of a status: our own, and the same in those of google.rpc.
fn details(report: ErrorReport, message: &str) -> Vec<Any> {
    let detail = detail(&report, message);
    let ErrorReport { reason, public_message: _, metadata: _, field, retry } = report;
    let info = pb::ErrorInfo {
        reason: reason_name(reason).to_owned(),
        domain: ERROR_DOMAIN.to_owned(),
        metadata: detail.metadata.clone().into_iter().collect(),
    };
    let mut details = vec![any("parlor.v1.ErrorDetail", &detail), any("google.rpc.ErrorInfo", &info)];
    if let Some((field, description)) = field {
        let violation = pb::bad_request::FieldViolation { field, description, ..Default::default() };
        let bad_request = pb::BadRequest { field_violations: vec![violation] };
        details.push(any("google.rpc.BadRequest", &bad_request));
    }
    if let Some(retry) = retry {
        let retry_delay = prost_types::Duration::try_from(retry).ok();
        details.push(any("google.rpc.RetryInfo", &pb::RetryInfo { retry_delay }));
    }
    details
}

fn any(name: &str, message: &impl Message) -> Any {
    Any { type_url: format!("type.googleapis.com/{name}"), value: message.encode_to_vec() }
}

#[cfg(test)]
mod tests;
