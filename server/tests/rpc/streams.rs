//! Client side of the streams: `PlayStream` (Play: attach, answer, read) and Follow (read only).

use std::collections::VecDeque;
use std::pin::Pin;

use futures_util::{Stream, StreamExt};
use parlor_proto::v1::{self, play_request_item, stream_item::Item};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use crate::client::{Client, RpcError};
use crate::test_server::with_timeout;

/// The items of one response message, and its ending.
type Message = (Vec<v1::StreamItem>, Option<v1::StreamEnding>);

/// Reads the response messages of a stream, and buffers their items by channel.
pub(crate) struct StreamReader {
    messages: Pin<Box<dyn Stream<Item = Result<Message, Status>> + Send>>,
    /// Items that were received and not yet taken.
    buffered: VecDeque<(u32, Item)>,
    ending: Option<v1::StreamEnding>,
}

impl StreamReader {
    pub(crate) fn new(
        messages: impl Stream<Item = Result<Message, Status>> + Send + 'static,
    ) -> StreamReader {
        StreamReader { messages: Box::pin(messages), buffered: VecDeque::new(), ending: None }
    }

    /// Reads one message into the buffer; false at the end of the stream.
    async fn read(&mut self) -> Result<bool, RpcError> {
        let Some(message) = with_timeout(self.messages.next()).await else { return Ok(false) };
        let (items, ending) = message.map_err(|status| RpcError::from_status(&status))?;
        assert!(self.ending.is_none(), "a message after the ending");
        self.ending = ending;
        let known = |item: v1::StreamItem| (item.channel, item.item.expect("an item of a known kind"));
        self.buffered.extend(items.into_iter().map(known));
        Ok(true)
    }

    /// Reads one message into the buffer.
    ///
    /// # Panics
    /// If the stream has ended.
    pub(crate) async fn wait(&mut self) {
        assert!(self.read().await.expect("an open stream"), "the stream has ended");
    }

    /// Takes the first buffered item for which `pick` returns something, reading on while there is none.
    pub(crate) async fn find<T>(&mut self, mut pick: impl FnMut(&(u32, Item)) -> Option<T>) -> T {
        let mut looked_at = 0;
        loop {
            while let Some(item) = self.buffered.get(looked_at) {
                if let Some(picked) = pick(item) {
                    self.buffered.remove(looked_at);
                    return picked;
                }
                looked_at += 1;
            }
            self.wait().await;
        }
    }

    /// The next item of any channel.
    pub(crate) async fn next(&mut self) -> (u32, Item) {
        self.find(|item| Some(item.clone())).await
    }

    /// The next item on this channel. Items of other channels stay buffered.
    pub(crate) async fn next_on(&mut self, channel: u32) -> Item {
        self.find(|(on, item)| (*on == channel).then(|| item.clone())).await
    }

    /// The next item on this channel, which must be a snapshot.
    pub(crate) async fn snapshot(&mut self, channel: u32) -> v1::Snapshot {
        match self.next_on(channel).await {
            Item::Snapshot(snapshot) => *snapshot,
            other => panic!("expected a snapshot, got {other:?}"),
        }
    }

    /// The next item on this channel, which must be an update.
    pub(crate) async fn update(&mut self, channel: u32) -> v1::Update {
        match self.next_on(channel).await {
            Item::Update(update) => update,
            other => panic!("expected an update, got {other:?}"),
        }
    }

    /// The next item on this channel, which must close it.
    pub(crate) async fn closed(&mut self, channel: u32) -> v1::ChannelClosed {
        match self.next_on(channel).await {
            Item::Closed(closed) => closed,
            other => panic!("expected the channel to close, got {other:?}"),
        }
    }

    /// The next outcome of an answer on this channel. Items before it stay buffered.
    pub(crate) async fn answered(&mut self, channel: u32) -> v1::Answered {
        self.find(|(on, item)| match item {
            Item::Answered(answered) if *on == channel => Some(answered.clone()),
            _ => None,
        })
        .await
    }

    /// The next outcome of a reveal on this channel. Items before it stay buffered.
    pub(crate) async fn revealed(&mut self, channel: u32) -> v1::EntropyRevealed {
        self.find(|(on, item)| match item {
            Item::Revealed(revealed) if *on == channel => Some(revealed.clone()),
            _ => None,
        })
        .await
    }

