//! Slow readers: clients that watch many tables and stop reading. The server disconnects them with a reason
//! instead of buffering without bound, and sends all missed updates after a resume.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use parlor_proto::v1 as wire;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;
use wire::ErrorReason;
use wire::play_request_item::Item as RequestItem;
use wire::play_service_client::PlayServiceClient;
use wire::stream_item::Item as ResponseItem;

use crate::kills::{require_clean, stop_load_and_server};
use crate::load::{Load, LoadSize};
use crate::process::{ServerProcess, ServerProgram};
use crate::run::{Run, RunState};
use crate::server_address::within_timeout;

/// Number of clients that stop reading at the same time, and of rounds with new ones.
const READERS: usize = 3;
const ROUNDS: usize = 2;
/// Number of tables that each client watches.
const WATCHED_TABLES: usize = 64;
/// Number of answers played at these tables while the client does not read: more than the server buffers for
/// a stream.
const ANSWERS_WHILE_STALLED: usize = 2500;
/// Maximum number of resumes of a reader until it has read everything.
const MAX_RESUMES: usize = 50;
/// Maximum additional memory of the server with slow readers, in KiB.
const MAX_EXTRA_MEMORY_KIB: u64 = 64 * 1024;

/// Counts of a reader.
#[derive(Clone, Copy, Default)]
struct ReaderCounts {
    cut: u64,
    resumed: u64,
    missed: u64,
}

/// Runs a load with slow readers and prints the counts.
pub(crate) async fn report(program: &ServerProgram, data: &Path, seed: u64, size: LoadSize) -> Result<()> {
    let (server, address) = program.start_and_wait(data, &[]).await?;
    let load = Load::start(seed, size);
    load.run.server.set(Some(address));
    load.run.until_more(5 * size.tables as u64).await?;
    let before = server.memory()?;
    let mut most = before;
    let mut counts = ReaderCounts::default();
    for _ in 0..ROUNDS {
        let mut readers = JoinSet::new();
        for _ in 0..READERS {
            let run = load.run.clone();
            readers.spawn(async move { Reader::new(&run).run(&run).await });
        }
        while let Some(done) = next_done(&mut readers, &server, &mut most).await? {
            counts.cut += done.cut;
            counts.resumed += done.resumed;
            counts.missed += done.missed;
        }
    }
    let run = stop_load_and_server(load, server).await?;
    let ReaderCounts { cut, resumed, missed } = counts;
    println!(
        "faults slow_reader cut={cut} resumed={resumed} missed={missed} server_rss_kib={before}..{most} seed={seed}"
    );
    require_clean(&run.state().counts)?;
    if cut == 0 || missed > 0 {
        bail!("readers were cut off {cut} times and missed {missed} updates");
    }
    if most > before + MAX_EXTRA_MEMORY_KIB {
        bail!("slow readers cost the server {} KiB", most - before);
    }
    Ok(())
}

/// Waits for the next finished reader, and samples the server's memory meanwhile.
async fn next_done(
    readers: &mut JoinSet<Result<ReaderCounts>>,
    server: &ServerProcess,
    most: &mut u64,
) -> Result<Option<ReaderCounts>> {
    loop {
        *most = server.memory()?.max(*most);
        tokio::select! {
            done = readers.join_next() => return done.map(|done| done?).transpose(),
            () = tokio::time::sleep(Duration::from_millis(20)) => {}
        }
    }
}

/// A client that watches tables, and stops reading once.
struct Reader {
    /// Table id and cursor by channel. Finished tables are removed.
    watched: BTreeMap<u32, (String, Option<u32>)>,
    /// Numbers of the tables in the run.
    tables: Vec<usize>,
    counts: ReaderCounts,
}

/// Result of reading a stream.
enum ReadOutcome {
    All,
    TooSlow,
    Ended,
}

impl Reader {
    fn new(run: &Run) -> Reader {
        let mut playing = run.state().playing();
        playing.truncate(WATCHED_TABLES);
        let tables = playing.iter().map(|(number, _)| *number).collect();
        let watched = (0..).zip(playing).map(|(channel, (_, id))| (channel, (id, None))).collect();
        Reader { watched, tables, counts: ReaderCounts::default() }
    }

