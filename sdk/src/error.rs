//! [`Error`]: the one error type of this crate, with a reason for programs and a message for people.

mod reason;
mod status;

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use crate::wire;
pub use reason::Reason;

/// Why an operation failed.
///
/// Match on [`reason`](Error::reason); print the error itself; [`advice`](Error::advice) says how to fix it.
///
/// ```
/// use parlor_sdk::{Error, Reason};
///
/// fn should_look_for_another_table(error: &Error) -> bool {
///     matches!(error.reason(), Reason::NoSeatFree | Reason::TableStarted | Reason::TableOver)
/// }
/// ```
#[derive(Clone)]
pub struct Error(Box<ErrorData>);

#[derive(Clone)]
struct ErrorData {
    reason: Reason,
    message: String,
    fields: Vec<FieldViolation>,
    retry_after: Option<Duration>,
    scope: Option<String>,
    answered: Option<wire::Answered>,
}

/// A field of a request with an invalid value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FieldViolation {
    /// Path of the field, such as `options.gap.target`.
    pub field: String,
    /// The constraint it violates.
    pub description: String,
}

impl Error {
    /// An error with a reason and a message for people.
    pub(crate) fn new(reason: Reason, message: impl Into<String>) -> Error {
        Error(Box::new(ErrorData {
            reason,
            message: message.into(),
            fields: Vec::new(),
            retry_after: None,
            scope: None,
            answered: None,
        }))
    }

    /// Wraps the error of a bot.
    pub(crate) fn from_bot(error: &(dyn StdError + 'static)) -> Error {
        Error::new(Reason::Bot, format!("the bot failed: {}", with_sources(error)))
    }

    /// Prefixes the message with the place of the error.
    #[cfg(feature = "local")]
    pub(crate) fn with_context(mut self, context: impl fmt::Display) -> Error {
        self.0.message = format!("{context}: {}", self.0.message);
        self
    }

    /// Reason, for programs.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.0.reason
    }

    /// Message for people, one line.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// How to fix it. See [`Reason::advice`].
    #[must_use]
    pub fn advice(&self) -> &'static str {
        self.0.reason.advice()
    }

    /// Invalid fields of the request; empty for other errors.
    #[must_use]
    pub fn fields(&self) -> &[FieldViolation] {
        &self.0.fields
    }

    /// Wait before the next attempt, if the server gave one.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Scope that the API key lacks, for [`Reason::ScopeMissing`].
    #[must_use]
    pub fn missing_scope(&self) -> Option<&str> {
        self.0.scope.as_deref()
    }

    /// Code of the game rule that an action breaks, such as `gap.lower`, for [`Reason::IllegalAction`].
    #[must_use]
    pub fn rule(&self) -> Option<&str> {
        self.refusal().map(|refusal| refusal.rule.as_str()).filter(|rule| !rule.is_empty())
    }

    /// Full refusal of an answer, with its text in every language.
    #[must_use]
    pub fn refusal(&self) -> Option<&wire::AnswerRefusal> {
        self.0.answered.as_ref()?.refusal.as_ref()
    }

    /// The action that was decided instead, for [`Reason::DecidedOtherwise`].
    #[must_use]
    pub fn decided(&self) -> Option<&wire::GameAction> {
        self.0.answered.as_ref()?.action.as_ref()
    }

    /// True if the same call may succeed later unchanged. The SDK has already retried it.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        self.0.reason.is_temporary()
    }

    /// True if a stream that ended with this error should be reopened. Errors about credentials or the
    /// request itself would only recur.
    pub(crate) fn should_reopen_stream(&self) -> bool {
        !matches!(
            self.0.reason,
            Reason::CredentialsMissing
                | Reason::KeyInvalid
                | Reason::TokenInvalid
                | Reason::TokenExpired
                | Reason::ScopeMissing
                | Reason::NotOwner
                | Reason::InvalidField
                | Reason::CursorTooOld
                | Reason::CursorAhead
                | Reason::Forbidden
                | Reason::Unsupported
                | Reason::GameNotFound
                | Reason::SeatNotFound
                | Reason::TournamentNotFound
                | Reason::TableDamaged
                | Reason::AgentNameTaken
                | Reason::AgentReplaced
        )
    }
}

/// Message and invalid fields; the advice if the server sent no message.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.message.is_empty() { self.advice() } else { &self.0.message })?;
        for FieldViolation { field, description } in &self.0.fields {
            // The server's message may already quote them.
            if !self.0.message.contains(description.as_str()) {
                write!(f, "; {field}: {description}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Error");
        debug.field("reason", &self.0.reason).field("message", &self.0.message);
        if !self.0.fields.is_empty() {
            debug.field("fields", &self.0.fields);
        }
        if let Some(wait) = self.0.retry_after {
            debug.field("retry_after", &wait);
        }
        if let Some(scope) = &self.0.scope {
            debug.field("missing_scope", scope);
        }
        if let Some(answered) = &self.0.answered {
            debug.field("answered", answered);
        }
        debug.finish()
    }
}

impl StdError for Error {}

/// An error and its sources in one line, without repetition.
fn with_sources(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let message = cause.to_string();
        if !text.contains(&message) {
            text = if text.is_empty() { message } else { format!("{text}: {message}") };
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests;
