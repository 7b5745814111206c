//! Commands of a client stream, and their routing to tables.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use parlor_fair::Entropy;
use tokio::sync::oneshot;

use super::channels::{AttachedChannel, Attachment, AttachmentTarget};
use super::item_batch::{ItemBatch, StreamKind};
use crate::TableId;
use crate::agents::{Agent, SeatAssignment};
use crate::identity::{Generation, VerifiedSeatToken};
use crate::limits::{AttachAllowance, LimitExceeded, LimitedResource};
use crate::shard::ShardMessage;
use crate::shard::reply::Revealer;
use crate::shard::table_message::{AttachRequest, Change, TableMessage};
use crate::stream::queue::{CatchUpGuard, ChannelLimitReached, StreamQueue, channel_closed};
use crate::stream::remote::RemoteItems;
use crate::table::DecisionAnswer;
use crate::{
    Actor, AnswerOutcome, AnswerRefused, Answered, Channel, Host, HostError, StreamItem, ViewerCredential,
    Wants,
};

/// A command on one channel of a stream.
#[derive(Clone, Debug)]
pub struct ChannelCommand {
    /// The channel.
    pub channel: Channel,
    /// The command.
    pub command: ClientCommand,
}

/// A command of a client.
#[derive(Clone, Debug)]
pub enum ClientCommand {
    /// Play or watch.
    Attach {
        /// Credential of the viewer.
        credential: ViewerCredential,
        /// Number of the last update that the client has; `None` requests a snapshot.
        after: Option<u64>,
        /// Items that the client wants.
        wants: Wants,
    },
    /// Play or watch at a table of another node. The channel is counted and closed like others; its items come by
    /// [`StreamHandle::remote_items`].
    AttachRemote {
        /// The table.
        table: TableId,
        /// Number of the last update that the client has.
        after: Option<u64>,
    },
    /// Play a seat that was assigned to the agent of the stream.
    TakeSeat {
        /// The assignment.
        assignment: SeatAssignment,
        /// Number of the last update that the agent has; `None` requests a snapshot.
        after: Option<u64>,
        /// Items that the agent wants.
        wants: Wants,
    },
    /// End the attachment. An agent also resigns its seat.
    Detach,
    /// Answer a decision.
    Answer(DecisionAnswer),
    /// Reveal the entropy of the seat.
    Reveal(Box<Entropy>),
}

/// A command that could not be sent at once. Pass it to [`StreamHandle::send_when_ready`].
#[must_use]
pub struct Backpressured(BlockedOn);

enum BlockedOn {
    /// The client attaches more often than its caller may.
    AttachRate(ChannelCommand, Duration),
    /// The client attaches faster than it reads.
    QueueRoom(ChannelCommand),
    /// The inboxes of the shards are full.
    Shards(Vec<(TableId, TableMessage)>),
}

/// The command side of a stream. Dropping it detaches all channels.
pub struct StreamHandle {
    host: Host,
    queue: Arc<StreamQueue>,
    /// Rate of attaching, if it is limited.
    attaches: Option<AttachAllowance>,
    /// The agent, for an agent's stream.
    agent: Option<Arc<Agent>>,
}

impl std::fmt::Debug for StreamHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StreamHandle")
    }
}

impl StreamHandle {
    pub(crate) fn new(
        host: Host,
        queue: Arc<StreamQueue>,
        attaches: Option<AttachAllowance>,
    ) -> StreamHandle {
        StreamHandle { host, queue, attaches, agent: None }
    }

    /// Makes this the stream of an agent, whose channels the server attaches.
    pub(crate) fn with_agent(mut self, agent: Arc<Agent>) -> StreamHandle {
        self.agent = Some(agent);
        self
    }

    pub(crate) const fn host(&self) -> &Host {
        &self.host
    }

    pub(crate) fn queue(&self) -> &StreamQueue {
        &self.queue
    }

    /// Waits until the stream is about to end.
    pub async fn ended(&self) {
        let mut registered = None;
        poll_fn(|cx| self.poll_ended(&mut registered, cx)).await;
    }

