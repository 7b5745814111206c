//! State of the carried channels of one client stream: where each is attached, and what its client has.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parlor_host::clock::Moment;
use parlor_host::placement::NodeId;
use parlor_host::table::DecisionId;
use parlor_host::{
    AnswerOutcome, AnswerRefused, Answered, Channel, HostError, ItemBatch, StreamKind, TableId,
};
use parlor_proto::v1::play_request_item::Item;
use parlor_proto::v1::{self, ErrorReason};

use super::remote_stream::Requests;
use super::retry_pause;
use super::stream_item::ItemKind;
use crate::grpc::convert::{answered, encoded_item, revealed};

/// Time after which an attachment that ends counts as one that had held.
const HELD: Duration = Duration::from_secs(5);

/// The carried channels of a client stream.
#[derive(Debug, Default)]
pub(super) struct Channels {
    pub(super) channels: HashMap<Channel, RemoteChannel>,
    /// Channels by their numbers at other nodes.
    pub(super) by_carried: HashMap<u32, Channel>,
    pub(super) last_carried: u32,
    pub(super) streams: HashMap<Destination, OpenStream>,
    pub(super) last_stream: u64,
    /// A channel may have to be placed.
    pub(super) is_dirty: bool,
}

/// The node of a carried stream.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Destination {
    /// This node: the table has come here after its channel was opened.
    Here,
    Node(NodeId),
}

#[derive(Debug)]
pub(super) struct OpenStream {
    pub(super) number: u64,
    pub(super) requests: Arc<Requests>,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.requests.close();
    }
}

#[derive(Debug)]
pub(super) struct RemoteChannel {
    pub(super) table: TableId,
    pub(super) attach: v1::Attach,
    /// The last update that the client was sent.
    pub(super) cursor: Option<u32>,
    /// The last decision that the client was sent.
    pub(super) decision: u32,
    /// Answers and reveals whose outcome is not known, in their order.
    pub(super) unanswered: VecDeque<Item>,
    pub(super) place: Place,
    /// Attempts in a row that failed.
    pub(super) failures: u32,
}

/// Attachment of a channel.
#[derive(Debug)]
pub(super) enum Place {
    /// Nowhere, since the first moment. The next attempt is at the second.
    Waiting { since: Moment, next: Moment },
    /// On a carried stream, under a number of its own.
    At { destination: Destination, stream: u64, carried: u32, since: Moment, waiting_since: Moment },
}

impl Channels {
    pub(super) fn forget(&mut self, channel: Channel) {
        let Some(forgotten) = self.channels.remove(&channel) else { return };
        self.detach(&forgotten.place);
    }

    /// Ends an attachment at another node, if it has not ended yet.
    pub(super) fn detach(&mut self, place: &Place) {
        if let Place::At { destination, stream, carried, .. } = place {
            self.by_carried.remove(carried);
            if let Some(to) = self.streams.get(destination).filter(|to| to.number == *stream) {
                let detach = Some(Item::Detach(v1::Detach {}));
                to.requests.push(&v1::PlayRequestItem { channel: *carried, item: detach });
            }
        }
    }

    /// Takes a channel from its place, to be placed again.
    pub(super) fn displace(&mut self, channel: Channel, now: Moment) {
        self.is_dirty = true;
        let Some(open) = self.channels.get_mut(&channel) else { return };
        let Place::At { since, waiting_since, .. } = open.place else { return };
        let has_held = open.failures == 0 || now.since(since) >= HELD;
        let (waiting_since, failures) = if has_held { (now, 0) } else { (waiting_since, open.failures) };
        open.failures = failures + 1;
        let next = if failures == 0 { now } else { now + retry_pause(failures) };
        let place = std::mem::replace(&mut open.place, Place::Waiting { since: waiting_since, next });
        self.detach(&place);
    }

