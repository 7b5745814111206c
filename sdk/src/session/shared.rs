//! All seats and spectators of a session, between the tasks that read and answer and the one that has the stream.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};

use super::slot::{Reply, Slot, Then, Told};
use crate::error::Reason;
use crate::{Answered, Error, wire};

/// Names a slot for as long as the session lives; the numbers of channels change.
pub(crate) type SlotId = u64;

pub(crate) struct Shared {
    state: Mutex<State>,
    /// A slot came: the stream is needed.
    needed: Notify,
    /// How many messages wait for each slot, at most.
    room: usize,
}

#[derive(Default)]
struct State {
    slots: HashMap<SlotId, Slot>,
    /// Whose channel it is, of those that are attached.
    channels: HashMap<u32, SlotId>,
    /// The slots that have something to send, each once, in the order in which they got it.
    ready: VecDeque<SlotId>,
    /// Channels to detach, whose slots are gone. Each was attached on the stream that is open.
    farewells: Vec<u32>,
    last_slot: SlotId,
    last_channel: u32,
    /// Which stream is the one that is open; the outbox of an earlier one says nothing more.
    stream: u64,
    /// Who waits for something to send.
    outbox: Option<Waker>,
    /// Why the session is over, if it is.
    ended: Option<Error>,
}

impl State {
    /// Puts a slot on the list if it has something to send, and says who should know.
    fn list(&mut self, id: SlotId) -> Option<Waker> {
        let slot = self.slots.get_mut(&id)?;
        if slot.listed || !slot.has_something_to_say() {
            return None;
        }
        slot.listed = true;
        self.ready.push_back(id);
        self.outbox.take()
    }

    /// The slot is no longer attached under this number.
    fn unhook(&mut self, channel: Option<u32>) {
        if let Some(channel) = channel {
            self.channels.remove(&channel);
        }
    }
}

fn wake(wakers: impl IntoIterator<Item = Waker>) {
    wakers.into_iter().for_each(Waker::wake);
}

fn gone() -> Error {
    Error::new(Reason::Closed, "the seat is closed: take it again to go on")
}

impl Shared {
    pub(super) fn new(room: usize) -> Shared {
        Shared { state: Mutex::default(), needed: Notify::new(), room }
    }

    /// Nothing is left half done under the lock, so a panic elsewhere spoils nothing.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // For seats and spectators

    /// A new seat or spectator.
    pub(crate) fn add(
        &self,
        viewer: wire::attach::Viewer,
        wants: Option<wire::Wants>,
        after: Option<u32>,
    ) -> Result<SlotId, Error> {
        let mut state = self.lock();
        if let Some(error) = &state.ended {
            return Err(error.again());
        }
        state.last_slot += 1;
        let id = state.last_slot;
        state.slots.insert(id, Slot::new(viewer, wants, after, self.room));
        let waker = state.list(id);
        drop(state);
        wake(waker);
        self.needed.notify_one();
        Ok(id)
    }

    /// A seat or spectator is gone.
    pub(crate) fn remove(&self, id: SlotId) {
        let mut state = self.lock();
        let Some(slot) = state.slots.remove(&id) else { return };
        let waker = slot.channel.and_then(|channel| {
            state.channels.remove(&channel);
            state.farewells.push(channel);
            state.outbox.take()
        });
        drop(state);
        wake(waker);
    }

    /// What the slot was told next; `Ok(None)` at its end.
    pub(crate) fn poll_read(&self, id: SlotId, context: &Context<'_>) -> Poll<Result<Option<Told>, Error>> {
        let mut state = self.lock();
        let Some(slot) = state.slots.get_mut(&id) else { return Poll::Ready(Err(gone())) };
        let Some(read) = slot.read() else {
            slot.reader = Some(context.waker().clone());
            return Poll::Pending;
        };
        // What did not fit can be fetched, now that there is room.
        let waker = state.list(id);
        drop(state);
        wake(waker);
        Poll::Ready(read)
    }