    /// Polls for the end of the stream. `registered` is the caller's waker, kept between polls.
    pub fn poll_ended(&self, registered: &mut Option<Waker>, cx: &Context<'_>) -> Poll<()> {
        self.queue.poll_ended(registered, cx)
    }

    /// Marks the request side as finished: the stream ends when its last channel is closed.
    pub fn finish(&self) {
        self.queue.finish();
    }

    /// Ends the stream after the queued items, without an error: the client has violated the protocol, or its
    /// connection has broken.
    pub fn abort(&self) {
        self.queue.abort();
    }

    /// Kind of the stream.
    #[must_use]
    pub fn kind(&self) -> StreamKind {
        self.queue.kind()
    }

    /// Queues items encoded by the caller. Waits for room in the queue: a client that does not read delays
    /// only itself.
    pub async fn send_encoded(&self, items: ItemBatch) {
        self.queue.wait_for_room().await;
        self.queue.push_unattached_batch(items);
    }

    /// Counts an answer that was refused before it reached a table. Too many suspend an agent.
    pub fn count_refused_answer(&self) {
        if let Some(agent) = &self.agent
            && let Some(suspension) = self.host.shared.agents.record_stray_answer(agent)
        {
            self.queue.end(suspension.into());
        }
    }

    /// Counts attaches towards the rate of the caller, with the bytes that earlier ones were sent. Returns the time to
    /// wait if the rate is exceeded.
    fn count_attaches(&self, count: u32) -> Result<(), Duration> {
        let Some(attaches) = &self.attaches else { return Ok(()) };
        attaches.take(&self.queue, count).map_err(|exceeded| exceeded.retry_after().unwrap_or_default())
    }

    /// Waits until the rate of the caller has room for another attach, and counts `count` of them.
    pub(crate) async fn wait_for_attach_rate(&self, count: u32) {
        while let Err(retry_after) = self.count_attaches(count) {
            self.host.sleep(retry_after).await;
        }
    }

    /// Sends a command. Waits while the inboxes of the shards are full, and while the client attaches too often, or
    /// faster than it reads: the receiver must be polled concurrently.
    pub async fn send(&self, command: ChannelCommand) {
        if let Err(blocked) = self.try_send(command) {
            self.send_when_ready(blocked).await;
        }
    }

    /// Sends a command without waiting, which mostly succeeds. After `Err`, no other command may be sent
    /// before [`StreamHandle::send_when_ready`].
    pub fn try_send(&self, command: ChannelCommand) -> Result<(), Backpressured> {
        let attaches =
            matches!(command.command, ClientCommand::Attach { .. } | ClientCommand::AttachRemote { .. });
        if attaches && let Err(retry_after) = self.count_attaches(1) {
            return Err(Backpressured(BlockedOn::AttachRate(command, retry_after)));
        }
        if (attaches || matches!(command.command, ClientCommand::TakeSeat { .. })) && !self.queue.has_room() {
            return Err(Backpressured(BlockedOn::QueueRoom(command)));
        }
        let mut undelivered = Vec::new();
        self.dispatch(command, &mut |table, message| {
            if !undelivered.is_empty() {
                undelivered.push((table, message));
            } else if let Err(full) = self.host.shards.try_send(table, message) {
                undelivered.push(full);
            }
        });
        if undelivered.is_empty() { Ok(()) } else { Err(Backpressured(BlockedOn::Shards(undelivered))) }
    }

    /// Waits for room and sends the command.
    pub async fn send_when_ready(&self, Backpressured(blocked): Backpressured) {
        let command = match blocked {
            BlockedOn::AttachRate(command, retry_after) => {
                self.host.sleep(retry_after).await;
                self.wait_for_attach_rate(1).await;
                command
            }
            BlockedOn::QueueRoom(command) => command,
            BlockedOn::Shards(messages) => return self.host.shards.send_all(messages).await,
        };
        self.queue.wait_for_room().await;
        let mut messages = Vec::new();
        self.dispatch(command, &mut |table, message| messages.push((table, message)));
        self.host.shards.send_all(messages).await;
    }