    /// The next decision on this channel. Items before it are dropped.
    pub(crate) async fn decision(&mut self, channel: u32) -> v1::Decision {
        loop {
            if let Item::Decision(decision) = self.next_on(channel).await {
                return decision;
            }
        }
    }

    /// The next presence on this channel. Items before it are dropped.
    pub(crate) async fn presence(&mut self, channel: u32) -> v1::Presence {
        loop {
            if let Item::Presence(presence) = self.next_on(channel).await {
                return presence;
            }
        }
    }

    /// The next table event on this channel for which `pick` returns something. Items before it are dropped.
    pub(crate) async fn event<T>(
        &mut self,
        channel: u32,
        pick: impl Fn(&v1::table_event::Event) -> Option<T>,
    ) -> T {
        loop {
            if let Item::Update(update) = self.next_on(channel).await {
                let mut events = update.table_events.iter().filter_map(|event| event.event.as_ref());
                if let Some(picked) = events.find_map(&pick) {
                    return picked;
                }
            }
        }
    }

    /// The event that ends the table of this channel. Items before it are dropped.
    pub(crate) async fn table_over(&mut self, channel: u32) -> v1::TableOver {
        self.event(channel, |event| match event {
            v1::table_event::Event::Over(over) => Some(over.clone()),
            _ => None,
        })
        .await
    }

    /// The largest number among the buffered updates of this channel; 0 without any.
    pub(crate) fn last_buffered_number(&self, channel: u32) -> u32 {
        let numbers = self.buffered.iter().filter(|(on, _)| *on == channel).map(|(_, item)| match item {
            Item::Update(update) => update.number,
            other => panic!("expected only updates, got {other:?}"),
        });
        numbers.max().unwrap_or_default()
    }

    /// Reads to the end of the stream: its ending, if it sent one, or its error.
    pub(crate) async fn ending(&mut self) -> Result<Option<v1::StreamEnding>, RpcError> {
        while self.read().await? {}
        Ok(self.ending.take())
    }
}

/// A Play stream: the sender of its requests, and the reader of its responses.
pub(crate) struct PlayStream {
    requests: Option<mpsc::Sender<v1::PlayRequest>>,
    pub(crate) reader: StreamReader,
}

pub(crate) fn request_item(channel: u32, item: play_request_item::Item) -> v1::PlayRequestItem {
    v1::PlayRequestItem { channel, item: Some(item) }
}

pub(crate) fn attach_item(channel: u32, attach: v1::Attach) -> v1::PlayRequestItem {
    request_item(channel, play_request_item::Item::Attach(attach))
}

pub(crate) fn answer_item(channel: u32, answer: v1::Answer) -> v1::PlayRequestItem {
    request_item(channel, play_request_item::Item::Answer(answer))
}

pub(crate) fn detach_item(channel: u32) -> v1::PlayRequestItem {
    request_item(channel, play_request_item::Item::Detach(v1::Detach {}))
}

pub(crate) fn reveal_item(channel: u32, entropy: &[u8]) -> v1::PlayRequestItem {
    let reveal = v1::EntropyReveal { entropy: entropy.to_vec() };
    request_item(channel, play_request_item::Item::Reveal(reveal))
}

/// Attaches as the player of a seat, with its token.
pub(crate) fn play_seat(token: &str) -> v1::Attach {
    attach(v1::attach::Viewer::SeatToken(token.to_owned()))
}

/// Attaches as a spectator of a table that the client may see.
pub(crate) fn spectate(table: &str) -> v1::Attach {
    attach(v1::attach::Viewer::TableId(table.to_owned()))
}

/// Attaches as a spectator, with a spectator token.
pub(crate) fn spectate_with_token(token: &str) -> v1::Attach {
    attach(v1::attach::Viewer::SpectatorToken(token.to_owned()))
}

fn attach(viewer: v1::attach::Viewer) -> v1::Attach {
    v1::Attach { viewer: Some(viewer), after: None, wants: None }
}

/// Resumes after the update with this number.
pub(crate) fn resume_after(number: u32, attach: v1::Attach) -> v1::Attach {
    v1::Attach { after: Some(number), ..attach }
}

pub(crate) const ALL_WANTS: v1::Wants = v1::Wants {
    events: Some(true),
    update_views: Some(true),
    decision_views: Some(true),
    legal_actions: Some(true),
    rematch: Some(true),
    time_left: Some(true),
    texts: 0,
    board: None,
};

