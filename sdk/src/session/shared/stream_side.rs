//! The stream's side of a session's state: what the driver and the outbox call.

use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::{SessionState, SharedSession, SubscriptionId, wake};
use crate::session::AgentMessage;
use crate::session::subscription::{ChannelOpener, FollowUp, MAX_UNACKED_ANSWERS, Subscription};
use crate::wire;

impl SharedSession {
    /// Waits until a subscription is live. An agent always needs the stream, to receive seats.
    pub(in crate::session) async fn until_stream_needed(&self) {
        while self.agent_messages.is_none() && self.lock().subscriptions.values().all(Subscription::is_over) {
            self.stream_needed.notified().await;
        }
    }

    /// Waits until a subscription needs a new stream.
    pub(in crate::session) async fn until_reconnect_needed(&self) {
        loop {
            self.new_stream_needed.notified().await;
            // The signal may be from an earlier stream.
            if self.lock().subscriptions.values().any(Subscription::needs_new_stream) {
                return;
            }
        }
    }

    /// Bookmarks of an agent's tables.
    pub(in crate::session) fn bookmarks(&self) -> Vec<wire::AgentBookmark> {
        self.lock().subscriptions.values().filter_map(Subscription::bookmark).collect()
    }

    /// Processes the welcome of an agent's stream.
    pub(in crate::session) fn receive_welcome(&self, welcome: wire::AgentWelcome) {
        let mut state = self.lock();
        state.seats_expected = Some(welcome.seats);
        if let Some(agent_messages) = &self.agent_messages {
            // The agent may have been dropped.
            let _ = agent_messages.try_send(AgentMessage::Welcome(welcome));
        }
        let readers = state.end_unassigned();
        drop(state);
        wake(readers);
    }

    /// Processes a suspension of the agent.
    pub(in crate::session) fn receive_suspension(&self, suspension: wire::SetAside) {
        if let Some(agent_messages) = &self.agent_messages {
            // The agent may have been dropped.
            let _ = agent_messages.try_send(AgentMessage::SetAside(suspension));
        }
    }

