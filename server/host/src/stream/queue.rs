//! What waits for one client: messages that are put together as the tables speak.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_util::task::AtomicWaker;
use tokio::sync::Notify;

use super::channels::{Attached, Attachment, Channels, Place};
use super::item_batch::{ItemBatch, ItemEncoder, StreamKind};
use crate::agents::{SeatAssignment, Suspension};
use crate::{Channel, Closed, HostError, StreamItem};

/// For each channel of a stream, so many items may wait, where that is more than the settings allow a stream.
const MIN_ITEMS_PER_CHANNEL: usize = 16;

/// So much room is made for a message at the most before it is needed, though the last one was larger: after a restart,
/// thousands of streams catch up with a large one each, and then have little to say.
const MAX_SPECULATIVE_CAPACITY: usize = 16 * 1024;

/// So many channels of a stream are told at once what they have missed; the next ones are when the client has read.
pub const MAX_CONCURRENT_CATCH_UPS: usize = 16;

/// What waits for one client. What every move needs comes first, in few lines of the cache.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct StreamQueue {
    state: Mutex<State>,
    bounds: QueueLimits,
    /// Whether the stream is about to end.
    is_ending: AtomicBool,
    /// ViewerCredential waits for the end.
    listener: AtomicWaker,
    /// The client has read something, or a channel has been told what it missed.
    room: Notify,
    /// Something is to be given again.
    again: Notify,
}

/// The limits of a stream, its kind, and the encoder of its items.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueLimits {
    /// How many items may wait, whatever is attached.
    pub(crate) items: usize,
    /// How many bytes a message has at the most, save for a larger item.
    pub(crate) message: usize,
    /// The kind of the stream.
    pub(crate) kind: StreamKind,
    /// The encoder of its items.
    pub(crate) encoder: &'static dyn ItemEncoder,
}

/// What every move needs, and no more: of a thousand streams, each has left the cache when it is spoken to again.
#[derive(Debug, Default)]
struct State {
    /// The message that items are added to.
    last: QueuedBatch,
    /// How many items wait, and how many of them tell what was missed: the client has asked for them, so it is not too
    /// slow for them.
    items: usize,
    missed: usize,
    /// How large the last message was that the client read.
    lately: usize,
    /// ViewerCredential waits for something to be said. It is woken once, and comes back when it has taken all.
    reader: Option<Waker>,
    channels: Channels,
    /// The highest channel that was ever attached.
    highest: Channel,
    cold: Option<Box<ColdState>>,
}

/// What a stream that goes well has nothing of.
#[derive(Debug, Default)]
struct ColdState {
    /// The messages before the last one, which are full.
    full: VecDeque<QueuedBatch>,
    /// How many channels are being told what they have missed.
    catching_up: usize,
    /// Somebody waits until the client has read something.
    waits_for_room: bool,
    /// The client will attach nothing more.
    finishing: bool,
    /// The client has broken the rules of the stream, or its connection.
    broken: bool,
    ending: Option<HostError>,
    /// What agents were given, and is to be given to them again: the table could not go on for a moment.
    again: Vec<SeatAssignment>,
    /// The agent was set aside, and is to be told.
    aside: Option<Suspension>,
}

/// A message that waits.
#[derive(Debug, Default)]
struct QueuedBatch {
    items: ItemBatch,
    missed: usize,
}

/// As many channels are attached as may be.
pub(crate) struct ChannelLimitReached;

/// A message for a client.
#[derive(Debug, Default)]
pub struct OutboundBatch {
    /// The items, in the order of what happened on each channel.
    pub items: ItemBatch,
    /// Why the agent was set aside just now, if it was.
    pub aside: Option<Suspension>,
    /// Why the stream ends after it, if it does.
    pub ending: Option<HostError>,
}

