//! State of a session: all subscriptions, shared by the tasks that read and answer and the task that owns the
//! stream.

mod stream_side;

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use tokio::sync::{Notify, mpsc, oneshot};

use super::AgentMessage;
use super::subscription::{AckSender, ChannelOpener, InboxItem, Subscription};
use crate::entropy::TournamentEntropy;
use crate::error::Reason;
use crate::{AcceptedAnswer, Error, wire};

/// Maximum number of answers to requests for entropy that wait to be sent: more than tournaments that can start at once.
const MAX_ENTROPY_ANSWERS: usize = 256;

/// Identifies a subscription for the life of the session; channel numbers change.
pub(crate) type SubscriptionId = u64;

/// Session state behind a lock, with the signals between its tasks.
pub(crate) struct SharedSession {
    state: Mutex<SessionState>,
    /// Signals a new subscription: the stream is needed.
    stream_needed: Notify,
    /// Signals that a subscription needs a new stream.
    new_stream_needed: Notify,
    /// Inbox capacity of each subscription.
    capacity: usize,
    /// Receives the server's messages for an agent; `None` for a player's session.
    agent_messages: Option<AgentMessageSender>,
    /// Parts of messages that an agent receives at all its tables; a player's seats have their own.
    agent_wants: Option<wire::Wants>,
}

/// Sender of the server's messages for an agent.
pub(super) type AgentMessageSender = mpsc::Sender<AgentMessage>;

#[derive(Default)]
struct SessionState {
    subscriptions: HashMap<SubscriptionId, Subscription>,
    /// Subscription of each attached channel.
    channels: HashMap<u32, SubscriptionId>,
    /// Subscription of each assigned seat, by table and seat number.
    assigned: HashMap<(String, u32), SubscriptionId>,
    /// Subscriptions with items to send, each once, first come first served.
    send_queue: VecDeque<SubscriptionId>,
    /// Entropy of an agent for tournaments.
    entropy: TournamentEntropy,
    /// Answers to requests for it, to send on the current stream. The server asks again on the next one.
    entropy_answers: Vec<wire::PlayRequestItem>,
    /// Channels of removed subscriptions to detach on the current stream.
    pending_detaches: Vec<u32>,
    last_subscription: SubscriptionId,
    last_channel: u32,
    /// Number of the current stream; outboxes of earlier ones end.
    stream: u64,
    /// Waker of the outbox.
    outbox: Option<Waker>,
    /// Number of seats that the server has yet to assign, of those it announced in the welcome of this
    /// stream.
    seats_expected: Option<u32>,
    /// Cause of the session's end, if it has ended.
    ended: Option<Error>,
}

impl SessionState {
    fn insert(&mut self, subscription: Subscription) -> SubscriptionId {
        self.last_subscription += 1;
        self.subscriptions.insert(self.last_subscription, subscription);
        self.last_subscription
    }

    /// Removes a subscription and its index entries.
    fn remove(&mut self, id: SubscriptionId) -> Option<Subscription> {
        let subscription = self.subscriptions.remove(&id)?;
        if let Some(channel) = subscription.channel {
            self.channels.remove(&channel);
        }
        if let Some(seat) = subscription.assigned_seat().filter(|seat| self.assigned.get(seat) == Some(&id)) {
            self.assigned.remove(&seat);
        }
        Some(subscription)
    }

    /// Queues a subscription that has items to send; returns the outbox's waker.
    fn queue(&mut self, id: SubscriptionId) -> Option<Waker> {
        let subscription = self.subscriptions.get_mut(&id)?;
        if subscription.queued || !subscription.has_items_to_send() {
            return None;
        }
        subscription.queued = true;
        self.send_queue.push_back(id);
        self.outbox.take()
    }

    /// Ends the subscriptions that were not assigned again, once all announced seats are assigned.
    fn end_unassigned(&mut self) -> Vec<Waker> {
        if self.seats_expected != Some(0) {
            return Vec::new();
        }
        self.seats_expected = None;
        let stream = self.stream;
        self.subscriptions
            .values_mut()
            .filter_map(|subscription| {
                subscription.end_unless_assigned_on(stream);
                subscription.is_over().then(|| subscription.reader.take())?
            })
            .collect()
    }

    /// Queues the answer to a request for entropy; returns the outbox's waker.
    fn answer_entropy(&mut self, asked: &wire::TournamentEntropyAsked) -> Option<Waker> {
        let answer = self.entropy.answer(asked)?;
        if self.entropy_answers.len() >= MAX_ENTROPY_ANSWERS {
            return None;
        }
        let item = Some(wire::play_request_item::Item::TournamentEntropy(answer));
        self.entropy_answers.push(wire::PlayRequestItem { channel: 0, item });
        self.outbox.take()
    }

    /// Removes a channel from the index.
    fn remove_channel(&mut self, channel: Option<u32>) {
        if let Some(channel) = channel {
            self.channels.remove(&channel);
        }
    }
}

fn wake(wakers: impl IntoIterator<Item = Waker>) {
    wakers.into_iter().for_each(Waker::wake);
}

