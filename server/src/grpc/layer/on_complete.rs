//! Responses whose end is noticed: a gRPC call is over when its trailers are sent, which may be hours after the response
//! began.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{HeaderMap, Response};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tonic::{Code, Status, body::Body};

/// Calls `end` once, with the status of the call, as soon as that is known. A response that nobody reads to its end was
/// cancelled.
pub(super) fn at_end(
    mut response: Response<Body>,
    end: impl FnOnce(Code) + Send + 'static,
) -> Response<Body> {
    // A response without messages has the status in its headers.
    if let Some(code) = code(response.headers()) {
        end(code);
        return response;
    }
    // The layers share one tail: each that is put around a body costs every message of the stream.
    if let Some(ends) = response.extensions().get::<Ends>() {
        ends.add(Box::new(end));
        return response;
    }
    let ends = Ends::default();
    ends.add(Box::new(end));
    response.extensions_mut().insert(ends.clone());
    // An empty body is dropped at once: that says the same.
    response.map(|body| with_tail(body, ends))
}

/// A body whose end is noticed. Its response has the same ends among its extensions, to be found by every layer.
pub(in crate::grpc) fn with_tail<B>(body: B, ends: Ends) -> Body
where
    B: HttpBody<Data = Bytes, Error = Status> + Send + Unpin + 'static,
{
    Body::new(Tail { body, ends: Some(ends) })
}

/// Keeps something for as long as the response lasts.
pub(super) fn keep<T: Send + 'static>(response: Response<Body>, kept: T) -> Response<Body> {
    at_end(response, move |_| drop(kept))
}

fn code(headers: &HeaderMap) -> Option<Code> {
    Some(Code::from_bytes(headers.get(Status::GRPC_STATUS)?.as_bytes()))
}

type End = Box<dyn FnOnce(Code) + Send>;

/// What is called at the end, in order.
#[derive(Clone, Default)]
pub(in crate::grpc) struct Ends(Arc<Mutex<Vec<End>>>);

impl Ends {
    fn add(&self, end: End) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(end);
    }

    fn call(&self, code: Code) {
        let ends = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        ends.into_iter().for_each(|end| end(code));
    }
}

struct Tail<B> {
    body: B,
    ends: Option<Ends>,
}

impl<B> Tail<B> {
    fn ended(&mut self, code: Code) {
        if let Some(ends) = self.ends.take() {
            ends.call(code);
        }
    }
}

impl<B: HttpBody<Data = Bytes, Error = Status> + Unpin> HttpBody for Tail<B> {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(code) = frame.trailers_ref().and_then(code) {
                    self.ended(code);
                }
            }
            Poll::Ready(Some(Err(status))) => self.ended(status.code()),
            // Without trailers there is no status.
            Poll::Ready(None) => self.ended(Code::Unknown),
            Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> Drop for Tail<B> {
    fn drop(&mut self) {
        self.ended(Code::Cancelled);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, sync_channel};

    use futures_util::stream;
    use http_body_util::{BodyExt, StreamBody};

    use super::*;

    fn watched(response: Response<Body>) -> (Response<Body>, Receiver<Code>) {
        let (said, heard) = sync_channel(4);
        (at_end(response, move |code| said.send(code).unwrap()), heard)
    }

    fn streamed(frames: Vec<Result<Frame<Bytes>, Status>>) -> Response<Body> {
        Response::new(Body::new(StreamBody::new(stream::iter(frames))))
    }

    fn data() -> Result<Frame<Bytes>, Status> {
        Ok(Frame::data(Bytes::from_static(b"message")))
    }

    fn trailers(code: Code) -> Result<Frame<Bytes>, Status> {
        let mut headers = HeaderMap::new();
        headers.insert(Status::GRPC_STATUS, (code as i32).into());
        Ok(Frame::trailers(headers))
    }

    #[test]
    fn a_response_of_headers_alone_has_ended() {
        let (_, heard) = watched(Status::not_found("no").into_http());
        assert_eq!(heard.try_recv(), Ok(Code::NotFound));
    }

    #[tokio::test]
    async fn trailers_are_the_end() {
        for code in [Code::Ok, Code::Internal] {
            let (response, heard) = watched(streamed(vec![data(), data(), trailers(code)]));
            let mut body = response.into_body();
            assert!(body.frame().await.unwrap().unwrap().is_data());
            assert!(heard.try_recv().is_err(), "not yet");
            let rest = body.collect().await.unwrap();
            assert!(rest.trailers().is_some(), "the frames are passed on");
            assert_eq!(heard.iter().collect::<Vec<_>>(), [code], "once");
        }
    }

    #[tokio::test]
    async fn whoever_goes_away_has_cancelled() {
        let (response, heard) = watched(streamed(vec![data(), trailers(Code::Ok)]));
        drop(response);
        assert_eq!(heard.iter().collect::<Vec<_>>(), [Code::Cancelled]);
        let (response, heard) = watched(streamed(vec![data(), Err(Status::data_loss("gone"))]));
        assert!(response.into_body().collect().await.is_err());
        assert_eq!(heard.iter().collect::<Vec<_>>(), [Code::DataLoss]);
    }

    #[tokio::test]
    async fn what_is_kept_is_kept_to_the_end() {
        let kept = std::sync::Arc::new(());
        let response = keep(streamed(vec![data(), trailers(Code::Ok)]), kept.clone());
        let mut body = response.into_body();
        body.frame().await.unwrap().unwrap();
        assert_eq!(std::sync::Arc::strong_count(&kept), 2);
        body.frame().await.unwrap().unwrap();
        assert_eq!(std::sync::Arc::strong_count(&kept), 1);
    }
}