    /// Detaches a channel without a closing item, which the caller sends.
    pub async fn close(&self, channel: Channel) {
        if let Some(AttachedChannel { attachment, target, .. }) = self.queue.detach(channel)
            && let Some(table) = target.local_table()
        {
            let detach = ShardMessage::Table(table, TableMessage::Detach(attachment));
            // The shard has stopped with the host; nothing is attached any more.
            let _ = self.host.shards.send(table, detach).await;
        }
    }

    /// Translates a command into messages to tables.
    fn dispatch(
        &self,
        ChannelCommand { channel, command }: ChannelCommand,
        to: &mut impl FnMut(TableId, TableMessage),
    ) {
        match command {
            ClientCommand::Attach { credential, after, wants } => {
                self.attach(
                    channel,
                    credential,
                    None,
                    after,
                    wants,
                    self.host.shared.channels_per_stream,
                    to,
                );
            }
            ClientCommand::AttachRemote { table, after } => self.attach_remote(channel, table, after, to),
            ClientCommand::TakeSeat { assignment, after, wants } => {
                // The seat of an agent has one generation: it has no token that could be reissued.
                let token = VerifiedSeatToken::new(assignment.table, assignment.seat, Generation::FIRST);
                self.attach(
                    channel,
                    ViewerCredential::Seat(token),
                    Some(assignment),
                    after,
                    wants,
                    u32::MAX,
                    to,
                );
            }
            ClientCommand::Detach => match self.queue.detach(channel) {
                Some(AttachedChannel { attachment, target, assignment }) => {
                    self.queue.push_unattached(channel, &StreamItem::Closed(channel_closed(None, 0)));
                    let Some(table) = target.local_table() else { return };
                    if let Some(token) = target.token().filter(|_| assignment.is_some()) {
                        let (answer, _) = oneshot::channel();
                        let change = Change::Resign { seat: token.seat() };
                        to(table, TableMessage::Change { by: Actor::Seat(token), change, to: answer });
                    }
                    to(table, TableMessage::Detach(attachment));
                }
                None => {
                    let none = HostError::NoChannel { channel: channel.0 };
                    self.queue.push_unattached(channel, &StreamItem::Closed(channel_closed(Some(none), 0)));
                }
            },
            ClientCommand::Answer(answer) => match self.local_attachment(channel) {
                Some((attachment, target)) => {
                    let queue = self.queue.clone();
                    let token = target.token();
                    let arrived = self.host.shared.clock.now();
                    let message = TableMessage::Answer { queue, channel, attachment, token, answer, arrived };
                    to(target.table(), message);
                }
                None => {
                    let refused = AnswerRefused::Host(HostError::NoChannel { channel: channel.0 });
                    let answered =
                        Answered { decision: answer.decision, outcome: AnswerOutcome::Refused(refused) };
                    self.queue.push_unattached(channel, &StreamItem::Answered(&answered));
                    // Not the agent's fault: its answer has crossed the end of the table.
                    if !self.queue.is_closed(channel) {
                        self.count_refused_answer();
                    }
                }
            },
            ClientCommand::Reveal(entropy) => {
                let attached = self.queue.attached(channel);
                match attached.and_then(|(attachment, target)| Some((attachment, target.token()?))) {
                    Some((attachment, token)) => {
                        let queue = self.queue.clone();
                        let to_channel = Revealer::Channel { queue, channel, attachment };
                        to(token.table(), TableMessage::Reveal { token, entropy, to: to_channel });
                    }
                    None => {
                        let refused = Err(HostError::NoChannel { channel: channel.0 });
                        self.queue.push_unattached(channel, &StreamItem::Revealed(&refused));
                    }
                }
            }
        }
    }

    /// Attachment and target of a channel to a table of this host.
    fn local_attachment(&self, channel: Channel) -> Option<(Attachment, AttachmentTarget)> {
        self.queue.attached(channel).filter(|(_, target)| target.local_table().is_some())
    }

