//! Gives up on a call when its client does: whoever sends `grpc-timeout` hears nothing that comes later.
//!
//! tonic would answer CANCELLED when the time is over, so this layer answers a little earlier.
//!
//! The time counts until the response begins. A stream may go on for as long as its client likes.

use std::task::{Context, Poll};
use std::time::Duration;

use http::{HeaderMap, Request, Response};
use tonic::{Status, body::Body};
use tower::{Layer, Service};

use super::Answer;

/// Time by which this layer is earlier than tonic, whose timer began before.
const EARLIER: Duration = Duration::from_millis(5);

/// Gives up in time.
#[derive(Clone, Copy, Debug)]
pub struct Deadline;

impl<S> Layer<S> for Deadline {
    type Service = InTime<S>;

    fn layer(&self, inner: S) -> InTime<S> {
        InTime(inner)
    }
}

/// The service of [`Deadline`].
#[derive(Clone, Debug)]
pub struct InTime<S>(S);

impl<S> Service<Request<Body>> for InTime<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Answer<S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let within = timeout(request.headers());
        let answer = self.0.call(request);
        Box::pin(async move {
            match within {
                Some(within) => {
                    tokio::time::timeout(within.saturating_sub(EARLIER), answer).await.unwrap_or_else(|_| {
                        Ok(Status::deadline_exceeded("the client's time for this call is over").into_http())
                    })
                }
                None => answer.await,
            }
        })
    }
}

/// The time that a client has for a call: eight digits at most, and a unit. What cannot be read is no time.
fn timeout(headers: &HeaderMap) -> Option<Duration> {
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
    fn a_time_has_digits_and_a_unit() {
        let read = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("grpc-timeout", text.parse().expect("a value"));
            timeout(&headers).map(|within| within.as_nanos())
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
        assert_eq!(timeout(&HeaderMap::new()), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_is_given_up_in_time() {
        let slow = Deadline.layer(service_fn(async |_: Request<Body>| {
            tokio::time::sleep(Duration::from_secs(2)).await;
            Ok::<_, Infallible>(Status::ok("").into_http())
        }));
        for (within, code) in [(None, Code::Ok), (Some("3S"), Code::Ok), (Some("1S"), Code::DeadlineExceeded)]
        {
            let mut request = request("/parlor.v1.CatalogueService/ListGames");
            if let Some(within) = within {
                request.headers_mut().insert("grpc-timeout", within.parse().expect("a value"));
            }
            let response = slow.clone().oneshot(request).await.expect("no error");
            assert_eq!(status(&response).expect("a status").code(), code, "{within:?}");
        }
    }
}
