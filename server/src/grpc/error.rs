//! `Failure`, the error of a call, and its conversion to a gRPC status. `report.rs` maps failures to reasons.

mod report;

use std::{collections::HashMap, time::Duration};

use parlor_host::HostError;
use parlor_host::limits::LimitExceeded;
use parlor_host::tournaments::TournamentError;
use parlor_proto::{convert::InvalidField, v1::ErrorReason};
use tonic::Status;
use tonic_types::{ErrorDetails, StatusExt};

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
        let metadata: HashMap<String, String> =
            report.metadata.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        let mut details = ErrorDetails::with_error_info(reason_name(report.reason), ERROR_DOMAIN, metadata);
        if let Some((path, why)) = report.field {
            details.add_bad_request_violation(path, why);
        }
        if let Some(retry) = report.retry {
            details.set_retry_info(Some(retry));
        }
        let message = report.public_message.map_or_else(|| failure.to_string(), str::to_owned);
        Status::with_error_details(status_code(report.reason), message, details)
    }
}

#[cfg(test)]
mod tests;
