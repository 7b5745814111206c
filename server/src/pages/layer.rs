//! Tower layer that answers browsers. It is outside of the layers of gRPC: the one of gRPC-Web refuses plain HTTP/1.

use std::{
    future::{Ready, ready},
    sync::Arc,
    task::{Context, Poll},
};

use futures_util::future::Either;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use metrics::counter;
use tonic::body::Body;
use tower::{Layer, Service};

use super::response::SecurityHeaders;
use super::route::Route;
use crate::{
    config::Settings,
    grpc::layer::host_name::{HostNameLayer, REFUSAL},
    telemetry::metric_names,
};

/// Answer to a browser at a server without pages.
const NO_PAGES: &str = "This is a Parlor server. It hosts card games for programs, over gRPC and gRPC-Web, and has no \
                        pages for browsers: whoever runs it can turn them on with the setting web.enabled.\n";
/// Answer to a program that looks for a file that does not exist.
const NO_FILE: &str = "There is nothing at this address.\n";
/// Answer to a request that would change a page.
const READ_ONLY: &str = "Pages can only be read: GET and HEAD are allowed.\n";

/// Tables come and go: crawlers are welcome to the games, their rules, tournaments and agents.
const ROBOTS: &str = "User-agent: *\nDisallow: /join\nDisallow: /replay/\nDisallow: /t/\nDisallow: /watch/\n";

/// Answers browsers, and passes gRPC on.
#[derive(Clone, Debug)]
pub struct PagesLayer(Arc<Pages>);

#[derive(Debug)]
struct Pages {
    enabled: bool,
    security: SecurityHeaders,
    host_names: HostNameLayer,
}

impl PagesLayer {
    /// Serves the pages as these settings say, under the names that this layer allows.
    #[must_use]
    pub fn new(settings: &Settings, host_names: HostNameLayer) -> PagesLayer {
        PagesLayer(Arc::new(Pages {
            enabled: settings.serves_pages(),
            security: SecurityHeaders::new(&settings.web.frame_ancestors),
            host_names,
        }))
    }
}

impl Pages {
    /// The answer to a request, unless it is for the services.
    fn answer(&self, request: &Request<Body>) -> Option<Response<Body>> {
        if is_grpc(request.headers()) {
            return None;
        }
        let route = || Route::from_path(request.uri().path());
        let response = match *request.method() {
            Method::GET | Method::HEAD => self.read(request, route()),
            // A preflight of CORS.
            Method::OPTIONS => return None,
            _ if self.enabled && !matches!(route(), Route::Missing) => {
                let mut refused = self.security.sentence(StatusCode::METHOD_NOT_ALLOWED, READ_ONLY);
                refused.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
                refused
            }
            _ => return None,
        };
        counter!(metric_names::PAGE_RESPONSES, "status" => response.status().as_str().to_owned())
            .increment(1);
        // The headers are those of a GET, the length among them.
        Some(if request.method() == Method::HEAD { response.map(|_| Body::empty()) } else { response })
    }

    fn read(&self, request: &Request<Body>, route: Route) -> Response<Body> {
        let headers = request.headers();
        if !self.host_names.allows(request) {
            return self.security.sentence(StatusCode::FORBIDDEN, REFUSAL);
        }
        match route {
            _ if !self.enabled => self.security.sentence(StatusCode::NOT_FOUND, NO_PAGES),
            Route::File(file) => self.security.file(file, headers),
            Route::Robots => self.security.document(ROBOTS),
            Route::Missing if accepts_html(headers) => self.security.missing_page(headers),
            Route::Missing => self.security.sentence(StatusCode::NOT_FOUND, NO_FILE),
        }
    }
}

/// gRPC and gRPC-Web have a content type of their own.
fn is_grpc(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|content_type| content_type.as_bytes().starts_with(b"application/grpc"))
}

/// Reports whether the client looks for something to show: browsers name the type when they open a page.
fn accepts_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    accepted.filter_map(|value| value.to_str().ok()).any(|value| value.contains("text/html"))
}

impl<S> Layer<S> for PagesLayer {
    type Service = PagesService<S>;

    fn layer(&self, inner: S) -> PagesService<S> {
        PagesService { inner, pages: self.0.clone() }
    }
}

/// The service of [`PagesLayer`].
#[derive(Clone, Debug)]
pub struct PagesService<S> {
    inner: S,
    pages: Arc<Pages>,
}

impl<S: Service<Request<Body>, Response = Response<Body>>> Service<Request<Body>> for PagesService<S> {
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<Response<Body>, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        match self.pages.answer(&request) {
            Some(response) => Either::Right(ready(Ok(response))),
            None => Either::Left(self.inner.call(request)),
        }
    }
}
