//! What every request passes on its way to a handler, one layer a file, the outermost first:
//!
//! | layer | what it does |
//! |---|---|
//! | [`trace`] | a span for the request: method, key, peer, and the table and seat that the handler names |
//! | [`metrics`] | counts the request by method and status, and the streams that are open |
//! | [`identity`] | finds out who calls, from `authorization: Bearer KEY` |
//! | [`limits`] | takes a token from the caller's bucket, and a place on the connection |
//! | [`identity`] again | refuses a key that is no good, now that it has been counted |
//! | [`message_limit`] | refuses a message that is too large before it is read |
//! | [`deadline`] | gives up when the client does, as `grpc-timeout` says |
//!
//! gRPC-Web stands outside of all of them, so that each sees plain gRPC and answers with a plain status.

pub mod deadline;
pub mod identity;
pub mod limits;
pub mod message_limit;
pub mod metrics;
pub(super) mod on_complete;
pub mod trace;

use std::{future::Future, pin::Pin};

use http::Response;
use tonic::{Status, body::Body};

use super::Failure;

/// The answer of a layer that does something with the response.
type Answer<E> = Pin<Box<dyn Future<Output = Result<Response<Body>, E>> + Send>>;

/// The response that refuses a request.
fn refused(failure: impl Into<Failure>) -> Response<Body> {
    Status::from(failure.into()).into_http()
}

#[cfg(test)]
mod tests {
    //! What the tests of the layers share: a service that answers, and calls to it.

    use std::{
        convert::Infallible,
        future::{Ready, ready},
        task::{Context, Poll},
    };

    use http::Request;
    use tower::Service;

    use super::*;

    /// A service that keeps the last request and answers all of them alike.
    #[derive(Clone)]
    pub(in crate::grpc) struct Echo<F>(pub(in crate::grpc) F);

    impl<F: Fn(Request<Body>) -> Response<Body>> Service<Request<Body>> for Echo<F> {
        type Response = Response<Body>;
        type Error = Infallible;
        type Future = Ready<Result<Response<Body>, Infallible>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, request: Request<Body>) -> Self::Future {
            ready(Ok((self.0)(request)))
        }
    }

    /// A call of a method without a body.
    pub(in crate::grpc) fn request(path: &str) -> Request<Body> {
        Request::post(path).body(Body::empty()).unwrap()
    }

    /// The status that a response without messages carries.
    pub(in crate::grpc) fn status(response: &Response<Body>) -> Option<Status> {
        Status::from_header_map(response.headers())
    }
}
