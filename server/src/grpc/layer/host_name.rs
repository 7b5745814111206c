//! Names under which a server without API keys may be called, against DNS rebinding.
//!
//! A web page whose name resolves to this machine could otherwise call the server as if it came from there: to the
//! browser, page and server have the same origin. The page cannot change the name that the browser sends.

use std::{
    future::{Ready, ready},
    sync::Arc,
    task::{Context, Poll},
};

use futures_util::future::Either;
use http::{HeaderMap, Request, Response, StatusCode, Uri, header::HOST};
use tonic::{Status, body::Body};
use tower::{Layer, Service};

use crate::{config::HostNames, identity::ApiKeys};

/// The sentence for a refused caller.
pub(crate) const REFUSAL: &str = "this server has no API keys and takes calls only under a name of its own machine, such as \
                       localhost: use one, or add this name to the setting connections.host_names";

/// Refuses calls under other names while the server has no API keys.
#[derive(Clone, Debug)]
pub struct HostNameLayer(Option<Arc<HostNameCheck>>);

#[derive(Debug)]
struct HostNameCheck {
    keys: Arc<ApiKeys>,
    names: HostNames,
}

impl HostNameLayer {
    /// Allows these names and those of the machine itself; `None` allows every name.
    #[must_use]
    pub fn new(keys: Arc<ApiKeys>, names: Option<HostNames>) -> HostNameLayer {
        HostNameLayer(names.map(|names| Arc::new(HostNameCheck { keys, names })))
    }

    /// Reports whether this request may be answered.
    pub(crate) fn allows(&self, request: &Request<Body>) -> bool {
        self.0.as_ref().is_none_or(|check| check.allows(request.uri(), request.headers()))
    }
}

impl HostNameCheck {
    /// Checks the authority of HTTP/2 and the `Host` header of HTTP/1. A request has at least one of the two.
    fn allows(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        if !self.keys.is_empty() {
            return true;
        }
        let authority = uri.authority().map(|authority| Some(authority.as_str()));
        let hosts = headers.get_all(HOST).iter().map(|host| host.to_str().ok());
        let mut names = authority.into_iter().chain(hosts).peekable();
        names.peek().is_some() && names.all(|name| name.is_some_and(|name| self.names.allow(name)))
    }
}

impl<S> Layer<S> for HostNameLayer {
    type Service = HostNameService<S>;

    fn layer(&self, inner: S) -> HostNameService<S> {
        HostNameService { inner, check: self.0.clone() }
    }
}

/// The service of [`HostNameLayer`].
#[derive(Clone, Debug)]
pub struct HostNameService<S> {
    inner: S,
    check: Option<Arc<HostNameCheck>>,
}

impl<S: Service<Request<Body>, Response = Response<Body>>> Service<Request<Body>> for HostNameService<S> {
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<Response<Body>, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        match &self.check {
            Some(check) if !check.allows(request.uri(), request.headers()) => {
                // The status is for gRPC clients, which take it first, the code for everyone else.
                let mut refused: Response<Body> = Status::permission_denied(REFUSAL).into_http();
                *refused.status_mut() = StatusCode::FORBIDDEN;
                Either::Right(ready(Ok(refused)))
            }
            _ => Either::Left(self.inner.call(request)),
        }
    }
}
