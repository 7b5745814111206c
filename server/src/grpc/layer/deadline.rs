//! Call deadlines: a call with `grpc-timeout` fails with DEADLINE_EXCEEDED when the time is over.
//!
//! tonic would answer CANCELLED at the deadline, so this layer answers slightly earlier.
//!
//! The deadline applies until the response begins; the length of a response stream is unlimited.

use std::task::{Context, Poll};
use std::time::Duration;

use http::{HeaderMap, Request, Response};
use tonic::{Status, body::Body};
use tower::{Layer, Service};

use super::LayerFuture;

/// Margin by which this layer's timer ends before tonic's, which starts earlier.
const TIMER_MARGIN: Duration = Duration::from_millis(5);

/// Enforces the deadline of `grpc-timeout`.
#[derive(Clone, Copy, Debug)]
pub struct DeadlineLayer;

impl<S> Layer<S> for DeadlineLayer {
    type Service = DeadlineService<S>;

    fn layer(&self, inner: S) -> DeadlineService<S> {
        DeadlineService(inner)
    }
}

/// The service of [`DeadlineLayer`].
#[derive(Clone, Debug)]
pub struct DeadlineService<S>(S);

impl<S> Service<Request<Body>> for DeadlineService<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = LayerFuture<S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let timeout = parse_timeout(request.headers());
        let response = self.0.call(request);
        Box::pin(async move {
            match timeout {
                Some(timeout) => {
                    let limited = tokio::time::timeout(timeout.saturating_sub(TIMER_MARGIN), response);
                    limited.await.unwrap_or_else(|_| {
                        Ok(Status::deadline_exceeded("the client's time for this call is over").into_http())
                    })
                }
                None => response.await,
            }
        })
    }
}

/// Parses `grpc-timeout`: up to eight digits and a unit. An invalid value counts as no timeout.
fn parse_timeout(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("grpc-timeout")?.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.len() > 8 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(count * 60 * 60),
        "M" => Duration::from_secs(count * 60),
        "S" => Duration::from_secs(count),
        "m" => Duration::from_millis(count),
        "u" => Duration::from_micros(count),
        "n" => Duration::from_nanos(count),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use tonic::Code;
    use tower::{ServiceExt, service_fn};

    use super::super::tests::{request, status};
    use super::*;

    #[test]
    fn grpc_timeout_has_digits_and_a_unit() {
        let read = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("grpc-timeout", text.parse().expect("a header value"));
            parse_timeout(&headers).map(|timeout| timeout.as_nanos())
        };
        for (text, nanos) in [
            ("1H", 3_600_000_000_000),
            ("2M", 120_000_000_000),
            ("3S", 3_000_000_000),
            ("4m", 4_000_000),
            ("5u", 5_000),
            ("99999999n", 99_999_999),
            ("0S", 0),
        ] {
            assert_eq!(read(text), Some(nanos), "{text}");
        }
        for text in ["", "S", "1", "1h", "+1S", "-1S", "1 S", "1.5S", "100000000S", "ä"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(parse_timeout(&HeaderMap::new()), None);
    }

    #[tokio::test(start_paused = true)]
    async fn call_fails_with_deadline_exceeded_after_its_timeout() {
        let slow = DeadlineLayer.layer(service_fn(async |_: Request<Body>| {
            tokio::time::sleep(Duration::from_secs(2)).await;
            Ok::<_, Infallible>(Status::ok("").into_http())
        }));
        for (timeout, code) in
            [(None, Code::Ok), (Some("3S"), Code::Ok), (Some("1S"), Code::DeadlineExceeded)]
        {
            let mut request = request("/parlor.v1.CatalogueService/ListGames");
            if let Some(timeout) = timeout {
                request.headers_mut().insert("grpc-timeout", timeout.parse().expect("a header value"));
            }
            let response = slow.clone().oneshot(request).await.expect("no error");
            assert_eq!(status(&response).expect("a status").code(), code, "{timeout:?}");
        }
    }
}
