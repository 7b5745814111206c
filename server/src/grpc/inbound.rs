//! What a client says over a stream: heard, read, and passed on to the tables. Play, Follow and Connect have it in common,
//! as they have `speech.rs`, which is what the client is told.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, Stream};
use parlor_proto::convert::InvalidField;
use parlor_proto::v1;
use tonic::{Code, Status, Streaming};
use tracing::Instrument;

use super::outbound::{InboundTask, ResponseStream};
use super::{AppState, Failure};
use crate::grpc::convert;
use crate::identity::Caller;
use parlor_host::{
    AgentStream, Backpressured, Channel, ChannelCommand, ClientCommand, StreamHandle, StreamReceiver,
};

/// ViewerCredential speaks.
pub(super) enum InboundStream {
    /// Somebody who attaches channels, by tokens and as this caller.
    Client { state: Arc<AppState>, caller: Option<Caller>, handle: StreamHandle },
    /// An agent, whose channels the server attaches.
    Agent(Box<AgentStream>),
}

/// A message of a client, on any stream.
pub(super) trait RequestMessage: prost::Message + Default + 'static {
    /// The items in it.
    fn items(self) -> Result<Vec<v1::PlayRequestItem>, InvalidField>;
}

impl RequestMessage for v1::PlayRequest {
    fn items(self) -> Result<Vec<v1::PlayRequestItem>, InvalidField> {
        convert::play_items(self)
    }
}

impl RequestMessage for v1::ConnectRequest {
    fn items(self) -> Result<Vec<v1::PlayRequestItem>, InvalidField> {
        convert::connect_items(self)
    }
}

/// A stream on which the client speaks, after what it has said first: all that it is told.
pub(super) fn bidirectional<M: RequestMessage, T>(
    inbound: InboundStream,
    outbox: StreamReceiver,
    first: Vec<v1::PlayRequestItem>,
    requests: Streaming<M>,
) -> ResponseStream<T> {
    ResponseStream::new(
        outbox,
        InboundTask(tokio::spawn(inbound.read_requests(first, requests).in_current_span())),
    )
}

/// A stream on which the client only listens, to these channels: all that it is told.
pub(super) fn server_streaming<T>(
    inbound: InboundStream,
    outbox: StreamReceiver,
    channels: Vec<(Channel, v1::Attach)>,
) -> ResponseStream<T> {
    ResponseStream::new(outbox, InboundTask(tokio::spawn(inbound.follow(channels).in_current_span())))
}

impl InboundStream {
    const fn handle(&self) -> &StreamHandle {
        match self {
            InboundStream::Client { handle, .. } => handle,
            InboundStream::Agent(agent) => agent.handle(),
        }
    }

    /// Attaches what a client follows, and waits until nothing more will be told.
    async fn follow(self, channels: Vec<(Channel, v1::Attach)>) -> Option<Status> {
        for (channel, attach) in channels {
            match self.attach(attach) {
                Ok(what) => Box::pin(self.handle().send(ChannelCommand { channel, command: what })).await,
                Err(refusal) => drop(Box::pin(self.refuse(channel.0, refusal)).await),
            }
        }
        self.handle().finish();
        self.handle().ended().await;
        None
    }

