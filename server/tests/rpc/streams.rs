//! A stream to the server: Play, where a client attaches and answers, and Follow, where it watches.

use std::collections::VecDeque;
use std::pin::Pin;

use futures_util::{Stream, StreamExt};
use parlor_proto::v1::{self, play_request_item, stream_item::Item};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use crate::client::{Caller, Refused};
use crate::test_server::soon;

/// What came in one message.
type Message = (Vec<v1::StreamItem>, Option<v1::StreamEnding>);

/// What a client hears on a stream.
pub(crate) struct Heard {
    messages: Pin<Box<dyn Stream<Item = Result<Message, Status>> + Send>>,
    waiting: VecDeque<(u32, Item)>,
    ending: Option<v1::StreamEnding>,
}

impl Heard {
    pub(crate) fn new(messages: impl Stream<Item = Result<Message, Status>> + Send + 'static) -> Heard {
        Heard { messages: Box::pin(messages), waiting: VecDeque::new(), ending: None }
    }

    /// Reads one message; gives whether there was one.
    async fn read(&mut self) -> Result<bool, Refused> {
        let Some(message) = soon(self.messages.next()).await else { return Ok(false) };
        let (items, ending) = message.map_err(|status| Refused::of(&status))?;
        assert!(self.ending.is_none(), "nothing comes after the ending");
        self.ending = ending;
        let known = |item: v1::StreamItem| (item.channel, item.item.expect("an item of a known kind"));
        self.waiting.extend(items.into_iter().map(known));
        Ok(true)
    }

    /// Waits for a message; what is in it waits to be looked at.
    pub(crate) async fn wait(&mut self) {
        assert!(self.read().await.expect("a stream that goes on"), "the stream has ended");
    }

    /// Takes the first waiting item that passes, and reads on while there is none.
    pub(crate) async fn find<T>(&mut self, mut pick: impl FnMut(&(u32, Item)) -> Option<T>) -> T {
        let mut looked_at = 0;
        loop {
            while let Some(item) = self.waiting.get(looked_at) {
                if let Some(picked) = pick(item) {
                    self.waiting.remove(looked_at);
                    return picked;
                }
                looked_at += 1;
            }
            self.wait().await;
        }
    }

    /// The next item, whatever it is about.
    pub(crate) async fn next(&mut self) -> (u32, Item) {
        self.find(|item| Some(item.clone())).await
    }

    /// The next item on this channel. What comes on others waits.
    pub(crate) async fn on(&mut self, channel: u32) -> Item {
        self.find(|(about, item)| (*about == channel).then(|| item.clone())).await
    }

    /// The next snapshot on this channel, which is the next item there.
    pub(crate) async fn snapshot(&mut self, channel: u32) -> v1::Snapshot {
        match self.on(channel).await {
            Item::Snapshot(snapshot) => *snapshot,
            other => panic!("a snapshot was to come, not {other:?}"),
        }
    }

    /// The next update on this channel, which is the next item there.
    pub(crate) async fn update(&mut self, channel: u32) -> v1::Update {
        match self.on(channel).await {
            Item::Update(update) => update,
            other => panic!("an update was to come, not {other:?}"),
        }
    }

    /// The end of this channel, which is the next item there.
    pub(crate) async fn closed(&mut self, channel: u32) -> v1::ChannelClosed {
        match self.on(channel).await {
            Item::Closed(closed) => closed,
            other => panic!("the end was to come, not {other:?}"),
        }
    }

    /// What became of the answer on this channel. What comes before it waits.
    pub(crate) async fn answered(&mut self, channel: u32) -> v1::Answered {
        self.find(|(about, item)| match item {
            Item::Answered(answered) if *about == channel => Some(answered.clone()),
            _ => None,
        })
        .await
    }

    /// The next decision on this channel. What comes before it is dropped.
    pub(crate) async fn decision(&mut self, channel: u32) -> v1::Decision {
        loop {
            if let Item::Decision(decision) = self.on(channel).await {
                return decision;
            }
        }
    }

    /// The next presence on this channel. What comes before it is dropped.
    pub(crate) async fn presence(&mut self, channel: u32) -> v1::Presence {
        loop {
            if let Item::Presence(presence) = self.on(channel).await {
                return presence;
            }
        }
    }

    /// The next event of the table on this channel that passes. What comes before it is dropped.
    pub(crate) async fn event<T>(
        &mut self,
        channel: u32,
        pick: impl Fn(&v1::table_event::Event) -> Option<T>,
    ) -> T {
        loop {
            if let Item::Update(update) = self.on(channel).await {
                let mut events = update.table_events.iter().filter_map(|event| event.event.as_ref());
                if let Some(picked) = events.find_map(&pick) {
                    return picked;
                }
            }
        }
    }

    /// The end of the table on this channel. What comes before it is dropped.
    pub(crate) async fn over(&mut self, channel: u32) -> v1::TableOver {
        self.event(channel, |event| match event {
            v1::table_event::Event::Over(over) => Some(over.clone()),
            _ => None,
        })
        .await
    }

    /// The number of the last update, or the snapshot, that has come on this channel and waits.
    pub(crate) fn last_number(&self, channel: u32) -> u32 {
        let numbers =
            self.waiting.iter().filter(|(about, _)| *about == channel).map(|(_, item)| match item {
                Item::Update(update) => update.number,
                other => panic!("updates wait, not {other:?}"),
            });
        numbers.max().unwrap_or_default()
    }

    /// Reads to the end of the stream: what it said at last, if anything, or the error it ended with.
    pub(crate) async fn ending(&mut self) -> Result<Option<v1::StreamEnding>, Refused> {
        while self.read().await? {}
        Ok(self.ending.take())
    }
}

