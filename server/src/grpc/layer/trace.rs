//! A tracing span for every request, from its headers to the end of its response: the method, the id of the
//! key, the peer, and the table, tournament and seat that the handler records. Secrets (keys, tokens) and
//! message contents are never recorded.

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

use parlor_host::clock::Clock;
use parlor_host::{TableId, TournamentId};

use super::{LayerFuture, metrics::status_name, on_complete};
use crate::grpc::{Method, peer::Peer};

/// Records the table of a request in its span.
pub fn trace_table(table: TableId) {
    Span::current().record("table", field::display(table));
}

/// Records the tournament of a request in its span.
pub fn trace_tournament(tournament: TournamentId) {
    Span::current().record("tournament", field::display(tournament));
}

/// Records the seat of a request in its span.
pub fn trace_seat(seat: Seat) {
    Span::current().record("seat", field::display(seat));
}

/// Opens a span for every request.
#[derive(Clone, Debug)]
pub struct TraceLayer(Arc<dyn Clock>);

impl TraceLayer {
    /// Measures durations with this clock.
    #[must_use]
    pub const fn new(clock: Arc<dyn Clock>) -> TraceLayer {
        TraceLayer(clock)
    }
}

impl<S> Layer<S> for TraceLayer {
    type Service = TraceService<S>;

    fn layer(&self, inner: S) -> TraceService<S> {
        TraceService { inner, clock: self.0.clone() }
    }
}

/// The service of [`TraceLayer`].
#[derive(Clone, Debug)]
pub struct TraceService<S> {
    inner: S,
    clock: Arc<dyn Clock>,
}

fn span(request: &Request<Body>) -> Span {
    let method = Method::from_path(request.uri().path());
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
        // Continues the trace of the caller. This fails only without a collector, where it does not matter.
        let _result =
            span.set_parent(TraceContextPropagator::new().extract(&HeaderExtractor(request.headers())));
    }
    span
}

/// Request headers as a source of the W3C trace context.
struct HeaderExtractor<'a>(&'a HeaderMap);

impl Extractor for HeaderExtractor<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}

impl<S> Service<Request<Body>> for TraceService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Future: Send + 'static>,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = LayerFuture<S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> LayerFuture<S::Error> {
        let span = span(&request);
        let (clock, started) = (self.clock.clone(), self.clock.now());
        let response = span.in_scope(|| self.inner.call(request)).instrument(span.clone());
        Box::pin(async move {
            let response = response.await?;
            Ok(on_complete::on_complete(response, move |code| {
                let elapsed = clock.now().since(started);
                span.record("rpc.grpc.status_code", code as i32);
                span.in_scope(|| log_completion(&span, code, elapsed));
            }))
        })
    }
}

fn log_completion(span: &Span, code: Code, elapsed: std::time::Duration) {
    if matches!(code, Code::Internal | Code::DataLoss | Code::Unknown) {
        span.record("otel.status_code", "ERROR");
    }
    tracing::debug!(status = status_name(code), ms = elapsed.as_millis() as u64, "answered");
}
