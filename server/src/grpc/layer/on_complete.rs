//! Completion callbacks of responses. A gRPC call is complete when its trailers are sent, which for a stream
//! may be hours after the response began.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{HeaderMap, Response};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tonic::{Code, Status, body::Body};

/// Calls `callback` once with the status of the call, as soon as it is known. The status of a response that
/// is dropped before its end is CANCELLED.
pub(super) fn on_complete(
    mut response: Response<Body>,
    callback: impl FnOnce(Code) + Send + 'static,
) -> Response<Body> {
    // A response without messages has the status in its headers.
    if let Some(code) = status_code(response.headers()) {
        callback(code);
        return response;
    }
    // All layers share one body wrapper, found in the extensions: each wrapper costs time for every message.
    if let Some(callbacks) = response.extensions().get::<Callbacks>() {
        callbacks.add(Box::new(callback));
        return response;
    }
    let callbacks = Callbacks::default();
    callbacks.add(Box::new(callback));
    response.extensions_mut().insert(callbacks.clone());
    // An empty body is dropped at once, which calls back too.
    response.map(|body| Body::new(ObservedBody { body, callbacks: Some(callbacks) }))
}

/// Holds a value until the response is complete, then drops it.
pub(super) fn hold_until_complete<T: Send + 'static>(response: Response<Body>, value: T) -> Response<Body> {
    on_complete(response, move |_| drop(value))
}

fn status_code(headers: &HeaderMap) -> Option<Code> {
    Some(Code::from_bytes(headers.get(Status::GRPC_STATUS)?.as_bytes()))
}

type Callback = Box<dyn FnOnce(Code) + Send>;

/// Completion callbacks of one response, in the order of their calls.
#[derive(Clone, Default)]
struct Callbacks(Arc<Mutex<Vec<Callback>>>);

impl Callbacks {
    fn add(&self, callback: Callback) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(callback);
    }

    fn call(&self, code: Code) {
        let callbacks = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        callbacks.into_iter().for_each(|callback| callback(code));
    }
}

/// A body that calls back at its end, or when it is dropped.
struct ObservedBody {
    body: Body,
    /// `None` after the calls.
    callbacks: Option<Callbacks>,
}

impl ObservedBody {
    fn complete(&mut self, code: Code) {
        if let Some(callbacks) = self.callbacks.take() {
            callbacks.call(code);
        }
    }
}

impl HttpBody for ObservedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(code) = frame.trailers_ref().and_then(status_code) {
                    self.complete(code);
                }
            }
            Poll::Ready(Some(Err(status))) => self.complete(status.code()),
            // The status is in the trailers, and these are missing.
            Poll::Ready(None) => self.complete(Code::Unknown),
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

impl Drop for ObservedBody {
    fn drop(&mut self) {
        self.complete(Code::Cancelled);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, sync_channel};

    use futures_util::stream;
    use http_body_util::{BodyExt, StreamBody};

    use super::*;

    fn observe(response: Response<Body>) -> (Response<Body>, Receiver<Code>) {
        let (sender, codes) = sync_channel(4);
        (on_complete(response, move |code| sender.send(code).unwrap()), codes)
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
    fn response_with_status_in_its_headers_is_complete() {
        let (_, codes) = observe(Status::not_found("no").into_http());
        assert_eq!(codes.try_recv(), Ok(Code::NotFound));
    }

    #[tokio::test]
    async fn trailers_complete_the_response() {
        for code in [Code::Ok, Code::Internal] {
            let (response, codes) = observe(streamed(vec![data(), data(), trailers(code)]));
            let mut body = response.into_body();
            assert!(body.frame().await.unwrap().unwrap().is_data());
            assert!(codes.try_recv().is_err(), "not yet");
            let rest = body.collect().await.unwrap();
            assert!(rest.trailers().is_some(), "frames are passed through");
            assert_eq!(codes.iter().collect::<Vec<_>>(), [code], "once");
        }
    }

    #[tokio::test]
    async fn dropped_response_is_cancelled_and_failed_body_has_its_status() {
        let (response, codes) = observe(streamed(vec![data(), trailers(Code::Ok)]));
        drop(response);
        assert_eq!(codes.iter().collect::<Vec<_>>(), [Code::Cancelled]);
        let (response, codes) = observe(streamed(vec![data(), Err(Status::data_loss("gone"))]));
        assert!(response.into_body().collect().await.is_err());
        assert_eq!(codes.iter().collect::<Vec<_>>(), [Code::DataLoss]);
    }

    #[tokio::test]
    async fn held_value_is_dropped_with_the_trailers() {
        let value = Arc::new(());
        let response = hold_until_complete(streamed(vec![data(), trailers(Code::Ok)]), value.clone());
        let mut body = response.into_body();
        body.frame().await.unwrap().unwrap();
        assert_eq!(Arc::strong_count(&value), 2);
        body.frame().await.unwrap().unwrap();
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
