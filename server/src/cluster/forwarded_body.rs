//! The response body of a forwarded call: frames pass as they are, and what ends it before its time becomes a status.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::HeaderMap;
use hyper::body::{Body as HttpBody, Frame, Incoming};
use parlor_host::HostError;
use tokio_util::sync::{CancellationToken, DropGuard, WaitForCancellationFutureOwned};
use tonic::{Status, body::Body};

use crate::grpc::Failure;
use crate::identity::{ApiKeyError, Caller};

/// The future of the end of the caller's rights.
type Revoked = Pin<Box<dyn Future<Output = ApiKeyError> + Send>>;

/// The body of a response that comes over a link.
pub(super) struct ForwardedBody {
    body: Incoming,
    /// Breaks the request of a client stream, which may last longer than its response.
    _request: Option<DropGuard>,
    /// Set for responses that last.
    revoked: Option<Revoked>,
    is_ended: bool,
}

impl ForwardedBody {
    /// The body for a client. If the response lasts, it ends when `caller` loses its rights.
    pub(super) fn wrap(body: Incoming, request: Option<DropGuard>, caller: Option<Caller>) -> Body {
        let revoked = caller.map(|caller| Box::pin(caller.revoked()) as Revoked);
        Body::new(ForwardedBody { body, _request: request, revoked, is_ended: false })
    }

    fn end_with(&mut self, status: &Status) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        self.is_ended = true;
        Poll::Ready(Some(Ok(Frame::trailers(trailers(status)))))
    }
}

/// The trailers of a response that ends with a status.
pub(super) fn trailers(status: &Status) -> HeaderMap {
    let mut trailers = HeaderMap::new();
    // Statuses are made here, of valid characters.
    let _ = status.add_header(&mut trailers);
    trailers
}

impl HttpBody for ForwardedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if self.is_ended {
            return Poll::Ready(None);
        }
        if let Some(revoked) = &mut self.revoked
            && let Poll::Ready(why) = revoked.as_mut().poll(cx)
        {
            return self.end_with(&Failure::from(why).into());
        }
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(Some(Err(error))) => {
                tracing::debug!(%error, "a forwarded response was cut off");
                self.end_with(&Failure::from(HostError::Stopping).into())
            }
            Poll::Ready(Some(Ok(frame))) => Poll::Ready(Some(Ok(frame))),
            Poll::Ready(None) => {
                self.is_ended = true;
                Poll::Ready(None)
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

/// The request body of a client stream: it breaks when the response is dropped.
pub(super) struct ClientStreamBody {
    body: Body,
    ended: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl ClientStreamBody {
    /// The body, until the guard is dropped.
    pub(super) fn wrap(body: Body) -> (Body, DropGuard) {
        let token = CancellationToken::new();
        let ended = Box::pin(token.clone().cancelled_owned());
        (Body::new(ClientStreamBody { body, ended }), token.drop_guard())
    }
}

impl HttpBody for ClientStreamBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if self.ended.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Some(Err(Status::cancelled("the response has ended"))));
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }
}
