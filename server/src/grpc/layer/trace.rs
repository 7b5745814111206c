//! A span for every request, from its first byte to the end of its response: the method, the key, the peer, and the table
//! and seat that the handler names. Keys, tokens, messages and what they say are in none.

use std::{
    sync::Arc,
    task::{Context, Poll},
};

use http::{HeaderMap, Request, Response};
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use parlor_engine::Seat;
use tonic::{Code, body::Body};
use tower::{Layer, Service};
use tracing::{Instrument, Span, field, info_span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::{Answer, metrics::status_name, on_complete};
use crate::grpc::{Method, peer::Peer};
use parlor_host::clock::Clock;
use parlor_host::{TableId, TournamentId};

/// Notes in the span of the request which table it is about.
pub fn note_table(table: TableId) {
    Span::current().record("table", field::display(table));
}

/// Notes in the span of the request which tournament it is about.
pub fn note_tournament(tournament: TournamentId) {
    Span::current().record("tournament", field::display(tournament));
}

/// Notes in the span of the request which seat it is about.
pub fn note_seat(seat: Seat) {
    Span::current().record("seat", field::display(seat));
}

/// Makes a span for every request.
#[derive(Clone, Debug)]
pub struct Trace(Arc<dyn Clock>);

impl Trace {
    /// Requests are timed by this clock.
    #[must_use]
    pub const fn new(clock: Arc<dyn Clock>) -> Trace {
        Trace(clock)
    }
}

impl<S> Layer<S> for Trace {
    type Service = Tracing<S>;

    fn layer(&self, inner: S) -> Tracing<S> {
        Tracing { inner, clock: self.0.clone() }
    }
}

/// The service of [`Trace`].
#[derive(Clone, Debug)]
pub struct Tracing<S> {
    inner: S,
    clock: Arc<dyn Clock>,
}

fn span(request: &Request<Body>) -> Span {
    let method = Method::of_path(request.uri().path());
    let span = info_span!(
        "request",
        otel.name = method.name,
        otel.kind = "server",
        otel.status_code = field::Empty,
        rpc.system = "grpc",
        rpc.grpc.status_code = field::Empty,
        method = method.name,
        peer = field::Empty,
        key = field::Empty,
        table = field::Empty,
        tournament = field::Empty,
        seat = field::Empty,
    );
    if let Some(address) = request.extensions().get::<Peer>().and_then(|peer| peer.address) {
        span.record("peer", field::display(address));
    }
    if request.headers().contains_key("traceparent") {
        // The caller's own trace goes on here. Without a collector there is nothing that could fail to be joined.
        let _joined = span.set_parent(TraceContextPropagator::new().extract(&Headers(request.headers())));
    }
    span
}

struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}

impl<S> Service<Request<Body>> for Tracing<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Future: Send + 'static>,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Answer<S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Answer<S::Error> {
        let span = span(&request);
        let (clock, begun) = (self.clock.clone(), self.clock.now());
        let answer = span.in_scope(|| self.inner.call(request)).instrument(span.clone());
        Box::pin(async move {
            let response = answer.await?;
            Ok(on_complete::at_end(response, move |code| {
                let taken = clock.now().since(begun);
                span.record("rpc.grpc.status_code", code as i32);
                span.in_scope(|| ended(&span, code, taken));
            }))
        })
    }
}

fn ended(span: &Span, code: Code, taken: std::time::Duration) {
    if matches!(code, Code::Internal | Code::DataLoss | Code::Unknown) {
        span.record("otel.status_code", "ERROR");
    }
    tracing::debug!(status = status_name(code), ms = taken.as_millis() as u64, "answered");
}