pub(crate) fn with_wants(wants: v1::Wants, attach: v1::Attach) -> v1::Attach {
    v1::Attach { wants: Some(wants), ..attach }
}

/// Answers a decision with the legal action of this index.
pub(crate) fn answer_index(decision_id: u32, index: u32) -> v1::Answer {
    v1::Answer { decision_id, choice: Some(v1::answer::Choice::Index(index)), think_ms: None }
}

/// Answers a decision with this action.
pub(crate) fn answer_action(decision_id: u32, action: v1::GameAction) -> v1::Answer {
    v1::Answer { decision_id, choice: Some(v1::answer::Choice::Action(action)), think_ms: None }
}

impl PlayStream {
    pub(crate) async fn open(client: &Client) -> PlayStream {
        PlayStream::try_open(client).await.expect("a stream")
    }

    pub(crate) async fn try_open(client: &Client) -> Result<PlayStream, RpcError> {
        let (requests, receiver) = mpsc::channel(16);
        let opened = with_timeout(client.play().play(ReceiverStream::new(receiver))).await;
        let stream = opened.map_err(|status| RpcError::from_status(&status))?.into_inner();
        let messages = stream.map(|message| message.map(|message| (message.items, message.ending)));
        Ok(PlayStream { requests: Some(requests), reader: StreamReader::new(messages) })
    }

    /// Opens a stream and attaches one channel.
    pub(crate) async fn open_attached(client: &Client, channel: u32, attach: v1::Attach) -> PlayStream {
        let mut stream = PlayStream::open(client).await;
        stream.send(vec![attach_item(channel, attach)]).await;
        stream
    }

    /// Sends these items in one message.
    pub(crate) async fn send(&mut self, items: Vec<v1::PlayRequestItem>) {
        let requests = self.requests.as_ref().expect("a stream whose request side is open");
        with_timeout(requests.send(v1::PlayRequest { items })).await.expect("an open stream");
    }

    /// Ends the request side of the stream; responses can still be read.
    pub(crate) fn end_requests(&mut self) {
        self.requests = None;
    }

    /// Drops the buffered items that have no number: presence and time left.
    pub(crate) async fn discard_presence(&mut self) {
        self.fence().await;
        self.reader.buffered.retain(|(_, item)| !matches!(item, Item::Presence(_) | Item::TimeLeft(_)));
    }

    /// Reads everything that the server has sent so far: detaching an unused channel is answered at once,
    /// after it.
    async fn fence(&mut self) {
        let unused = u32::MAX;
        self.send(vec![detach_item(unused)]).await;
        assert_eq!(self.reader.closed(unused).await.reason(), v1::ErrorReason::Protocol);
    }

    /// Asserts that no item has arrived on a channel.
    pub(crate) async fn assert_nothing_on(&mut self, channel: u32) {
        self.fence().await;
        let arrived: Vec<_> = self.reader.buffered.iter().filter(|(on, _)| *on == channel).collect();
        assert!(arrived.is_empty(), "expected nothing on channel {channel}, got {arrived:?}");
    }

    /// Sends an answer, and returns its outcome.
    pub(crate) async fn answer(&mut self, channel: u32, answer: v1::Answer) -> v1::Answered {
        self.send(vec![answer_item(channel, answer)]).await;
        self.reader.answered(channel).await
    }

    /// Reveals the entropy of a channel's seat, and returns the refusal, if there is one.
    pub(crate) async fn reveal(&mut self, channel: u32, entropy: &[u8]) -> Option<v1::ErrorDetail> {
        self.send(vec![reveal_item(channel, entropy)]).await;
        self.reader.revealed(channel).await.refusal
    }
}

/// Opens a Follow stream of these channels.
pub(crate) async fn open_follow(
    client: &Client,
    channels: Vec<(u32, v1::Attach)>,
) -> Result<StreamReader, RpcError> {
    let entry = |(channel, attach)| v1::FollowChannel { channel, attach: Some(attach) };
    let request = v1::FollowRequest {
        channels: channels.into_iter().map(entry).collect(),
        ..v1::FollowRequest::default()
    };
    let opened = with_timeout(client.play().follow(request)).await;
    let opened = opened.map_err(|status| RpcError::from_status(&status))?;
    let messages = opened.into_inner().map(|message| message.map(|message| (message.items, message.ending)));
    Ok(StreamReader::new(messages))
}