fn closed_error() -> Error {
    Error::new(Reason::Closed, "the seat is closed: attach it again")
}

impl SharedSession {
    /// State of a player's session.
    pub(super) fn new(capacity: usize) -> SharedSession {
        SharedSession {
            state: Mutex::default(),
            stream_needed: Notify::new(),
            new_stream_needed: Notify::new(),
            capacity,
            agent_messages: None,
            agent_wants: None,
        }
    }

    /// State of an agent's session.
    pub(super) fn for_agent(
        capacity: usize,
        messages: AgentMessageSender,
        wants: Option<wire::Wants>,
    ) -> SharedSession {
        SharedSession { agent_messages: Some(messages), agent_wants: wants, ..SharedSession::new(capacity) }
    }

    /// No invariant is broken while the lock is held, so poisoning is ignored.
    fn lock(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a seat or spectator.
    pub(crate) fn subscribe(
        &self,
        viewer: wire::attach::Viewer,
        wants: Option<wire::Wants>,
        after: Option<u32>,
    ) -> Result<SubscriptionId, Error> {
        let mut state = self.lock();
        if let Some(error) = &state.ended {
            return Err(error.clone());
        }
        let id =
            state.insert(Subscription::new(ChannelOpener::Client { viewer }, wants, after, self.capacity));
        let waker = state.queue(id);
        drop(state);
        wake(waker);
        self.stream_needed.notify_one();
        Ok(id)
    }

    /// Removes a seat or spectator and detaches its channel. An agent's is not detached, because that would
    /// resign the seat.
    pub(crate) fn unsubscribe(&self, id: SubscriptionId) {
        let mut state = self.lock();
        let Some(subscription) = state.remove(id) else { return };
        let waker = subscription.channel.and_then(|channel| {
            if self.agent_messages.is_some() {
                return None;
            }
            state.pending_detaches.push(channel);
            state.outbox.take()
        });
        drop(state);
        wake(waker);
    }

    /// Next inbox item; `Ok(None)` at the end.
    pub(crate) fn poll_read(
        &self,
        id: SubscriptionId,
        context: &Context<'_>,
    ) -> Poll<Result<Option<InboxItem>, Error>> {
        let mut state = self.lock();
        let Some(subscription) = state.subscriptions.get_mut(&id) else {
            return Poll::Ready(Err(closed_error()));
        };
        let Some(read) = subscription.read() else {
            subscription.reader = Some(context.waker().clone());
            return Poll::Pending;
        };
        // Missing items can be fetched, now that there is room.
        let waker = self.queue(&mut state, id);
        drop(state);
        wake(waker);
        Poll::Ready(read)
    }

    /// Waits for the first inbox item and inspects it in place. `None` is the end.
    pub(crate) fn poll_peek<T>(
        &self,
        id: SubscriptionId,
        context: &Context<'_>,
        inspect: impl FnOnce(&InboxItem) -> T,
    ) -> Poll<Result<Option<T>, Error>> {
        let mut state = self.lock();
        let Some(subscription) = state.subscriptions.get_mut(&id) else {
            return Poll::Ready(Err(closed_error()));
        };
        if let Some(item) = subscription.peek() {
            return Poll::Ready(Ok(Some(inspect(item))));
        }
        match subscription.read() {
            Some(end) => Poll::Ready(end.map(|_| None)),
            None => {
                subscription.reader = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Sends an answer, re-sending as needed, and waits for its acknowledgement.
    pub(crate) async fn answer(
        &self,
        id: SubscriptionId,
        answer: wire::Answer,
    ) -> Result<AcceptedAnswer, Error> {
        let (reply, acknowledged) = oneshot::channel();
        self.queue_answer(id, answer, reply)?;
        acknowledged.await.unwrap_or_else(|_| Err(closed_error()))
    }

    fn queue_answer(&self, id: SubscriptionId, answer: wire::Answer, reply: AckSender) -> Result<(), Error> {
        let mut state = self.lock();
        state.subscriptions.get_mut(&id).ok_or_else(closed_error)?.queue_answer(answer, reply);
        let waker = state.queue(id);
        drop(state);
        wake(waker);
        Ok(())
    }

    /// [`SessionState::queue`], and requests a new stream if the subscription needs one.
    fn queue(&self, state: &mut SessionState, id: SubscriptionId) -> Option<Waker> {
        if state.subscriptions.get(&id).is_some_and(Subscription::needs_new_stream) {
            self.new_stream_needed.notify_one();
        }
        state.queue(id)
    }

    /// Cause of the session's end, if it has ended.
    pub(crate) fn ended(&self) -> Option<Error> {
        self.lock().ended.clone()
    }

    /// Ends the session and all its subscriptions.
    pub(super) fn end(&self, error: &Error) {
        let mut guard = self.lock();
        let state = &mut *guard;
        state.ended = Some(error.clone());
        let mut wakers: Vec<Waker> = state.outbox.take().into_iter().collect();
        for subscription in state.subscriptions.values_mut() {
            subscription.fail(error.clone());
            wakers.extend(subscription.reader.take());
        }
        drop(guard);
        wake(wakers);
    }
}

#[cfg(test)]
mod tests;
