//! Load generator of the baseline.

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

/// Settings of the load.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct BaselineLoad {
    /// Number of tables.
    #[arg(long)]
    pub(crate) tables: usize,
    /// Number of connections.
    #[arg(long)]
    pub(crate) connections: usize,
    /// Duration of the measurement.
    #[arg(long)]
    pub(crate) seconds: u64,
    /// Total moves per second; default: maximum rate.
    #[arg(long)]
    pub(crate) rate: Option<f64>,
    /// Process id of the server.
    #[arg(long)]
    pub(crate) server_pid: u32,
}

/// Shared state of all tables.
struct SharedLoad {
    channels: Vec<Channel>,
    pace: RateLimiter,
    meter: LatencyMeter,
    sizes: Sizes,
}

/// A move in progress, and the number of players that have its update.
#[derive(Clone, Copy)]
struct MoveInProgress {
    started: Instant,
    delivered: usize,
}

/// Moves of a table in progress, by number modulo 2: while one is made, updates of the previous one may be in
/// transit.
type Moves = Mutex<[MoveInProgress; 2]>;

/// Runs the load. Returns a report in the format of `parlor bench --json`.
pub(crate) async fn load(address: &str, load: BaselineLoad, sizes: Sizes) -> Result<Value> {
    let server = Process::with_id(load.server_pid);
    let mut channels = Vec::with_capacity(load.connections);
    for _ in 0..load.connections {
        channels.push(connect(address).await?);
    }
    let shared = Arc::new(SharedLoad {
        channels,
        pace: RateLimiter::new(load.rate),
        meter: LatencyMeter::default(),
        sizes,
    });
    let (ready, mut all_ready) = mpsc::channel(64);
    let mut playing = JoinSet::new();
    for table in 0..load.tables {
        playing.spawn(play_table(shared.clone(), table, ready.clone()));
    }
    for _ in 0..load.tables {
        tokio::select! {
            _ = all_ready.recv() => {}
            Some(ended) = playing.join_next() => ended??,
        }
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let cpu = || server.and_then(|server| server.cpu().ok());
    let (cpu_before, started) = (cpu(), now());
    shared.meter.begin();
    tokio::select! {
        () = tokio::time::sleep(Duration::from_secs(load.seconds)) => {}
        Some(ended) = playing.join_next() => ended??,
    }
    let times = shared.meter.end();
    let (took, cpu_after) = ((now() - started).as_secs_f64(), cpu());
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

async fn play_table(shared: Arc<SharedLoad>, table: usize, ready: mpsc::Sender<()>) -> Result<()> {
    let open = Mutex::new([MoveInProgress { started: now(), delivered: 0 }; 2]);
    try_join_all((0..PLAYERS).map(|seat| play(&shared, table, seat, &open, &ready))).await?;
    Ok(())
}

async fn play(
    shared: &SharedLoad,
    table: usize,
    seat: usize,
    open: &Moves,
    ready: &mpsc::Sender<()>,
) -> Result<()> {
    let channel = &shared.channels[(table * PLAYERS + seat) % shared.channels.len()];
    let (requests, request_stream) = mpsc::channel(4);
    let mut next = Move { table: table as u32, seat: seat as u32, decision: 0, index: 0 };
    requests.send(next).await?;
    let mut updates =
        BareClient::new(channel.clone()).play(ReceiverStream::new(request_stream)).await?.into_inner();
    let mut first = true;
    while let Some(update) = updates.message().await? {
        let sizes = Sizes { view: update.view.len(), events: update.events.len() };
        let is_whole = update.encoded_len() > sizes.view + sizes.events;
        ensure!(sizes == shared.sizes && is_whole, "a message has {sizes:?}, and not {:?}", shared.sizes);
        if std::mem::take(&mut first) {
            if seat == 0 {
                ready.send(()).await?;
            }
        } else {
            let open = &mut open.lock().unwrap_or_else(PoisonError::into_inner)[update.number as usize % 2];
            open.delivered += 1;
            if open.delivered == PLAYERS {
                shared.meter.count(table, now() - open.started);
            }
        }
        if update.turn as usize == seat {
            shared.pace.wait().await;
            open.lock().unwrap_or_else(PoisonError::into_inner)[(update.number as usize + 1) % 2] =
                MoveInProgress { started: now(), delivered: 0 };
            (next.decision, next.index) = (update.number, 1);
            requests.send(next).await?;
        }
    }
    Ok(())
}
