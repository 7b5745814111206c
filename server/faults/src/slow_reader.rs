//! A slow reader: a client that watches many tables and stops reading. The server cuts it off rather than keep everything
//! for it, says so, and gives it all that it missed when it comes back.

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
use wire::play_request_item::Item as Say;
use wire::play_service_client::PlayServiceClient;
use wire::stream_item::Item as Hear;

use crate::dial::soon;
use crate::kills::{clean, end_play};
use crate::load::{Load, Size};
use crate::process::{Process, Program};
use crate::world::{State, World};

/// How many clients stop reading at the same time, and how often new ones come.
const READERS: usize = 3;
const ROUNDS: usize = 2;
/// How many tables each of them watches.
const WATCHED: usize = 64;
/// How many answers are played at those tables while it does not read: more than the server keeps for a reader.
const MEANWHILE: usize = 2500;
/// How often a reader comes back, at most, before all is read.
const COMES_BACK: usize = 50;
/// How much more memory the server may have with slow readers than without, in KiB.
const MOST_MEMORY: u64 = 64 * 1024;

/// What a reader met.
#[derive(Clone, Copy, Default)]
struct Met {
    cut: u64,
    resumed: u64,
    missed: u64,
}

/// Plays, with readers that are too slow, and prints what came of it.
pub(crate) async fn report(program: &Program, data: &Path, seed: u64, size: Size) -> Result<()> {
    let (server, address) = program.up(data, &[]).await?;
    let load = Load::start(seed, size);
    load.world.dial.set(Some(address));
    load.world.until_more(5 * size.tables as u64).await?;
    let before = server.memory()?;
    let mut most = before;
    let mut met = Met::default();
    for _ in 0..ROUNDS {
        let mut readers = JoinSet::new();
        for _ in 0..READERS {
            let world = load.world.clone();
            readers.spawn(async move { Reader::new(&world).run(&world).await });
        }
        while let Some(done) = next_done(&mut readers, &server, &mut most).await? {
            met.cut += done.cut;
            met.resumed += done.resumed;
            met.missed += done.missed;
        }
    }
    let world = end_play(load, server).await?;
    let Met { cut, resumed, missed } = met;
    println!(
        "faults slow_reader cut={cut} resumed={resumed} missed={missed} server_rss_kib={before}..{most} seed={seed}"
    );
    clean(&world.state().tally)?;
    if cut == 0 || missed > 0 {
        bail!("readers were cut off {cut} times and missed {missed} updates");
    }
    if most > before + MOST_MEMORY {
        bail!("slow readers cost the server {} KiB", most - before);
    }
    Ok(())
}

/// The next reader that is done; looks at the memory of the server meanwhile.
async fn next_done(
    readers: &mut JoinSet<Result<Met>>,
    server: &Process,
    most: &mut u64,
) -> Result<Option<Met>> {
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
    /// By the channel: the table and, once it is known, the number of its last update. Tables that are over are gone.
    watched: BTreeMap<u32, (String, Option<u32>)>,
    /// The tables, as the world numbers them.
    tables: Vec<usize>,
    met: Met,
}

/// How a stream ended, or that something else is to be done with it.
enum Heard {
    All,
    TooSlow,
    Ended,
}

impl Reader {
    fn new(world: &World) -> Reader {
        let mut playing = world.state().playing();
        playing.truncate(WATCHED);
        let tables = playing.iter().map(|(number, _)| *number).collect();
        let watched = (0..).zip(playing).map(|(channel, (_, id))| (channel, (id, None))).collect();
        Reader { watched, tables, met: Met::default() }
    }

    async fn run(mut self, world: &Arc<World>) -> Result<Met> {
        let (_say, mut stream) = self.attach(world).await?;
        while self.watched.values().any(|(_, number)| number.is_none()) {
            let message = soon("a table is shown", stream.message()).await??.context("the stream ended")?;
            self.hear(message);
        }
        // Now it does not read.
        let before = self.answers(&world.state());
        let enough = |state: &State| {
            let is_over = self.tables.iter().all(|table| state.is_over(*table));
            is_over || self.answers(state) >= before + MEANWHILE
        };
        world.until("the tables are played on", enough).await?;
        // And now it does, and comes back as often as it is cut off, until all tables are over.
        for _ in 0..COMES_BACK {
            match self.read(&mut stream).await? {
                Heard::All => return Ok(self.met),
                Heard::TooSlow => self.met.cut += 1,
                Heard::Ended => {}
            }
            stream = self.attach(world).await?.1;
            self.met.resumed += 1;
        }
        bail!("a reader came back {COMES_BACK} times and could not read everything");
    }

    /// How many answers were acknowledged at the tables.
    fn answers(&self, state: &State) -> usize {
        self.tables.iter().map(|table| state.acknowledged_at(*table)).sum()
    }

    async fn attach(
        &self,
        world: &World,
    ) -> Result<(mpsc::Sender<wire::PlayRequest>, Streaming<wire::PlayResponse>)> {
        let attach = |(channel, (table, after)): (&u32, &(String, Option<u32>))| {
            let viewer = Some(wire::attach::Viewer::TableId(table.clone()));
            let wants = wire::Wants { events: true, update_views: true, ..wire::Wants::default() };
            let attach = Say::Attach(wire::Attach { viewer, after: *after, wants: Some(wants) });
            wire::PlayRequestItem { channel: *channel, item: Some(attach) }
        };
        let items = self.watched.iter().map(attach).collect();
        let (say, requests) = mpsc::channel(1);
        say.send(wire::PlayRequest { items }).await?;
        let mut client = PlayServiceClient::new(world.dial.connect().await?);
        let stream = soon("a stream opens", client.play(ReceiverStream::new(requests))).await??;
        Ok((say, stream.into_inner()))
    }

    /// Reads until everything is read, or the stream ends.
    async fn read(&mut self, stream: &mut Streaming<wire::PlayResponse>) -> Result<Heard> {
        while !self.watched.is_empty() {
            let Ok(Some(message)) = soon("something is told", stream.message()).await? else {
                return Ok(Heard::Ended);
            };
            let ending = message.ending.as_ref().map(wire::StreamEnding::reason);
            self.hear(message);
            match ending {
                Some(ErrorReason::TooSlow) => return Ok(Heard::TooSlow),
                Some(reason) => bail!("the stream ended with {reason:?}"),
                None => {}
            }
        }
        Ok(Heard::All)
    }

    fn hear(&mut self, message: wire::PlayResponse) {
        for said in message.items {
            let Some((_, number)) = self.watched.get_mut(&said.channel) else { continue };
            match said.item {
                Some(Hear::Snapshot(snapshot)) => {
                    // Whoever has a number gets updates. A snapshot would leave some out.
                    self.met.missed += number.map_or(0, |number| u64::from(snapshot.number.abs_diff(number)));
                    *number = Some(snapshot.number);
                }
                Some(Hear::Update(update)) => {
                    let expected = number.unwrap_or_default() + 1;
                    self.met.missed += u64::from(update.number.abs_diff(expected));
                    *number = Some(update.number);
                }
                Some(Hear::Closed(closed)) => {
                    if closed.reason() != ErrorReason::Unspecified {
                        self.met.missed += 1;
                    }
                    self.watched.remove(&said.channel);
                }
                _ => {}
            }
        }
    }
}
