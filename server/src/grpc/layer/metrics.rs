//! Counts requests by method and status, how long calls take, and the streams that are open.

use std::{
    sync::Arc,
    task::{Context, Poll},
};

use http::{Request, Response};
use metrics::{counter, gauge, histogram};
use tonic::{Code, body::Body};
use tower::{Layer, Service};

use super::{Answer, on_complete};
use crate::{grpc::Method, telemetry::metric_names};
use parlor_host::clock::{Clock, Moment};

/// Counts every request.
#[derive(Clone, Debug)]
pub struct Meter(Arc<dyn Clock>);

impl Meter {
    /// Calls are timed by this clock.
    #[must_use]
    pub const fn new(clock: Arc<dyn Clock>) -> Meter {
        Meter(clock)
    }
}

impl<S> Layer<S> for Meter {
    type Service = Metering<S>;

    fn layer(&self, inner: S) -> Metering<S> {
        Metering { inner, clock: self.0.clone() }
    }
}

/// The service of [`Meter`].
#[derive(Clone, Debug)]
pub struct Metering<S> {
    inner: S,
    clock: Arc<dyn Clock>,
}

impl<S> Service<Request<Body>> for Metering<S>
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
        let method = Method::of_path(request.uri().path());
        // Made first and dropped whatever happens: a client that goes away before there is a response is counted too.
        let metered = Metered { method, clock: self.clock.clone(), begun: self.clock.now(), code: None };
        metered.begin();
        let answer = self.inner.call(request);
        Box::pin(async move {
            let response = answer.await?;
            Ok(on_complete::at_end(response, move |code| metered.end(code)))
        })
    }
}

/// A request that is under way.
struct Metered {
    method: Method,
    clock: Arc<dyn Clock>,
    begun: Moment,
    code: Option<Code>,
}

impl Metered {
    fn begin(&self) {
        if self.method.streams {
            gauge!(metric_names::STREAMS_OPEN, "method" => self.method.name).increment(1);
        }
    }

    fn end(mut self, code: Code) {
        self.code = Some(code);
    }
}

impl Drop for Metered {
    fn drop(&mut self) {
        let method = self.method.name;
        let status = status_name(self.code.unwrap_or(Code::Cancelled));
        counter!(metric_names::REQUESTS, "method" => method, "status" => status).increment(1);
        if self.method.streams {
            gauge!(metric_names::STREAMS_OPEN, "method" => method).decrement(1);
        } else {
            let taken = self.clock.now().since(self.begun);
            histogram!(metric_names::REQUEST_SECONDS, "method" => method).record(taken.as_secs_f64());
        }
    }
}

/// A status as the documentation of gRPC writes it.
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

    use super::super::tests::{Echo, request};
    use super::*;
    use parlor_host::clock::ManualClock;

    /// The path of a call, its answer, and whether that is read to its end or not at all.
    type Call<'a> = (&'a str, fn() -> Response<Body>, bool);

    /// The metrics after some calls.
    fn metrics_after(calls: &[Call<'_>]) -> Vec<String> {
        let recorder = PrometheusBuilder::new().build_recorder();
        let clock = ManualClock::new();
        metrics::with_local_recorder(&recorder, || {
            for (path, answer, read) in calls {
                let moving = clock.clone();
                let handler = Echo(move |_| {
                    moving.advance(Duration::from_millis(3));
                    answer()
                });
                let service = Meter::new(Arc::new(clock.clone())).layer(handler);
                let answer = async {
                    let response = service.oneshot(request(path)).await.unwrap();
                    if *read {
                        response.into_body().collect().await.unwrap();
                    }
                };
                futures_util::FutureExt::now_or_never(answer).expect("nothing waits");
            }
        });
        let text = recorder.handle().render();
        text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(str::to_owned).collect()
    }

    fn no() -> Response<Body> {
        Status::not_found("no").into_http()
    }

    fn message() -> Response<Body> {
        Response::new(Body::new(Full::from("message")))
    }

    #[test]
    fn requests_are_counted_by_method_and_status() {
        let get = "/parlor.v1.TableService/GetTable";
        let lines =
            metrics_after(&[(get, no, true), (get, no, true), (get, message, false), ("/made/up", no, true)]);
        let has = |line: &str| assert!(lines.iter().any(|found| found == line), "{line} in {lines:#?}");
        has("parlor_requests_total{method=\"parlor.v1.TableService/GetTable\",status=\"NOT_FOUND\"} 2");
        has("parlor_requests_total{method=\"parlor.v1.TableService/GetTable\",status=\"CANCELLED\"} 1");
        has("parlor_requests_total{method=\"unknown\",status=\"NOT_FOUND\"} 1");
        has("parlor_request_seconds_count{method=\"parlor.v1.TableService/GetTable\"} 3");
        assert!(!lines.iter().any(|line| line.contains("made")), "{lines:#?}");
    }

    #[test]
    fn streams_are_open_until_they_end() {
        let follow = "/parlor.v1.PlayService/Follow";
        let lines = metrics_after(&[(follow, message, true), (follow, message, false)]);
        let open = "parlor_streams_open{method=\"parlor.v1.PlayService/Follow\"} 0";
        assert!(lines.iter().any(|line| line == open), "{lines:#?}");
        assert!(!lines.iter().any(|line| line.starts_with("parlor_request_seconds")), "{lines:#?}");

        let recorder = PrometheusBuilder::new().build_recorder();
        metrics::with_local_recorder(&recorder, || {
            let service = Meter::new(Arc::new(ManualClock::new())).layer(Echo(|_| message()));
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
