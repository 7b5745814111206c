//! Tries and deadlines, with a clock that waits for nobody.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};

use tonic::Code;
use tonic_types::{ErrorDetails, StatusExt};

use super::*;
use crate::error::Reason;

const LIMITS: Limits = Limits { deadline: Duration::from_secs(30), attempt: Duration::from_secs(10) };

/// What a try does: an answer, or silence.
type Try = Option<Result<&'static str, Status>>;

/// Makes a call whose tries go so, and the rest in silence. Gives what came of it, and how long it took.
async fn call(limits: Limits, tries: impl IntoIterator<Item = Try>) -> (Called<&'static str>, Duration) {
    let tries = RefCell::new(tries.into_iter().collect::<VecDeque<_>>());
    let watch = crate::time::Stopwatch::start();
    let called = limits
        .call((), |request| {
            assert!(request.metadata().get("grpc-timeout").is_some());
            let next = tries.borrow_mut().pop_front().flatten();
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

fn unavailable() -> Try {
    Some(Err(Status::unavailable("away")))
}

#[tokio::test(start_paused = true)]
async fn the_first_answer_is_the_answer() {
    let (called, time) = call(LIMITS, [Some(Ok("yes"))]).await;
    assert_eq!((called.reply.unwrap(), called.tries, time), ("yes", 1, Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn what_can_pass_is_tried_again_with_longer_waits() {
    let (called, time) = call(LIMITS, [unavailable(), unavailable(), unavailable(), Some(Ok("yes"))]).await;
    assert_eq!((called.reply.unwrap(), called.tries), ("yes", 4));
    assert!((Duration::from_millis(350)..=Duration::from_millis(705)).contains(&time), "{time:?}");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_pass_is_not_tried_again() {
    let (called, time) = call(LIMITS, [Some(Err(Status::permission_denied("no"))), Some(Ok("yes"))]).await;
    assert_eq!(called.reply.unwrap_err().reason(), Reason::Forbidden);
    assert_eq!((called.tries, time), (1, Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn silence_ends_a_try_and_then_the_call() {
    let (called, time) = call(LIMITS, [None, Some(Ok("yes"))]).await;
    assert_eq!((called.reply.unwrap(), called.tries), ("yes", 2));
    assert!(time >= LIMITS.attempt, "{time:?}");

    let (called, time) = call(LIMITS, []).await;
    assert_eq!(called.reply.unwrap_err().reason(), Reason::DeadlineExceeded);
    assert!(called.tries == 3 && time == LIMITS.deadline, "{} tries in {time:?}", called.tries);
}

#[tokio::test(start_paused = true)]
async fn at_the_deadline_the_last_reason_is_said() {
    let (called, time) = call(LIMITS, std::iter::repeat_with(unavailable).take(1000)).await;
    let error = called.reply.unwrap_err();
    assert_eq!((error.reason(), error.message(), time), (Reason::Unreachable, "away", LIMITS.deadline));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_when_is_asked_no_earlier() {
    let later = |seconds| {
        let mut details = ErrorDetails::with_error_info("RATE_LIMITED", "parlor.v1", HashMap::new());
        details.set_retry_info(Some(Duration::from_secs(seconds)));
        Some(Err(Status::with_error_details(Code::ResourceExhausted, "slow down", details)))
    };
    let (called, time) = call(LIMITS, [later(7), Some(Ok("yes"))]).await;
    assert_eq!((called.reply.unwrap(), called.tries), ("yes", 2));
    assert!(time >= Duration::from_secs(7), "{time:?}");

    let (called, _) = call(LIMITS, [later(3600), Some(Ok("yes"))]).await;
    let error = called.reply.unwrap_err();
    assert_eq!((error.reason(), error.retry_after()), (Reason::RateLimited, Some(Duration::from_secs(3600))));
    assert_eq!(called.tries, 1);
}