    /// Registers a channel in the outbound queue. Returns the detaching of its previous attachment, if there was one.
    fn register(
        &self,
        channel: Channel,
        attached: AttachedChannel,
        after: Option<u64>,
        max_channels: u32,
    ) -> Result<Option<(TableId, TableMessage)>, ()> {
        match self.queue.attach(channel, attached, max_channels as usize) {
            Ok(before) => Ok(before.and_then(|AttachedChannel { attachment, target, .. }| {
                target.local_table().map(|table| (table, TableMessage::Detach(attachment)))
            })),
            Err(ChannelLimitReached) => {
                let full = LimitExceeded::Count { resource: LimitedResource::Channels, max: max_channels };
                let closed = channel_closed(Some(full.into()), after.unwrap_or_default());
                self.queue.push_unattached(channel, &StreamItem::Closed(closed));
                Err(())
            }
        }
    }

    fn attach_remote(
        &self,
        channel: Channel,
        table: TableId,
        after: Option<u64>,
        to: &mut impl FnMut(TableId, TableMessage),
    ) {
        let attachment = Attachment(self.host.shared.attachments.fetch_add(1, Ordering::Relaxed));
        let target = AttachmentTarget::Remote(table);
        let attached = AttachedChannel { attachment, target, assignment: None };
        if let Ok(Some((before, detach))) =
            self.register(channel, attached, after, self.host.shared.channels_per_stream)
        {
            to(before, detach);
        }
    }

    /// True if the channel is attached to a table of another node.
    #[must_use]
    pub fn is_remote(&self, channel: Channel) -> bool {
        self.queue.attached(channel).is_some_and(|(_, target)| target.local_table().is_none())
    }

    /// The way into the outbound queue for the items of channels to other nodes.
    #[must_use]
    pub fn remote_items(&self) -> RemoteItems {
        RemoteItems::new(self.queue.clone())
    }

    #[allow(clippy::too_many_arguments, reason = "an attach request and its destination")]
    fn attach(
        &self,
        channel: Channel,
        credential: ViewerCredential,
        assignment: Option<SeatAssignment>,
        after: Option<u64>,
        wants: Wants,
        max_channels: u32,
        to: &mut impl FnMut(TableId, TableMessage),
    ) {
        let attachment = Attachment(self.host.shared.attachments.fetch_add(1, Ordering::Relaxed));
        let table = credential.table();
        let target = if let ViewerCredential::Seat(token) = credential {
            AttachmentTarget::Seat(token)
        } else {
            AttachmentTarget::Spectator(table)
        };
        let attached = AttachedChannel { attachment, target, assignment: assignment.map(Box::new) };
        let Ok(before) = self.register(channel, attached, after, max_channels) else { return };
        if let Some(assignment) = assignment {
            self.queue.push(attachment, channel, &StreamItem::SeatAssigned(assignment));
        }
        let _catch_up = CatchUpGuard::new(&self.queue);
        let (queue, agent) = (self.queue.clone(), self.agent.clone());
        let arrived = self.host.shared.clock.now();
        let caller = self.attaches.as_ref().map(AttachAllowance::caller);
        let attach = AttachRequest {
            queue,
            channel,
            attachment,
            credential,
            caller,
            after,
            wants,
            arrived,
            agent,
            _catch_up,
        };
        if let Some((before, detach)) = before {
            to(before, detach);
        }
        to(table, TableMessage::Attach(Box::new(attach)));
    }
}

impl Drop for StreamHandle {
    fn drop(&mut self) {
        if let Some(attaches) = &self.attaches {
            attaches.charge(&self.queue);
        }
        let detach = |AttachedChannel { attachment, target, .. }| {
            target.local_table().map(|table| (table, TableMessage::Detach(attachment)))
        };
        let messages: Vec<_> = self.queue.detach_all().into_iter().filter_map(detach).collect();
        if !messages.is_empty()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let shards = self.host.shards.clone();
            runtime.spawn(async move { shards.send_all(messages).await });
        }
    }
}