    /// Passes on what the client says, until it ends or goes away, or nothing more will be told. Meanwhile an agent is given its
    /// seats. Gives what the client has broken, if that was it.
    ///
    /// There is a task for each stream that does this, and all of it has left the cache when the client speaks again. So no
    /// async function is within it where it mostly waits: each would have its own place to note how far it is. What it seldom
    /// waits for is boxed: the task has room for the largest of it, and would have kilobytes.
    async fn read_requests<M: RequestMessage>(
        self,
        first: Vec<v1::PlayRequestItem>,
        mut requests: Streaming<M>,
    ) -> Option<Status> {
        let mut end = StreamEnd::of(&self);
        let mut items = Ok(first);
        let broken = 'broken: loop {
            let heard = match items {
                Ok(items) => items,
                Err(wrong) => break Failure::from(wrong).into(),
            };
            for (place, item) in heard.into_iter().enumerate() {
                let Err(late) = self.submit(item) else { continue };
                let mut late = Box::pin(self.wait(late));
                if let Err(wrong) = end.unless(|cx| late.as_mut().poll(cx)).await? {
                    break 'broken Failure::from(wrong.in_list(place).within("items")).into();
                }
            }
            items = match end.unless(|cx| Pin::new(&mut requests).poll_next(cx)).await? {
                Some(Ok(request)) => request.items(),
                // A client that has gone has nothing more to say.
                Some(Err(status)) if status.code() != Code::Cancelled => break status,
                None | Some(Err(_)) => {
                    self.handle().finish();
                    // Whoever watches goes on watching: what is attached stays so, until the last channel is closed or the
                    // client goes. An agent that says no more is gone.
                    if matches!(self, InboundStream::Client { .. }) {
                        self.handle().ended().await;
                    }
                    return None;
                }
            };
        };
        self.handle().abort();
        Some(broken)
    }

    /// Passes on an item, which can mostly be done at once.
    fn submit(&self, v1::PlayRequestItem { channel, item }: v1::PlayRequestItem) -> Result<(), Deferred> {
        let what = self.read(item).map_err(|refusal| Deferred::Refused(channel, refusal))?;
        self.handle()
            .try_send(ChannelCommand { channel: Channel(channel), command: what })
            .map_err(Deferred::Backpressured)
    }

    /// Passes on an item that has to wait, or refuses one that cannot be read. What breaks the rules of the stream ends it.
    async fn wait(&self, late: Deferred) -> Result<(), InvalidField> {
        match late {
            Deferred::Backpressured(unsaid) => {
                self.handle().send_when_ready(unsaid).await;
                Ok(())
            }
            Deferred::Refused(channel, refusal) => self.refuse(channel, refusal).await,
        }
    }

    /// What an item says, or what is to be told of it.
    fn read(&self, item: Option<v1::play_request_item::Item>) -> Result<ClientCommand, Refusal> {
        use v1::play_request_item::Item;
        match item {
            Some(Item::Attach(attach)) => self.attach(attach),
            Some(Item::Detach(_)) => Ok(ClientCommand::Detach),
            Some(Item::Answer(answer)) => {
                let decision_id = answer.decision_id;
                match convert::answer(answer) {
                    Ok(answer) => Ok(ClientCommand::Answer(answer)),
                    Err(wrong) => Err(Refusal::Answered(Box::new(convert::unreadable(decision_id, wrong)))),
                }
            }
            None => {
                let wrong = InvalidField::at("item", "must be set");
                Err(match self {
                    InboundStream::Client { .. } => {
                        Refusal::Closed(Box::new(convert::closed(Some(wrong.into()), 0, false)))
                    }
                    InboundStream::Agent(_) => Refusal::Broken(wrong),
                })
            }
        }
    }

    fn attach(&self, attach: v1::Attach) -> Result<ClientCommand, Refusal> {
        let InboundStream::Client { state, caller, .. } = self else {
            let why = "must not be set: the server opens the channels of an agent";
            return Err(Refusal::Broken(InvalidField::at("attach", why)));
        };
        let after = attach.after.map_or(0, u64::from);
        match convert::attach(attach, &state.server_key, caller.as_ref()) {
            Ok(convert::Attaching { who, after, wants }) => {
                Ok(ClientCommand::Attach { credential: who, after, wants })
            }
            Err(failure) => Err(Refusal::Closed(Box::new(convert::closed(Some(failure), after, false)))),
        }
    }

    async fn refuse(&self, channel: u32, refusal: Refusal) -> Result<(), InvalidField> {
        let item = match refusal {
            Refusal::Answered(answered) => {
                self.handle().count_refused_answer();
                v1::stream_item::Item::Answered(*answered)
            }
            Refusal::Closed(closed) => {
                self.handle().close(Channel(channel)).await;
                v1::stream_item::Item::Closed(*closed)
            }
            Refusal::Broken(wrong) => return Err(wrong),
        };
        let item = convert::encoded_item(self.handle().kind(), Channel(channel), &item);
        self.handle().send_encoded(item).await;
        Ok(())
    }
}

/// An item that is not passed on at once.
enum Deferred {
    /// It has to wait.
    Backpressured(Backpressured),
    /// It cannot be read.
    Refused(u32, Refusal),
}

/// What ends a stream, whatever the client says: an agent is given no more seats, or nothing more will be told.
struct StreamEnd<'a> {
    handle: &'a StreamHandle,
    /// Gives an agent its seats.
    give: Option<BoxFuture<'a, ()>>,
    /// ViewerCredential is woken when nothing more will be told.
    waits: Option<Waker>,
}

impl<'a> StreamEnd<'a> {
    fn of(inbound: &'a InboundStream) -> StreamEnd<'a> {
        let give = match inbound {
            InboundStream::Client { .. } => None,
            InboundStream::Agent(agent) => Some(agent.assign_seats().boxed()),
        };
        StreamEnd { handle: inbound.handle(), give, waits: None }
    }

    /// BlockedOn for something, unless the stream ends first.
    fn unless<T>(
        &mut self,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> impl Future<Output = Option<T>> {
        poll_fn(move |cx| match poll(cx) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending => self.poll(cx).map(|()| None),
        })
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(give) = &mut self.give
            && give.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(());
        }
        self.handle.poll_ended(&mut self.waits, cx)
    }
}

/// What is told of an item that cannot be read.
enum Refusal {
    /// An answer is refused, and the channel stays.
    Answered(Box<v1::Answered>),
    /// The channel is closed.
    Closed(Box<v1::ChannelClosed>),
    /// The stream ends.
    Broken(InvalidField),
}
