//! Outbound queue of one client stream: a bounded sequence of item batches.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_util::task::AtomicWaker;
use tokio::sync::Notify;

use super::channels::{AttachedChannel, Attachment, AttachmentTarget, ChannelMap};
use super::item_batch::{ItemBatch, ItemEncoder, StreamKind};
use crate::agents::{SeatAssignment, Suspension};
use crate::limits::{ByteReservation, LimitExceeded, LimitedBytes, RESERVED_STREAM_BYTES};
use crate::{Channel, Closed, HostError, StreamItem};

/// Items that may be queued per attached channel, where that is more than the configured limit of a stream.
const MIN_ITEMS_PER_CHANNEL: usize = 16;

/// Maximum capacity in bytes reserved for a batch before it is needed, even if the previous one was larger:
/// after a restart, thousands of streams catch up with a large batch each, and then send little.
const MAX_SPECULATIVE_CAPACITY: usize = 16 * 1024;

/// Channels of a stream that may attach or catch up at the same time; the next ones wait until the client has read.
pub const MAX_CONCURRENT_CATCH_UPS: usize = 16;

/// Part of the bytes of a stream up to which it is sent what it requested itself: snapshots, and updates to catch up.
const CATCH_UP_PART: usize = 4;

/// Outbound queue of one client. The fields used by every move come first, in few cache lines.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct StreamQueue {
    state: Mutex<QueueState>,
    limits: QueueLimits,
    /// The stream is about to end.
    is_ending: AtomicBool,
    /// Waker of the task that waits for the end.
    end_waker: AtomicWaker,
    /// Notified when the client has read a batch, or a channel has caught up or was closed.
    room_available: Notify,
    /// Notified when a seat must be assigned again.
    reassignment_added: Notify,
    /// The bytes reserved for this stream.
    reservation: Mutex<ByteReservation>,
}

/// Limits of a stream, its kind, and the encoder of its items.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueLimits {
    /// Items that may be queued regardless of the number of channels.
    pub(crate) max_items: usize,
    /// Bytes that may be queued.
    pub(crate) max_bytes: usize,
    /// Maximum bytes of a message, except for a single larger item.
    pub(crate) max_batch_bytes: usize,
    pub(crate) kind: StreamKind,
    pub(crate) encoder: &'static dyn ItemEncoder,
}

/// The state used by every move, and no more: with a thousand streams, each has left the cache before its
/// next item.
#[derive(Debug, Default)]
struct QueueState {
    /// The batch that items are appended to.
    last: QueuedBatch,
    /// Queued items, and those of them that catch up on the past: the client asked for these, so they do not
    /// count as slow reading.
    items: u32,
    catch_up_items: u32,
    /// Bytes of the queued items.
    bytes: u32,
    /// Bytes of the last batch taken by the reader, and of these the ones that the connection may not have sent.
    last_taken_bytes: u32,
    in_transit_bytes: u32,
    /// Bytes reserved for this stream: only what exceeds them needs the budgets.
    reserved_bytes: u32,
    /// Waker of the reader. It is woken once, and registers again after it has taken everything.
    reader: Option<Waker>,
    channels: ChannelMap,
    /// The highest channel ever attached.
    highest_channel: Channel,
    cold: Option<Box<ColdState>>,
}

/// Rarely used state of a stream.
#[derive(Debug, Default)]
struct ColdState {
    /// The full batches before `last`.
    full_batches: VecDeque<QueuedBatch>,
    /// Number of channels that are catching up.
    catching_up: usize,
    /// Bytes of requested items that the rate of the caller has not been charged for.
    uncharged_bytes: usize,
    /// A task waits until the client has read.
    is_room_awaited: bool,
    /// The client will attach no more channels.
    finishing: bool,
    /// The client has violated the protocol, or its connection has broken.
    broken: bool,
    end_reason: Option<HostError>,
    /// Seats to assign again to the agent: their table was unavailable for a moment.
    reassignments: Vec<SeatAssignment>,
    /// Suspension to send to the agent.
    suspension: Option<Suspension>,
}

/// A queued batch.
#[derive(Debug, Default)]
struct QueuedBatch {
    items: ItemBatch,
    catch_up_items: u32,
}

/// The maximum number of channels is attached.
pub(crate) struct ChannelLimitReached;

/// A message for a client.
#[derive(Debug, Default)]
pub struct OutboundBatch {
    /// The items, in order on each channel.
    pub items: ItemBatch,
    /// The suspension of the agent, if it is to be announced.
    pub suspension: Option<Suspension>,
    /// The reason of the end, if the stream ends after this batch.
    pub end_reason: Option<HostError>,
}

