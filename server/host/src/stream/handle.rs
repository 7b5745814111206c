//! What a client says over its stream, and the way from there to the tables.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};

use tokio::sync::oneshot;

use super::channels::{Attached, Attachment, Place};
use super::item_batch::{ItemBatch, StreamKind};
use crate::TableId;
use crate::agents::{Agent, SeatAssignment};
use crate::identity::{Generation, VerifiedSeatToken};
use crate::limits::{LimitExceeded, LimitedResource};
use crate::shard::ShardMessage;
use crate::shard::table_message::{Attach, Change, TableMessage};
use crate::stream::queue::{CatchUpGuard, ChannelLimitReached, StreamQueue, closed};
use crate::table::DecisionAnswer;
use crate::{
    Actor, AnswerOutcome, AnswerRefused, Answered, Channel, Host, HostError, StreamItem, ViewerCredential,
    Wants,
};

/// One thing that a client says.
#[derive(Clone, Debug)]
pub struct ChannelCommand {
    /// What it is about.
    pub channel: Channel,
    /// The command.
    pub command: ClientCommand,
}

/// What a client says.
#[derive(Clone, Debug)]
pub enum ClientCommand {
    /// It wants to play or to watch.
    Attach {
        /// ViewerCredential it is.
        who: ViewerCredential,
        /// The number of the last update that it has.
        after: Option<u64>,
        /// What it wants to be sent.
        wants: Wants,
    },
    /// It is given a seat, as an agent.
    Take {
        /// Which seat.
        given: SeatAssignment,
        /// The number of the last update that it has.
        after: Option<u64>,
        /// What it wants to be sent.
        wants: Wants,
    },
    /// It does not want to any more. An agent gives the seat up for good.
    Detach,
    /// It answers a decision.
    Answer(DecisionAnswer),
}

/// What could not be passed on at once.
#[must_use]
pub struct Backpressured(BlockedOn);

enum BlockedOn {
    /// The client asks for more of what it has missed than it reads.
    ForRoom(ChannelCommand),
    /// The tables have too much to do.
    ForTables(Vec<(TableId, TableMessage)>),
}

/// The command end of a stream. Dropping it detaches everything.
pub struct StreamHandle {
    host: Host,
    queue: Arc<StreamQueue>,
    /// The agent, if it is one's.
    agent: Option<Arc<Agent>>,
}

impl std::fmt::Debug for StreamHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StreamHandle")
    }
}

impl StreamHandle {
    pub(crate) fn new(host: Host, queue: Arc<StreamQueue>) -> StreamHandle {
        StreamHandle { host, queue, agent: None }
    }

    /// The stream of an agent, whose channels the server attaches.
    pub(crate) fn of_agent(mut self, agent: Arc<Agent>) -> StreamHandle {
        self.agent = Some(agent);
        self
    }

    pub(crate) const fn host(&self) -> &Host {
        &self.host
    }

    pub(crate) fn queue(&self) -> &StreamQueue {
        &self.queue
    }

    /// BlockedOn until the stream is about to end.
    pub async fn ended(&self) {
        let mut waits = None;
        poll_fn(|cx| self.poll_ended(&mut waits, cx)).await;
    }

    /// The same, to be polled by one who is noted here.
    pub fn poll_ended(&self, waits: &mut Option<Waker>, cx: &Context<'_>) -> Poll<()> {
        self.queue.poll_ended(waits, cx)
    }

    /// The client will attach nothing more: the stream ends when its last channel is closed.
    pub fn finish(&self) {
        self.queue.finish();
    }

    /// The client has broken the rules of the stream, or its connection: the stream ends after what waits, without a
    /// word.
    pub fn break_off(&self) {
        self.queue.break_off();
    }

    /// The kind of the stream.
    #[must_use]
    pub fn kind(&self) -> StreamKind {
        self.queue.kind()
    }

    /// Queues items that the caller has encoded itself, without asking a table. BlockedOn for room: a client that does not read
    /// delays only itself.
    pub async fn send_encoded(&self, items: ItemBatch) {
        self.queue.room().await;
        self.queue.tell_all(items);
    }

    /// An answer was refused before it came here: an agent may do that only so often.
    pub fn note_refused(&self) {
        if let Some(agent) = &self.agent
            && let Some(enough) = self.host.shared.agents.refused(agent)
        {
            self.queue.end(enough.into());
        }
    }

    /// Passes on what the client says. BlockedOn while the tables have too much to do, and while the client asks for what it
    /// has missed and does not read it: whoever calls this reads the outbox elsewhere.
    pub async fn send(&self, command: ChannelCommand) {
        if let Err(unsaid) = self.try_send(command) {
            self.wait_and_send(unsaid).await;
        }
    }

    /// Passes on what the client says, which can mostly be done at once. If not, nothing more may be said before
    /// [`StreamHandle::wait_and_send`].
    pub fn try_send(&self, command: ChannelCommand) -> Result<(), Backpressured> {
        let is_missed = matches!(
            command.command,
            ClientCommand::Attach { after: Some(_), .. } | ClientCommand::Take { after: Some(_), .. }
        );
        if is_missed && !self.queue.has_room() {
            return Err(Backpressured(BlockedOn::ForRoom(command)));
        }
        let mut late = Vec::new();
        self.ask(command, &mut |table, ask| {
            if !late.is_empty() {
                late.push((table, ask));
            } else if let Err(full) = self.host.shards.try_ask(table, ask) {
                late.push(full);
            }
        });
        if late.is_empty() { Ok(()) } else { Err(Backpressured(BlockedOn::ForTables(late))) }
    }

