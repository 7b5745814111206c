//! Channels of one client stream whose tables are on other nodes.
//!
//! For each node with such tables there is one carried stream, a call of Play over the link. Items pass as they are, except
//! that a channel has a number of its own there, so that what comes late for a channel that is closed or elsewhere now
//! is known and dropped. When a link breaks, or a table moves, its channels are attached again at the new
//! owner, after the last update that the client was sent. Answers whose outcome is not known are sent again, which is harmless, and
//! a decision that the client has is not repeated: the client notices a pause.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt;
use futures_util::stream::{BoxStream, SelectAll};
use http::HeaderValue;
use parlor_host::clock::Moment;
use parlor_host::placement::Placement;
use parlor_host::{Channel, HostError, ItemBatch, RemoteItems, StreamKind, TableId};
use parlor_proto::v1::play_request_item::Item;
use parlor_proto::v1::{self, ErrorReason};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tonic::body::Body;
use tracing::Instrument;

use super::carried_channels::{
    Channels, Destination, OpenStream, Place, RemoteChannel, Verdict, came_too_late,
};
use super::remote_stream::{RequestBody, Requests};
use super::stream_events::{Event, events, open_here, open_link};
use super::stream_item::{CarriedItem, ItemKind, ResponseField, fields};
use super::{Cluster, PATIENCE};
use crate::grpc::Failure;
use crate::grpc::convert::{ApiItemEncoder, closed, encoded_item};

/// Answers and reveals of one channel that may wait for their outcome. What comes then waits at the client.
const MAX_UNANSWERED: usize = 32;

/// The carried channels of a client stream. Dropping it closes them at the other nodes.
#[derive(Debug)]
pub(crate) struct RemoteChannels {
    shared: Arc<Shared>,
    /// The task that carries; started with the first channel.
    carrier: Mutex<Option<Carrier>>,
}

/// A task that is aborted on drop.
#[derive(Debug)]
struct Carrier(JoinHandle<()>);

impl Drop for Carrier {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[derive(Debug)]
struct Shared {
    cluster: Arc<Cluster>,
    items: RemoteItems,
    /// The client as this node knows it, for the other nodes.
    call: HeaderValue,
    channels: Mutex<Channels>,
    /// Wakes the carrier when a channel must be placed.
    unplaced: Notify,
    /// Told when a channel may take more from the client.
    drained: Arc<Notify>,
}

impl RemoteChannels {
    /// No channels yet. `call` describes the client to other nodes.
    pub(crate) fn new(cluster: Arc<Cluster>, items: RemoteItems, call: HeaderValue) -> RemoteChannels {
        let shared = Shared {
            cluster,
            items,
            call,
            channels: Mutex::default(),
            unplaced: Notify::new(),
            drained: Arc::default(),
        };
        RemoteChannels { shared: Arc::new(shared), carrier: Mutex::default() }
    }

    /// True if the table is not on this node.
    pub(crate) fn is_elsewhere(&self, table: TableId) -> bool {
        !self.shared.cluster.is_local(table.partition())
    }

    /// True if this carries the channel.
    pub(crate) fn contains(&self, channel: Channel) -> bool {
        self.shared.lock().channels.contains_key(&channel)
    }

    /// Carries a channel that was registered in the client's stream.
    pub(crate) fn open(&self, channel: Channel, table: TableId, attach: v1::Attach) {
        let now = self.shared.cluster.clock.now();
        {
            let mut channels = self.shared.lock();
            channels.forget(channel);
            let place = Place::Waiting { since: now, next: now };
            let cursor = attach.after;
            let unanswered = VecDeque::new();
            let new = RemoteChannel { table, attach, cursor, decision: 0, unanswered, place, failures: 0 };
            channels.channels.insert(channel, new);
            channels.is_dirty = true;
        }
        self.shared.unplaced.notify_one();
        let mut carrier = self.carrier.lock().unwrap_or_else(PoisonError::into_inner);
        if carrier.is_none() {
            *carrier = Some(Carrier(tokio::spawn(self.shared.clone().carry().in_current_span())));
        }
    }

    /// Carries a channel no longer: the client has closed it, or attaches it anew. Nothing more comes on it.
    pub(crate) fn forget(&self, channel: Channel) {
        self.shared.lock().forget(channel);
    }

