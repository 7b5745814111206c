//! The second port: metrics for Prometheus, whether the server is ready, and a page that says so. Plain HTTP, without
//! keys: it is for those who run the server, and says nothing about any table or player.

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

/// Connections at once: a few scrapers and probes.
const CONNECTIONS: usize = 64;
/// How long a client may take over its request.
const REQUEST_WITHIN: Duration = Duration::from_secs(10);
/// How often measurements are summed up.
const TIDY: Duration = Duration::from_secs(5);
/// How long to wait when no connection can be taken.
const AGAIN: Duration = Duration::from_millis(200);

/// Whether the server takes requests: not before it listens, and not while it goes down.
#[derive(Clone, Debug, Default)]
pub struct Readiness(Arc<AtomicBool>);

impl Readiness {
    /// Says whether it does.
    pub fn set(&self, ready: bool) {
        self.0.store(ready, Ordering::Release);
    }

    /// Whether it does.
    #[must_use]
    pub fn get(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Serves the page until it is dropped.
pub async fn serve(listener: TcpListener, recorder: Recorder, readiness: Readiness) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    let mut tidy = interval(TIDY);
    tidy.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = tidy.tick() => recorder.tidy(),
            // Those that have ended are forgotten.
            Some(_) = connections.join_next() => {}
            accepted = accept(&listener, &places) => {
                let Some((stream, place)) = accepted else { continue };
                let (recorder, readiness) = (recorder.clone(), readiness.clone());
                connections.spawn(
                    async move {
                        answer(stream, recorder, readiness).await;
                        drop(place);
                    }
                    .instrument(tracing::debug_span!("page")),
                );
            }
        }
    }
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let place = places.clone().acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => Some((stream, place)),
        Err(error) => {
            tracing::warn!(%error, "the metrics port cannot take a connection");
            tokio::time::sleep(AGAIN).await;
            None
        }
    }
}

async fn answer(stream: TcpStream, recorder: Recorder, readiness: Readiness) {
    let service = service_fn(move |request: Request<_>| {
        let response = page(request.method(), request.uri().path(), &recorder, &readiness);
        async { Ok::<_, Infallible>(response) }
    });
    let mut connection = http1::Builder::new();
    connection.timer(TokioTimer::new()).header_read_timeout(REQUEST_WITHIN).max_buf_size(16 * 1024);
    if let Err(error) = connection.serve_connection(TokioIo::new(stream), service).await {
        tracing::debug!(%error, "a connection to the metrics port broke");
    }
}

fn page(method: &Method, path: &str, recorder: &Recorder, readiness: &Readiness) -> Response<Full<Bytes>> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return text(StatusCode::METHOD_NOT_ALLOWED, PLAIN, "this page can be read, and nothing else\n");
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
            text(StatusCode::OK, PLAIN, page)
        }
        "/ready" if ready => text(StatusCode::OK, PLAIN, "ready\n"),
        "/ready" => text(StatusCode::SERVICE_UNAVAILABLE, PLAIN, "not ready\n"),
        "/metrics" => text(StatusCode::OK, METRICS, recorder.render()),
        _ => text(StatusCode::NOT_FOUND, PLAIN, "there are /, /ready and /metrics\n"),
    }
}

const PLAIN: &str = "text/plain; charset=utf-8";
/// The format of Prometheus.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

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
    use crate::telemetry::{names, recorder};

    /// The status line and the body of an answer.
    async fn get(address: std::net::SocketAddr, path: &str) -> (String, String) {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.lines().next().unwrap().to_owned(), body.to_owned())
    }

    #[tokio::test]
    async fn the_page_says_whether_the_server_is_ready_and_has_the_metrics() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let readiness = Readiness::default();
        let page = tokio::spawn(serve(listener, recorder(), readiness.clone()));

        let (status, _) = get(address, "/ready").await;
        assert_eq!(status, "HTTP/1.1 503 Service Unavailable");
        readiness.set(true);
        assert_eq!(get(address, "/ready").await, ("HTTP/1.1 200 OK".to_owned(), "ready\n".to_owned()));
        assert!(get(address, "/").await.1.contains(": ready\n"));

        metrics::counter!(names::REQUESTS, "method" => "page", "status" => "OK").increment(3);
        let (status, metrics) = get(address, "/metrics").await;
        assert_eq!(status, "HTTP/1.1 200 OK");
        assert!(metrics.contains("parlor_requests_total{method=\"page\",status=\"OK\"} 3"), "{metrics}");
        assert_eq!(get(address, "/other").await.0, "HTTP/1.1 404 Not Found");
        page.abort();
    }

    #[test]
    fn the_page_changes_nothing() {
        let response = page(&Method::POST, "/ready", &recorder(), &Readiness::default());
        assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
    }
}
