//! Audit after a run: reads the full history of every seat from the server and compares it with the ledgers.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use parlor_proto::v1 as wire;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;
use wire::play_request_item::Item as RequestItem;
use wire::play_service_client::PlayServiceClient;
use wire::stream_item::Item as ResponseItem;

use crate::play_client::wants;
use crate::run::Run;
use crate::server_address::within_timeout;

/// Number of concurrent readers.
const READERS: usize = 4;

/// Audits all seats. The load has ended.
pub(crate) async fn audit(run: &Arc<Run>) -> Result<()> {
    let mut readers = JoinSet::new();
    for reader in 0..READERS {
        let run = run.clone();
        readers.spawn(async move { read_some(&run, reader).await });
    }
    while let Some(done) = readers.join_next().await {
        done??;
    }
    Ok(())
}

async fn read_some(run: &Run, reader: usize) -> Result<()> {
    let mut stream = HistoryReader::open(run).await?;
    let count = run.state().seats.len();
    for seat in (reader..count).step_by(READERS) {
        let token = run.state().seats[seat].token.clone();
        let history = within_timeout("a seat is read", stream.history(token)).await??;
        let mut state = run.state();
        let state = &mut *state;
        match history {
            Some(history) => state.seats[seat].ledger.audit(&history, &mut state.counts),
            None => state.seats[seat].ledger.audit(&[], &mut state.counts),
        }
    }
    Ok(())
}

/// A stream that reads one seat after the other.
struct HistoryReader {
    requests: mpsc::Sender<wire::PlayRequest>,
    responses: Streaming<wire::PlayResponse>,
    /// Received items that are not processed yet.
    waiting: std::collections::VecDeque<wire::StreamItem>,
    channel: u32,
}

impl HistoryReader {
    async fn open(run: &Run) -> Result<HistoryReader> {
        let mut client = PlayServiceClient::new(run.server.connect().await?);
        let (sender, requests) = mpsc::channel(16);
        let responses = client.play(ReceiverStream::new(requests)).await?.into_inner();
        Ok(HistoryReader {
            requests: sender,
            responses,
            waiting: std::collections::VecDeque::new(),
            channel: 0,
        })
    }

    async fn attach(&mut self, token: &str, after: Option<u32>) -> Result<()> {
        self.channel += 1;
        let viewer = Some(wire::attach::Viewer::SeatToken(token.to_owned()));
        let attach = wire::Attach { viewer, after, wants: Some(wants()) };
        self.send(RequestItem::Attach(attach)).await
    }

    async fn send(&mut self, item: RequestItem) -> Result<()> {
        let items = vec![wire::PlayRequestItem { channel: self.channel, item: Some(item) }];
        Ok(self.requests.send(wire::PlayRequest { items }).await?)
    }

    /// The next item on the newest channel.
    async fn next_item(&mut self) -> Result<ResponseItem> {
        loop {
            while let Some(received) = self.waiting.pop_front() {
                if let (true, Some(item)) = (received.channel == self.channel, received.item) {
                    return Ok(item);
                }
            }
            let message = self.responses.message().await?.context("the server ended the stream")?;
            if let Some(ending) = message.ending {
                bail!("the server ended the stream: {}", ending.message);
            }
            self.waiting.extend(message.items);
        }
    }

    /// All updates of a seat; `None` if the server does not know the seat any more.
    async fn history(&mut self, token: String) -> Result<Option<Vec<wire::Update>>> {
        self.attach(&token, None).await?;
        let last = loop {
            match self.next_item().await? {
                ResponseItem::Snapshot(snapshot) => break snapshot.number,
                ResponseItem::Closed(_) => return Ok(None),
                _ => {}
            }
        };
        self.send(RequestItem::Detach(wire::Detach {})).await?;
        self.attach(&token, Some(0)).await?;
        let mut history = Vec::new();
        while (history.len() as u32) < last {
            match self.next_item().await? {
                ResponseItem::Update(update) => history.push(update),
                ResponseItem::Closed(_) => break,
                _ => {}
            }
        }
        self.send(RequestItem::Detach(wire::Detach {})).await?;
        Ok(Some(history))
    }
}
