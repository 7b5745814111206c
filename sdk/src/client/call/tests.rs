//! Reattempts and deadlines, on a paused clock.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};

use tonic::Code;
use tonic_types::{ErrorDetails, StatusExt};

use super::*;
use crate::error::Reason;

const LIMITS: CallLimits = CallLimits { deadline: Duration::from_secs(30), attempt: Duration::from_secs(10) };

/// Outcome of an attempt: a reply, or `None` for no reply.
type Attempt = Option<Result<&'static str, Status>>;

/// Makes a call with these attempt outcomes, then no replies. Returns the outcome and the time taken.
async fn call(
    limits: CallLimits,
    attempts: impl IntoIterator<Item = Attempt>,
) -> (CallOutcome<&'static str>, Duration) {
    let attempts = RefCell::new(attempts.into_iter().collect::<VecDeque<_>>());
    let watch = crate::time::Stopwatch::start();
    let called = limits
        .call((), |request| {
            assert!(request.metadata().get("grpc-timeout").is_some());
            let next = attempts.borrow_mut().pop_front().flatten();
            async move {
                match next {
                    Some(reply) => reply.map(Response::new),
                    None => std::future::pending().await,
                }
            }
        })
        .await;
    (called, watch.elapsed())
}

fn unavailable() -> Attempt {
    Some(Err(Status::unavailable("away")))
}

#[tokio::test(start_paused = true)]
async fn first_reply_is_returned_without_delay() {
    let (called, time) = call(LIMITS, [Some(Ok("yes"))]).await;
    assert_eq!((called.reply.unwrap(), called.attempts, time), ("yes", 1, Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn temporary_errors_are_retried_with_growing_backoff() {
    let (called, time) = call(LIMITS, [unavailable(), unavailable(), unavailable(), Some(Ok("yes"))]).await;
    assert_eq!((called.reply.unwrap(), called.attempts), ("yes", 4));
    assert!((Duration::from_millis(350)..=Duration::from_millis(705)).contains(&time), "{time:?}");
}

#[tokio::test(start_paused = true)]
async fn permanent_errors_are_not_retried() {
    let (called, time) = call(LIMITS, [Some(Err(Status::permission_denied("no"))), Some(Ok("yes"))]).await;
    assert_eq!(called.reply.unwrap_err().reason(), Reason::Forbidden);
    assert_eq!((called.attempts, time), (1, Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn missing_replies_time_out_the_attempt_and_then_the_call() {
    let (called, time) = call(LIMITS, [None, Some(Ok("yes"))]).await;
    assert_eq!((called.reply.unwrap(), called.attempts), ("yes", 2));
    assert!(time >= LIMITS.attempt, "{time:?}");

    let (called, time) = call(LIMITS, []).await;
    assert_eq!(called.reply.unwrap_err().reason(), Reason::DeadlineExceeded);
    assert!(called.attempts == 3 && time == LIMITS.deadline, "{} attempts in {time:?}", called.attempts);
}

#[tokio::test(start_paused = true)]
async fn deadline_reports_the_last_error() {
    let (called, time) = call(LIMITS, std::iter::repeat_with(unavailable).take(1000)).await;
    let error = called.reply.unwrap_err();
    assert_eq!((error.reason(), error.message(), time), (Reason::Unreachable, "away", LIMITS.deadline));
}

#[tokio::test(start_paused = true)]
async fn retry_waits_at_least_the_retry_delay_of_the_server() {
    let later = |seconds| {
        let mut details = ErrorDetails::with_error_info("RATE_LIMITED", "parlor.v1", HashMap::new());
        details.set_retry_info(Some(Duration::from_secs(seconds)));
        Some(Err(Status::with_error_details(Code::ResourceExhausted, "slow down", details)))
    };
    let (called, time) = call(LIMITS, [later(7), Some(Ok("yes"))]).await;
    assert_eq!((called.reply.unwrap(), called.attempts), ("yes", 2));
    assert!(time >= Duration::from_secs(7), "{time:?}");

    let (called, _) = call(LIMITS, [later(3600), Some(Ok("yes"))]).await;
    let error = called.reply.unwrap_err();
    assert_eq!((error.reason(), error.retry_after()), (Reason::RateLimited, Some(Duration::from_secs(3600))));
    assert_eq!(called.attempts, 1);
}
