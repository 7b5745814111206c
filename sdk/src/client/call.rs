//! One unary call: deadline, attempts and backoff.

use std::time::Duration;

use tokio::time::{sleep, timeout};
use tonic::{Request, Response, Status};

use crate::Error;
use crate::retry::Backoff;

/// Makes a call: `call!(client, service.method, request)`. `call!(counted client, ...)` returns the number of
/// attempts too.
macro_rules! call {
    (counted $client:expr, $service:ident.$method:ident, $request:expr) => {{
        let rpc = &$client.$service;
        let send = |request| {
            let mut rpc = rpc.clone();
            async move { rpc.$method(request).await }
        };
        $client.limits.call($request, send).await
    }};
    ($client:expr, $service:ident.$method:ident, $request:expr) => {
        call!(counted $client, $service.$method, $request).reply
    };
}
pub(super) use call;

/// Deadline of a call, and timeout of each attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallLimits {
    pub(crate) deadline: Duration,
    pub(crate) attempt: Duration,
}

/// Reply of a call, and its number of attempts.
pub(crate) struct CallOutcome<T> {
    pub(crate) reply: Result<T, Error>,
    pub(crate) attempts: u32,
}

impl CallLimits {
    /// Reattempts an idempotent call until it succeeds, fails permanently, or reaches its deadline.
    pub(crate) async fn call<Q: Clone, A, F>(
        &self,
        request: Q,
        mut send: impl FnMut(Request<Q>) -> F,
    ) -> CallOutcome<A>
    where
        F: Future<Output = Result<Response<A>, Status>>,
    {
        let mut attempts = 0;
        let mut last = None;
        let retrying = async {
            let mut backoff = Backoff::default();
            loop {
                let mut attempt = Request::new(request.clone());
                attempt.set_timeout(self.attempt);
                attempts += 1;
                // tonic's own timeout covers the response headers only; this one covers the whole response.
                let error = match timeout(self.attempt, send(attempt)).await {
                    Ok(Ok(response)) => return Ok(response.into_inner()),
                    Ok(Err(status)) => Error::from_status(&status),
                    Err(_) => Error::deadline(self.attempt),
                };
                if !error.is_temporary() {
                    return Err(error);
                }
                let wait = backoff.wait(error.retry_after());
                tracing::debug!(%error, ?wait, attempts, "retrying a call");
                last = Some(error);
                sleep(wait).await;
            }
        };
        let reply = match timeout(self.deadline, retrying).await {
            Ok(reply) => reply,
            // The last error says more than an expired deadline.
            Err(_) => Err(last.unwrap_or_else(|| Error::deadline(self.deadline))),
        };
        CallOutcome { reply, attempts }
    }
}

#[cfg(test)]
mod tests;
