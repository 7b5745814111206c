//! One subscription of a session: the inbox, position and unacknowledged answers of a seat or spectator.
//!
//! Exactly-once delivery lives here: updates and snapshots are deduplicated by number, decisions by id, and
//! answers are kept until acknowledged. Pure state: no I/O, no waiting.

mod inbound;
mod last_view;

use std::collections::VecDeque;
use std::task::Waker;

use tokio::sync::oneshot;

use crate::error::Reason;
use crate::retry::Backoff;
use crate::{AcceptedAnswer, Error, wire};
use last_view::LastView;
use wire::play_request_item::Item as RequestItem;

/// Maximum number of unacknowledged answers per seat.
pub(super) const MAX_UNACKED_ANSWERS: usize = 16;

/// A received item that was not read yet.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "most items are updates: a box for each would be an allocation more"
)]
pub(crate) enum InboxItem {
    Snapshot(Box<wire::Snapshot>),
    Update(wire::Update),
    Decision(Box<wire::Decision>),
    Presence(wire::Presence),
    TimeLeft(wire::TimeLeft),
}

/// Follow-up that a received item requires.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum FollowUp {
    None,
    /// Wake the reader: there is an item to read, or the end.
    WakeReader,
    /// Retry after a wait: an attach, or an answer that the server could not store just then.
    RetryLater,
}

/// Receives the acknowledgement of an answer.
pub(super) type AckSender = oneshot::Sender<Result<AcceptedAnswer, Error>>;

/// An unacknowledged answer.
struct PendingAnswer {
    answer: wire::Answer,
    /// True if it was sent on the current stream.
    sent: bool,
    /// True while it waits to be retried, after the server could not store it.
    held: bool,
    /// Number of the update that carries the decision, and the decision, if it arrived before the
    /// acknowledgement.
    decided: Option<(u32, wire::Decided)>,
    reply: AckSender,
}

impl PendingAnswer {
    fn is_due(&self) -> bool {
        !self.sent && !self.held
    }
}

/// The side that opens a subscription's channel.
pub(super) enum ChannelOpener {
    /// The client, by attaching.
    Client {
        /// The viewer to attach as.
        viewer: wire::attach::Viewer,
    },
    /// The server, which assigns the seat to an agent, once per stream.
    Server {
        /// Id of the table.
        table_id: String,
        /// The seat.
        seat: u32,
    },
}

pub(super) struct Subscription {
    opener: ChannelOpener,
    /// Parts of messages to receive.
    wants: Option<wire::Wants>,
    last_view: LastView,
    /// Number of the last update received.
    last_update: Option<u32>,
    /// Id of the last decision received.
    last_decision: u32,
    inbox: VecDeque<InboxItem>,
    capacity: usize,
    /// The inbox overflowed, or the server left out an update: items after `last_update` are fetched again
    /// when there is room.
    has_missing: bool,
    /// Channel number on the current stream, while attached.
    pub(super) channel: Option<u32>,
    /// True if the channel must be reopened: by an attach or, if the server opens it, over a new stream.
    attach_due: bool,
    /// True if the server closed the channel temporarily. It is reopened after a wait.
    temporarily_closed: bool,
    /// Stream on which the server last assigned the seat.
    assigned_on_stream: u64,
    /// True if the subscription is queued for sending.
    pub(super) queued: bool,
    answers: VecDeque<PendingAnswer>,
    /// The end, once reached; the first reader takes the error.
    end: Option<Option<Error>>,
    /// Waker of the reader.
    pub(super) reader: Option<Waker>,
    pub(super) backoff: Backoff,
}

impl Subscription {
    pub(super) fn new(
        opener: ChannelOpener,
        wants: Option<wire::Wants>,
        after: Option<u32>,
        capacity: usize,
    ) -> Subscription {
        let attach_due = matches!(opener, ChannelOpener::Client { .. });
        Subscription {
            opener,
            wants,
            last_view: LastView::new(wants),
            last_update: after,
            last_decision: 0,
            inbox: VecDeque::new(),
            capacity,
            has_missing: false,
            channel: None,
            attach_due,
            temporarily_closed: false,
            assigned_on_stream: 0,
            queued: false,
            answers: VecDeque::new(),
            end: None,
            reader: None,
            backoff: Backoff::default(),
        }
    }

    /// True if no more items will come.
    pub(super) fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// True if there are items to send.
    pub(super) fn has_items_to_send(&self) -> bool {
        self.end.is_none()
            && ((self.attach_due && self.is_client_opened())
                || (self.channel.is_some() && self.answers.iter().any(PendingAnswer::is_due)))
    }

    fn is_client_opened(&self) -> bool {
        matches!(self.opener, ChannelOpener::Client { .. })
    }

    /// True if only a new stream can deliver missing items: a server-opened channel cannot be attached.
    pub(super) fn needs_new_stream(&self) -> bool {
        self.end.is_none() && self.attach_due && !self.is_client_opened()
    }

    /// Records that the server assigned the seat, on this channel of this stream.
    pub(super) fn assign(&mut self, channel: u32, stream: u64) {
        self.channel = Some(channel);
        self.assigned_on_stream = stream;
        self.temporarily_closed = false;
    }