impl StreamQueue {
    pub(crate) fn new(limits: QueueLimits, reservation: ByteReservation) -> Arc<StreamQueue> {
        let reserved_bytes = reservation.bytes() as u32;
        Arc::new(StreamQueue {
            state: Mutex::new(QueueState { reserved_bytes, ..QueueState::default() }),
            reservation: Mutex::new(reservation),
            room_available: Notify::new(),
            reassignment_added: Notify::new(),
            is_ending: AtomicBool::new(false),
            end_waker: AtomicWaker::new(),
            limits,
        })
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        // A panic cannot leave the state half updated.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) const fn kind(&self) -> StreamKind {
        self.limits.kind
    }

    /// Encodes one item as a batch of this stream.
    fn encode(&self, channel: Channel, item: &StreamItem<'_>) -> ItemBatch {
        let mut batch = ItemBatch::default();
        batch.push(self.limits.encoder, self.limits.kind, channel, item);
        batch
    }

    /// Queues a batch on a channel, unless the channel was attached anew. A client whose queue is full is cut
    /// off.
    pub(crate) fn push_batch(&self, attachment: Attachment, channel: Channel, items: ItemBatch) {
        let mut state = self.state();
        if state.accepts(attachment, channel) {
            self.enqueue_or_cut_off(&mut state, items);
            wake_reader(state);
        }
    }

    /// Queues an item on a channel, as [`StreamQueue::push_batch`] does.
    pub(crate) fn push(&self, attachment: Attachment, channel: Channel, item: &StreamItem<'_>) {
        self.push_batch(attachment, channel, self.encode(channel, item));
    }

    /// Queues an item that the client has requested, unless the channel was attached anew: a snapshot, or an update to
    /// catch up. It does not count as slow reading. Returns whether the channel may be sent more now.
    pub(crate) fn push_catch_up(
        &self,
        attachment: Attachment,
        channel: Channel,
        item: &StreamItem<'_>,
    ) -> bool {
        let items = self.encode(channel, item);
        let mut state = self.state();
        if !state.accepts(attachment, channel) {
            return false;
        }
        match self.reserve(&mut state, items.len()) {
            Ok(()) => {
                state.cold().uncharged_bytes += items.len();
                self.append_items(&mut state, items, true);
            }
            Err(exceeded) => self.cut_off(&mut state, exceeded.into()),
        }
        let fits_more = self.fits_catch_up(&state);
        wake_reader(state);
        fits_more
    }

    /// Queues items of channels to other nodes: their sender has waited for room, so that they are no slow reading.
    /// `charged` bytes of them were requested by attaching.
    pub(crate) fn push_remote(&self, items: ItemBatch, charged: usize) {
        let mut state = self.state();
        if state.is_ending() {
            return;
        }
        match self.reserve(&mut state, items.len()) {
            Ok(()) => {
                if charged > 0 {
                    state.cold().uncharged_bytes += charged;
                }
                self.append_items(&mut state, items, true);
            }
            Err(exceeded) => self.cut_off(&mut state, exceeded.into()),
        }
        wake_reader(state);
    }

    /// Closes a channel to another node with this item, if it is still one.
    pub(crate) fn close_remote(&self, channel: Channel, closed: ItemBatch) {
        let mut state = self.state();
        let is_remote =
            state.channels.get(channel).is_some_and(|attached| attached.target.local_table().is_none());
        if is_remote && !state.is_ending() {
            state.channels.remove(channel);
            self.notify_closed(&state);
            self.append_items(&mut state, closed, true);
            wake_reader(state);
        }
    }

    /// Closes a channel, unless it was attached anew.
    pub(crate) fn close(&self, attachment: Attachment, channel: Channel, closed: Closed) {
        let mut state = self.state();
        if state.accepts(attachment, channel) {
            let assignment = state.channels.remove(channel).and_then(|attached| attached.assignment);
            self.notify_closed(&state);
            if let Some(assignment) = assignment.filter(|_| closed.retry) {
                state.cold().reassignments.push(*assignment);
                self.reassignment_added.notify_one();
            }
            self.enqueue_or_cut_off(&mut state, self.encode(channel, &StreamItem::Closed(closed)));
            wake_reader(state);
        }
    }

    /// Queues an item on a channel regardless of its attachment.
    pub(crate) fn push_unattached(&self, channel: Channel, item: &StreamItem<'_>) {
        self.push_unattached_batch(self.encode(channel, item));
    }

