//! What a client says over its stream, and the way from there to the tables.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};

use tokio::sync::oneshot;

use super::channels::{Attached, Attachment, Place};
use super::item_batch::{ItemBatch, StreamKind};
use crate::TableId;
use crate::agents::{Given, Known};
use crate::identity::{Generation, VerifiedSeatToken};
use crate::limits::{LimitExceeded, LimitedResource};
use crate::shard::ToShard;
use crate::shard::table_message::{Ask, Attach, Change};
use crate::stream::queue::{CatchUp, NoRoom, Out, closed};
use crate::table::DecisionAnswer;
use crate::{
    AnswerOutcome, AnswerRefused, Answered, Behalf, Channel, Host, HostError, StreamItem, Wants, Who,
};

/// One thing that a client says.
#[derive(Clone, Debug)]
pub struct Saying {
    /// What it is about.
    pub channel: Channel,
    /// What is said.
    pub what: Said,
}

/// What a client says.
#[derive(Clone, Debug)]
pub enum Said {
    /// It wants to play or to watch.
    Attach {
        /// Who it is.
        who: Who,
        /// The number of the last update that it has.
        after: Option<u64>,
        /// What it wants to be sent.
        wants: Wants,
    },
    /// It is given a seat, as an agent.
    Take {
        /// Which seat.
        given: Given,
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
pub struct Unsaid(Waits);

enum Waits {
    /// The client asks for more of what it has missed than it reads.
    ForRoom(Saying),
    /// The tables have too much to do.
    ForTables(Vec<(TableId, Ask)>),
}

/// The saying end of a stream. Dropping it detaches everything.
pub struct StreamHandle {
    host: Host,
    out: Arc<Out>,
    /// The agent, if it is one's.
    agent: Option<Arc<Known>>,
}

impl std::fmt::Debug for StreamHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StreamHandle")
    }
}

impl StreamHandle {
    pub(crate) fn new(host: Host, out: Arc<Out>) -> StreamHandle {
        StreamHandle { host, out, agent: None }
    }

    /// The stream of an agent, whose channels the server attaches.
    pub(crate) fn of_agent(mut self, agent: Arc<Known>) -> StreamHandle {
        self.agent = Some(agent);
        self
    }

    pub(crate) const fn host(&self) -> &Host {
        &self.host
    }

    pub(crate) fn out(&self) -> &Out {
        &self.out
    }

    /// Waits until the stream is about to end.
    pub async fn ended(&self) {
        let mut waits = None;
        poll_fn(|cx| self.poll_ended(&mut waits, cx)).await;
    }

    /// The same, to be polled by one who is noted here.
    pub fn poll_ended(&self, waits: &mut Option<Waker>, cx: &Context<'_>) -> Poll<()> {
        self.out.poll_ended(waits, cx)
    }

    /// The client will attach nothing more: the stream ends when its last channel is closed.
    pub fn finish(&self) {
        self.out.finish();
    }

    /// The client has broken the rules of the stream, or its connection: the stream ends after what waits, without a
    /// word.
    pub fn break_off(&self) {
        self.out.break_off();
    }

    /// The kind of the stream.
    #[must_use]
    pub fn kind(&self) -> StreamKind {
        self.out.kind()
    }

    /// Queues items that the caller has encoded itself, without asking a table. Waits for room: a client that does not read
    /// delays only itself.
    pub async fn send_encoded(&self, items: ItemBatch) {
        self.out.room().await;
        self.out.tell_all(items);
    }

    /// An answer was refused before it came here: an agent may do that only so often.
    pub fn note_refused(&self) {
        if let Some(agent) = &self.agent
            && let Some(enough) = self.host.shared.agents.refused(agent)
        {
            self.out.end(enough.into());
        }
    }

    /// Passes on what the client says. Waits while the tables have too much to do, and while the client asks for what it
    /// has missed and does not read it: whoever calls this reads the outbox elsewhere.
    pub async fn say(&self, saying: Saying) {
        if let Err(unsaid) = self.try_say(saying) {
            self.wait_to_say(unsaid).await;
        }
    }

    /// Passes on what the client says, which can mostly be done at once. If not, nothing more may be said before
    /// [`StreamHandle::wait_to_say`].
    pub fn try_say(&self, saying: Saying) -> Result<(), Unsaid> {
        let is_missed =
            matches!(saying.what, Said::Attach { after: Some(_), .. } | Said::Take { after: Some(_), .. });
        if is_missed && !self.out.has_room() {
            return Err(Unsaid(Waits::ForRoom(saying)));
        }
        let mut late = Vec::new();
        self.ask(saying, &mut |table, ask| {
            if !late.is_empty() {
                late.push((table, ask));
            } else if let Err(full) = self.host.shards.try_ask(table, ask) {
                late.push(full);
            }
        });
        if late.is_empty() { Ok(()) } else { Err(Unsaid(Waits::ForTables(late))) }
    }