    /// Passes on what had to wait.
    pub async fn wait_and_send(&self, Backpressured(waits): Backpressured) {
        let asks = match waits {
            BlockedOn::ForRoom(command) => {
                self.queue.room().await;
                let mut asks = Vec::new();
                self.ask(command, &mut |table, ask| asks.push((table, ask)));
                asks
            }
            BlockedOn::ForTables(asks) => asks,
        };
        self.host.shards.ask_all(asks).await;
    }

    /// Detaches a channel without a word: whoever calls this says why.
    pub async fn close(&self, channel: Channel) {
        if let Some(Attached { attachment, place, .. }) = self.queue.detach(channel) {
            let table = place.table();
            let detach = ShardMessage::Table(table, TableMessage::Detach(attachment));
            // A shard ends with the host, and then nobody is attached any more.
            let _ = self.host.shards.send(table, detach).await;
        }
    }

    /// What the tables are asked, by what was said.
    fn ask(
        &self,
        ChannelCommand { channel, command: what }: ChannelCommand,
        to: &mut impl FnMut(TableId, TableMessage),
    ) {
        match what {
            ClientCommand::Attach { who, after, wants } => {
                self.attach(channel, who, None, after, wants, self.host.shared.channels_per_stream, to);
            }
            ClientCommand::Take { given, after, wants } => {
                // A seat of an agent has one generation: it has no token that could be made anew.
                let pass = VerifiedSeatToken::new(given.table, given.seat, Generation::FIRST);
                self.attach(channel, ViewerCredential::Seat(pass), Some(given), after, wants, u32::MAX, to);
            }
            ClientCommand::Detach => match self.queue.detach(channel) {
                Some(Attached { attachment, place, given }) => {
                    let table = place.table();
                    self.queue.tell(channel, &StreamItem::Closed(closed(None, 0)));
                    if let Some(pass) = place.pass().filter(|_| given.is_some()) {
                        let (answer, _) = oneshot::channel();
                        let change = Change::Resign { seat: pass.seat() };
                        to(table, TableMessage::Change { behalf: Actor::Seat(pass), change, to: answer });
                    }
                    to(table, TableMessage::Detach(attachment));
                }
                None => {
                    let none = HostError::NoChannel { channel: channel.0 };
                    self.queue.tell(channel, &StreamItem::Closed(closed(Some(none), 0)));
                }
            },
            ClientCommand::Answer(answering) => match self.queue.attached(channel) {
                Some((attachment, place)) => {
                    let queue = self.queue.clone();
                    let pass = place.pass();
                    to(place.table(), TableMessage::Answer { queue, channel, attachment, pass, answering });
                }
                None => {
                    let refused = AnswerRefused::Host(HostError::NoChannel { channel: channel.0 });
                    let answered =
                        Answered { decision: answering.decision, outcome: AnswerOutcome::Refused(refused) };
                    self.queue.tell(channel, &StreamItem::Answered(&answered));
                    // An answer can cross the end of its table on the way: that is nobody's fault.
                    if !self.queue.is_closed(channel) {
                        self.note_refused();
                    }
                }
            },
        }
    }

    #[allow(clippy::too_many_arguments, reason = "all that an attach is, and where it goes")]
    fn attach(
        &self,
        channel: Channel,
        who: ViewerCredential,
        given: Option<SeatAssignment>,
        after: Option<u64>,
        wants: Wants,
        most: u32,
        to: &mut impl FnMut(TableId, TableMessage),
    ) {
        let attachment = Attachment(self.host.shared.attachments.fetch_add(1, Ordering::Relaxed));
        let table = who.table();
        let place =
            if let ViewerCredential::Seat(pass) = who { Place::Seat(pass) } else { Place::Rail(table) };
        let before = match self.queue.attach(
            channel,
            Attached { attachment, place, given: given.map(Box::new) },
            most as usize,
        ) {
            Ok(before) => before,
            Err(ChannelLimitReached) => {
                let full = LimitExceeded::Count { counted: LimitedResource::Channels, most };
                let closed = closed(Some(full.into()), after.unwrap_or_default());
                return self.queue.tell(channel, &StreamItem::Closed(closed));
            }
        };
        if let Some(given) = given {
            self.queue.push(attachment, channel, &StreamItem::SeatAssigned(given));
        }
        let _catch_up = after.map(|_| CatchUpGuard::of(&self.queue));
        let (queue, agent) = (self.queue.clone(), self.agent.clone());
        let attach = Attach { queue, channel, attachment, who, after, wants, agent, _catch_up };
        if let Some(before) = before {
            to(before.place.table(), TableMessage::Detach(before.attachment));
        }
        to(table, TableMessage::Attach(Box::new(attach)));
    }
}

impl Drop for StreamHandle {
    fn drop(&mut self) {
        let detach = |Attached { attachment, place, .. }| (place.table(), TableMessage::Detach(attachment));
        let asks: Vec<_> = self.queue.detach_all().into_iter().map(detach).collect();
        if !asks.is_empty()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let shards = self.host.shards.clone();
            runtime.spawn(async move { shards.ask_all(asks).await });
        }
    }
}
