//! The players of the baseline.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Result, ensure};
use futures_util::future::try_join_all;
use parlor_cli::load::{LatencyMeter, Process, RateLimiter, now};
use prost::Message;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};

use super::wire::Move;
use super::wire::bare_client::BareClient;
use super::{PLAYERS, Sizes};

/// How much is played.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Load {
    /// How many tables.
    #[arg(long)]
    pub(crate) tables: usize,
    /// Over how many connections.
    #[arg(long)]
    pub(crate) connections: usize,
    /// For how long.
    #[arg(long)]
    pub(crate) seconds: u64,
    /// How many moves a second in all; as fast as it goes unless said.
    #[arg(long)]
    pub(crate) rate: Option<f64>,
    /// The process of the server.
    #[arg(long)]
    pub(crate) server_pid: u32,
}

/// What the tables share.
struct Ground {
    channels: Vec<Channel>,
    pace: RateLimiter,
    meter: LatencyMeter,
    sizes: Sizes,
}

/// A move that is under way, and how many have been told of it.
#[derive(Clone, Copy)]
struct Open {
    begun: Instant,
    told: usize,
}

/// The moves of a table that are under way, by their numbers: while one is made, the one before may still be told.
type Moves = Mutex<[Open; 2]>;

/// Plays, and gives what `parlor bench --json` gives.
pub(crate) async fn load(address: &str, load: Load, sizes: Sizes) -> Result<Value> {
    let server = Process::with_id(load.server_pid);
    let mut channels = Vec::with_capacity(load.connections);
    for _ in 0..load.connections {
        channels.push(connect(address).await?);
    }
    let ground = Arc::new(Ground {
        channels,
        pace: RateLimiter::new(load.rate),
        meter: LatencyMeter::default(),
        sizes,
    });
    let (ready, mut all_ready) = mpsc::channel(64);
    let mut playing = JoinSet::new();
    for table in 0..load.tables {
        playing.spawn(play_table(ground.clone(), table, ready.clone()));
    }
    for _ in 0..load.tables {
        tokio::select! {
            _ = all_ready.recv() => {}
            Some(ended) = playing.join_next() => ended??,
        }
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let cpu = || server.and_then(|server| server.cpu().ok());
    let (cpu_before, begun) = (cpu(), now());
    ground.meter.begin();
    tokio::select! {
        () = tokio::time::sleep(Duration::from_secs(load.seconds)) => {}
        Some(ended) = playing.join_next() => ended??,
    }
    let times = ground.meter.end();
    let (took, cpu_after) = ((now() - begun).as_secs_f64(), cpu());
    let moves = times.len();
    let cpu = cpu_before.zip(cpu_after).map(|(before, after)| (after - before).as_secs_f64());
    let milliseconds = |share| times.value_at_quantile(share) as f64 / 1000.0;
    Ok(json!({
        "tables": load.tables,
        "moves": moves,
        "seconds": took,
        "moves_per_second": moves as f64 / took,
        "latency_ms": { "p50": milliseconds(0.5), "p99": milliseconds(0.99), "p99_9": milliseconds(0.999) },
        "server": {
            "cpu_seconds": cpu,
            "moves_per_cpu_second": cpu.map(|cpu| moves as f64 / cpu),
        },
    }))
}

/// A connection with the settings of Parlor's own client.
async fn connect(address: &str) -> Result<Channel> {
    let patience = Duration::from_secs(10);
    let endpoint = Endpoint::from_shared(format!("http://{address}"))?
        .tcp_nodelay(true)
        .tcp_keepalive(Some(patience))
        .http2_keep_alive_interval(patience)
        .keep_alive_timeout(patience)
        .keep_alive_while_idle(true);
    Ok(endpoint.connect().await?)
}

async fn play_table(ground: Arc<Ground>, table: usize, ready: mpsc::Sender<()>) -> Result<()> {
    let open = Mutex::new([Open { begun: now(), told: 0 }; 2]);
    try_join_all((0..PLAYERS).map(|seat| play(&ground, table, seat, &open, &ready))).await?;
    Ok(())
}

async fn play(
    ground: &Ground,
    table: usize,
    seat: usize,
    open: &Moves,
    ready: &mpsc::Sender<()>,
) -> Result<()> {
    let channel = &ground.channels[(table * PLAYERS + seat) % ground.channels.len()];
    let (say, said) = mpsc::channel(4);
    let mut next = Move { table: table as u32, seat: seat as u32, decision: 0, index: 0 };
    say.send(next).await?;
    let mut told = BareClient::new(channel.clone()).play(ReceiverStream::new(said)).await?.into_inner();
    let mut first = true;
    while let Some(told) = told.message().await? {
        let sizes = Sizes { view: told.view.len(), events: told.events.len() };
        let is_whole = told.encoded_len() > sizes.view + sizes.events;
        ensure!(sizes == ground.sizes && is_whole, "a message has {sizes:?}, and not {:?}", ground.sizes);
        if std::mem::take(&mut first) {
            if seat == 0 {
                ready.send(()).await?;
            }
        } else {
            let open = &mut open.lock().unwrap_or_else(PoisonError::into_inner)[told.number as usize % 2];
            open.told += 1;
            if open.told == PLAYERS {
                ground.meter.count(table, now() - open.begun);
            }
        }
        if told.turn as usize == seat {
            ground.pace.wait().await;
            open.lock().unwrap_or_else(PoisonError::into_inner)[(told.number as usize + 1) % 2] =
                Open { begun: now(), told: 0 };
            (next.decision, next.index) = (told.number, 1);
            say.send(next).await?;
        }
    }
    Ok(())
}
