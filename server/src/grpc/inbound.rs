//! Request streams of Play, Follow and Connect: decodes items and sends their commands to the host.
//! `outbound.rs` is the response side.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, Stream};
use parlor_host::{
    AgentStream, Backpressured, Channel, ChannelCommand, ClientCommand, HostError, StreamHandle,
    StreamReceiver, TableId,
};
use parlor_proto::convert::InvalidField;
use parlor_proto::v1;
use parlor_proto::v1::play_request_item::Item;
use tonic::{Code, Status, Streaming};
use tracing::Instrument;

use super::heartbeat::Heartbeat;
use super::outbound::{InboundTask, ResponseStream};
use super::{AppState, Failure};
use crate::cluster::Cluster;
use crate::cluster::link_headers::{FromLink, forwarded_call};
use crate::cluster::remote_channels::RemoteChannels;
use crate::grpc::convert;
use crate::identity::Caller;

/// The inbound side of a stream.
pub(super) enum InboundStream {
    /// A client that attaches channels itself, by token or as this caller.
    Client {
        state: Arc<AppState>,
        caller: Option<Caller>,
        handle: StreamHandle,
        nodes: Option<Box<OtherNodes>>,
    },
    /// An agent; the server attaches its channels.
    Agent(Box<AgentStream>),
}

/// Treatment of tables of other nodes by a stream.
pub(super) enum OtherNodes {
    /// Carries their channels: a client's stream.
    Carry(RemoteChannels),
    /// Refuses them: a stream that has come from another node.
    Refuse(Arc<Cluster>),
}

impl OtherNodes {
    /// For the stream of this request. `None` on a server that is alone.
    pub(super) fn of<T>(
        state: &AppState,
        request: &tonic::Request<T>,
        handle: &StreamHandle,
    ) -> Option<Box<OtherNodes>> {
        let cluster = state.cluster.clone()?;
        let extensions = request.extensions();
        Some(Box::new(if extensions.get::<FromLink>().is_some() {
            OtherNodes::Refuse(cluster)
        } else {
            let call = forwarded_call(extensions);
            OtherNodes::Carry(RemoteChannels::new(cluster, handle.remote_items(), call))
        }))
    }
}

/// A request message of a stream.
pub(super) trait RequestMessage: prost::Message + Default + 'static {
    /// The items of the message.
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

/// Starts reading a request stream, after the items already read from it; returns the response stream.
pub(super) fn bidirectional<M: RequestMessage, T>(
    inbound: InboundStream,
    outbox: StreamReceiver,
    first_items: Vec<v1::PlayRequestItem>,
    requests: Streaming<M>,
) -> ResponseStream<T> {
    ResponseStream::new(
        outbox,
        InboundTask(tokio::spawn(inbound.read_requests(first_items, requests).in_current_span())),
    )
}

/// Attaches the channels of a Follow call; returns the response stream.
pub(super) fn server_streaming<T>(
    inbound: InboundStream,
    outbox: StreamReceiver,
    channels: Vec<(Channel, v1::Attach)>,
    heartbeat: Option<Heartbeat>,
) -> ResponseStream<T> {
    let inbound = InboundTask(tokio::spawn(inbound.follow(channels).in_current_span()));
    ResponseStream::new(outbox, inbound).with_heartbeat(heartbeat)
}

impl InboundStream {
    const fn handle(&self) -> &StreamHandle {
        match self {
            InboundStream::Client { handle, .. } => handle,
            InboundStream::Agent(agent) => agent.handle(),
        }
    }

    /// Attaches channels and waits for the end of the stream.
    async fn follow(self, channels: Vec<(Channel, v1::Attach)>) -> Option<Status> {
        for (channel, attach) in channels {
            let item = v1::PlayRequestItem { channel: channel.0, item: Some(Item::Attach(attach)) };
            if let Err(deferred) = self.submit(item) {
                // An attach that is refused closes its channel, and no other.
                let _ = Box::pin(self.submit_deferred(deferred)).await;
            }
        }
        self.handle().finish();
        self.handle().ended().await;
        None
    }