    /// Passes on what had to wait.
    pub async fn wait_to_say(&self, Unsaid(waits): Unsaid) {
        let asks = match waits {
            Waits::ForRoom(saying) => {
                self.out.room().await;
                let mut asks = Vec::new();
                self.ask(saying, &mut |table, ask| asks.push((table, ask)));
                asks
            }
            Waits::ForTables(asks) => asks,
        };
        self.host.shards.ask_all(asks).await;
    }

    /// Detaches a channel without a word: whoever calls this says why.
    pub async fn close(&self, channel: Channel) {
        if let Some(Attached { attachment, place, .. }) = self.out.detach(channel) {
            let table = place.table();
            let detach = ToShard::Ask(table, Ask::Detach(attachment));
            // A shard ends with the host, and then nobody is attached any more.
            let _ = self.host.shards.send(table, detach).await;
        }
    }

    /// What the tables are asked, by what was said.
    fn ask(&self, Saying { channel, what }: Saying, to: &mut impl FnMut(TableId, Ask)) {
        match what {
            Said::Attach { who, after, wants } => {
                self.attach(channel, who, None, after, wants, self.host.shared.channels_per_stream, to);
            }
            Said::Take { given, after, wants } => {
                // A seat of an agent has one generation: it has no token that could be made anew.
                let pass = VerifiedSeatToken::new(given.table, given.seat, Generation::FIRST);
                self.attach(channel, Who::Seat(pass), Some(given), after, wants, u32::MAX, to);
            }
            Said::Detach => match self.out.detach(channel) {
                Some(Attached { attachment, place, given }) => {
                    let table = place.table();
                    self.out.tell(channel, &StreamItem::Closed(closed(None, 0)));
                    if let Some(pass) = place.pass().filter(|_| given.is_some()) {
                        let (answer, _) = oneshot::channel();
                        let change = Change::Resign { seat: pass.seat() };
                        to(table, Ask::Change { behalf: Behalf::Seat(pass), change, to: answer });
                    }
                    to(table, Ask::Detach(attachment));
                }
                None => {
                    let none = HostError::NoChannel { channel: channel.0 };
                    self.out.tell(channel, &StreamItem::Closed(closed(Some(none), 0)));
                }
            },
            Said::Answer(answering) => match self.out.attached(channel) {
                Some((attachment, place)) => {
                    let out = self.out.clone();
                    let pass = place.pass();
                    to(place.table(), Ask::Answer { out, channel, attachment, pass, answering });
                }
                None => {
                    let refused = AnswerRefused::Host(HostError::NoChannel { channel: channel.0 });
                    let answered =
                        Answered { decision: answering.decision, outcome: AnswerOutcome::Refused(refused) };
                    self.out.tell(channel, &StreamItem::Answered(&answered));
                    // An answer can cross the end of its table on the way: that is nobody's fault.
                    if !self.out.is_closed(channel) {
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
        who: Who,
        given: Option<Given>,
        after: Option<u64>,
        wants: Wants,
        most: u32,
        to: &mut impl FnMut(TableId, Ask),
    ) {
        let attachment = Attachment(self.host.shared.attachments.fetch_add(1, Ordering::Relaxed));
        let table = who.table();
        let place = if let Who::Seat(pass) = who { Place::Seat(pass) } else { Place::Rail(table) };
        let before = match self.out.attach(
            channel,
            Attached { attachment, place, given: given.map(Box::new) },
            most as usize,
        ) {
            Ok(before) => before,
            Err(NoRoom) => {
                let full = LimitExceeded::Count { counted: LimitedResource::Channels, most };
                let closed = closed(Some(full.into()), after.unwrap_or_default());
                return self.out.tell(channel, &StreamItem::Closed(closed));
            }
        };
        if let Some(given) = given {
            self.out.push(attachment, channel, &StreamItem::Given(given));
        }
        let _catch_up = after.map(|_| CatchUp::of(&self.out));
        let (out, agent) = (self.out.clone(), self.agent.clone());
        let attach = Attach { out, channel, attachment, who, after, wants, agent, _catch_up };
        if let Some(before) = before {
            to(before.place.table(), Ask::Detach(before.attachment));
        }
        to(table, Ask::Attach(Box::new(attach)));
    }
}

impl Drop for StreamHandle {
    fn drop(&mut self) {
        let detach = |Attached { attachment, place, .. }| (place.table(), Ask::Detach(attachment));
        let asks: Vec<_> = self.out.detach_all().into_iter().map(detach).collect();
        if !asks.is_empty()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let shards = self.host.shards.clone();
            runtime.spawn(async move { shards.ask_all(asks).await });
        }
    }
}
