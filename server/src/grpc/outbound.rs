//! Response streams of Play, Follow and Connect: batches encoded by the host, and the end of the stream.

use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use parlor_proto::codec::EncodedMessage;
use parlor_proto::v1;
use tokio::task::JoinHandle;
use tonic::Status;

use parlor_host::agents::Suspension;
use parlor_host::{HostError, OutboundBatch, StreamReceiver};

use super::heartbeat::Heartbeat;
use crate::grpc::convert;

/// A response stream of encoded messages of type `M`. Dropping it aborts the inbound task.
#[derive(Debug)]
pub(super) struct ResponseStream<M> {
    outbox: StreamReceiver,
    inbound: InboundTask,
    /// Boxed: few streams have one.
    heartbeat: Option<Box<Heartbeat>>,
    is_ended: bool,
    _message: PhantomData<fn() -> M>,
}

/// The task that reads the request stream; aborted on drop. Its result is the status of a protocol error of
/// the client, if there was one.
#[derive(Debug)]
pub(super) struct InboundTask(pub(super) JoinHandle<Option<Status>>);

impl Drop for InboundTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl<M> ResponseStream<M> {
    pub(super) fn new(outbox: StreamReceiver, inbound: InboundTask) -> ResponseStream<M> {
        ResponseStream { outbox, inbound, heartbeat: None, is_ended: false, _message: PhantomData }
    }

    /// Adds heartbeats: empty messages while there are no items.
    pub(super) fn with_heartbeat(self, heartbeat: Option<Heartbeat>) -> ResponseStream<M> {
        ResponseStream { heartbeat: heartbeat.map(Box::new), ..self }
    }
}

impl<M: EnvelopeFields> Stream for ResponseStream<M> {
    type Item = Result<EncodedMessage, Status>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<EncodedMessage, Status>>> {
        if self.is_ended {
            return Poll::Ready(None);
        }
        let batch = match (self.outbox.poll_next(cx), &mut self.heartbeat) {
            (Poll::Ready(batch), _) => batch,
            (Poll::Pending, None) => return Poll::Pending,
            (Poll::Pending, Some(heartbeat)) => {
                ready!(heartbeat.poll(cx));
                return Poll::Ready(Some(Ok(EncodedMessage(Default::default()))));
            }
        };
        if let Some(OutboundBatch { items, suspension: aside, end_reason: ending }) = batch {
            if let Some(heartbeat) = &mut self.heartbeat {
                heartbeat.restart();
            }
            self.is_ended = ending.is_some();
            let mut message = items.into_bytes();
            // The order of protobuf fields is free, so the envelope is appended to the encoded items.
            M::envelope(aside, ending).encode_raw(&mut message);
            return Poll::Ready(Some(Ok(EncodedMessage(message))));
        }
        // The queue ended: after a protocol error of the client, or because its last channel was closed.
        let error = match Pin::new(&mut self.inbound.0).poll(cx) {
            Poll::Ready(ended) => ended.ok().flatten(),
            Poll::Pending if self.outbox.is_broken() => return Poll::Pending,
            Poll::Pending => None,
        };
        self.is_ended = true;
        Poll::Ready(error.map(Err))
    }
}

/// A response message without its items.
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
