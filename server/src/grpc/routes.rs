//! Router: dispatches requests to services by the service name in the path.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use http::{Request, Response};
use tonic::{Status, body::Body, server::NamedService};
use tower::Service;

/// The response future of a service.
pub(crate) type ResponseFuture = BoxFuture<'static, Result<Response<Body>, Infallible>>;

type ServiceFn = Box<dyn Fn(Request<Body>) -> ResponseFuture + Send + Sync>;

/// The services by name. tonic's own router is axum's, which wraps every response body twice more and so
/// costs time for each message of a stream.
#[derive(Clone, Default)]
pub(crate) struct Routes(Arc<HashMap<&'static str, ServiceFn>>);

/// Builder of [`Routes`].
#[derive(Default)]
pub(crate) struct RoutesBuilder(HashMap<&'static str, ServiceFn>);

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
        let service_fn = move |request| -> ResponseFuture { Box::pin(service.clone().call(request)) };
        self.0.insert(S::NAME, Box::new(service_fn));
        self
    }

    /// Routes to the added services.
    pub(crate) fn build(self) -> Routes {
        Routes(Arc::new(self.0))
    }
}

impl Service<Request<Body>> for Routes {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> ResponseFuture {
        let mut segments = request.uri().path().split('/').skip(1);
        match segments.next().and_then(|name| self.0.get(name)) {
            Some(service) => service(request),
            None => Box::pin(async { Ok(Status::unimplemented("there is no such service").into_http()) }),
        }
    }
}

/// UNIMPLEMENTED, for a method that the service does not have.
pub(super) fn unknown_method() -> ResponseFuture {
    Box::pin(async { Ok(Status::unimplemented("").into_http()) })
}