    /// Ends the subscription if the server did not assign its seat on this stream: most likely the table
    /// ended meanwhile. Called once all seats of a stream are assigned.
    pub(super) fn end_unless_assigned_on(&mut self, stream: u64) {
        if !self.is_client_opened() && self.assigned_on_stream != stream && self.end.is_none() {
            self.resolve_answers();
            self.end = Some(None);
        }
    }

    /// Bookmark for an agent's hello; `None` before the first update and after the end.
    pub(super) fn bookmark(&self) -> Option<wire::AgentBookmark> {
        match (&self.opener, self.last_update) {
            (ChannelOpener::Server { table_id, seat }, Some(after)) if self.end.is_none() => {
                Some(wire::AgentBookmark { table_id: table_id.clone(), seat: *seat, after })
            }
            _ => None,
        }
    }

    /// Table and seat, if the server assigned it.
    pub(super) fn assigned_seat(&self) -> Option<(String, u32)> {
        match &self.opener {
            ChannelOpener::Server { table_id, seat } => Some((table_id.clone(), *seat)),
            ChannelOpener::Client { .. } => None,
        }
    }

    /// Token of the seat, if the client attached it.
    pub(super) fn seat_token(&self) -> Option<String> {
        match &self.opener {
            ChannelOpener::Client { viewer: wire::attach::Viewer::SeatToken(token) } => Some(token.clone()),
            ChannelOpener::Client { .. } | ChannelOpener::Server { .. } => None,
        }
    }

    /// Resets for a new stream: attaches and unacknowledged answers are sent again.
    pub(super) fn reset_for_new_stream(&mut self) {
        self.channel = None;
        self.temporarily_closed = false;
        self.attach_due = self.is_client_opened();
        if !self.is_client_opened() {
            self.has_missing = false;
        }
        for pending in &mut self.answers {
            pending.sent = false;
        }
    }

    /// Ends a wait: held answers and attaches become due.
    pub(super) fn retry(&mut self) {
        for pending in &mut self.answers {
            pending.held = false;
        }
        self.schedule_attach();
    }

    /// Schedules an attach if detached, or if items are missing and there is room.
    fn schedule_attach(&mut self) {
        // The server opens an agent's channels; only one that it closed needs a new stream.
        let closed = if self.is_client_opened() { self.channel.is_none() } else { self.temporarily_closed };
        self.attach_due |= closed || self.can_refetch();
    }

    /// True if missing items would fit into the inbox now.
    fn can_refetch(&self) -> bool {
        self.has_missing && self.inbox.len() <= self.capacity / 2
    }

    /// Appends all items to send. Each attach gets a fresh channel number from `new_channel`, so that late
    /// items of the old channel cannot be mistaken.
    pub(super) fn collect_requests(
        &mut self,
        new_channel: impl FnOnce() -> u32,
        out: &mut Vec<wire::PlayRequestItem>,
    ) {
        let mut push = |channel, item| out.push(wire::PlayRequestItem { channel, item: Some(item) });
        if let ChannelOpener::Client { viewer } = &self.opener
            && self.attach_due
        {
            if let Some(old) = self.channel {
                push(old, RequestItem::Detach(wire::Detach {}));
            }
            let channel = new_channel();
            let (viewer, wants) = (Some(viewer.clone()), self.wants);
            push(channel, RequestItem::Attach(wire::Attach { viewer, after: self.last_update, wants }));
            self.channel = Some(channel);
            self.attach_due = false;
            self.has_missing = false;
            for pending in &mut self.answers {
                pending.sent = false;
            }
        }
        let Some(channel) = self.channel else { return };
        for pending in self.answers.iter_mut().filter(|pending| pending.is_due()) {
            push(channel, RequestItem::Answer(pending.answer.clone()));
            pending.sent = true;
        }
    }

    /// Queues an answer; replies at once if it cannot be sent.
    pub(super) fn queue_answer(&mut self, answer: wire::Answer, reply: AckSender) {
        if self.end.is_some() {
            let error = Error::new(Reason::TableOver, "the table is over: there is nothing more to answer");
            let _ = reply.send(Err(error));
        } else if self.answers.len() >= MAX_UNACKED_ANSWERS {
            let error = format!(
                "{MAX_UNACKED_ANSWERS} answers of this seat wait to be acknowledged: wait for them first"
            );
            let _ = reply.send(Err(Error::new(Reason::TooManyAnswers, error)));
        } else {
            self.answers.push_back(PendingAnswer { answer, sent: false, held: false, decided: None, reply });
            self.schedule_attach();
        }
    }

    /// Next item to read. The end is `Some(Ok(None))`, or an error once.
    pub(super) fn read(&mut self) -> Option<Result<Option<InboxItem>, Error>> {
        if let Some(item) = self.inbox.pop_front() {
            self.attach_due |= self.can_refetch();
            return Some(Ok(Some(item)));
        }
        self.end.as_mut().map(|end| end.take().map_or(Ok(None), Err))
    }

    /// First item to read, left in place.
    pub(super) fn peek(&self) -> Option<&InboxItem> {
        self.inbox.front()
    }
}

#[cfg(test)]
mod tests;
