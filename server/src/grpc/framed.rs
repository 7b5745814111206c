//! Responses whose messages are framed already, and go out as they are. tonic would copy each into a buffer that every
//! stream keeps for that. So a handler answers tonic with a stream that has no messages, and the body that has them is
//! carried beside it, to be [put in its place](put_in_place) when tonic is done.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::{Stream, stream};
use hyper::body::{Body as HttpBody, Frame};
use tonic::{Response, Status, body::Body};

use super::layer::tail::{Ends, with_tail};

/// What tonic is told that a response has.
pub(super) type Nothing<M> = stream::Empty<Result<M, Status>>;

/// A response with these messages.
pub(super) fn framed<M>(
    messages: impl Stream<Item = Result<Bytes, Status>> + Send + Unpin + 'static,
) -> Response<Nothing<M>> {
    let ends = Ends::default();
    let body = with_tail(Framed { messages, is_over: false }, ends.clone());
    let mut response = Response::new(stream::empty());
    response.extensions_mut().insert(Carried { body: Arc::new(Mutex::new(Some(body))), ends });
    response
}

/// The response as it goes out.
pub fn put_in_place(mut response: http::Response<Body>) -> http::Response<Body> {
    let Some(Carried { body, ends }) = response.extensions_mut().remove() else { return response };
    let Some(body) = body.lock().unwrap_or_else(PoisonError::into_inner).take() else { return response };
    response.extensions_mut().insert(ends);
    response.map(|_| body)
}

/// The body of a response, on its way past tonic, with the tail that the layers add to. What is carried must be clonable:
/// the clones share it.
#[derive(Clone)]
struct Carried {
    body: Arc<Mutex<Option<Body>>>,
    ends: Ends,
}

/// The messages, and the trailers with the status.
struct Framed<S> {
    messages: S,
    is_over: bool,
}

impl<S: Stream<Item = Result<Bytes, Status>> + Unpin> HttpBody for Framed<S> {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let status = match ready!(Pin::new(&mut self.messages).poll_next(cx)) {
            Some(Ok(message)) => return Poll::Ready(Some(Ok(Frame::data(message)))),
            Some(Err(status)) => status,
            None => Status::ok(""),
        };
        self.is_over = true;
        let mut trailers = http::HeaderMap::new();
        status.add_header(&mut trailers)?;
        Poll::Ready(Some(Ok(Frame::trailers(trailers))))
    }

    fn is_end_stream(&self) -> bool {
        self.is_over
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;
    use tonic::Code;

    use super::*;

    async fn heard(messages: Vec<Result<Bytes, Status>>) -> (Vec<u8>, Status) {
        let (_, _, extensions) = framed::<()>(stream::iter(messages)).into_parts();
        let mut response = http::Response::new(Body::empty());
        *response.extensions_mut() = extensions;
        let response = put_in_place(response);
        assert!(response.extensions().get::<Carried>().is_none());
        let body = response.into_body().collect().await.expect("no other error than the status");
        let status = Status::from_header_map(body.trailers().expect("trailers")).expect("a status");
        (body.to_bytes().to_vec(), status)
    }

    #[tokio::test]
    async fn messages_go_out_as_they_are_and_a_status_after_them() {
        let message = || Ok(Bytes::from_static(b"message"));
        let (bytes, status) = heard(vec![message(), message()]).await;
        assert_eq!((bytes.as_slice(), status.code()), (b"messagemessage".as_slice(), Code::Ok));
        let (bytes, status) = heard(vec![message(), Err(Status::data_loss("ä")), message()]).await;
        assert_eq!((bytes.as_slice(), status.code()), (b"message".as_slice(), Code::DataLoss));
        assert_eq!(status.message(), "ä");
        let (bytes, status) = heard(Vec::new()).await;
        assert_eq!((bytes.len(), status.code()), (0, Code::Ok));
    }

    #[tokio::test]
    async fn other_responses_stay_as_they_are() {
        let response =
            put_in_place(http::Response::new(Body::new("text".to_owned().map_err(|no| match no {}))));
        assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "text");
    }
}
