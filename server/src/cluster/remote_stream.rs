//! One carried stream: a call of Play to another node, on behalf of one client stream.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use parlor_proto::v1;
use prost::Message;
use tonic::{Status, body::Body};

use super::first_message::{PREFIX, message_length};

/// The number of `PlayRequest.items`.
const ITEMS: u32 = 1;
/// Maximum bytes of a request message, except for one larger item. The bound of the receiver is higher.
const MAX_MESSAGE: usize = 16 * 1024;
/// Maximum items of a request message, as of a client's.
const MAX_ITEMS: usize = 512;
/// Bytes that may wait for the link. What comes then waits at the client.
const MAX_WAITING: usize = 128 * 1024;
/// Maximum bytes of a response message: a batch, or one larger item.
const MAX_RESPONSE: usize = 32 << 20;

/// Requests that wait for the link: everything that is ready goes into one message.
#[derive(Debug, Default)]
pub(super) struct Requests(Mutex<WaitingRequests>);

#[derive(Debug, Default)]
struct WaitingRequests {
    messages: VecDeque<WaitingMessage>,
    bytes: usize,
    reader: Option<Waker>,
    /// The stream is given up.
    is_closed: bool,
}

#[derive(Debug, Default)]
struct WaitingMessage {
    bytes: Vec<u8>,
    items: usize,
}

impl Requests {
    fn lock(&self) -> MutexGuard<'_, WaitingRequests> {
        // A panic cannot leave the queue half updated.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if a client may say more.
    pub(super) fn has_room(&self) -> bool {
        self.lock().bytes < MAX_WAITING
    }

    /// Gives the stream up: the other node sees it as broken, and detaches its channels.
    pub(super) fn close(&self) {
        let mut waiting = self.lock();
        waiting.is_closed = true;
        if let Some(reader) = waiting.reader.take() {
            drop(waiting);
            reader.wake();
        }
    }

    /// Queues an item.
    pub(super) fn push(&self, item: &v1::PlayRequestItem) {
        let mut waiting = self.lock();
        let length = item.encoded_len();
        let is_full =
            |last: &WaitingMessage| last.items >= MAX_ITEMS || last.bytes.len() + length > MAX_MESSAGE;
        if waiting.messages.back().is_none_or(is_full) {
            waiting.messages.push_back(WaitingMessage { bytes: vec![0; PREFIX], items: 0 });
        }
        if let Some(last) = waiting.messages.back_mut() {
            let before = last.bytes.len();
            prost::encoding::message::encode(ITEMS, item, &mut last.bytes);
            last.items += 1;
            waiting.bytes += waiting.messages.back().map_or(0, |last| last.bytes.len()) - before;
        }
        if let Some(reader) = waiting.reader.take() {
            drop(waiting);
            reader.wake();
        }
    }
}

/// The request body of a carried stream. It never ends, and breaks when the stream is given up.
pub(super) struct RequestBody {
    pub(super) requests: Arc<Requests>,
    /// Told of room.
    pub(super) drained: Arc<tokio::sync::Notify>,
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let mut waiting = self.requests.lock();
        if waiting.is_closed {
            return Poll::Ready(Some(Err(Status::cancelled("the client is gone"))));
        }
        let Some(WaitingMessage { mut bytes, .. }) = waiting.messages.pop_front() else {
            waiting.reader = Some(cx.waker().clone());
            return Poll::Pending;
        };
        let was_full = waiting.bytes >= MAX_WAITING;
        waiting.bytes -= bytes.len() - PREFIX;
        let has_room = waiting.bytes < MAX_WAITING;
        drop(waiting);
        if was_full && has_room {
            self.drained.notify_waiters();
        }
        let length = (bytes.len() - PREFIX) as u32;
        (&mut bytes[1..PREFIX]).put_u32(length);
        Poll::Ready(Some(Ok(Frame::data(Bytes::from(bytes)))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

/// Reads the response messages of a carried stream.
pub(super) struct Responses {
    body: Body,
    read: BytesMut,
}

impl Responses {
    pub(super) fn new(body: Body) -> Responses {
        Responses { body, read: BytesMut::new() }
    }

    /// The next message; `None` when the stream has ended, however it did. Cancel safe.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(length) = message_length(&self.read) {
                if length > MAX_RESPONSE {
                    tracing::warn!(length, "a message of another node is too large");
                    return None;
                }
                if length <= self.read.len() {
                    let mut message = self.read.split_to(length);
                    message.advance(PREFIX);
                    return Some(message.freeze());
                }
            }
            match self.body.frame().await? {
                Ok(frame) => {
                    if let Ok(data) = frame.into_data() {
                        self.read.extend_from_slice(&data);
                    }
                }
                Err(error) => {
                    tracing::debug!(%error, "a carried stream was cut off");
                    return None;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(channel: u32) -> v1::PlayRequestItem {
        let answer = v1::Answer { decision_id: channel, ..Default::default() };
        v1::PlayRequestItem { channel, item: Some(v1::play_request_item::Item::Answer(answer)) }
    }

    #[tokio::test]
    async fn waiting_requests_are_bounded_and_go_into_few_messages() {
        let (requests, drained) = (Arc::new(Requests::default()), Arc::new(tokio::sync::Notify::new()));
        let mut sent = 0;
        while requests.has_room() {
            sent += 1;
            requests.push(&answer(sent));
        }
        assert!(sent > MAX_ITEMS as u32);
        let body = Body::new(RequestBody { requests: requests.clone(), drained: drained.clone() });
        let room = drained.notified();
        let (mut responses, mut received) = (Responses::new(body), 0);
        while received < sent {
            let message = responses.next().await.expect("a message");
            let request = v1::PlayRequest::decode(message).expect("a request");
            assert!(request.items.len() <= MAX_ITEMS);
            for item in request.items {
                received += 1;
                assert_eq!(item, answer(received));
            }
        }
        room.await;
        assert!(requests.has_room());
    }
}