    /// Begins a new stream: every subscription attaches again, and unacknowledged items are sent again.
    /// Returns its number.
    pub(in crate::session) fn begin_stream(&self) -> u64 {
        let mut state = self.lock();
        state.stream += 1;
        state.seats_expected = None;
        state.channels.clear();
        state.pending_detaches.clear();
        state.entropy_answers.clear();
        state.send_queue.clear();
        let mut ids: Vec<SubscriptionId> = state.subscriptions.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            if let Some(subscription) = state.subscriptions.get_mut(&id) {
                subscription.queued = false;
                subscription.reset_for_new_stream();
            }
            // No outbox waits before the stream is open.
            let _ = state.queue(id);
        }
        let old = state.outbox.take();
        let stream = state.stream;
        drop(state);
        // Lets the previous stream's outbox end.
        wake(old);
        stream
    }

    /// All items pending for this stream, up to `max_items`. Ends if the stream is no longer current.
    pub(in crate::session) fn poll_send(
        &self,
        stream: u64,
        max_items: usize,
        context: &Context<'_>,
    ) -> Poll<Option<Vec<wire::PlayRequestItem>>> {
        let mut guard = self.lock();
        let state = &mut *guard;
        if state.stream != stream || state.ended.is_some() {
            return Poll::Ready(None);
        }
        let mut items = std::mem::take(&mut state.entropy_answers);
        let detaches = state.pending_detaches.len().min(max_items.saturating_sub(items.len()));
        let detach = wire::play_request_item::Item::Detach(wire::Detach {});
        items.extend(
            state
                .pending_detaches
                .drain(..detaches)
                .map(|channel| wire::PlayRequestItem { channel, item: Some(detach.clone()) }),
        );
        // One subscription sends at max_items a detach, an attach and its answers.
        while items.len() + 2 + MAX_UNACKED_ANSWERS <= max_items {
            let Some(id) = state.send_queue.pop_front() else { break };
            let Some(subscription) = state.subscriptions.get_mut(&id) else { continue };
            subscription.queued = false;
            let old = subscription.channel;
            subscription.collect_requests(
                || {
                    state.last_channel = state.last_channel.wrapping_add(1);
                    state.last_channel
                },
                &mut items,
            );
            if subscription.channel != old {
                let new = subscription.channel;
                state.remove_channel(old);
                state.channels.extend(new.map(|channel| (channel, id)));
            }
        }
        if items.is_empty() {
            state.outbox = Some(context.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(Some(items))
    }

    /// Seats whose table is starting by these items: their tokens, and the commitments that the table shows.
    pub(in crate::session) fn starting_seats(
        &self,
        items: &[wire::StreamItem],
    ) -> Vec<(String, wire::FairShuffle)> {
        use wire::stream_item::Item;
        use wire::table_event::Event;
        let starting = items.iter().filter_map(|wire::StreamItem { channel, item }| {
            let shuffle = match item.as_ref()? {
                Item::Snapshot(snapshot) => {
                    let table = snapshot.table.as_ref()?;
                    let is_starting = table.state() == wire::TableState::Starting;
                    table.shuffle.as_ref().filter(|_| is_starting)?
                }
                Item::Update(update) => update.table_events.iter().find_map(|event| match &event.event {
                    Some(Event::Starting(starting)) => starting.shuffle.as_ref(),
                    _ => None,
                })?,
                _ => return None,
            };
            Some((*channel, shuffle))
        });
        let starting: Vec<_> = starting.collect();
        if starting.is_empty() {
            return Vec::new();
        }
        let state = self.lock();
        let token = |channel: &u32| state.subscriptions.get(state.channels.get(channel)?)?.seat_token();
        let seats = starting.iter();
        seats.filter_map(|(channel, shuffle)| Some((token(channel)?, (*shuffle).clone()))).collect()
    }

    /// Dispatches the server's items. Returns the subscriptions to retry after a wait.
    pub(in crate::session) fn receive(
        &self,
        items: Vec<wire::StreamItem>,
    ) -> Vec<(SubscriptionId, Duration)> {
        let mut guard = self.lock();
        let state = &mut *guard;
        let (mut readers, mut later) = (Vec::new(), Vec::new());
        for wire::StreamItem { channel, item } in items {
            if let Some(wire::stream_item::Item::EntropyAsked(asked)) = item {
                readers.extend(state.answer_entropy(&asked));
                if let Some(agent_messages) = &self.agent_messages {
                    // The agent may have been dropped.
                    let _ = agent_messages.try_send(AgentMessage::EntropyAsked(asked));
                }
                continue;
            }
            if let Some(wire::stream_item::Item::SeatGiven(given)) = item {
                readers.extend(self.assign_seat(state, channel, given));
                continue;
            }
            // Drops items of detached channels and of unknown kinds.
            let Some(id) = state.channels.get(&channel).copied() else { continue };
            let (Some(subscription), Some(item)) = (state.subscriptions.get_mut(&id), item) else { continue };
            let follow_up = subscription.receive(item);
            if subscription.channel.is_none() {
                state.channels.remove(&channel);
            }
            match follow_up {
                FollowUp::None => {}
                FollowUp::WakeReader => readers.extend(subscription.reader.take()),
                FollowUp::RetryLater => later.push((id, subscription.backoff.wait(None))),
            }
        }
        drop(guard);
        wake(readers);
        later
    }

    /// Processes an assigned seat: a known one that continues on a new stream, or a new one.
    fn assign_seat(&self, state: &mut SessionState, channel: u32, given: wire::SeatGiven) -> Vec<Waker> {
        let Some(agent_messages) = &self.agent_messages else { return Vec::new() };
        let seat = (given.table_id.clone(), given.seat);
        let known = state.assigned.get(&seat).copied();
        let known = known.filter(|id| state.subscriptions.get(id).is_some_and(|known| !known.is_over()));
        let id = known.unwrap_or_else(|| {
            let opener = ChannelOpener::Server { table_id: given.table_id.clone(), seat: given.seat };
            let id = state.insert(Subscription::new(opener, self.agent_wants, None, self.capacity));
            state.assigned.insert(seat, id);
            id
        });
        let stream = state.stream;
        if let Some(subscription) = state.subscriptions.get_mut(&id) {
            subscription.assign(channel, stream);
        }
        state.channels.insert(channel, id);
        let mut wakers: Vec<Waker> = state.queue(id).into_iter().collect();
        if known.is_none() && agent_messages.try_send(AgentMessage::Seat(id, given)).is_err() {
            // The agent was dropped, or the server assigned more seats than it may.
            state.remove(id);
        }
        state.seats_expected = state.seats_expected.and_then(|seats| seats.checked_sub(1));
        wakers.extend(state.end_unassigned());
        wakers
    }

    /// Ends the wait of a subscription.
    pub(in crate::session) fn retry(&self, id: SubscriptionId) {
        let mut state = self.lock();
        let Some(subscription) = state.subscriptions.get_mut(&id) else { return };
        subscription.retry();
        let waker = self.queue(&mut state, id);
        drop(state);
        wake(waker);
    }
}