    /// Reads requests and sends their commands until the client ends the stream or disconnects, or the stream
    /// is ended from the host's side. Meanwhile assigns seats to an agent. Returns the status of a protocol
    /// error of the client.
    ///
    /// Every stream has a task that runs this, and its memory has left the CPU cache by the time of the next
    /// request. Its future is therefore small: the usual waits poll directly, without nested async functions
    /// and their state, and rare waits are boxed, because the future has the size of its largest branch,
    /// which would be kilobytes.
    async fn read_requests<M: RequestMessage>(
        self,
        first_items: Vec<v1::PlayRequestItem>,
        mut requests: Streaming<M>,
    ) -> Option<Status> {
        let mut end = StreamEnd::new(&self);
        let mut decoded = Ok(first_items);
        let error = 'read: loop {
            let items = match decoded {
                Ok(items) => items,
                Err(wrong) => break Failure::from(wrong).into(),
            };
            for (index, item) in items.into_iter().enumerate() {
                let Err(deferred) = self.submit(item) else { continue };
                let mut deferred = Box::pin(self.submit_deferred(deferred));
                if let Err(wrong) = end.or_end(|cx| deferred.as_mut().poll(cx)).await? {
                    break 'read Failure::from(wrong.in_list(index).within("items")).into();
                }
            }
            decoded = match end.or_end(|cx| Pin::new(&mut requests).poll_next(cx)).await? {
                Some(Ok(request)) => request.items(),
                // CANCELLED means that the client disconnected.
                Some(Err(status)) if status.code() != Code::Cancelled => break status,
                None | Some(Err(_)) => {
                    self.handle().finish();
                    // After a half-close a client keeps its channels until the last one is closed or it
                    // disconnects. An agent that half-closes has disconnected.
                    if matches!(self, InboundStream::Client { .. }) {
                        self.handle().ended().await;
                    }
                    return None;
                }
            };
        };
        self.handle().abort();
        Some(error)
    }

    /// Sends the command of an item, if that is possible without waiting.
    fn submit(&self, v1::PlayRequestItem { channel, item }: v1::PlayRequestItem) -> Result<(), Deferred> {
        if let (Some(Item::TournamentEntropy(entropy)), InboundStream::Agent(agent)) = (&item, self) {
            let (tournament, answer) = convert::tournament_entropy(entropy)
                .map_err(|wrong| wrong.within("tournament_entropy"))
                .map_err(|wrong| Deferred::Refused(channel, Refusal::Broken(wrong)))?;
            agent.answer_entropy(tournament, answer);
            return Ok(());
        }
        let item = match self {
            InboundStream::Client { nodes: Some(nodes), .. } => {
                match self.carry(nodes, Channel(channel), item)? {
                    Some(item) => Some(item),
                    None => return Ok(()),
                }
            }
            _ => item,
        };
        let command = self.decode(item).map_err(|refusal| Deferred::Refused(channel, refusal))?;
        self.handle()
            .try_send(ChannelCommand { channel: Channel(channel), command })
            .map_err(Deferred::Backpressured)
    }

    /// Carries an item to another node, if it concerns a table there. Returns an item for this one.
    fn carry(
        &self,
        nodes: &OtherNodes,
        channel: Channel,
        item: Option<Item>,
    ) -> Result<Option<Item>, Deferred> {
        let remote = match nodes {
            OtherNodes::Carry(remote) => remote,
            OtherNodes::Refuse(cluster) => {
                let Some(Item::Attach(attach)) = &item else { return Ok(item) };
                return match self.attached_table(attach) {
                    Some(table) if !cluster.is_local(table.partition()) => {
                        let after = attach.after.map_or(0, u64::from);
                        let elsewhere = HostError::TableElsewhere { table };
                        let closed = convert::closed(Some(elsewhere.into()), after, true);
                        Err(Deferred::Refused(channel.0, Refusal::Closed(Box::new(closed))))
                    }
                    _ => Ok(item),
                };
            }
        };
        match item {
            Some(Item::Attach(attach)) => {
                remote.forget(channel);
                match self.attached_table(&attach) {
                    Some(table) if remote.is_elsewhere(table) => {
                        let command =
                            ClientCommand::AttachRemote { table, after: attach.after.map(u64::from) };
                        match self.handle().try_send(ChannelCommand { channel, command }) {
                            Ok(()) => self.open_remote(remote, channel, table, attach),
                            Err(blocked) => {
                                return Err(Deferred::Remote(channel, Box::new((blocked, table, attach))));
                            }
                        }
                        Ok(None)
                    }
                    _ => Ok(Some(Item::Attach(attach))),
                }
            }
            Some(Item::Detach(detach)) => {
                remote.forget(channel);
                Ok(Some(Item::Detach(detach)))
            }
            Some(item @ (Item::Answer(_) | Item::Reveal(_))) if remote.contains(channel) => {
                remote.send(channel, item).map_err(|item| Deferred::RemoteFull(channel, Box::new(item)))?;
                Ok(None)
            }
            item => Ok(item),
        }
    }

    /// Carries a channel, unless the stream has as many as it may.
    fn open_remote(&self, remote: &RemoteChannels, channel: Channel, table: TableId, attach: v1::Attach) {
        if self.handle().is_remote(channel) {
            remote.open(channel, table, attach);
        }
    }

    /// The table of an attach item, if it is valid.
    fn attached_table(&self, attach: &v1::Attach) -> Option<TableId> {
        let InboundStream::Client { state, caller, .. } = self else { return None };
        let attach = convert::attach(attach.clone(), &state.server_key, caller.as_ref()).ok()?;
        Some(attach.credential.table())
    }

    /// Sends a command after backpressure, or refuses an invalid item. Fails if the item ends the stream.
    async fn submit_deferred(&self, deferred: Deferred) -> Result<(), InvalidField> {
        match deferred {
            Deferred::Backpressured(command) => {
                self.handle().send_when_ready(command).await;
                Ok(())
            }
            Deferred::Refused(channel, refusal) => self.refuse(channel, refusal).await,
            Deferred::Remote(channel, attach) => {
                let (blocked, table, attach) = *attach;
                self.handle().send_when_ready(blocked).await;
                if let Some(remote) = self.remote() {
                    self.open_remote(remote, channel, table, attach);
                }
                Ok(())
            }
            Deferred::RemoteFull(channel, item) => {
                if let Some(remote) = self.remote() {
                    remote.send_when_ready(channel, *item).await;
                }
                Ok(())
            }
        }
    }

    /// The channels that are carried to other nodes.
    fn remote(&self) -> Option<&RemoteChannels> {
        match self {
            InboundStream::Client { nodes: Some(nodes), .. } => match &**nodes {
                OtherNodes::Carry(remote) => Some(remote),
                OtherNodes::Refuse(_) => None,
            },
            _ => None,
        }
    }

    /// Decodes the command of an item.
    fn decode(&self, item: Option<v1::play_request_item::Item>) -> Result<ClientCommand, Refusal> {
        match item {
            Some(Item::Attach(attach)) => self.attach(attach),
            Some(Item::Detach(_)) => Ok(ClientCommand::Detach),
            Some(Item::Answer(answer)) => {
                let decision_id = answer.decision_id;
                match convert::answer(answer) {
                    Ok(answer) => Ok(ClientCommand::Answer(answer)),
                    Err(wrong) => {
                        Err(Refusal::Answered(Box::new(convert::invalid_answer(decision_id, wrong))))
                    }
                }
            }
            Some(Item::Reveal(reveal)) => match self {
                InboundStream::Client { .. } => {
                    let entropy = convert::entropy_reveal(&reveal)
                        .map_err(|wrong| Refusal::Revealed(Box::new(convert::invalid_reveal(wrong))))?;
                    Ok(ClientCommand::Reveal(Box::new(entropy)))
                }
                InboundStream::Agent(_) => {
                    let why = "must not be set: the seats of agents commit to nothing";
                    Err(Refusal::Broken(InvalidField::at("reveal", why)))
                }
            },
            Some(Item::TournamentEntropy(_)) => {
                let why = "must not be set: it is for agents, over Connect";
                Err(Refusal::Broken(InvalidField::at("tournament_entropy", why)))
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
            Ok(convert::AttachParams { credential, after, wants }) => {
                Ok(ClientCommand::Attach { credential, after, wants })
            }
            Err(failure) => Err(Refusal::Closed(Box::new(convert::closed(Some(failure), after, false)))),
        }
    }

    /// Sends the refusal of an item. Fails if it ends the stream.
    async fn refuse(&self, channel: u32, refusal: Refusal) -> Result<(), InvalidField> {
        let item = match refusal {
            Refusal::Answered(answered) => {
                self.handle().count_refused_answer();
                v1::stream_item::Item::Answered(*answered)
            }
            Refusal::Revealed(revealed) => v1::stream_item::Item::Revealed(*revealed),
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

/// An item whose command was not sent at once.
enum Deferred {
    /// The channel has backpressure.
    Backpressured(Backpressured),
    /// The item is invalid; with its channel.
    Refused(u32, Refusal),
    /// A channel to another node has backpressure.
    Remote(Channel, Box<(Backpressured, TableId, v1::Attach)>),
    /// A channel to another node has too many answers without an outcome.
    RemoteFull(Channel, Box<Item>),
}

/// The end of a stream from the host's side: the agent gets no more seats, or the outbound queue has ended.
struct StreamEnd<'a> {
    handle: &'a StreamHandle,
    /// Assigns seats to an agent.
    seat_assignment: Option<BoxFuture<'a, ()>>,
    /// The waker registered with the outbound queue.
    waker: Option<Waker>,
}

impl<'a> StreamEnd<'a> {
    fn new(inbound: &'a InboundStream) -> StreamEnd<'a> {
        let seat_assignment = match inbound {
            InboundStream::Client { .. } => None,
            InboundStream::Agent(agent) => Some(agent.assign_seats().boxed()),
        };
        StreamEnd { handle: inbound.handle(), seat_assignment, waker: None }
    }

    /// Waits for a result; `None` if the stream ends first.
    fn or_end<T>(
        &mut self,
        mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> impl Future<Output = Option<T>> {
        poll_fn(move |cx| match poll(cx) {
            Poll::Ready(result) => Poll::Ready(Some(result)),
            Poll::Pending => self.poll(cx).map(|()| None),
        })
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(seat_assignment) = &mut self.seat_assignment
            && seat_assignment.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(());
        }
        self.handle.poll_ended(&mut self.waker, cx)
    }
}

/// The consequence of an invalid item.
enum Refusal {
    /// The answer is refused; the channel stays open.
    Answered(Box<v1::Answered>),
    /// The reveal is refused; the channel stays open.
    Revealed(Box<v1::EntropyRevealed>),
    /// The channel is closed.
    Closed(Box<v1::ChannelClosed>),
    /// The stream ends with an error.
    Broken(InvalidField),
}