    /// Waits for the first thing to read, looks at it, and leaves it there. `None` is the end.
    pub(crate) fn poll_peek<T>(
        &self,
        id: SlotId,
        context: &Context<'_>,
        look: impl FnOnce(&Told) -> T,
    ) -> Poll<Result<Option<T>, Error>> {
        let mut state = self.lock();
        let Some(slot) = state.slots.get_mut(&id) else { return Poll::Ready(Err(gone())) };
        if let Some(told) = slot.peek() {
            return Poll::Ready(Ok(Some(look(told))));
        }
        match slot.read() {
            Some(end) => Poll::Ready(end.map(|_| None)),
            None => {
                slot.reader = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Sends an answer, as often as it takes, and waits for what becomes of it.
    pub(crate) async fn answer(&self, id: SlotId, answer: wire::Answer) -> Result<Answered, Error> {
        let (reply, acknowledged) = oneshot::channel();
        self.put_answer(id, answer, reply)?;
        acknowledged.await.unwrap_or_else(|_| Err(gone()))
    }

    fn put_answer(&self, id: SlotId, answer: wire::Answer, reply: Reply) -> Result<(), Error> {
        let mut state = self.lock();
        state.slots.get_mut(&id).ok_or_else(gone)?.answer(answer, reply);
        let waker = state.list(id);
        drop(state);
        wake(waker);
        Ok(())
    }

    // For the task that has the stream

    /// Waits until there is a slot whose table is not over.
    pub(super) async fn until_needed(&self) {
        while self.lock().slots.values().all(Slot::is_over) {
            self.needed.notified().await;
        }
    }

    /// A new stream: everyone attaches again, and what was not acknowledged is said again. Gives its number.
    pub(super) fn new_stream(&self) -> u64 {
        let mut state = self.lock();
        state.stream += 1;
        state.channels.clear();
        state.farewells.clear();
        state.ready.clear();
        let mut ids: Vec<SlotId> = state.slots.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            if let Some(slot) = state.slots.get_mut(&id) {
                slot.listed = false;
                slot.start_over();
            }
            // Nobody waits on the outbox of a stream that is not open yet.
            let _ = state.list(id);
        }
        let old = state.outbox.take();
        let stream = state.stream;
        drop(state);
        // The outbox of the stream before, which now sees that it is over.
        wake(old);
        stream
    }

    /// All that is ready to be sent on this stream, up to `most` items. The end if it is no longer the one that is open.
    pub(super) fn poll_send(
        &self,
        stream: u64,
        most: usize,
        context: &Context<'_>,
    ) -> Poll<Option<Vec<wire::PlayRequestItem>>> {
        let mut guard = self.lock();
        let state = &mut *guard;
        if state.stream != stream || state.ended.is_some() {
            return Poll::Ready(None);
        }
        let mut items = Vec::new();
        let farewells = state.farewells.len().min(most);
        let detach = wire::play_request_item::Item::Detach(wire::Detach {});
        items.extend(
            state
                .farewells
                .drain(..farewells)
                .map(|channel| wire::PlayRequestItem { channel, item: Some(detach.clone()) }),
        );
        // One slot says at most this much at once: a farewell, an attach, and its answers.
        while items.len() + 2 + super::slot::MOST_ANSWERS <= most {
            let Some(id) = state.ready.pop_front() else { break };
            let Some(slot) = state.slots.get_mut(&id) else { continue };
            slot.listed = false;
            let old = slot.channel;
            slot.say(
                || {
                    state.last_channel = state.last_channel.wrapping_add(1);
                    state.last_channel
                },
                &mut items,
            );
            if slot.channel != old {
                let new = slot.channel;
                state.unhook(old);
                state.channels.extend(new.map(|channel| (channel, id)));
            }
        }
        if items.is_empty() {
            state.outbox = Some(context.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(Some(items))
    }

    /// Gives each slot what the server said to it. Returns those that have to say something again after a
    /// wait.
    pub(super) fn receive(&self, items: Vec<wire::StreamItem>) -> Vec<(SlotId, Duration)> {
        let mut guard = self.lock();
        let state = &mut *guard;
        let (mut readers, mut later) = (Vec::new(), Vec::new());
        for item in items {
            // Of a channel that was left meanwhile, or of a kind that this client does not know.
            let Some(id) = state.channels.get(&item.channel).copied() else { continue };
            let (Some(slot), Some(heard)) = (state.slots.get_mut(&id), item.item) else { continue };
            let then = slot.hear(heard);
            if slot.channel.is_none() {
                state.channels.remove(&item.channel);
            }
            match then {
                Then::Nothing => {}
                Then::Read => readers.extend(slot.reader.take()),
                Then::SayLater => later.push((id, slot.backoff.wait(None))),
            }
        }
        drop(guard);
        wake(readers);
        later
    }

    /// The wait of a slot is over.
    pub(super) fn stop_waiting(&self, id: SlotId) {
        let mut state = self.lock();
        let Some(slot) = state.slots.get_mut(&id) else { return };
        slot.stop_waiting();
        let waker = state.list(id);
        drop(state);
        wake(waker);
    }

    /// The session is over, for everyone on it.
    pub(super) fn end(&self, error: &Error) {
        let mut guard = self.lock();
        let state = &mut *guard;
        state.ended = Some(error.again());
        let mut wakers: Vec<Waker> = state.outbox.take().into_iter().collect();
        for slot in state.slots.values_mut() {
            slot.fail(error.again());
            wakers.extend(slot.reader.take());
        }
        drop(guard);
        wake(wakers);
    }
}

#[cfg(test)]
mod tests;
