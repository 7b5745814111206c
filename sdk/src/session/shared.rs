//! All seats and spectators of a session, between the tasks that read and answer and the one that has the stream.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::sync::{Notify, mpsc, oneshot};

use super::Given;
use super::slot::{Opening, Reply, Slot, Then, Told};
use crate::error::Reason;
use crate::{Answered, Error, wire};

/// Names a slot for as long as the session lives; the numbers of channels change.
pub(crate) type SlotId = u64;

pub(crate) struct Shared {
    state: Mutex<State>,
    /// A slot came: the stream is needed.
    needed: Notify,
    /// A slot lacks something that only another stream can bring.
    another: Notify,
    /// How many messages wait for each slot, at most.
    room: usize,
    /// Who is told of seats that the server gives: none unless the session is an agent's.
    arrivals: Option<Arrivals>,
}

/// Where the welcome and the seats go that the server gives to an agent.
pub(super) type Arrivals = mpsc::Sender<Given>;

#[derive(Default)]
struct State {
    slots: HashMap<SlotId, Slot>,
    /// Whose channel it is, of those that are attached.
    channels: HashMap<u32, SlotId>,
    /// Whose seat it is, by table and number, of those that the server gave.
    given: HashMap<(String, u32), SlotId>,
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
    /// How many seats the server has yet to give that it had for the agent when this stream began.
    awaited: Option<u32>,
    /// Why the session is over, if it is.
    ended: Option<Error>,
}

impl State {
    fn insert(&mut self, slot: Slot) -> SlotId {
        self.last_slot += 1;
        self.slots.insert(self.last_slot, slot);
        self.last_slot
    }

    /// Forgets a slot, and what leads to it.
    fn forget(&mut self, id: SlotId) -> Option<Slot> {
        let slot = self.slots.remove(&id)?;
        if let Some(channel) = slot.channel {
            self.channels.remove(&channel);
        }
        if let Some(place) = slot.place().filter(|place| self.given.get(place) == Some(&id)) {
            self.given.remove(&place);
        }
        Some(slot)
    }

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

    /// Once all seats were given that the server had: those that are not among them are over.
    fn miss_others(&mut self) -> Vec<Waker> {
        if self.awaited != Some(0) {
            return Vec::new();
        }
        self.awaited = None;
        let stream = self.stream;
        self.slots
            .values_mut()
            .filter_map(|slot| {
                slot.miss(stream);
                slot.is_over().then(|| slot.reader.take())?
            })
            .collect()
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
    pub(super) fn new(room: usize, arrivals: Option<Arrivals>) -> Shared {
        let (needed, another) = (Notify::new(), Notify::new());
        Shared { state: Mutex::default(), needed, another, room, arrivals }
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
        let id = state.insert(Slot::new(Opening::Attach { viewer, wants }, after, self.room));
        let waker = state.list(id);
        drop(state);
        wake(waker);
        self.needed.notify_one();
        Ok(id)
    }

    /// A seat or spectator is gone. That of an agent goes without a word: a farewell would resign it.
    pub(crate) fn remove(&self, id: SlotId) {
        let mut state = self.lock();
        let Some(slot) = state.forget(id) else { return };
        let waker = slot.channel.and_then(|channel| {
            if self.arrivals.is_some() {
                return None;
            }
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
        let waker = self.list(&mut state, id);
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

    /// The same as [`State::list`], and asks for another stream if the slot needs one.
    fn list(&self, state: &mut State, id: SlotId) -> Option<Waker> {
        if state.slots.get(&id).is_some_and(Slot::needs_another_stream) {
            self.another.notify_one();
        }
        state.list(id)
    }

    // For the task that has the stream

    /// Waits until there is a slot whose table is not over. An agent waits for seats, and so needs the stream always.
    pub(super) async fn until_needed(&self) {
        while self.arrivals.is_none() && self.lock().slots.values().all(Slot::is_over) {
            self.needed.notified().await;
        }
    }

    /// Waits until a slot needs another stream.
    pub(super) async fn until_another_is_needed(&self) {
        loop {
            self.another.notified().await;
            // It may be about the stream before.
            if self.lock().slots.values().any(Slot::needs_another_stream) {
                return;
            }
        }
    }

    /// What the agent has of its tables.
    pub(super) fn bookmarks(&self) -> Vec<wire::AgentBookmark> {
        self.lock().slots.values().filter_map(Slot::bookmark).collect()
    }

    /// The server welcomed the agent, and has so many seats for it.
    pub(super) fn welcome(&self, welcome: wire::AgentWelcome) {
        let mut state = self.lock();
        state.awaited = Some(welcome.seats);
        if let Some(arrivals) = &self.arrivals {
            // Nobody may be serving any more.
            let _ = arrivals.try_send(Given::Welcome(welcome));
        }
        let readers = state.miss_others();
        drop(state);
        wake(readers);
    }

    /// The server gives the agent no new seats for a while.
    pub(super) fn set_aside(&self, aside: wire::SetAside) {
        if let Some(arrivals) = &self.arrivals {
            // Nobody may be serving any more.
            let _ = arrivals.try_send(Given::SetAside(aside));
        }
    }

    /// A new stream: everyone attaches again, and what was not acknowledged is said again. Gives its number.
    pub(super) fn new_stream(&self) -> u64 {
        let mut state = self.lock();
        state.stream += 1;
        state.awaited = None;
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
            if let Some(wire::stream_item::Item::SeatGiven(given)) = item.item {
                readers.extend(self.take_seat(state, item.channel, given));
                continue;
            }
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

    /// The server gave a seat: one that we have and that comes back with a new stream, or another one.
    fn take_seat(&self, state: &mut State, channel: u32, given: wire::SeatGiven) -> Vec<Waker> {
        let Some(arrivals) = &self.arrivals else { return Vec::new() };
        let place = (given.table_id.clone(), given.seat);
        let known = state.given.get(&place).copied();
        let known = known.filter(|id| state.slots.get(id).is_some_and(|slot| !slot.is_over()));
        let id = known.unwrap_or_else(|| {
            let opening = Opening::Given { table_id: given.table_id.clone(), seat: given.seat };
            let id = state.insert(Slot::new(opening, None, self.room));
            state.given.insert(place, id);
            id
        });
        let stream = state.stream;
        if let Some(slot) = state.slots.get_mut(&id) {
            slot.give(channel, stream);
        }
        state.channels.insert(channel, id);
        let mut wakers: Vec<Waker> = state.list(id).into_iter().collect();
        if known.is_none() && arrivals.try_send(Given::Seat(id, given)).is_err() {
            // Nobody serves any more, or the server gave more seats than were asked for.
            state.forget(id);
        }
        state.awaited = state.awaited.and_then(|awaited| awaited.checked_sub(1));
        wakers.extend(state.miss_others());
        wakers
    }

    /// The wait of a slot is over.
    pub(super) fn stop_waiting(&self, id: SlotId) {
        let mut state = self.lock();
        let Some(slot) = state.slots.get_mut(&id) else { return };
        slot.stop_waiting();
        let waker = self.list(&mut state, id);
        drop(state);
        wake(waker);
    }

    /// Why the session is over, if it is.
    pub(crate) fn ended(&self) -> Option<Error> {
        self.lock().ended.as_ref().map(Error::again)
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
