//! What waits for one client, and the client's way to say something: the two ends of a stream.

use std::collections::HashMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{Channel, Closed, HostError, Item, What};
use crate::TableId;
use crate::agents::{Aside, Given};
use crate::identity::SeatPass;

/// For each channel of a stream, so many items may wait, where that is more than the settings allow a stream.
const PER_CHANNEL: usize = 16;

/// So many channels of a stream are told at once what they have missed; the next ones are when the client has read.
pub(super) const CATCH_UPS: usize = 16;

/// One attaching of a channel. A channel can be attached again; what was meant for the earlier one is dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Attachment(pub(super) u64);

/// What is attached to a channel.
#[derive(Clone, Debug)]
pub(super) struct Attached {
    pub(super) attachment: Attachment,
    pub(super) table: TableId,
    /// The token of the seat, if it is a player.
    pub(super) pass: Option<SeatPass>,
    /// What an agent was given, if it is one.
    pub(super) given: Option<Box<Given>>,
}

/// What waits for one client.
#[derive(Debug)]
pub(super) struct Out {
    state: Mutex<State>,
    /// The client has read something, or a channel has been told what it missed.
    room: Notify,
    /// Something is to be given again.
    again: Notify,
    /// The stream is about to end.
    ending: CancellationToken,
    /// How many items may wait, whatever is attached.
    limit: usize,
}

#[derive(Debug, Default)]
struct State {
    queue: Vec<Item>,
    /// How many of the items tell what was missed. The client has asked for them, so it is not too slow for them.
    missed: usize,
    /// How many channels are being told what they have missed.
    catching_up: usize,
    channels: HashMap<Channel, Attached>,
    /// The highest channel that was ever attached.
    highest: Channel,
    ending: Option<HostError>,
    /// Who waits for something to be in the queue. It is woken once, and comes back when it has taken all.
    reader: Option<Waker>,
    /// What agents were given, and is to be given to them again: the table could not go on for a moment.
    again: Vec<Given>,
    /// The agent was set aside, and is to be told.
    aside: Option<Aside>,
}

/// As many channels are attached as may be.
pub(super) struct NoRoom;

/// All that was ready for a client.
#[derive(Debug)]
pub struct Batch {
    /// The items, in the order of what happened on each channel.
    pub items: Vec<Item>,
    /// Why the agent was set aside just now, if it was.
    pub aside: Option<Aside>,
    /// Why the stream ends after them, if it does.
    pub ending: Option<HostError>,
}

