//! Router: dispatches requests to services by the service name in the path.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use http::{Request, Response};
use tonic::{Status, body::Body, server::NamedService};
use tower::Service;

use crate::cluster::Cluster;
use crate::cluster::forward::{serve_at_home, serve_client_stream, serve_if_home};
use crate::cluster::method_home::MethodHome;

/// The response future of a service.
pub(crate) type ResponseFuture = BoxFuture<'static, Result<Response<Body>, Infallible>>;

type ServiceFn = Box<dyn Fn(Request<Body>) -> ResponseFuture + Send + Sync>;

/// The services by name. tonic's own router is axum's, which wraps every response body twice more and so
/// costs time for each message of a stream.
#[derive(Clone)]
pub(crate) struct Routes {
    services: Arc<Services>,
    reach: Reach,
}

type Services = HashMap<&'static str, ServiceFn>;

/// The calls that are served here.
#[derive(Clone)]
enum Reach {
    /// All: there are no other nodes.
    Single,
    /// Those of clients: what belongs elsewhere is forwarded.
    Forwarding(Arc<Cluster>),
    /// Those of other nodes: what belongs elsewhere is refused.
    OwnOnly(Arc<Cluster>),
}

/// Routes that may have ended.
#[derive(Clone)]
pub(crate) struct WeakRoutes(Weak<Services>);

impl std::fmt::Debug for WeakRoutes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WeakRoutes")
    }
}

impl WeakRoutes {
    /// The routes, without other nodes.
    pub(crate) fn upgrade(&self) -> Option<Routes> {
        self.0.upgrade().map(|services| Routes { services, reach: Reach::Single })
    }
}

/// Builder of [`Routes`].
#[derive(Default)]
pub(crate) struct RoutesBuilder(Services);

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
        Routes { services: Arc::new(self.0), reach: Reach::Single }
    }
}

impl Routes {
    /// The routes for clients of a node: calls that belong elsewhere are forwarded.
    pub(crate) fn forwarding(&self, cluster: Arc<Cluster>) -> Routes {
        Routes { reach: Reach::Forwarding(cluster), ..self.clone() }
    }

    /// The routes for other nodes: calls that belong elsewhere are refused.
    pub(crate) fn own_only(&self, cluster: Arc<Cluster>) -> Routes {
        Routes { reach: Reach::OwnOnly(cluster), ..self.clone() }
    }

    /// A reference that does not keep the services.
    pub(crate) fn downgrade(&self) -> WeakRoutes {
        WeakRoutes(Arc::downgrade(&self.services))
    }

    /// Calls a service of this node.
    pub(crate) fn dispatch(&self, request: Request<Body>) -> ResponseFuture {
        let mut segments = request.uri().path().split('/').skip(1);
        match segments.next().and_then(|name| self.services.get(name)) {
            Some(service) => service(request),
            None => Box::pin(async { Ok(Status::unimplemented("there is no such service").into_http()) }),
        }
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
        let home = match &self.reach {
            Reach::Single => None,
            Reach::Forwarding(_) | Reach::OwnOnly(_) => MethodHome::of(request.uri().path()),
        };
        let Some(home) = home else { return self.dispatch(request) };
        let routes = self.clone();
        match self.reach.clone() {
            Reach::Forwarding(cluster) if home.is_client_streaming() => {
                Box::pin(async move { Ok(serve_client_stream(cluster, home, request, routes)) })
            }
            Reach::Forwarding(cluster) => {
                Box::pin(async move { Ok(serve_at_home(&cluster, home, request, routes).await) })
            }
            Reach::OwnOnly(cluster) => {
                Box::pin(async move { Ok(serve_if_home(&cluster, home, request, routes).await) })
            }
            Reach::Single => self.dispatch(request),
        }
    }
}

/// UNIMPLEMENTED, for a method that the service does not have.
pub(super) fn unknown_method() -> ResponseFuture {
    Box::pin(async { Ok(Status::unimplemented("").into_http()) })
}