    async fn run(mut self, run: &Arc<Run>) -> Result<ReaderCounts> {
        let (_requests, mut stream) = self.attach(run).await?;
        while self.watched.values().any(|(_, number)| number.is_none()) {
            let message =
                within_timeout("a snapshot arrives", stream.message()).await??.context("the stream ended")?;
            self.handle_message(message);
        }
        // The client stops reading.
        let before = self.answers(&run.state());
        let enough = |state: &RunState| {
            let is_over = self.tables.iter().all(|table| state.is_over(*table));
            is_over || self.answers(state) >= before + ANSWERS_WHILE_STALLED
        };
        run.until("the tables are played", enough).await?;
        // It reads again, and resumes after each disconnect, until all tables are over.
        for _ in 0..MAX_RESUMES {
            match self.read(&mut stream).await? {
                ReadOutcome::All => return Ok(self.counts),
                ReadOutcome::TooSlow => self.counts.cut += 1,
                ReadOutcome::Ended => {}
            }
            stream = self.attach(run).await?.1;
            self.counts.resumed += 1;
        }
        bail!("a reader resumed {MAX_RESUMES} times and could not read everything");
    }

    /// Number of acknowledged answers at the tables.
    fn answers(&self, state: &RunState) -> usize {
        self.tables.iter().map(|table| state.acknowledged_at(*table)).sum()
    }

    async fn attach(
        &self,
        run: &Run,
    ) -> Result<(mpsc::Sender<wire::PlayRequest>, Streaming<wire::PlayResponse>)> {
        let attach = |(channel, (table, after)): (&u32, &(String, Option<u32>))| {
            let viewer = Some(wire::attach::Viewer::TableId(table.clone()));
            let wants = wire::Wants { update_views: Some(true), ..wire::Wants::default() };
            let attach = RequestItem::Attach(wire::Attach { viewer, after: *after, wants: Some(wants) });
            wire::PlayRequestItem { channel: *channel, item: Some(attach) }
        };
        let items = self.watched.iter().map(attach).collect();
        let (sender, requests) = mpsc::channel(1);
        sender.send(wire::PlayRequest { items }).await?;
        let mut client = PlayServiceClient::new(run.server.connect().await?);
        let stream = within_timeout("a stream opens", client.play(ReceiverStream::new(requests))).await??;
        Ok((sender, stream.into_inner()))
    }

    /// Reads until all tables are over, or the stream ends.
    async fn read(&mut self, stream: &mut Streaming<wire::PlayResponse>) -> Result<ReadOutcome> {
        while !self.watched.is_empty() {
            let Ok(Some(message)) = within_timeout("a message arrives", stream.message()).await? else {
                return Ok(ReadOutcome::Ended);
            };
            let ending = message.ending.as_ref().map(wire::StreamEnding::reason);
            self.handle_message(message);
            match ending {
                Some(ErrorReason::TooSlow) => return Ok(ReadOutcome::TooSlow),
                Some(reason) => bail!("the stream ended with {reason:?}"),
                None => {}
            }
        }
        Ok(ReadOutcome::All)
    }

    fn handle_message(&mut self, message: wire::PlayResponse) {
        for item in message.items {
            let Some((_, number)) = self.watched.get_mut(&item.channel) else { continue };
            match item.item {
                Some(ResponseItem::Snapshot(snapshot)) => {
                    // With a cursor the server must send updates; a snapshot skips some.
                    self.counts.missed +=
                        number.map_or(0, |number| u64::from(snapshot.number.abs_diff(number)));
                    *number = Some(snapshot.number);
                }
                Some(ResponseItem::Update(update)) => {
                    let expected = number.unwrap_or_default() + 1;
                    self.counts.missed += u64::from(update.number.abs_diff(expected));
                    *number = Some(update.number);
                }
                Some(ResponseItem::Closed(closed)) => {
                    if closed.reason() != ErrorReason::Unspecified {
                        self.counts.missed += 1;
                    }
                    self.watched.remove(&item.channel);
                }
                _ => {}
            }
        }
    }
}
