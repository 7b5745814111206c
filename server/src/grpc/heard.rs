//! Messages that a client sends over a stream, taken from the body of its request. tonic would copy each into a buffer that
//! every stream keeps for that. So tonic is given a request without messages, and the body with them is carried beside it.

use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use hyper::body::Body as HttpBody;
use parlor_proto::frame::HEAD;
use parlor_proto::v1::agent_service_server::AgentServiceServer;
use parlor_proto::v1::play_service_server::PlayServiceServer;
use prost::Message;
use tonic::server::NamedService;
use tonic::{Code, Request, Status, Streaming, body::Body};

use super::{Agents, Failure, Play};

/// Whether the messages of a call with this path are [heard](Heard), and not left to tonic.
pub(super) fn is_heard(path: &str) -> bool {
    let name = path.strip_prefix('/').and_then(|path| path.split_once('/'));
    name == Some((PlayServiceServer::<Play>::NAME, "Play"))
        || name == Some((AgentServiceServer::<Agents>::NAME, "Connect"))
}

/// The request as tonic is given it. Its messages, of at most so many bytes each, are carried beside it.
pub(super) fn carry(request: http::Request<Body>, most: u64) -> http::Request<Body> {
    let (mut parts, body) = request.into_parts();
    parts.extensions.insert(Carried { body: Arc::new(Mutex::new(Some(body))), most });
    http::Request::from_parts(parts, Body::empty())
}

/// The body of a request, on its way past tonic. What is carried must be clonable: the clones share it.
#[derive(Clone)]
struct Carried {
    body: Arc<Mutex<Option<Body>>>,
    most: u64,
}

/// The messages of a client.
pub(super) struct Heard<M> {
    body: Body,
    most: u64,
    /// What has come and is not read yet: messages, each after its head, and the beginning of one.
    bytes: Bytes,
    _message: PhantomData<fn() -> M>,
}

impl<M: Message + Default> Heard<M> {
    /// What the client sends with this request.
    pub(super) fn of(mut request: Request<Streaming<M>>) -> Result<Heard<M>, Status> {
        let carried = request.extensions_mut().remove::<Carried>();
        let taken = carried.and_then(|Carried { body, most }| {
            Some((body.lock().unwrap_or_else(PoisonError::into_inner).take()?, most))
        });
        let (body, most) = taken.ok_or_else(|| Status::internal("the request has lost its body"))?;
        Ok(Heard::new(body, most))
    }

    fn new(body: Body, most: u64) -> Heard<M> {
        Heard { body, most, bytes: Bytes::new(), _message: PhantomData }
    }

    /// The next message; nothing when the client has said all, or has gone.
    pub(super) async fn message(&mut self) -> Result<Option<M>, Status> {
        poll_fn(|cx| self.poll_message(cx)).await
    }

