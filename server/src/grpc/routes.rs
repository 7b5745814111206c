//! The services of the API, found by the name in a request's path.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use http::{Request, Response};
use tonic::{Status, body::Body, server::NamedService};
use tower::Service;

/// The response of a service.
pub(crate) type AnswerFuture = BoxFuture<'static, Result<Response<Body>, Infallible>>;

type Serve = Box<dyn Fn(Request<Body>) -> AnswerFuture + Send + Sync>;

/// All services. tonic's own router is axum's, which wraps the body of every stream twice more: each message would pass both.
#[derive(Clone, Default)]
pub(crate) struct Routes(Arc<HashMap<&'static str, Serve>>);

/// Collects services.
#[derive(Default)]
pub(crate) struct RoutesBuilder(HashMap<&'static str, Serve>);

impl RoutesBuilder {
    /// Adds a service.
    pub(crate) fn add<S>(mut self, service: S) -> RoutesBuilder
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
            + NamedService
            + Clone
            + Send
            + Sync
            + 'static,
        S::Future: Send + 'static,
    {
        let serve = move |request| -> AnswerFuture { Box::pin(service.clone().call(request)) };
        self.0.insert(S::NAME, Box::new(serve));
        self
    }

    /// The services that were added.
    pub(crate) fn build(self) -> Routes {
        Routes(Arc::new(self.0))
    }
}

impl Service<Request<Body>> for Routes {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = AnswerFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> AnswerFuture {
        let mut parts = request.uri().path().split('/').skip(1);
        match parts.next().and_then(|name| self.0.get(name)) {
            Some(serve) => serve(request),
            None => Box::pin(async { Ok(Status::unimplemented("there is no such service").into_http()) }),
        }
    }
}

/// The response to a method that its service does not have.
pub(super) fn no_such_method() -> AnswerFuture {
    Box::pin(async { Ok(Status::unimplemented("").into_http()) })
}
