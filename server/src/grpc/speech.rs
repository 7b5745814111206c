//! What a client is told over a stream: messages that the host has put together, and the end.

use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::Stream;
use parlor_proto::v1;
use tokio::task::JoinHandle;
use tonic::Status;

use crate::agents::Aside;
use crate::host::{Batch, HostError, Outbox};
use crate::wire;

/// All that is said to a client, in messages of this kind, as they go over the wire. The task that listens to the client
/// ends with it.
#[derive(Debug)]
pub(super) struct Speech<M> {
    outbox: Outbox,
    listening: Listening,
    ended: bool,
    _message: PhantomData<fn() -> M>,
}

/// The task that listens to the client. It ends with the stream; if it ends before, it says what the client has broken.
#[derive(Debug)]
pub(super) struct Listening(pub(super) JoinHandle<Option<Status>>);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl<M> Speech<M> {
    pub(super) fn new(outbox: Outbox, listening: Listening) -> Speech<M> {
        Speech { outbox, listening, ended: false, _message: PhantomData }
    }
}

impl<M: Rest> Stream for Speech<M> {
    type Item = Result<Bytes, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Status>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        if let Some(Batch { frame, aside, ending }) = ready!(self.outbox.poll_next(cx)) {
            self.ended = ending.is_some();
            return Poll::Ready(Some(Ok(frame.finish(&M::rest(aside, ending)))));
        }
        // Either the client has broken something, or its last channel was closed and it goes on listening in vain.
        let broken = match Pin::new(&mut self.listening.0).poll(cx) {
            Poll::Ready(ended) => ended.ok().flatten(),
            Poll::Pending if self.outbox.is_broken() => return Poll::Pending,
            Poll::Pending => None,
        };
        self.ended = true;
        Poll::Ready(broken.map(Err))
    }
}

/// What a message says beside its items.
pub(super) trait Rest: prost::Message {
    fn rest(aside: Option<Aside>, ending: Option<HostError>) -> Self;
}

impl Rest for v1::PlayResponse {
    fn rest(_: Option<Aside>, ending: Option<HostError>) -> v1::PlayResponse {
        v1::PlayResponse { items: Vec::new(), ending: ending.map(wire::stream_ending) }
    }
}

impl Rest for v1::FollowResponse {
    fn rest(_: Option<Aside>, ending: Option<HostError>) -> v1::FollowResponse {
        v1::FollowResponse { items: Vec::new(), ending: ending.map(wire::stream_ending) }
    }
}

impl Rest for v1::ConnectResponse {
    fn rest(aside: Option<Aside>, ending: Option<HostError>) -> v1::ConnectResponse {
        let (set_aside, ending) = (aside.map(wire::set_aside), ending.map(wire::stream_ending));
        v1::ConnectResponse { welcome: None, items: Vec::new(), ending, set_aside }
    }
}
