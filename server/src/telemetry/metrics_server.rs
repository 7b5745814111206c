//! HTTP server of the metrics port: Prometheus metrics, the readiness probe, and a page with both. Plain HTTP
//! without keys: it is for operators, and reveals nothing about any table or player.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinSet,
    time::{MissedTickBehavior, interval},
};
use tracing::Instrument;

use super::Recorder;

/// Concurrent connections: a few scrapers and probes.
const MAX_CONNECTIONS: usize = 64;
/// Time that a client has to send its request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval at which the recorder aggregates measurements.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);
/// Delay after a failed accept.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(200);

/// Readiness of the server: true while it listens and is not shutting down.
#[derive(Clone, Debug, Default)]
pub struct Readiness(Arc<AtomicBool>);

impl Readiness {
    /// Sets the readiness.
    pub fn set(&self, ready: bool) {
        self.0.store(ready, Ordering::Release);
    }

    /// The current readiness.
    #[must_use]
    pub fn get(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Serves the metrics port until the future is dropped.
pub async fn serve(listener: TcpListener, recorder: Recorder, readiness: Readiness) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    let mut upkeep = interval(UPKEEP_INTERVAL);
    upkeep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = upkeep.tick() => recorder.run_upkeep(),
            // Reaps finished connections.
            Some(_) = connections.join_next() => {}
            accepted = accept(&listener, &permits) => {
                let Some((stream, permit)) = accepted else { continue };
                let (recorder, readiness) = (recorder.clone(), readiness.clone());
                connections.spawn(
                    async move {
                        serve_connection(stream, recorder, readiness).await;
                        drop(permit);
                    }
                    .instrument(tracing::debug_span!("page")),
                );
            }
        }
    }
}

async fn accept(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let permit = permits.clone().acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => Some((stream, permit)),
        Err(error) => {
            tracing::warn!(%error, "the metrics port cannot accept a connection");
            tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            None
        }
    }
}

async fn serve_connection(stream: TcpStream, recorder: Recorder, readiness: Readiness) {
    let service = service_fn(move |request: Request<_>| {
        let response = respond(request.method(), request.uri().path(), &recorder, &readiness);
        async { Ok::<_, Infallible>(response) }
    });
    let mut connection = http1::Builder::new();
    connection.timer(TokioTimer::new()).header_read_timeout(REQUEST_TIMEOUT).max_buf_size(16 * 1024);
    if let Err(error) = connection.serve_connection(TokioIo::new(stream), service).await {
        tracing::debug!(%error, "connection to the metrics port failed");
    }
}

fn respond(method: &Method, path: &str, recorder: &Recorder, readiness: &Readiness) -> Response<Full<Bytes>> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return text(StatusCode::METHOD_NOT_ALLOWED, PLAIN_TEXT, "only GET and HEAD are allowed\n");
    }
    let ready = readiness.get();
    match path {
        "/" => {
            let state = if ready { "ready" } else { "not ready" };
            let version = env!("CARGO_PKG_VERSION");
            let page = format!(
                "parlor-server {version}: {state}\n\n/ready    200 while it takes requests, else 503\n\
                 /metrics  for Prometheus\n"
            );
            text(StatusCode::OK, PLAIN_TEXT, page)
        }
        "/ready" if ready => text(StatusCode::OK, PLAIN_TEXT, "ready\n"),
        "/ready" => text(StatusCode::SERVICE_UNAVAILABLE, PLAIN_TEXT, "not ready\n"),
        "/metrics" => text(StatusCode::OK, PROMETHEUS_TEXT, recorder.render()),
        _ => text(StatusCode::NOT_FOUND, PLAIN_TEXT, "there are /, /ready and /metrics\n"),
    }
}

const PLAIN_TEXT: &str = "text/plain; charset=utf-8";
/// Prometheus text format.
const PROMETHEUS_TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

fn text(status: StatusCode, kind: &'static str, text: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(text.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, http::HeaderValue::from_static(kind));
    response
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::telemetry::{metric_names, recorder};

    /// Status line and body of a response.
    async fn get(address: std::net::SocketAddr, path: &str) -> (String, String) {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).await.unwrap();
        let (head, body) = response.split_once("\r\n\r\n").unwrap();
        (head.lines().next().unwrap().to_owned(), body.to_owned())
    }

    #[tokio::test]
    async fn metrics_port_serves_readiness_and_metrics() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let readiness = Readiness::default();
        let page = tokio::spawn(serve(listener, recorder(), readiness.clone()));

        let (status, _) = get(address, "/ready").await;
        assert_eq!(status, "HTTP/1.1 503 Service Unavailable");
        readiness.set(true);
        assert_eq!(get(address, "/ready").await, ("HTTP/1.1 200 OK".to_owned(), "ready\n".to_owned()));
        assert!(get(address, "/").await.1.contains(": ready\n"));

        metrics::counter!(metric_names::REQUESTS, "method" => "page", "status" => "OK").increment(3);
        let (status, metrics) = get(address, "/metrics").await;
        assert_eq!(status, "HTTP/1.1 200 OK");
        assert!(metrics.contains("parlor_requests_total{method=\"page\",status=\"OK\"} 3"), "{metrics}");
        assert_eq!(get(address, "/other").await.0, "HTTP/1.1 404 Not Found");
        page.abort();
    }

    #[test]
    fn post_is_not_allowed() {
        let response = respond(&Method::POST, "/ready", &recorder(), &Readiness::default());
        assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
    }
}
