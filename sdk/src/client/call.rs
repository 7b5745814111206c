//! One call: its deadline, and its tries.

use std::time::Duration;

use tokio::time::{sleep, timeout};
use tonic::{Request, Response, Status};

use crate::Error;
use crate::retry::Backoff;

/// Makes a call of a service: `call!(client, service.method, request)`, or how often it was tried too:
/// `call!(counted client, ...)`.
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

/// How long a call, and each try of it, may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) deadline: Duration,
    pub(crate) attempt: Duration,
}

/// What came of a call, and how often it was tried.
pub(crate) struct Called<T> {
    pub(crate) reply: Result<T, Error>,
    pub(crate) tries: u32,
}

impl Limits {
    /// Makes a call that is safe to repeat, until it succeeds, fails for good, or the deadline has come.
    pub(crate) async fn call<Q: Clone, A, F>(
        &self,
        request: Q,
        mut send: impl FnMut(Request<Q>) -> F,
    ) -> Called<A>
    where
        F: Future<Output = Result<Response<A>, Status>>,
    {
        let mut tries = 0;
        let mut last = None;
        let whole = async {
            let mut backoff = Backoff::default();
            loop {
                let mut once = Request::new(request.clone());
                once.set_timeout(self.attempt);
                tries += 1;
                // tonic's own timeout ends with the headers of the answer; this one with all of it.
                let error = match timeout(self.attempt, send(once)).await {
                    Ok(Ok(response)) => return Ok(response.into_inner()),
                    Ok(Err(status)) => Error::from_status(&status),
                    Err(_) => Error::deadline(self.attempt),
                };
                if !error.is_temporary() {
                    return Err(error);
                }
                let wait = backoff.wait(error.retry_after());
                tracing::debug!(%error, ?wait, tries, "a call is made again");
                last = Some(error);
                sleep(wait).await;
            }
        };
        let reply = match timeout(self.deadline, whole).await {
            Ok(reply) => reply,
            // Why it did not succeed before says more than that the time is over.
            Err(_) => Err(last.unwrap_or_else(|| Error::deadline(self.deadline))),
        };
        Called { reply, tries }
    }
}

#[cfg(test)]
mod tests;
