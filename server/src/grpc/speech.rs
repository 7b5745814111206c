//! What a client is told over a stream: all that is ready goes into one message, up to a limit.

use std::collections::VecDeque;

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use parlor_proto::v1;
use prost::Message;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tonic::Status;

use crate::host::Outbox;
use crate::wire;

/// Something that is said without asking a table.
pub(super) enum Spoken {
    /// About a channel.
    Item(Box<v1::StreamItem>),
    /// The client will attach nothing more.
    Finish,
    /// The stream ends, because the client broke its rules or its connection.
    End(Status),
}

/// One message: some items, why an agent was set aside, and in the last one why the stream ends.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Each is a [`v1::StreamItem`], encoded.
    pub(super) items: Vec<Bytes>,
    pub(super) aside: Option<v1::SetAside>,
    pub(super) ending: Option<v1::StreamEnding>,
}

struct Speech {
    outbox: Outbox,
    refusals: mpsc::Receiver<Spoken>,
    most: usize,
    ready: VecDeque<Bytes>,
    aside: Option<v1::SetAside>,
    ending: Option<v1::StreamEnding>,
    failed: Option<Status>,
    ended: bool,
    _listening: Listening,
}

/// The task that listens to the client. It ends with the stream.
struct Listening(JoinHandle<()>);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// All that is said to a client, in messages of up to so many bytes, or one larger item. The task that listens to the
/// client ends with the stream.
pub(super) fn speech(
    outbox: Outbox,
    refusals: mpsc::Receiver<Spoken>,
    most: usize,
    listening: JoinHandle<()>,
) -> impl Stream<Item = Result<Batch, Status>> + Send {
    let speech = Speech {
        outbox,
        refusals,
        most,
        ready: VecDeque::new(),
        aside: None,
        ending: None,
        failed: None,
        ended: false,
        _listening: Listening(listening),
    };
    unfold(speech, |mut speech| async move {
        let message = speech.next().await?;
        Some((message, speech))
    })
}

impl Speech {
    async fn next(&mut self) -> Option<Result<Batch, Status>> {
        while !self.ended
            && self.ready.is_empty()
            && self.aside.is_none()
            && self.ending.is_none()
            && self.failed.is_none()
        {
            self.wait().await;
        }
        if self.ended {
            return None;
        }
        if self.ready.is_empty()
            && self.aside.is_none()
            && let Some(status) = self.failed.take()
        {
            self.ended = true;
            return Some(Err(status));
        }
        let mut batch = Batch { aside: self.aside.take(), ..Batch::default() };
        let mut bytes = 0;
        while let Some(item) = self.ready.pop_front() {
            // A tag and a length, of a few bytes each, stand before every item.
            bytes += item.len() + 6;
            if bytes > self.most && !batch.items.is_empty() {
                self.ready.push_front(item);
                return Some(Ok(batch));
            }
            batch.items.push(item);
        }
        batch.ending = self.ending.take();
        self.ended = batch.ending.is_some();
        Some(Ok(batch))
    }

    /// Waits until there is something to say.
    async fn wait(&mut self) {
        tokio::select! {
            biased;
            Some(spoken) = self.refusals.recv() => match spoken {
                Spoken::Item(item) => self.ready.push_back(encode(&item)),
                Spoken::Finish => self.outbox.finish(),
                Spoken::End(status) => self.failed = Some(status),
            },
            batch = self.outbox.next() => match batch {
                Some(batch) => {
                    self.ready.extend(batch.items.into_iter().map(|item| encode(&wire::item(item))));
                    self.aside = batch.aside.map(wire::set_aside);
                    self.ending = batch.ending.map(wire::stream_ending);
                }
                None => self.ended = true,
            },
        }
    }
}

/// An item as it goes into a message.
fn encode(item: &v1::StreamItem) -> Bytes {
    item.encode_to_vec().into()
}