impl StreamQueue {
    pub(crate) fn new(bounds: QueueLimits) -> Arc<StreamQueue> {
        Arc::new(StreamQueue {
            state: Mutex::default(),
            room: Notify::new(),
            again: Notify::new(),
            is_ending: AtomicBool::new(false),
            listener: AtomicWaker::new(),
            bounds,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here is left half done by a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The kind of the stream.
    pub(crate) const fn kind(&self) -> StreamKind {
        self.bounds.kind
    }

    /// Something that is said on a channel, as a message of this stream.
    fn encode(&self, channel: Channel, what: &StreamItem<'_>) -> ItemBatch {
        let mut batch = ItemBatch::default();
        batch.push(self.bounds.encoder, self.bounds.kind, channel, what);
        batch
    }

    /// AgentProfile all of this on a channel, unless it has been attached anew. A client that has let too much wait is cut off.
    pub(crate) fn push_all(&self, attachment: Attachment, channel: Channel, items: ItemBatch) {
        let mut state = self.state();
        if state.takes(attachment, channel) {
            self.enqueue(&mut state, items);
            wake(state);
        }
    }

    /// AgentProfile something on a channel, as [`StreamQueue::push_all`] does.
    pub(crate) fn push(&self, attachment: Attachment, channel: Channel, what: &StreamItem<'_>) {
        self.push_all(attachment, channel, self.encode(channel, what));
    }

    /// AgentProfile something on a channel that the client has missed before, unless it has been attached anew.
    pub(crate) fn push_missed(&self, attachment: Attachment, channel: Channel, what: &StreamItem<'_>) {
        let items = self.encode(channel, what);
        let mut state = self.state();
        if state.takes(attachment, channel) {
            self.add(&mut state, items, true);
            wake(state);
        }
    }

    /// Closes a channel, unless it has been attached anew.
    pub(crate) fn close(&self, attachment: Attachment, channel: Channel, closed: Closed) {
        let mut state = self.state();
        if state.takes(attachment, channel) {
            let given = state.channels.remove(channel).and_then(|attached| attached.given);
            if let Some(given) = given.filter(|_| closed.retry) {
                state.cold().again.push(*given);
                self.again.notify_one();
            }
            self.enqueue(&mut state, self.encode(channel, &StreamItem::Closed(closed)));
            wake(state);
        }
    }

    /// AgentProfile something about a channel, whatever is attached to it.
    pub(crate) fn tell(&self, channel: Channel, what: &StreamItem<'_>) {
        self.tell_all(self.encode(channel, what));
    }

    /// AgentProfile all of this, whatever is attached.
    pub(crate) fn tell_all(&self, items: ItemBatch) {
        let mut state = self.state();
        if !state.is_ending() {
            self.enqueue(&mut state, items);
            wake(state);
        }
    }

    fn enqueue(&self, state: &mut State, items: ItemBatch) {
        if state.is_ending() {
            return;
        }
        if state.items - state.missed + items.items() <= self.most(state) {
            self.add(state, items, false);
            return;
        }
        (state.last, state.cold().full) = (QueuedBatch::default(), VecDeque::new());
        (state.items, state.missed) = (0, 0);
        self.set_ending(state, HostError::TooSlow);
    }

    fn set_ending(&self, state: &mut State, why: HostError) {
        state.cold().ending.get_or_insert(why);
        self.is_ending.store(true, Ordering::Release);
        self.listener.wake();
        self.room.notify_waiters();
    }

    /// Adds items to the last message, or begins another one with them.
    fn add(&self, state: &mut State, items: ItemBatch, is_missed: bool) {
        if items.len() > self.bounds.message && items.items() > 1 {
            let parts = items.split(self.bounds.encoder, self.bounds.message);
            return parts.into_iter().for_each(|part| self.add(state, part, is_missed));
        }
        let missed = if is_missed { items.items() } else { 0 };
        state.items += items.items();
        state.missed += missed;
        let length = state.last.items.len();
        if length == 0 {
            state.last = QueuedBatch { items, missed };
        } else if length + items.len() > self.bounds.message {
            let full = std::mem::replace(&mut state.last, QueuedBatch { items, missed });
            state.cold().full.push_back(full);
        } else {
            // Much will come if much came lately.
            let room = state.lately.min(MAX_SPECULATIVE_CAPACITY).saturating_sub(length).max(items.len());
            state.last.items.reserve(room);
            state.last.items.append(&items);
            state.last.missed += missed;
        }
    }

    /// How many items may wait.
    fn most(&self, state: &State) -> usize {
        self.bounds.items.max(MIN_ITEMS_PER_CHANNEL * state.channels.len())
    }

    /// Whether another channel can be told what it has missed.
    pub(crate) fn has_room(&self) -> bool {
        self.has_room_in(&self.state())
    }

    fn has_room_in(&self, state: &State) -> bool {
        let has_read = state.items < self.most(state);
        let catching_up = state.cold.as_ref().map_or(0, |cold| cold.catching_up);
        state.is_ending() || (has_read && catching_up < MAX_CONCURRENT_CATCH_UPS)
    }

    /// BlockedOn until another channel can be told what it has missed. A client that does not read waits for itself.
    pub(crate) async fn room(&self) {
        loop {
            let mut more = std::pin::pin!(self.room.notified());
            more.as_mut().enable();
            {
                let mut state = self.state();
                if self.has_room_in(&state) {
                    return;
                }
                state.cold().waits_for_room = true;
            }
            more.await;
        }
    }

    /// Tells an agent that it is set aside.
    pub(crate) fn set_aside(&self, aside: Suspension) {
        let mut state = self.state();
        state.cold().aside = Some(aside);
        wake(state);
    }

    /// Ends the stream after what waits.
    pub(crate) fn end(&self, why: HostError) {
        let mut state = self.state();
        self.set_ending(&mut state, why);
        wake(state);
    }

    /// The client will attach nothing more: the stream ends when its last channel is closed.
    pub(crate) fn finish(&self) {
        let mut state = self.state();
        state.cold().finishing = true;
        wake(state);
    }

    /// Ends the stream after what waits, without a word: whoever calls this says why.
    pub(crate) fn break_off(&self) {
        let mut state = self.state();
        state.cold().broken = true;
        wake(state);
    }

    /// Attaches a channel, if there may be another one. Gives what was attached to it before.
    pub(crate) fn attach(
        &self,
        channel: Channel,
        attached: Attached,
        most: usize,
    ) -> Result<Option<Attached>, ChannelLimitReached> {
        let mut state = self.state();
        if state.channels.len() >= most && state.channels.get(channel).is_none() {
            return Err(ChannelLimitReached);
        }
        state.highest = state.highest.max(channel);
        Ok(state.channels.insert(channel, attached))
    }

    /// Detaches a channel, and gives what was attached to it.
    pub(crate) fn detach(&self, channel: Channel) -> Option<Attached> {
        self.state().channels.remove(channel)
    }

    /// Where a channel is attached.
    pub(crate) fn attached(&self, channel: Channel) -> Option<(Attachment, Place)> {
        let state = self.state();
        let attached = state.channels.get(channel)?;
        Some((attached.attachment, attached.place))
    }

    /// Whether a channel of an agent has been closed: those that the server opens are counted up from 1.
    pub(crate) fn is_closed(&self, channel: Channel) -> bool {
        let state = self.state();
        (1..=state.highest.0).contains(&channel.0) && state.channels.get(channel).is_none()
    }

    /// Detaches everything.
    pub(crate) fn detach_all(&self) -> Vec<Attached> {
        let mut state = self.state();
        let detached = state.channels.drain().collect();
        wake(state);
        detached
    }

    /// BlockedOn until the stream is about to end. One at a time waits for it, who is noted here, and is looked at for every message:
    /// so nothing is locked for that.
    pub(crate) fn poll_ended(&self, waits: &mut Option<Waker>, context: &Context<'_>) -> Poll<()> {
        if !waits.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            *waits = Some(context.waker().clone());
            self.listener.register(context.waker());
        }
        if self.is_ending.load(Ordering::Acquire) { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Whether the client has broken the rules of the stream, or its connection.
    pub(crate) fn is_broken(&self) -> bool {
        self.state().cold.as_ref().is_some_and(|cold| cold.broken)
    }

    /// Why the stream ends, if it does.
    pub(crate) fn why_ended(&self) -> Option<HostError> {
        self.state().cold.as_ref().and_then(|cold| cold.ending.clone())
    }

    /// BlockedOn until something is to be given again, and gives it.
    pub(crate) async fn given_again(&self) -> Vec<SeatAssignment> {
        loop {
            let again = self.state().cold.as_mut().map(|cold| std::mem::take(&mut cold.again));
            if let Some(again) = again.filter(|again| !again.is_empty()) {
                return again;
            }
            self.again.notified().await;
        }
    }

    /// The next message; nothing if the stream has ended.
    pub(crate) fn poll_take(&self, context: &Context<'_>) -> Poll<Option<OutboundBatch>> {
        let mut state = self.state();
        let full = state.cold.as_mut().and_then(|cold| cold.full.pop_front());
        let QueuedBatch { items, missed } = full.unwrap_or_else(|| std::mem::take(&mut state.last));
        if !items.is_empty() {
            state.items -= items.items();
            state.missed -= missed;
            state.lately = items.len();
        }
        let mut batch = OutboundBatch { items, aside: None, ending: None };
        let mut is_over = false;
        let State { items, channels, cold, .. } = &mut *state;
        if let Some(cold) = cold {
            if !batch.items.is_empty() && std::mem::take(&mut cold.waits_for_room) {
                self.room.notify_waiters();
            }
            batch.aside = cold.aside.take();
            batch.ending = cold.ending.clone().filter(|_| *items == 0);
            is_over = cold.broken || (cold.finishing && channels.is_empty());
        }
        if !batch.items.is_empty() || batch.aside.is_some() || batch.ending.is_some() {
            return Poll::Ready(Some(batch));
        }
        if is_over {
            return Poll::Ready(None);
        }
        if !state.reader.as_ref().is_some_and(|reader| reader.will_wake(context.waker())) {
            state.reader = Some(context.waker().clone());
        }
        Poll::Pending
    }
}

/// Wakes whoever waits for something to be said.
fn wake(mut state: MutexGuard<'_, State>) {
    let reader = state.reader.take();
    drop(state);
    if let Some(reader) = reader {
        reader.wake();
    }
}

impl State {
    /// Whether what is said on a channel is still wanted.
    fn takes(&self, attachment: Attachment, channel: Channel) -> bool {
        let current = self.channels.get(channel);
        !self.is_ending() && current.is_some_and(|current| current.attachment == attachment)
    }

    fn is_ending(&self) -> bool {
        self.cold.as_ref().is_some_and(|cold| cold.ending.is_some())
    }

    fn cold(&mut self) -> &mut ColdState {
        self.cold.get_or_insert_default()
    }
}

/// A channel that is being told what it has missed, until this is dropped.
pub(crate) struct CatchUpGuard(Arc<StreamQueue>);

impl CatchUpGuard {
    pub(crate) fn of(queue: &Arc<StreamQueue>) -> CatchUpGuard {
        queue.state().cold().catching_up += 1;
        CatchUpGuard(queue.clone())
    }
}

impl Drop for CatchUpGuard {
    fn drop(&mut self) {
        self.0.state().cold().catching_up -= 1;
        self.0.room.notify_waiters();
    }
}

/// The end of a channel.
pub(crate) fn closed(why: Option<HostError>, number: u64) -> Closed {
    let retry = why.as_ref().is_some_and(HostError::is_passing);
    Closed { why, number, retry }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use futures_util::{FutureExt, poll};

    use super::*;
    use crate::TableId;
    use crate::stream::item_batch::test_encoder::{TestEncoder, texts};

    const TABLE: TableId = TableId::from_bytes([7; 16]);
    const FIRST: Attachment = Attachment(1);
    const CHANNEL: Channel = Channel(3);

    fn queue(items: usize, message: usize) -> Arc<StreamQueue> {
        let queue =
            StreamQueue::new(QueueLimits { items, message, kind: StreamKind::Client, encoder: &TestEncoder });
        let attached = Attached { attachment: FIRST, place: Place::Rail(TABLE), given: None };
        assert!(matches!(queue.attach(CHANNEL, attached, 1), Ok(None)));
        queue
    }

    /// Something that is said, and can be told from others by its number.
    fn said(number: u64) -> StreamItem<'static> {
        StreamItem::Closed(closed(None, number))
    }

    fn items(numbers: impl IntoIterator<Item = u64>) -> ItemBatch {
        let mut items = ItemBatch::default();
        for number in numbers {
            items.push(&TestEncoder, StreamKind::Client, CHANNEL, &said(number));
        }
        items
    }

    fn take(queue: &StreamQueue) -> Option<Option<OutboundBatch>> {
        poll_fn(|context| queue.poll_take(context)).now_or_never()
    }

    /// The numbers of the items.
    fn numbers(batch: &OutboundBatch) -> Vec<u32> {
        let number = |text: String| {
            let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().expect("a number")
        };
        texts(&batch.items).into_iter().map(number).collect()
    }

    #[test]
    fn items_come_in_order_in_messages_that_are_no_larger_than_they_may_be() {
        let queue = queue(1000, 64);
        let hear = || {
            let mut heard = Vec::new();
            while let Some(Some(batch)) = take(&queue) {
                assert!(batch.items.len() <= 64 && batch.ending.is_none(), "{batch:?}");
                heard.extend(numbers(&batch));
            }
            heard
        };
        for number in 1..=100 {
            queue.push(FIRST, CHANNEL, &said(number));
        }
        assert_eq!(hear(), (1..=100).collect::<Vec<_>>());
        // The same if all are said at once, after another.
        queue.push(FIRST, CHANNEL, &said(0));
        queue.push_all(FIRST, CHANNEL, items(1..=100));
        assert_eq!(hear(), (0..=100).collect::<Vec<_>>());
        // One that is larger than a message goes alone.
        let large = StreamItem::Closed(closed(Some(HostError::Fault { what: "x".repeat(100) }), 1));
        for said in [&said(2), &large, &said(3)] {
            queue.push(FIRST, CHANNEL, said);
        }
        let heard: Vec<_> =
            std::iter::from_fn(|| take(&queue).flatten()).map(|batch| numbers(&batch)).collect();
        assert_eq!(heard, [[2], [1], [3]]);
        // Nothing is left.
        let state = queue.state();
        assert_eq!((state.items, state.missed), (0, 0));
        assert!(state.last.items.is_empty() && state.cold.as_ref().is_some_and(|cold| cold.full.is_empty()));
    }

    #[test]
    fn what_is_meant_for_an_earlier_attachment_is_dropped() {
        let queue = queue(1000, 1000);
        queue.push(Attachment(2), CHANNEL, &said(1));
        queue.push(FIRST, Channel(4), &said(2));
        assert!(take(&queue).is_none());
        queue.close(FIRST, CHANNEL, closed(None, 9));
        queue.push(FIRST, CHANNEL, &said(3));
        queue.push_missed(FIRST, CHANNEL, &said(4));
        assert_eq!(numbers(&take(&queue).flatten().expect("an item")), [9]);
        assert!(take(&queue).is_none());
        // Nothing is attached any more.
        queue.finish();
        assert!(take(&queue).expect("the end").is_none());
    }

    #[tokio::test]
    async fn whoever_lets_too_much_wait_is_cut_off_but_not_for_what_was_missed() {
        let queue = queue(20, 64);
        for number in 1..=100 {
            queue.push_missed(FIRST, CHANNEL, &said(number));
        }
        let mut waits = None;
        let mut ended = poll_fn(|cx| queue.poll_ended(&mut waits, cx));
        for number in 0..20 {
            queue.push(FIRST, CHANNEL, &said(number));
        }
        assert!(poll!(&mut ended).is_pending() && !queue.has_room());
        queue.push_all(FIRST, CHANNEL, items([20, 21]));
        assert!(poll!(&mut ended).is_ready() && queue.has_room());
        let batch = take(&queue).flatten().expect("the end");
        assert!(batch.items.is_empty() && batch.ending == Some(HostError::TooSlow), "{batch:?}");
        assert_eq!(queue.why_ended(), Some(HostError::TooSlow));
    }

    #[test]
    fn a_stream_ends_after_what_waits() {
        let queue = queue(1000, 64);
        for number in 1..=20 {
            queue.push(FIRST, CHANNEL, &said(number));
        }
        queue.end(HostError::Stopping);
        let batches: Vec<_> =
            std::iter::from_fn(|| take(&queue).flatten().filter(|batch| !batch.items.is_empty())).collect();
        assert_eq!(batches.iter().flat_map(numbers).collect::<Vec<_>>(), (1..=20).collect::<Vec<_>>());
        let (last, others) = batches.split_last().expect("messages");
        assert!(
            last.ending == Some(HostError::Stopping) && others.iter().all(|batch| batch.ending.is_none())
        );

        let queue = self::queue(1000, 64);
        queue.push(FIRST, CHANNEL, &said(1));
        queue.break_off();
        assert_eq!(numbers(&take(&queue).flatten().expect("an item")), [1]);
        assert!(take(&queue).expect("the end").is_none() && queue.is_broken());
    }
}