    /// Displaces all channels of a stream that has ended.
    pub(super) fn end_stream(&mut self, destination: &Destination, number: u64, now: Moment) {
        if self.streams.get(destination).is_some_and(|open| open.number == number) {
            self.streams.remove(destination);
        }
        let is_on =
            |open: &RemoteChannel| matches!(&open.place, Place::At { stream, .. } if *stream == number);
        let on: Vec<Channel> =
            self.channels.iter().filter(|(_, open)| is_on(open)).map(|(channel, _)| *channel).collect();
        on.into_iter().for_each(|channel| self.displace(channel, now));
    }

    /// Attaches a channel on an open stream, after what the client was sent before.
    pub(super) fn attach(&mut self, channel: Channel, destination: &Destination, now: Moment) {
        self.last_carried = self.last_carried.wrapping_add(1).max(1);
        let carried = self.last_carried;
        let Channels { channels, streams, .. } = self;
        let (Some(open), Some(to)) = (channels.get_mut(&channel), streams.get(destination)) else { return };
        let attach = v1::Attach { after: open.cursor, ..open.attach.clone() };
        let attach = std::iter::once(Item::Attach(attach));
        for item in attach.chain(open.unanswered.iter().cloned()) {
            to.requests.push(&v1::PlayRequestItem { channel: carried, item: Some(item) });
        }
        let waiting_since = match open.place {
            Place::Waiting { since, .. } => since,
            Place::At { .. } => now,
        };
        let (destination, stream) = (destination.clone(), to.number);
        open.place = Place::At { destination, stream, carried, since: now, waiting_since };
        self.by_carried.insert(carried, channel);
    }

    /// Takes note of an item of a stream. Returns whether the client gets it.
    pub(super) fn receive(&mut self, channel: Channel, kind: &ItemKind, now: Moment) -> Verdict {
        let Some(open) = self.channels.get_mut(&channel) else { return Verdict::Drop };
        match kind {
            ItemKind::Closed(closed) if closed.retry && closed.reason() == ErrorReason::ServerStopping => {
                self.displace(channel, now);
                return Verdict::Drop;
            }
            // The answer is sent again to the new owner.
            ItemKind::Displaced(_) => {
                self.displace(channel, now);
                return Verdict::Drop;
            }
            ItemKind::Closed(_) => return Verdict::Close,
            ItemKind::Snapshot(number) => open.cursor = Some(*number),
            // Updates have consecutive numbers: this one was sent before.
            ItemKind::Update(number) if open.cursor.is_some_and(|cursor| *number <= cursor) => {
                return Verdict::Drop;
            }
            ItemKind::Update(number) => open.cursor = Some(*number),
            ItemKind::Decision(id) if *id <= open.decision => return Verdict::Drop,
            ItemKind::Decision(id) => open.decision = *id,
            ItemKind::Answered(id) => {
                open.settle(|item| matches!(item, Item::Answer(answer) if answer.decision_id == *id));
            }
            ItemKind::Revealed => open.settle(|item| matches!(item, Item::Reveal(_))),
            ItemKind::Other => {}
        }
        open.failures = 0;
        Verdict::Pass
    }
}

impl RemoteChannel {
    /// The outcome of the first such item is known.
    pub(super) fn settle(&mut self, is_settled: impl Fn(&Item) -> bool) {
        if let Some(place) = self.unanswered.iter().position(is_settled) {
            self.unanswered.remove(place);
        }
    }
}

/// The outcome of an answer or a reveal that has crossed the end of its channel.
pub(super) fn came_too_late(channel: Channel, item: &Item) -> ItemBatch {
    let none = HostError::NoChannel { channel: channel.0 };
    let outcome = match item {
        Item::Answer(answer) => {
            let decision = DecisionId(answer.decision_id.into());
            let outcome = AnswerOutcome::Refused(AnswerRefused::Host(none));
            v1::stream_item::Item::Answered(answered(&Answered { decision, outcome }))
        }
        _ => v1::stream_item::Item::Revealed(revealed(Err(none))),
    };
    encoded_item(StreamKind::Client, channel, &outcome)
}

/// Treatment of an item that was received.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    Pass,
    Drop,
    /// The client gets it, and nothing more on the channel.
    Close,
}
