//! What a client is told over a stream: messages that the host has put together, and the end.

use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use parlor_proto::encoded::{ConnectResponse, Encoded, FollowResponse, PlayResponse};
use parlor_proto::v1;
use tokio::task::JoinHandle;
use tonic::Status;

use crate::host::{Batch, Outbox};
use crate::wire;

/// All that is said to a client, in messages of this kind. The task that listens to the client ends with it.
#[derive(Debug)]
pub struct Speech<M> {
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

impl<M: From<Batch>> Stream for Speech<M> {
    type Item = Result<M, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<M, Status>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        if let Some(batch) = ready!(self.outbox.poll_next(cx)) {
            self.ended = batch.ending.is_some();
            return Poll::Ready(Some(Ok(M::from(batch))));
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

impl From<Batch> for PlayResponse {
    fn from(Batch { items, ending, .. }: Batch) -> PlayResponse {
        let ending = ending.map(wire::stream_ending);
        Encoded { items, rest: v1::PlayResponse { items: Vec::new(), ending } }
    }
}

impl From<Batch> for FollowResponse {
    fn from(Batch { items, ending, .. }: Batch) -> FollowResponse {
        let ending = ending.map(wire::stream_ending);
        Encoded { items, rest: v1::FollowResponse { items: Vec::new(), ending } }
    }
}

impl From<Batch> for ConnectResponse {
    fn from(Batch { items, aside, ending }: Batch) -> ConnectResponse {
        let (set_aside, ending) = (aside.map(wire::set_aside), ending.map(wire::stream_ending));
        Encoded { items, rest: v1::ConnectResponse { welcome: None, items: Vec::new(), ending, set_aside } }
    }
}
