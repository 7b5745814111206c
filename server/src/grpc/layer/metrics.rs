//! Request metrics: requests by method and status, latency of unary calls, open streams.

use std::{
    sync::Arc,
    task::{Context, Poll},
};

use http::{Request, Response};
use metrics::{counter, gauge, histogram};
use tonic::{Code, body::Body};
use tower::{Layer, Service};

use parlor_host::clock::{Clock, Moment};

use super::{LayerFuture, on_complete};
use crate::{grpc::Method, telemetry::metric_names};

/// Records the metrics of every request.
#[derive(Clone, Debug)]
pub struct MetricsLayer(Arc<dyn Clock>);

impl MetricsLayer {
    /// Measures latency with this clock.
    #[must_use]
    pub const fn new(clock: Arc<dyn Clock>) -> MetricsLayer {
        MetricsLayer(clock)
    }
}

impl<S> Layer<S> for MetricsLayer {
    type Service = MetricsService<S>;

    fn layer(&self, inner: S) -> MetricsService<S> {
        MetricsService { inner, clock: self.0.clone() }
    }
}

/// The service of [`MetricsLayer`].
#[derive(Clone, Debug)]
pub struct MetricsService<S> {
    inner: S,
    clock: Arc<dyn Clock>,
}

impl<S> Service<Request<Body>> for MetricsService<S>
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
        let method = Method::from_path(request.uri().path());
        // Recorded on drop: a client that disconnects before the response is counted too.
        let metrics = RequestMetrics::start(method, self.clock.clone());
        let response = self.inner.call(request);
        Box::pin(async move {
            let response = response.await?;
            Ok(on_complete::on_complete(response, move |code| metrics.finish(code)))
        })
    }
}

/// Metrics of one request, recorded when it is dropped.
struct RequestMetrics {
    method: Method,
    clock: Arc<dyn Clock>,
    started: Moment,
    /// The status; `None` counts as CANCELLED.
    code: Option<Code>,
}

impl RequestMetrics {
    fn start(method: Method, clock: Arc<dyn Clock>) -> RequestMetrics {
        if method.is_streaming {
            gauge!(metric_names::STREAMS_OPEN, "method" => method.name).increment(1);
        }
        RequestMetrics { method, started: clock.now(), clock, code: None }
    }

    fn finish(mut self, code: Code) {
        self.code = Some(code);
    }
}

impl Drop for RequestMetrics {
    fn drop(&mut self) {
        let method = self.method.name;
        let status = status_name(self.code.unwrap_or(Code::Cancelled));
        counter!(metric_names::REQUESTS, "method" => method, "status" => status).increment(1);
        if self.method.is_streaming {
            gauge!(metric_names::STREAMS_OPEN, "method" => method).decrement(1);
        } else {
            let elapsed = self.clock.now().since(self.started);
            histogram!(metric_names::REQUEST_SECONDS, "method" => method).record(elapsed.as_secs_f64());
        }
    }
}

/// The canonical gRPC name of a status code.
pub(super) const fn status_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http_body_util::{BodyExt, Full};
    use metrics_exporter_prometheus::PrometheusBuilder;
    use tonic::Status;
    use tower::ServiceExt;

    use parlor_host::clock::ManualClock;

    use super::super::tests::{TestHandler, request};
    use super::*;

    /// The path of a call, its response, and whether the response is read to its end or dropped unread.
    type Call<'a> = (&'a str, fn() -> Response<Body>, bool);

    /// The rendered metrics after some calls.
    fn metrics_after(calls: &[Call<'_>]) -> Vec<String> {
        let recorder = PrometheusBuilder::new().build_recorder();
        let clock = ManualClock::new();
        metrics::with_local_recorder(&recorder, || {
            for (path, respond, read) in calls {
                let handler_clock = clock.clone();
                let handler = TestHandler(move |_| {
                    handler_clock.advance(Duration::from_millis(3));
                    respond()
                });
                let service = MetricsLayer::new(Arc::new(clock.clone())).layer(handler);
                let call = async {
                    let response = service.oneshot(request(path)).await.unwrap();
                    if *read {
                        response.into_body().collect().await.unwrap();
                    }
                };
                futures_util::FutureExt::now_or_never(call).expect("a call that is ready at once");
            }
        });
        let text = recorder.handle().render();
        text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(str::to_owned).collect()
    }

    fn not_found() -> Response<Body> {
        Status::not_found("no").into_http()
    }

    fn message() -> Response<Body> {
        Response::new(Body::new(Full::from("message")))
    }

    #[test]
    fn requests_are_counted_by_method_and_status() {
        let get = "/parlor.v1.TableService/GetTable";
        let lines = metrics_after(&[
            (get, not_found, true),
            (get, not_found, true),
            (get, message, false),
            ("/made/up", not_found, true),
        ]);
        let has = |line: &str| assert!(lines.iter().any(|found| found == line), "{line} in {lines:#?}");
        has("parlor_requests_total{method=\"parlor.v1.TableService/GetTable\",status=\"NOT_FOUND\"} 2");
        has("parlor_requests_total{method=\"parlor.v1.TableService/GetTable\",status=\"CANCELLED\"} 1");
        has("parlor_requests_total{method=\"unknown\",status=\"NOT_FOUND\"} 1");
        has("parlor_request_seconds_count{method=\"parlor.v1.TableService/GetTable\"} 3");
        assert!(!lines.iter().any(|line| line.contains("made")), "{lines:#?}");
    }

    #[test]
    fn open_streams_are_gauged_until_they_end() {
        let follow = "/parlor.v1.PlayService/Follow";
        let lines = metrics_after(&[(follow, message, true), (follow, message, false)]);
        let open = "parlor_streams_open{method=\"parlor.v1.PlayService/Follow\"} 0";
        assert!(lines.iter().any(|line| line == open), "{lines:#?}");
        assert!(!lines.iter().any(|line| line.starts_with("parlor_request_seconds")), "{lines:#?}");

        let recorder = PrometheusBuilder::new().build_recorder();
        metrics::with_local_recorder(&recorder, || {
            let service = MetricsLayer::new(Arc::new(ManualClock::new())).layer(TestHandler(|_| message()));
            let answer = futures_util::FutureExt::now_or_never(service.oneshot(request(follow)));
            let text = recorder.handle().render();
            assert!(
                text.contains("parlor_streams_open{method=\"parlor.v1.PlayService/Follow\"} 1"),
                "{text}"
            );
            drop(answer);
        });
        assert!(recorder.handle().render().contains("Follow\"} 0"));
    }
}