    /// Sends an answer or a reveal. Gives it back if the channel has too many without an outcome; it can be sent after
    /// [`RemoteChannels::room`].
    pub(crate) fn send(&self, channel: Channel, item: Item) -> Result<(), Item> {
        let mut channels = self.shared.lock();
        let Channels { channels, streams, .. } = &mut *channels;
        // It was closed a moment ago: the client has the reason.
        let Some(open) = channels.get_mut(&channel) else { return Ok(()) };
        if open.unanswered.len() >= MAX_UNANSWERED {
            return Err(item);
        }
        if let Place::At { destination, stream, carried, .. } = &open.place
            && let Some(to) = streams.get(destination).filter(|to| to.number == *stream)
        {
            if !to.requests.has_room() {
                return Err(item);
            }
            to.requests.push(&v1::PlayRequestItem { channel: *carried, item: Some(item.clone()) });
        }
        open.unanswered.push_back(item);
        Ok(())
    }

    /// Sends an answer or a reveal, when the channel has room for it.
    pub(crate) async fn send_when_ready(&self, channel: Channel, mut item: Item) {
        loop {
            let mut drained = std::pin::pin!(self.shared.drained.notified());
            drained.as_mut().enable();
            match self.send(channel, item) {
                Ok(()) => return,
                Err(again) => item = again,
            }
            drained.await;
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Channels> {
        // A panic cannot leave the state half updated.
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Places channels, and brings items to the client, until it is aborted.
    async fn carry(self: Arc<Self>) {
        let mut streams = SelectAll::new();
        let mut changes = self.cluster.changes();
        loop {
            let clock = &self.cluster.clock;
            let timer = self.place_channels(&mut streams).map(|moment| clock.sleep_until(moment));
            let timer = async {
                match timer {
                    Some(timer) => timer.await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                event = next_event(&mut streams, &self.items) => match event {
                    Event::Message(from, number, message) => self.deliver(&from, number, &message),
                    Event::Ended(from, number) => self.lock().end_stream(&from, number, clock.now()),
                },
                () = self.unplaced.notified() => {}
                changed = changes.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    self.expect_change();
                }
                () = timer => self.lock().is_dirty = true,
            }
        }
    }

    /// Something has changed: channels are tried again without a pause.
    fn expect_change(&self) {
        let now = self.cluster.clock.now();
        let mut channels = self.lock();
        channels.is_dirty = true;
        for open in channels.channels.values_mut() {
            if let Place::Waiting { next, .. } = &mut open.place {
                *next = now;
            }
        }
    }

    /// Attaches the channels that are nowhere, or where their table is no longer. Returns when to do so again.
    fn place_channels(&self, streams: &mut SelectAll<BoxStream<'static, Event>>) -> Option<Moment> {
        let now = self.cluster.clock.now();
        let mut channels = self.lock();
        if std::mem::take(&mut channels.is_dirty) {
            let all: Vec<Channel> = channels.channels.keys().copied().collect();
            for channel in all {
                self.place(&mut channels, channel, now, streams);
            }
        }
        let next = channels.channels.values().filter_map(|open| match open.place {
            Place::Waiting { since, next } if next > now => Some(next.min(since + PATIENCE)),
            Place::Waiting { since, .. } => Some(since + PATIENCE),
            Place::At { .. } => None,
        });
        next.min()
    }

    fn place(
        &self,
        channels: &mut Channels,
        channel: Channel,
        now: Moment,
        streams: &mut SelectAll<BoxStream<'static, Event>>,
    ) {
        let Some(open) = channels.channels.get(&channel) else { return };
        let owner = match self.cluster.placement(open.table.partition()) {
            Placement::Local => Some(Destination::Here),
            Placement::Remote(node) => Some(Destination::Node(node)),
            Placement::Unowned => None,
        };
        if let Place::At { destination, .. } = &open.place {
            if owner.as_ref().is_none_or(|owner| owner == destination) {
                return;
            }
            channels.displace(channel, now);
        }
        let Some(RemoteChannel { place: Place::Waiting { since, next }, .. }) =
            channels.channels.get(&channel)
        else {
            return;
        };
        if now.since(*since) >= PATIENCE {
            return self.give_up(channels, channel);
        }
        let is_due = *next <= now;
        if let Some(owner) = owner.filter(|_| is_due)
            && self.ensure_stream(channels, &owner, streams)
        {
            channels.attach(channel, &owner, now);
        }
    }

    /// Closes a channel whose owner could not be reached for too long. The client may come back.
    fn give_up(&self, channels: &mut Channels, channel: Channel) {
        let Some(RemoteChannel { table, cursor, .. }) = channels.channels.remove(&channel) else { return };
        let failure = Failure::from(HostError::TableElsewhere { table });
        let last = closed(Some(failure), cursor.unwrap_or_default().into(), true);
        let item = encoded_item(StreamKind::Client, channel, &v1::stream_item::Item::Closed(last));
        self.items.close(channel, item);
        self.drained.notify_waiters();
    }

    /// Opens a stream to a node, if there is none. Returns false if its link is down.
    fn ensure_stream(
        &self,
        channels: &mut Channels,
        destination: &Destination,
        streams: &mut SelectAll<BoxStream<'static, Event>>,
    ) -> bool {
        if channels.streams.contains_key(destination) {
            return true;
        }
        let (call, requests) = (self.call.clone(), Arc::new(Requests::default()));
        let body = Body::new(RequestBody { requests: requests.clone(), drained: self.drained.clone() });
        let opening = match destination {
            Destination::Here => match self.cluster.local() {
                Some(routes) => open_here(routes, call, body),
                None => return false,
            },
            Destination::Node(node) => match self.cluster.link(node) {
                Some(sender) => open_link(sender, &self.cluster, node, call, body),
                None => return false,
            },
        };
        channels.last_stream += 1;
        let number = channels.last_stream;
        streams.push(events(opening, destination.clone(), number));
        channels.streams.insert(destination.clone(), OpenStream { number, requests });
        true
    }

    /// Brings the items of a message to the client.
    fn deliver(&self, from: &Destination, number: u64, message: &[u8]) {
        let now = self.cluster.clock.now();
        let mut channels = self.lock();
        if channels.streams.get(from).is_none_or(|open| open.number != number) {
            return;
        }
        let (mut batch, mut charged) = (ItemBatch::with_capacity(message.len()), 0);
        let mut is_settled = false;
        for field in fields(message) {
            match field {
                ResponseField::Item(CarriedItem { channel: carried, kind, content }) => {
                    // A channel that was closed or attached elsewhere is not known any more.
                    let Some(channel) = channels.by_carried.get(&carried).copied() else { continue };
                    is_settled |=
                        matches!(kind, ItemKind::Answered(_) | ItemKind::Revealed | ItemKind::Closed(_));
                    match channels.receive(channel, &kind, now) {
                        Verdict::Drop => {}
                        Verdict::Pass => {
                            if matches!(kind, ItemKind::Snapshot(_)) {
                                charged += content.len();
                            }
                            batch.push_encoded(&ApiItemEncoder, StreamKind::Client, channel, content);
                        }
                        Verdict::Close => {
                            self.items.push(std::mem::take(&mut batch), std::mem::take(&mut charged));
                            let mut last = ItemBatch::default();
                            last.push_encoded(&ApiItemEncoder, StreamKind::Client, channel, content);
                            let left = channels.channels.remove(&channel);
                            channels.by_carried.remove(&carried);
                            self.items.close(channel, last);
                            for item in left.iter().flat_map(|left| &left.unanswered) {
                                self.items.push(came_too_late(channel, item), 0);
                            }
                        }
                    }
                }
                ResponseField::Ending(ending) if ending.reason() == ErrorReason::TooSlow => {
                    self.items.end(HostError::TooSlow);
                }
                ResponseField::Ending(_) => channels.end_stream(from, number, now),
            }
        }
        self.items.push(batch, charged);
        drop(channels);
        if is_settled {
            self.drained.notify_waiters();
        }
    }
}

/// The next event of the carried streams, once the client has room for it.
async fn next_event(streams: &mut SelectAll<BoxStream<'static, Event>>, items: &RemoteItems) -> Event {
    items.wait_for_room().await;
    match streams.next().await {
        Some(event) => event,
        None => std::future::pending().await,
    }
}