    /// Queues a batch regardless of attachments.
    pub(crate) fn push_unattached_batch(&self, items: ItemBatch) {
        let mut state = self.state();
        if !state.is_ending() {
            self.enqueue_or_cut_off(&mut state, items);
            wake_reader(state);
        }
    }

    fn enqueue_or_cut_off(&self, state: &mut QueueState, items: ItemBatch) {
        if state.is_ending() {
            return;
        }
        let live_items = (state.items - state.catch_up_items) as usize;
        if live_items + items.items() > self.max_items(state) {
            return self.cut_off(state, HostError::TooSlow);
        }
        let max = self.limits.max_bytes;
        if state.unread_bytes() + items.len() > max {
            return self.cut_off(state, LimitExceeded::UnreadBytes { of: LimitedBytes::Stream, max }.into());
        }
        match self.reserve(state, items.len()) {
            Ok(()) => self.append_items(state, items, false),
            Err(exceeded) => self.cut_off(state, exceeded.into()),
        }
    }

    /// Drops all queued items and ends the stream.
    fn cut_off(&self, state: &mut QueueState, why: HostError) {
        (state.last, state.cold().full_batches) = (QueuedBatch::default(), VecDeque::new());
        (state.items, state.catch_up_items, state.bytes) = (0, 0, 0);
        self.set_ending(state, why);
    }

    /// Reserves the bytes of further items, if all of the stream exceed what it has reserved.
    fn reserve(&self, state: &mut QueueState, more: usize) -> Result<(), LimitExceeded> {
        let bytes = state.unread_bytes() + more;
        if bytes > state.reserved_bytes as usize {
            let mut reservation = self.reservation();
            reservation.grow_to(bytes)?;
            state.reserved_bytes = reservation.bytes() as u32;
        }
        Ok(())
    }

    /// Releases the bytes beyond the share of a stream, once its reader has caught up.
    fn release(&self, state: &mut QueueState) {
        let share = RESERVED_STREAM_BYTES;
        if state.reserved_bytes as usize > share && state.unread_bytes() <= share {
            let mut reservation = self.reservation();
            reservation.shrink();
            state.reserved_bytes = reservation.bytes() as u32;
        }
    }

    fn reservation(&self) -> MutexGuard<'_, ByteReservation> {
        // A panic cannot leave the reservation half updated.
        self.reservation.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_ending(&self, state: &mut QueueState, why: HostError) {
        state.cold().end_reason.get_or_insert(why);
        self.is_ending.store(true, Ordering::Release);
        self.end_waker.wake();
        self.room_available.notify_waiters();
    }

    /// Appends items to the last batch, or starts another one with them.
    fn append_items(&self, state: &mut QueueState, items: ItemBatch, is_catch_up: bool) {
        if items.len() > self.limits.max_batch_bytes && items.items() > 1 {
            let parts = items.split(self.limits.encoder, self.limits.max_batch_bytes);
            return parts.into_iter().for_each(|part| self.append_items(state, part, is_catch_up));
        }
        let count = items.items() as u32;
        let catch_up_items = if is_catch_up { count } else { 0 };
        state.items += count;
        state.catch_up_items += catch_up_items;
        state.bytes += items.len() as u32;
        let length = state.last.items.len();
        if length == 0 {
            state.last = QueuedBatch { items, catch_up_items };
        } else if length + items.len() > self.limits.max_batch_bytes {
            let full = std::mem::replace(&mut state.last, QueuedBatch { items, catch_up_items });
            state.cold().full_batches.push_back(full);
        } else {
            // Reserve for as much as came lately.
            let lately = state.last_taken_bytes as usize;
            let room = lately.min(MAX_SPECULATIVE_CAPACITY).saturating_sub(length).max(items.len());
            state.last.items.reserve(room);
            state.last.items.append(&items);
            state.last.catch_up_items += catch_up_items;
        }
    }

    /// Maximum number of queued items.
    fn max_items(&self, state: &QueueState) -> usize {
        self.limits.max_items.max(MIN_ITEMS_PER_CHANNEL * state.channels.len())
    }

    /// Returns whether another channel can catch up now.
    pub(crate) fn has_room(&self) -> bool {
        self.has_room_in(&self.state())
    }

    fn has_room_in(&self, state: &QueueState) -> bool {
        let has_read = (state.items as usize) < self.max_items(state) && self.fits_catch_up(state);
        let catching_up = state.cold.as_ref().map_or(0, |cold| cold.catching_up);
        state.is_ending() || (has_read && catching_up < MAX_CONCURRENT_CATCH_UPS)
    }