    /// The same, to be polled.
    pub(super) fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<M>, Status>> {
        loop {
            if let Some(message) = self.next_message()? {
                return Poll::Ready(Ok(Some(message)));
            }
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => {
                    if let Ok(bytes) = frame.into_data() {
                        self.add(bytes);
                    }
                }
                Some(Err(status)) if status.code() == Code::Cancelled => return Poll::Ready(Ok(None)),
                Some(Err(status)) => return Poll::Ready(Err(status)),
                None if self.bytes.is_empty() => return Poll::Ready(Ok(None)),
                None => return Poll::Ready(Err(Status::internal("the stream ends within a message"))),
            }
        }
    }

    fn add(&mut self, bytes: Bytes) {
        if self.bytes.is_empty() {
            self.bytes = bytes;
        } else {
            // Only what is shared is copied for that, which is what came first.
            let mut all = BytesMut::from(std::mem::take(&mut self.bytes));
            all.extend_from_slice(&bytes);
            self.bytes = all.freeze();
        }
    }

    /// The next message, if all of it is there. One that is too large is refused as soon as its length is.
    fn next_message(&mut self) -> Result<Option<M>, Status> {
        let Some((head, rest)) = self.bytes.split_first_chunk::<HEAD>() else { return Ok(None) };
        let [flag, length @ ..] = *head;
        let length = u32::from_be_bytes(length);
        if u64::from(length) > self.most {
            return Err(Failure::MessageTooLarge { bytes: length.into(), most: self.most }.into());
        }
        if flag != 0 {
            return Err(Status::internal("the message is compressed, and the call does not say how"));
        }
        if rest.len() < length as usize {
            return Ok(None);
        }
        self.bytes.advance(HEAD);
        let message = self.bytes.split_to(length as usize);
        M::decode(message).map(Some).map_err(|error| Status::internal(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use http_body_util::StreamBody;
    use hyper::body::Frame;
    use parlor_proto::v1;
    use proptest::prelude::*;

    use super::*;

    const MOST: usize = 40;

    fn request(bytes: usize) -> v1::GetTableRequest {
        v1::GetTableRequest { table_id: "x".repeat(bytes.saturating_sub(2)), ..Default::default() }
    }

    fn framed(flag: u8, message: &[u8]) -> Vec<u8> {
        [&[flag], (message.len() as u32).to_be_bytes().as_slice(), message].concat()
    }

    /// All messages that are heard, and what ends them, if the body comes in parts of this size and ends so.
    async fn hear(
        bytes: &[u8],
        part: usize,
        end: Option<Status>,
    ) -> (Vec<v1::GetTableRequest>, Option<Status>) {
        let parts = bytes.chunks(part).map(|part| Ok(Frame::data(Bytes::copy_from_slice(part))));
        let frames: Vec<Result<_, Status>> = parts.chain(end.map(Err)).collect();
        let mut heard = Heard::new(Body::new(StreamBody::new(stream::iter(frames))), MOST as u64);
        let mut messages = Vec::new();
        loop {
            match heard.message().await {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => return (messages, None),
                Err(status) => return (messages, Some(status)),
            }
        }
    }

    fn hear_now(
        bytes: &[u8],
        part: usize,
        end: Option<Status>,
    ) -> (Vec<v1::GetTableRequest>, Option<Status>) {
        futures_util::FutureExt::now_or_never(hear(bytes, part, end)).expect("nothing to wait for")
    }

    proptest! {
        /// However the bytes are cut, the messages are those that were sent, up to the first that is too large.
        #[test]
        fn messages_are_as_they_were_sent(
            sizes in prop::collection::vec(prop_oneof![Just(0), 3..=MOST, MOST + 1..60], 0..8),
            part in 1..100_usize,
        ) {
            let sent: Vec<_> = sizes.iter().map(|size| request(*size)).collect();
            let bytes: Vec<u8> = sent.iter().flat_map(|sent| framed(0, &sent.encode_to_vec())).collect();
            let (heard, broken) = hear_now(&bytes, part, None);
            let good = sizes.iter().take_while(|size| **size <= MOST).count();
            prop_assert_eq!(&heard, &sent[..good]);
            let too_large = sizes.get(good).map(|bytes| {
                Status::from(Failure::MessageTooLarge { bytes: *bytes as u64, most: MOST as u64 })
            });
            prop_assert_eq!(
                broken.map(|status| (status.code(), status.message().to_owned())),
                too_large.map(|status| (status.code(), status.message().to_owned()))
            );
        }
    }

    #[test]
    fn a_length_alone_is_enough_to_refuse() {
        let (heard, broken) = hear_now(&[0, 0xff, 0xff, 0xff, 0xff], 5, None);
        assert!(heard.is_empty());
        assert_eq!(broken.expect("a refusal").code(), Code::ResourceExhausted);
    }

    #[test]
    fn what_is_no_message_breaks_the_stream() {
        let message = request(10).encode_to_vec();
        let whole = framed(0, &message);
        for bad in [framed(1, &message), framed(7, &message), framed(0, &[0xff; 10]), whole[..12].to_vec()] {
            let (heard, broken) = hear_now(&[whole.clone(), bad].concat(), 9, None);
            assert_eq!((heard.len(), broken.map(|status| status.code())), (1, Some(Code::Internal)));
        }
    }

    #[test]
    fn a_client_that_goes_has_said_all_and_another_end_is_told() {
        let bytes = framed(0, &request(10).encode_to_vec());
        for (end, told) in [
            (None, None),
            (Some(Status::cancelled("gone")), None),
            (Some(Status::unknown("cut")), Some(Code::Unknown)),
        ] {
            let (heard, broken) = hear_now(&bytes, 100, end);
            assert_eq!((heard.len(), broken.map(|status| status.code())), (1, told));
        }
    }

    #[test]
    fn streams_of_clients_are_heard_and_nothing_else() {
        let set = prost_types::FileDescriptorSet::decode(parlor_proto::FILE_DESCRIPTOR_SET).expect("a set");
        for service in set.file.iter().flat_map(|file| &file.service) {
            for method in &service.method {
                let path = format!("/parlor.v1.{}/{}", service.name(), method.name());
                assert_eq!(is_heard(&path), method.client_streaming(), "{path}");
            }
        }
        for path in ["", "/", "parlor.v1.PlayService/Play", "/parlor.v1.PlayService", "//Play"] {
            assert!(!is_heard(path), "{path}");
        }
    }
}