impl Out {
    pub(super) fn new(limit: usize) -> Arc<Out> {
        Arc::new(Out {
            state: Mutex::default(),
            room: Notify::new(),
            again: Notify::new(),
            ending: CancellationToken::new(),
            limit,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here is left half done by a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts items into the queue, unless their channel has been attached anew. A client that has let too much wait is
    /// cut off.
    pub(super) fn push(
        &self,
        attachment: Attachment,
        channel: Channel,
        items: impl IntoIterator<Item = What>,
    ) {
        let mut state = self.state();
        for what in items {
            if !state.takes(attachment, channel) {
                break;
            }
            if let What::Closed(Closed { retry, .. }) = what {
                let given = state.channels.remove(&channel).and_then(|attached| attached.given);
                if let Some(given) = given.filter(|_| retry) {
                    state.again.push(*given);
                    self.again.notify_one();
                }
            }
            self.enqueue(&mut state, Item { channel, what });
        }
        wake(state);
    }

    /// Puts an item into the queue that the client has missed before, unless its channel has been attached anew.
    pub(super) fn push_missed(&self, attachment: Attachment, item: Item) {
        let mut state = self.state();
        if state.takes(attachment, item.channel) {
            state.missed += 1;
            state.queue.push(item);
            wake(state);
        }
    }

    /// Says something about a channel, whatever is attached to it.
    pub(super) fn tell(&self, item: Item) {
        let mut state = self.state();
        if state.ending.is_none() {
            self.enqueue(&mut state, item);
            wake(state);
        }
    }

    fn enqueue(&self, state: &mut State, item: Item) {
        if state.queue.len() - state.missed >= self.most(state) {
            state.queue = Vec::new();
            state.missed = 0;
            state.ending = Some(HostError::TooSlow);
            self.ending.cancel();
            self.room.notify_one();
        } else {
            state.queue.push(item);
        }
    }

    /// How many items may wait.
    fn most(&self, state: &State) -> usize {
        self.limit.max(PER_CHANNEL * state.channels.len())
    }

    /// Whether another channel can be told what it has missed.
    pub(super) fn has_room(&self) -> bool {
        let state = self.state();
        let has_read = state.queue.len() < self.most(&state);
        state.ending.is_some() || (has_read && state.catching_up < CATCH_UPS)
    }

    /// Waits until another channel can be told what it has missed. A client that does not read waits for itself.
    pub(super) async fn room(&self) {
        while !self.has_room() {
            self.room.notified().await;
        }
    }

    /// Tells an agent that it is set aside.
    pub(super) fn set_aside(&self, aside: Aside) {
        let mut state = self.state();
        state.aside = Some(aside);
        wake(state);
    }

    /// Ends the stream after what waits.
    pub(super) fn end(&self, why: HostError) {
        let mut state = self.state();
        state.ending.get_or_insert(why);
        wake(state);
        self.ending.cancel();
        self.room.notify_one();
    }

    /// Attaches a channel, if there may be another one. Gives what was attached to it before.
    pub(super) fn attach(
        &self,
        channel: Channel,
        attached: Attached,
        most: usize,
    ) -> Result<Option<Attached>, NoRoom> {
        let mut state = self.state();
        if state.channels.len() >= most && !state.channels.contains_key(&channel) {
            return Err(NoRoom);
        }
        state.highest = state.highest.max(channel);
        Ok(state.channels.insert(channel, attached))
    }

    /// Detaches a channel, and gives what was attached to it.
    pub(super) fn detach(&self, channel: Channel) -> Option<Attached> {
        self.state().channels.remove(&channel)
    }

    /// What is attached to a channel.
    pub(super) fn attached(&self, channel: Channel) -> Option<Attached> {
        self.state().channels.get(&channel).cloned()
    }

    /// Whether a channel of an agent has been closed: those that the server opens are counted up from 1.
    pub(super) fn is_closed(&self, channel: Channel) -> bool {
        let state = self.state();
        (1..=state.highest.0).contains(&channel.0) && !state.channels.contains_key(&channel)
    }

    /// Detaches everything.
    pub(super) fn detach_all(&self) -> Vec<Attached> {
        let mut state = self.state();
        let detached = state.channels.drain().map(|(_, attached)| attached).collect();
        wake(state);
        detached
    }

    /// Waits until the stream is about to end.
    pub(super) async fn ended(&self) {
        self.ending.cancelled().await;
    }

    /// Why the stream ends, if it does.
    pub(super) fn why_ended(&self) -> Option<HostError> {
        self.state().ending.clone()
    }

    /// Waits until something is to be given again, and gives it.
    pub(super) async fn given_again(&self) -> Vec<Given> {
        loop {
            let again = std::mem::take(&mut self.state().again);
            if !again.is_empty() {
                return again;
            }
            self.again.notified().await;
        }
    }

    /// All that is ready; nothing, and the end, if the client attaches nothing more and nothing is attached.
    fn poll_take(&self, finishing: bool, context: &Context<'_>) -> Poll<Option<Batch>> {
        let mut state = self.state();
        if !state.queue.is_empty() || state.aside.is_some() || state.ending.is_some() {
            state.missed = 0;
            self.room.notify_one();
            let (items, aside) = (std::mem::take(&mut state.queue), state.aside.take());
            return Poll::Ready(Some(Batch { items, aside, ending: state.ending.clone() }));
        }
        if finishing && state.channels.is_empty() {
            return Poll::Ready(None);
        }
        state.reader = Some(context.waker().clone());
        Poll::Pending
    }
}

/// Wakes whoever waits for something to be in the queue.
fn wake(mut state: MutexGuard<'_, State>) {
    let reader = state.reader.take();
    drop(state);
    if let Some(reader) = reader {
        reader.wake();
    }
}

impl State {
    /// Whether the item is still wanted.
    fn takes(&self, attachment: Attachment, channel: Channel) -> bool {
        let current = self.channels.get(&channel);
        self.ending.is_none() && current.is_some_and(|current| current.attachment == attachment)
    }
}

/// A channel that is being told what it has missed, until this is dropped.
pub(super) struct CatchUp(Arc<Out>);

impl CatchUp {
    pub(super) fn of(out: &Arc<Out>) -> CatchUp {
        out.state().catching_up += 1;
        CatchUp(out.clone())
    }
}

impl Drop for CatchUp {
    fn drop(&mut self) {
        self.0.state().catching_up -= 1;
        self.0.room.notify_one();
    }
}

/// The streams that are open, so that all of them can be ended.
#[derive(Debug, Default)]
pub(super) struct Streams(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    /// By where they are in memory.
    streams: HashMap<usize, Weak<Out>>,
    ended: bool,
}

impl Streams {
    fn open(&self) -> MutexGuard<'_, Open> {
        // Nothing in here is left half done by a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, out: &Arc<Out>) {
        let mut open = self.open();
        if open.ended {
            out.end(HostError::Stopping);
        } else {
            open.streams.insert(Arc::as_ptr(out).addr(), Arc::downgrade(out));
        }
    }

    fn remove(&self, out: &Arc<Out>) {
        self.open().streams.remove(&Arc::as_ptr(out).addr());
    }

    /// Ends all streams after what waits, and those that are opened later.
    pub(super) fn end_all(&self) {
        let mut open = self.open();
        open.ended = true;
        for out in open.streams.drain().filter_map(|(_, out)| out.upgrade()) {
            out.end(HostError::Stopping);
        }
    }
}

/// The reading end of a stream.
#[derive(Debug)]
pub struct Outbox {
    out: Arc<Out>,
    streams: Arc<Streams>,
    /// Whether the client will attach nothing more.
    finishing: bool,
    ended: bool,
}

impl Outbox {
    pub(super) fn new(out: Arc<Out>, streams: Arc<Streams>) -> Outbox {
        streams.add(&out);
        Outbox { out, streams, finishing: false, ended: false }
    }

    /// The client will attach nothing more: the stream ends when its last channel is closed.
    pub fn finish(&mut self) {
        self.finishing = true;
    }

    /// All that is ready, in order for each channel; waits until there is something. `None`: the stream has ended.
    ///
    /// Nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Option<Batch> {
        if self.ended {
            return None;
        }
        let batch = poll_fn(|context| self.out.poll_take(self.finishing, context)).await;
        self.ended = batch.as_ref().is_none_or(|batch| batch.ending.is_some());
        batch
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        self.streams.remove(&self.out);
    }
}

/// The end of a channel.
pub(super) fn closed(why: Option<HostError>, number: u64) -> What {
    let retry = why.as_ref().is_some_and(HostError::is_passing);
    What::Closed(Closed { why, number, retry })
}
