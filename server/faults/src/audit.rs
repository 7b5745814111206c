//! After the play: every seat of the run is attached anew, its whole history is read, and held against the accounts.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use parlor_proto::v1 as wire;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;
use wire::play_request_item::Item as Say;
use wire::play_service_client::PlayServiceClient;
use wire::stream_item::Item as Hear;

use crate::dial::soon;
use crate::stream::wants;
use crate::world::World;

/// How many seats are read at once.
const READERS: usize = 4;

/// Reads the history of all seats. Nobody plays meanwhile.
pub(crate) async fn audit(world: &Arc<World>) -> Result<()> {
    let mut readers = JoinSet::new();
    for reader in 0..READERS {
        let world = world.clone();
        readers.spawn(async move { read_some(&world, reader).await });
    }
    while let Some(done) = readers.join_next().await {
        done??;
    }
    Ok(())
}

async fn read_some(world: &World, reader: usize) -> Result<()> {
    let mut stream = Reading::open(world).await?;
    let count = world.state().seats.len();
    for seat in (reader..count).step_by(READERS) {
        let token = world.state().seats[seat].token.clone();
        let history = soon("a seat is read", stream.history(token)).await??;
        let mut state = world.state();
        let state = &mut *state;
        match history {
            Some(history) => state.seats[seat].book.audit(&history, &mut state.tally),
            None => state.seats[seat].book.audit(&[], &mut state.tally),
        }
    }
    Ok(())
}

/// A stream for reading one seat after the other.
struct Reading {
    say: mpsc::Sender<wire::PlayRequest>,
    heard: Streaming<wire::PlayResponse>,
    /// What came and was not looked at yet.
    waiting: std::collections::VecDeque<wire::StreamItem>,
    channel: u32,
}

impl Reading {
    async fn open(world: &World) -> Result<Reading> {
        let mut client = PlayServiceClient::new(world.dial.connect().await?);
        let (say, requests) = mpsc::channel(16);
        let heard = client.play(ReceiverStream::new(requests)).await?.into_inner();
        Ok(Reading { say, heard, waiting: std::collections::VecDeque::new(), channel: 0 })
    }

    async fn attach(&mut self, token: &str, after: Option<u32>) -> Result<()> {
        self.channel += 1;
        let viewer = Some(wire::attach::Viewer::SeatToken(token.to_owned()));
        let attach = wire::Attach { viewer, after, wants: Some(wants()) };
        self.say(Say::Attach(attach)).await
    }

    async fn say(&mut self, item: Say) -> Result<()> {
        let items = vec![wire::PlayRequestItem { channel: self.channel, item: Some(item) }];
        Ok(self.say.send(wire::PlayRequest { items }).await?)
    }

    /// The next thing on the newest channel.
    async fn hear(&mut self) -> Result<Hear> {
        loop {
            while let Some(said) = self.waiting.pop_front() {
                if let (true, Some(item)) = (said.channel == self.channel, said.item) {
                    return Ok(item);
                }
            }
            let message = self.heard.message().await?.context("the server ended the stream")?;
            if let Some(ending) = message.ending {
                bail!("the server ended the stream: {}", ending.message);
            }
            self.waiting.extend(message.items);
        }
    }

    /// All updates of a seat; none if the server does not know it any more.
    async fn history(&mut self, token: String) -> Result<Option<Vec<wire::Update>>> {
        self.attach(&token, None).await?;
        let last = loop {
            match self.hear().await? {
                Hear::Snapshot(snapshot) => break snapshot.number,
                Hear::Closed(_) => return Ok(None),
                _ => {}
            }
        };
        self.say(Say::Detach(wire::Detach {})).await?;
        self.attach(&token, Some(0)).await?;
        let mut history = Vec::new();
        while (history.len() as u32) < last {
            match self.hear().await? {
                Hear::Update(update) => history.push(update),
                Hear::Closed(_) => break,
                _ => {}
            }
        }
        self.say(Say::Detach(wire::Detach {})).await?;
        Ok(Some(history))
    }
}