/// Play: what a client says and hears.
pub(crate) struct Line {
    says: Option<mpsc::Sender<v1::PlayRequest>>,
    pub(crate) heard: Heard,
}

/// One thing that a client says.
pub(crate) fn item(channel: u32, item: play_request_item::Item) -> v1::PlayRequestItem {
    v1::PlayRequestItem { channel, item: Some(item) }
}

/// Opening a channel.
pub(crate) fn attaching(channel: u32, attach: v1::Attach) -> v1::PlayRequestItem {
    item(channel, play_request_item::Item::Attach(attach))
}

/// Answering on a channel.
pub(crate) fn answering(channel: u32, answer: v1::Answer) -> v1::PlayRequestItem {
    item(channel, play_request_item::Item::Answer(answer))
}

/// Closing a channel.
pub(crate) fn detaching(channel: u32) -> v1::PlayRequestItem {
    item(channel, play_request_item::Item::Detach(v1::Detach {}))
}

/// The player of a seat, by its token.
pub(crate) fn seat(token: &str) -> v1::Attach {
    attach(v1::attach::Viewer::SeatToken(token.to_owned()))
}

/// Somebody at the rail of a table that is theirs to see.
pub(crate) fn rail(table: &str) -> v1::Attach {
    attach(v1::attach::Viewer::TableId(table.to_owned()))
}

/// Somebody at the rail, by a token for spectators.
pub(crate) fn guest(token: &str) -> v1::Attach {
    attach(v1::attach::Viewer::SpectatorToken(token.to_owned()))
}

fn attach(viewer: v1::attach::Viewer) -> v1::Attach {
    v1::Attach { viewer: Some(viewer), after: None, wants: None }
}

/// The same, with what comes after this number.
pub(crate) fn after(number: u32, attach: v1::Attach) -> v1::Attach {
    v1::Attach { after: Some(number), ..attach }
}

/// All that can be wanted.
pub(crate) const EVERYTHING: v1::Wants = v1::Wants {
    events: true,
    update_views: true,
    decision_views: true,
    legal_actions: true,
    rematch: true,
    time_left: true,
};

/// The same, with what is wanted.
pub(crate) fn wanting(wants: v1::Wants, attach: v1::Attach) -> v1::Attach {
    v1::Attach { wants: Some(wants), ..attach }
}

/// The legal action with this index, as the answer to a decision.
pub(crate) fn index(decision_id: u32, index: u32) -> v1::Answer {
    v1::Answer { decision_id, choice: Some(v1::answer::Choice::Index(index)), think_ms: None }
}

/// This action, as the answer to a decision.
pub(crate) fn action(decision_id: u32, action: v1::GameAction) -> v1::Answer {
    v1::Answer { decision_id, choice: Some(v1::answer::Choice::Action(action)), think_ms: None }
}

impl Line {
    /// Opens a stream.
    pub(crate) async fn open(caller: &Caller) -> Line {
        Line::try_open(caller).await.expect("a stream")
    }

    pub(crate) async fn try_open(caller: &Caller) -> Result<Line, Refused> {
        let (says, said) = mpsc::channel(16);
        let opened = soon(caller.play().play(ReceiverStream::new(said))).await;
        let stream = opened.map_err(|status| Refused::of(&status))?.into_inner();
        let messages = stream.map(|message| message.map(|message| (message.items, message.ending)));
        Ok(Line { says: Some(says), heard: Heard::new(messages) })
    }

    /// Opens a stream with one channel.
    pub(crate) async fn attached(caller: &Caller, channel: u32, attach: v1::Attach) -> Line {
        let mut line = Line::open(caller).await;
        line.say(vec![attaching(channel, attach)]).await;
        line
    }

    /// Says some things at once.
    pub(crate) async fn say(&mut self, items: Vec<v1::PlayRequestItem>) {
        let says = self.says.as_ref().expect("a stream that is not finished");
        soon(says.send(v1::PlayRequest { items })).await.expect("a stream that is open");
    }

    /// Says nothing more; hears on.
    pub(crate) fn finish(&mut self) {
        self.says = None;
    }

    /// Forgets who came and how much time is left: what has no number.
    pub(crate) async fn forget_presence(&mut self) {
        self.fence().await;
        self.heard.waiting.retain(|(_, item)| !matches!(item, Item::Presence(_) | Item::TimeLeft(_)));
    }

    /// Asks the server something that it answers at once, after all that it had to say before.
    async fn fence(&mut self) {
        let unused = u32::MAX;
        self.say(vec![detaching(unused)]).await;
        assert_eq!(self.heard.closed(unused).await.reason(), v1::ErrorReason::Protocol);
    }

    /// Makes sure that nothing has come on a channel.
    pub(crate) async fn nothing_on(&mut self, channel: u32) {
        self.fence().await;
        let came: Vec<_> = self.heard.waiting.iter().filter(|(about, _)| *about == channel).collect();
        assert!(came.is_empty(), "nothing was to come, not {came:?}");
    }

    /// Answers, and waits for what becomes of it.
    pub(crate) async fn answer(&mut self, channel: u32, answer: v1::Answer) -> v1::Answered {
        self.say(vec![answering(channel, answer)]).await;
        self.heard.answered(channel).await
    }
}

/// Watches, without a way to answer.
pub(crate) async fn follow(caller: &Caller, channels: Vec<(u32, v1::Attach)>) -> Result<Heard, Refused> {
    let entry = |(channel, attach)| v1::FollowChannel { channel, attach: Some(attach) };
    let request = v1::FollowRequest { channels: channels.into_iter().map(entry).collect() };
    let opened = soon(caller.play().follow(request)).await.map_err(|status| Refused::of(&status))?;
    let messages = opened.into_inner().map(|message| message.map(|message| (message.items, message.ending)));
    Ok(Heard::new(messages))
}