    /// Returns whether a channel may be sent more of what it has requested.
    fn fits_catch_up(&self, state: &QueueState) -> bool {
        (state.bytes as usize) < self.limits.max_bytes / CATCH_UP_PART
    }

    /// Waits until another channel can catch up. A client that does not read delays only itself.
    pub(crate) async fn wait_for_room(&self) {
        self.wait_until(|state| self.has_room_in(state)).await;
    }

    /// Waits until a channel that is catching up may be sent more. Returns false if it was closed or attached anew.
    pub(crate) async fn wait_to_catch_up(&self, attachment: Attachment, channel: Channel) -> bool {
        let is_open = |state: &QueueState| state.accepts(attachment, channel);
        self.wait_until(|state| !is_open(state) || self.fits_catch_up(state)).await;
        is_open(&self.state())
    }

    /// Waits for a condition that can come true when the client reads, or when a channel has caught up or was closed.
    async fn wait_until(&self, condition: impl Fn(&QueueState) -> bool) {
        loop {
            let mut more = std::pin::pin!(self.room_available.notified());
            more.as_mut().enable();
            {
                let mut state = self.state();
                if condition(&state) {
                    return;
                }
                state.cold().is_room_awaited = true;
            }
            more.await;
        }
    }

    /// Wakes the waits of channels that were closed while they were catching up.
    fn notify_closed(&self, state: &QueueState) {
        if state.cold.as_ref().is_some_and(|cold| cold.catching_up > 0) {
            self.room_available.notify_waiters();
        }
    }

    /// Takes the bytes of requested items that the rate of the caller has not been charged for, in multiples of `unit`.
    pub(crate) fn take_uncharged_bytes(&self, unit: usize) -> usize {
        let mut state = self.state();
        let Some(cold) = &mut state.cold else { return 0 };
        let charged = cold.uncharged_bytes / unit * unit;
        cold.uncharged_bytes -= charged;
        charged
    }

    /// Announces the suspension of the agent.
    pub(crate) fn announce_suspension(&self, suspension: Suspension) {
        let mut state = self.state();
        state.cold().suspension = Some(suspension);
        wake_reader(state);
    }

    /// Ends the stream after the queued items.
    pub(crate) fn end(&self, why: HostError) {
        let mut state = self.state();
        self.set_ending(&mut state, why);
        wake_reader(state);
    }

    /// Marks the request side as finished: the stream ends when its last channel is closed.
    pub(crate) fn finish(&self) {
        let mut state = self.state();
        state.cold().finishing = true;
        wake_reader(state);
    }

    /// Ends the stream after the queued items without an error, which the caller reports.
    pub(crate) fn abort(&self) {
        let mut state = self.state();
        state.cold().broken = true;
        wake_reader(state);
    }

    /// Attaches a channel. Returns its previous attachment, or an error if `max_channels` are attached.
    pub(crate) fn attach(
        &self,
        channel: Channel,
        attached: AttachedChannel,
        max_channels: usize,
    ) -> Result<Option<AttachedChannel>, ChannelLimitReached> {
        let mut state = self.state();
        if state.channels.len() >= max_channels && state.channels.get(channel).is_none() {
            return Err(ChannelLimitReached);
        }
        state.highest_channel = state.highest_channel.max(channel);
        let before = state.channels.insert(channel, attached);
        self.notify_closed(&state);
        Ok(before)
    }

    /// Detaches a channel. Returns its attachment.
    pub(crate) fn detach(&self, channel: Channel) -> Option<AttachedChannel> {
        let mut state = self.state();
        let detached = state.channels.remove(channel);
        self.notify_closed(&state);
        detached
    }

    /// Returns whether a channel still has this attachment.
    pub(crate) fn is_attached(&self, attachment: Attachment, channel: Channel) -> bool {
        self.state().channels.get(channel).is_some_and(|attached| attached.attachment == attachment)
    }

    /// Attachment and target of a channel.
    pub(crate) fn attached(&self, channel: Channel) -> Option<(Attachment, AttachmentTarget)> {
        let state = self.state();
        let attached = state.channels.get(channel)?;
        Some((attached.attachment, attached.target))
    }

    /// Returns whether a channel of an agent was attached and closed: the server numbers its channels from 1.
    pub(crate) fn is_closed(&self, channel: Channel) -> bool {
        let state = self.state();
        (1..=state.highest_channel.0).contains(&channel.0) && state.channels.get(channel).is_none()
    }

    /// Detaches all channels.
    pub(crate) fn detach_all(&self) -> Vec<AttachedChannel> {
        let mut state = self.state();
        let detached = state.channels.drain().collect();
        self.notify_closed(&state);
        wake_reader(state);
        detached
    }

