//! Conversions from gRPC statuses, stream endings and refused answers to [`Error`].

use std::error::Error as StdError;
use std::time::Duration;

use tonic::{Code, Status, TimeoutExpired};
use tonic_types::StatusExt;

use super::{Error, FieldViolation, Reason, with_sources};
use crate::wire;

/// Domain of the reasons in `google.rpc.ErrorInfo`.
const DOMAIN: &str = "parlor.v1";

impl Error {
    /// Converts a gRPC status.
    pub(crate) fn from_status(status: &Status) -> Error {
        let details = status.get_error_details();
        let info = details.error_info().filter(|info| info.domain == DOMAIN);
        let reason = info
            .and_then(|info| wire::ErrorReason::from_str_name(&format!("ERROR_REASON_{}", info.reason)))
            .and_then(Reason::from_wire);
        let mut error = Error::new(reason.unwrap_or_else(|| reason_from_code(status)), message(status));
        error.0.scope = info.and_then(|info| info.metadata.get("scope").cloned());
        error.0.retry_after = details.retry_info().and_then(|retry| retry.retry_delay);
        let fields = details.bad_request().map(|wrong| wrong.field_violations.as_slice());
        error.0.fields = fields
            .unwrap_or_default()
            .iter()
            .map(|wrong| FieldViolation {
                field: wrong.field.clone(),
                description: wrong.description.clone(),
            })
            .collect();
        error
    }

    /// Error for a failed connection attempt.
    pub(crate) fn unreachable(address: &str, error: &tonic::transport::Error) -> Error {
        let cause = error.source().map_or_else(|| with_sources(error), with_sources);
        let message = format!("cannot reach {address}: {cause}; check the address, and that the server runs");
        Error::new(Reason::Unreachable, message)
    }

    /// Error for an expired timeout.
    pub(crate) fn deadline(limit: Duration) -> Error {
        let message = format!("no answer within {limit:?}: try again, or allow more time");
        Error::new(Reason::DeadlineExceeded, message)
    }

    /// Error for a closed channel or an ended stream.
    pub(crate) fn from_close(reason: wire::ErrorReason, message: &str) -> Error {
        let reason = Reason::from_wire(reason).unwrap_or(Reason::Other);
        Error::new(reason, if message.is_empty() { reason.advice() } else { message })
    }

    /// Error for a refused or conflicting answer.
    pub(crate) fn from_refused_answer(answered: wire::Answered) -> Error {
        let refusal = answered.refusal.as_ref();
        let otherwise = answered.status() == wire::AnswerStatus::Conflict;
        let reason = refusal
            .and_then(|refusal| Reason::from_wire(refusal.reason()))
            .unwrap_or(if otherwise { Reason::DecidedOtherwise } else { Reason::Other });
        let text = refusal.and_then(|refusal| refusal.text.as_ref()).map(|text| text.en.clone());
        let mut error = Error::new(reason, text.unwrap_or_else(|| reason.advice().to_owned()));
        error.0.fields = refusal
            .filter(|refusal| !refusal.field.is_empty())
            .map(|refusal| FieldViolation {
                field: refusal.field.clone(),
                description: error.0.message.clone(),
            })
            .into_iter()
            .collect();
        error.0.answered = Some(answered);
        error
    }

    /// Error for a reply without a mandatory field.
    pub(crate) fn missing_field(what: &str) -> Error {
        Error::new(
            Reason::UnknownReply,
            format!("the reply of the server has no {what}: is it a Parlor server?"),
        )
    }
}

/// Reason for a status without `ErrorInfo`: it comes from the transport or a proxy.
fn reason_from_code(status: &Status) -> Reason {
    match status.code() {
        Code::DeadlineExceeded => Reason::DeadlineExceeded,
        // tonic reports its own timeout as a cancelled call; nothing else cancels one.
        Code::Cancelled if has_timed_out(status) => Reason::DeadlineExceeded,
        Code::Unavailable => Reason::Unreachable,
        Code::Cancelled | Code::Unknown | Code::Internal if status.source().is_some() => Reason::Unreachable,
        Code::Unauthenticated => Reason::CredentialsMissing,
        Code::PermissionDenied => Reason::Forbidden,
        Code::Unimplemented => Reason::Unsupported,
        Code::OutOfRange | Code::ResourceExhausted if is_about_size(status) => Reason::MessageTooLarge,
        Code::ResourceExhausted => Reason::RateLimited,
        _ => Reason::Other,
    }
}

fn has_timed_out(status: &Status) -> bool {
    let mut source = status.source();
    while let Some(error) = source {
        if error.is::<TimeoutExpired>() {
            return true;
        }
        source = error.source();
    }
    status.message() == TimeoutExpired(()).to_string()
}

/// True if tonic refused a message for its size, which only the text of the status tells.
fn is_about_size(status: &Status) -> bool {
    status.message().contains("message length too large")
}

/// Message of the status in one line, with the transport's cause if any.
fn message(status: &Status) -> String {
    let text = match status.source() {
        Some(source) if !status.message().contains(&with_sources(source)) => {
            let source = with_sources(source);
            if source.contains(status.message()) { source } else { format!("{}: {source}", status.message()) }
        }
        _ => status.message().to_owned(),
    };
    let text = text.lines().collect::<Vec<_>>().join(" ");
    if text.is_empty() { status.code().description().to_owned() } else { text }
}
