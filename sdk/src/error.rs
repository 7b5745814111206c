//! What goes wrong: one error type, its reason for programs, and what to do about it.

mod reason;
mod status;

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use crate::wire;
pub use reason::Reason;

/// Why something could not be done.
///
/// [`reason`](Error::reason) is for programs, the text for people, and [`advice`](Error::advice) says what to do.
///
/// ```
/// use parlor_sdk::{Error, Reason};
///
/// fn should_look_for_another_table(error: &Error) -> bool {
///     matches!(error.reason(), Reason::NoSeatFree | Reason::TableStarted | Reason::TableOver)
/// }
/// ```
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    reason: Reason,
    message: String,
    fields: Vec<WrongField>,
    retry_after: Option<Duration>,
    scope: Option<String>,
    answered: Option<wire::Answered>,
}

/// A field of a request that has a value it cannot have.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct WrongField {
    /// Which field, as a path such as `options.gap.target`.
    pub field: String,
    /// What is wrong with it, and what it may be.
    pub why: String,
}

impl Error {
    /// An error of a reason, with a sentence for a person.
    pub(crate) fn new(reason: Reason, message: impl Into<String>) -> Error {
        Error(Box::new(Inner {
            reason,
            message: message.into(),
            fields: Vec::new(),
            retry_after: None,
            scope: None,
            answered: None,
        }))
    }

    /// What a bot could not do.
    pub(crate) fn of_bot(error: &(dyn StdError + 'static)) -> Error {
        Error::new(Reason::Bot, format!("the bot failed: {}", with_sources(error)))
    }

    /// The same, with where it happened.
    #[cfg(feature = "local")]
    pub(crate) fn at(mut self, place: impl fmt::Display) -> Error {
        self.0.message = format!("{place}: {}", self.0.message);
        self
    }

    /// The same error once more, for another seat that it concerns.
    pub(crate) fn again(&self) -> Error {
        Error(self.0.clone())
    }

    /// Why, for programs.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.0.reason
    }

    /// Why, for people: one line.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do about it. See [`Reason::advice`].
    #[must_use]
    pub fn advice(&self) -> &'static str {
        self.0.reason.advice()
    }

    /// The fields of the request that are wrong, if it was that.
    #[must_use]
    pub fn fields(&self) -> &[WrongField] {
        &self.0.fields
    }

    /// How long to wait before another try, if the server said so.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The scope that the API key lacks, for [`Reason::ScopeMissing`].
    #[must_use]
    pub fn missing_scope(&self) -> Option<&str> {
        self.0.scope.as_deref()
    }

    /// The rule of the game that an action breaks, such as `gap.lower`, for [`Reason::IllegalAction`].
    #[must_use]
    pub fn rule(&self) -> Option<&str> {
        self.refusal().map(|refusal| refusal.rule.as_str()).filter(|rule| !rule.is_empty())
    }

    /// Why an answer was not accepted, in full, with its text in every language.
    #[must_use]
    pub fn refusal(&self) -> Option<&wire::AnswerRefusal> {
        self.0.answered.as_ref()?.refusal.as_ref()
    }

    /// What was decided instead, for [`Reason::DecidedOtherwise`].
    #[must_use]
    pub fn decided(&self) -> Option<&wire::GameAction> {
        self.0.answered.as_ref()?.action.as_ref()
    }

    /// Whether the same call may succeed a little later, with nothing changed. The SDK has then tried several times
    /// already.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        self.0.reason.is_temporary()
    }

    /// Whether a stream that ended so is worth opening again: unless it is about who we are or what we asked for, as it
    /// then would end the same way.
    pub(crate) fn is_worth_another_stream(&self) -> bool {
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

/// The message, and the fields that are wrong; the advice too, where the server said nothing.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.message.is_empty() { self.advice() } else { &self.0.message })?;
        for WrongField { field, why } in &self.0.fields {
            // The message of the server may quote them already.
            if !self.0.message.contains(why.as_str()) {
                write!(f, "; {field}: {why}")?;
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

/// An error and what caused it, in one line, without saying anything twice.
fn with_sources(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        if !text.contains(&said) {
            text = if text.is_empty() { said } else { format!("{text}: {said}") };
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests;