    /// Polls for the end of the stream. Only one task may wait, whose waker is kept in `registered`. Called
    /// for every inbound message, so it takes no lock.
    pub(crate) fn poll_ended(&self, registered: &mut Option<Waker>, context: &Context<'_>) -> Poll<()> {
        if !registered.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            *registered = Some(context.waker().clone());
            self.end_waker.register(context.waker());
        }
        if self.is_ending.load(Ordering::Acquire) { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Returns whether the client has violated the protocol, or its connection has broken.
    pub(crate) fn is_broken(&self) -> bool {
        self.state().cold.as_ref().is_some_and(|cold| cold.broken)
    }

    /// The reason for which the stream ends, if it does.
    pub(crate) fn end_reason(&self) -> Option<HostError> {
        self.state().cold.as_ref().and_then(|cold| cold.end_reason.clone())
    }

    /// Waits until seats must be assigned again, and returns them.
    pub(crate) async fn next_reassignments(&self) -> Vec<SeatAssignment> {
        loop {
            let reassignments =
                self.state().cold.as_mut().map(|cold| std::mem::take(&mut cold.reassignments));
            if let Some(reassignments) = reassignments.filter(|reassignments| !reassignments.is_empty()) {
                return reassignments;
            }
            self.reassignment_added.notified().await;
        }
    }

    /// The next message; `None` if the stream has ended.
    pub(crate) fn poll_next(&self, context: &Context<'_>) -> Poll<Option<OutboundBatch>> {
        let mut state = self.state();
        let full = state.cold.as_mut().and_then(|cold| cold.full_batches.pop_front());
        let QueuedBatch { items, catch_up_items } = full.unwrap_or_else(|| std::mem::take(&mut state.last));
        // The connection takes the next batch when it has sent the one before, except for what its windows allow.
        state.in_transit_bytes = items.len() as u32;
        if !items.is_empty() {
            state.items -= items.items() as u32;
            state.catch_up_items -= catch_up_items;
            state.bytes -= items.len() as u32;
            state.last_taken_bytes = items.len() as u32;
        }
        self.release(&mut state);
        let mut batch = OutboundBatch { items, suspension: None, end_reason: None };
        let mut is_over = false;
        let QueueState { items, channels, cold, .. } = &mut *state;
        if let Some(cold) = cold {
            if !batch.items.is_empty() && std::mem::take(&mut cold.is_room_awaited) {
                self.room_available.notify_waiters();
            }
            batch.suspension = cold.suspension.take();
            batch.end_reason = cold.end_reason.clone().filter(|_| *items == 0);
            is_over = cold.broken || (cold.finishing && channels.is_empty());
        }
        if !batch.items.is_empty() || batch.suspension.is_some() || batch.end_reason.is_some() {
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

/// Wakes the reader.
fn wake_reader(mut state: MutexGuard<'_, QueueState>) {
    let reader = state.reader.take();
    drop(state);
    if let Some(reader) = reader {
        reader.wake();
    }
}

impl QueueState {
    /// Returns whether the channel still has this attachment, and the stream is not ending.
    fn accepts(&self, attachment: Attachment, channel: Channel) -> bool {
        let current = self.channels.get(channel);
        !self.is_ending() && current.is_some_and(|current| current.attachment == attachment)
    }

    /// Bytes that are queued, or taken and not sent.
    fn unread_bytes(&self) -> usize {
        (self.bytes + self.in_transit_bytes) as usize
    }

    fn is_ending(&self) -> bool {
        self.cold.as_ref().is_some_and(|cold| cold.end_reason.is_some())
    }

    fn cold(&mut self) -> &mut ColdState {
        self.cold.get_or_insert_default()
    }
}

/// Counts a channel as catching up until dropped.
pub(crate) struct CatchUpGuard(Arc<StreamQueue>);

impl CatchUpGuard {
    pub(crate) fn new(queue: &Arc<StreamQueue>) -> CatchUpGuard {
        queue.state().cold().catching_up += 1;
        CatchUpGuard(queue.clone())
    }
}

impl Drop for CatchUpGuard {
    fn drop(&mut self) {
        self.0.state().cold().catching_up -= 1;
        self.0.room_available.notify_waiters();
    }
}

/// The closing of a channel.
pub(crate) fn channel_closed(why: Option<HostError>, number: u64) -> Closed {
    let retry = why.as_ref().is_some_and(HostError::is_transient);
    Closed { why, number, retry }
}

#[cfg(test)]
mod tests;
