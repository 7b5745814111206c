//! What a client is told over a stream: messages that the host has put together, and the end.

use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use parlor_proto::codec::EncodedMessage;
use parlor_proto::v1;
use tokio::task::JoinHandle;
use tonic::Status;

use crate::grpc::convert;
use parlor_host::agents::Suspension;
use parlor_host::{HostError, OutboundBatch, StreamReceiver};

/// All that is said to a client, in messages of this kind, as they go over the wire. The task that listens to the client
/// ends with it.
#[derive(Debug)]
pub(super) struct ResponseStream<M> {
    outbox: StreamReceiver,
    inbound: InboundTask,
    ended: bool,
    _message: PhantomData<fn() -> M>,
}

/// The task that listens to the client. It ends with the stream; if it ends before, it says what the client has broken.
#[derive(Debug)]
pub(super) struct InboundTask(pub(super) JoinHandle<Option<Status>>);

impl Drop for InboundTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl<M> ResponseStream<M> {
    pub(super) fn new(outbox: StreamReceiver, inbound: InboundTask) -> ResponseStream<M> {
        ResponseStream { outbox, inbound, ended: false, _message: PhantomData }
    }
}

impl<M: EnvelopeFields> Stream for ResponseStream<M> {
    type Item = Result<EncodedMessage, Status>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<EncodedMessage, Status>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        if let Some(OutboundBatch { items, suspension: aside, end_reason: ending }) =
            ready!(self.outbox.poll_next(cx))
        {
            self.ended = ending.is_some();
            let mut message = items.into_bytes();
            // Fields of one message in any order are the same message.
            M::envelope(aside, ending).encode_raw(&mut message);
            return Poll::Ready(Some(Ok(EncodedMessage(message))));
        }
        // Either the client has broken something, or its last channel was closed and it goes on inbound in vain.
        let broken = match Pin::new(&mut self.inbound.0).poll(cx) {
            Poll::Ready(ended) => ended.ok().flatten(),
            Poll::Pending if self.outbox.is_broken() => return Poll::Pending,
            Poll::Pending => None,
        };
        self.ended = true;
        Poll::Ready(broken.map(Err))
    }
}

/// What a message says beside its items.
pub(super) trait EnvelopeFields: prost::Message {
    fn envelope(aside: Option<Suspension>, ending: Option<HostError>) -> Self;
}

impl EnvelopeFields for v1::PlayResponse {
    fn envelope(_: Option<Suspension>, ending: Option<HostError>) -> v1::PlayResponse {
        v1::PlayResponse { items: Vec::new(), ending: ending.map(convert::stream_ending) }
    }
}

impl EnvelopeFields for v1::FollowResponse {
    fn envelope(_: Option<Suspension>, ending: Option<HostError>) -> v1::FollowResponse {
        v1::FollowResponse { items: Vec::new(), ending: ending.map(convert::stream_ending) }
    }
}

impl EnvelopeFields for v1::ConnectResponse {
    fn envelope(aside: Option<Suspension>, ending: Option<HostError>) -> v1::ConnectResponse {
        let (set_aside, ending) = (aside.map(convert::set_aside), ending.map(convert::stream_ending));
        v1::ConnectResponse { welcome: None, items: Vec::new(), ending, set_aside }
    }
}
