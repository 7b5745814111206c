//! Tower layers around the services, one a file. Outermost first:
//!
//! | layer | function |
//! |---|---|
//! | [`trace`] | opens a span for the request: method, key, peer, and the table and seat that the handler records |
//! | [`metrics`] | counts requests by method and status, and open streams |
//! | [`host_name`] | refuses calls under a foreign name while the server has no API keys |
//! | [`identity::IdentityLayer`] | verifies the API key of `authorization: Bearer KEY` |
//! | [`limits`] | enforces the rate limit of the caller and the call limit of the connection |
//! | [`identity::AdmissionLayer`] | refuses an invalid key, after it counted towards the rate limit |
//! | [`message_limit`] | refuses a message that is too large before it is buffered |
//! | [`deadline`] | enforces the deadline of `grpc-timeout` |
//!
//! gRPC-Web is translated outside of all layers, so each sees plain gRPC and answers with a plain status.

pub mod deadline;
pub mod host_name;
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

/// The future of a layer that changes or observes the response.
type LayerFuture<E> = Pin<Box<dyn Future<Output = Result<Response<Body>, E>> + Send>>;

/// The response of a failed request.
fn error_response(failure: impl Into<Failure>) -> Response<Body> {
    Status::from(failure.into()).into_http()
}

#[cfg(test)]
mod tests {
    //! Support for the tests of the layers: an inner service, requests, and the status of a response.

    use std::{
        convert::Infallible,
        future::{Ready, ready},
        task::{Context, Poll},
    };

    use http::Request;
    use tower::Service;

    use super::*;

    /// An inner service that answers with a function.
    #[derive(Clone)]
    pub(in crate::grpc) struct TestHandler<F>(pub(in crate::grpc) F);

    impl<F: Fn(Request<Body>) -> Response<Body>> Service<Request<Body>> for TestHandler<F> {
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

    /// A request for a method, without a body.
    pub(in crate::grpc) fn request(path: &str) -> Request<Body> {
        Request::post(path).body(Body::empty()).unwrap()
    }

    /// The status in the headers of a response without messages.
    pub(in crate::grpc) fn status(response: &Response<Body>) -> Option<Status> {
        Status::from_header_map(response.headers())
    }
}
