//! `parlor bench`: plays many tables at once, and reports throughput and latency.

mod report;
mod tables;

use std::net::ToSocketAddrs;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use parlor_cli::duration::{Millis, parse_time};
use parlor_cli::load::{Process, now};
use parlor_sdk::{Client, Session};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::create::player_count;
use super::{games, options};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use report::BenchReport;
use tables::{LoadGenerator, OpenTables};

/// Maximum concurrent calls while connections are opened and tables created or cancelled.
const MAX_CONCURRENT_CALLS: usize = 64;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  parlor bench --tables 1000 --connections 16\n  \
        parlor bench --tables 1000 --connections 16 --seats-per-stream 1 --rate 20000 --json")]
pub(crate) struct Args {
    /// Number of tables played at once
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    tables: u32,
    /// Number of connections
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    connections: u32,
    /// Number of seats per stream [default: all seats of a connection]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    seats_per_stream: Option<u32>,
    /// The game
    #[arg(long, default_value = "gap")]
    game: String,
    /// Option of the game; repeatable. `parlor games GAME` lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = options::parse_option)]
    option: Vec<(String, String)>,
    /// Number of players per table [default: the game's minimum]
    #[arg(long, value_name = "COUNT")]
    players: Option<u32>,
    /// Measuring time in seconds
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
    /// Time to play before measuring
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_time)]
    warm_up: Millis,
    /// Give up when no further table starts for this long, as when the server refuses connections
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = parse_time)]
    patience: Millis,
    /// Maximum moves a second in total [default: unlimited]
    #[arg(long, value_name = "MOVES", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// Do not request views, events and legal actions
    #[arg(long)]
    bare: bool,
    /// Process id of the server, to measure its CPU and memory [default: the process listening at the
    /// address, on this machine]
    #[arg(long, value_name = "ID")]
    server_pid: Option<u32>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let server = server_process(&args, context)?;
    let first = context.stop.unless_stopped(context.with_wait_notice(context.connect())).await;
    let first = match first {
        Ok(client) => client?,
        Err(exit) => return Ok(exit),
    };
    let open_tables = OpenTables::new(args.tables as usize);
    let measured = context.stop.unless_stopped(measure(&args, &first, server, &open_tables, context)).await;
    // Cancels the tables on success, failure and interrupt alike.
    open_tables.cancel_all(&first).await;
    match measured {
        Ok(report) => report?.print(context).map(|()| Exit::Ok),
        Err(exit) => Ok(exit),
    }
}

/// The server process: the one given by id, or the one listening at the address if that is on this machine.
fn server_process(args: &Args, context: &Context) -> Result<Option<Process>, Failure> {
    if let Some(id) = args.server_pid {
        return Process::with_id(id).map(Some).ok_or_else(|| {
            Failure::usage(
                format!(
                    "there is no process {id}, or it is not visible: give the id of the server, or omit the flag"
                ),
                format!(
                    "Einen Prozess {id} gibt es hier nicht: gib die Nummer des Servers an oder lass sie weg"
                ),
            )
        });
    }
    let address = context.settings.server.rsplit_once("//").map_or("", |(_, address)| address);
    let address = address.trim_end_matches('/').to_socket_addrs().ok().and_then(|mut found| found.next());
    Ok(address
        .filter(|address| address.ip().is_loopback())
        .and_then(|address| Process::listening_on(address.port())))
}

async fn measure(
    args: &Args,
    first: &Client,
    server: Option<Process>,
    open_tables: &OpenTables,
    context: &Context,
) -> Result<BenchReport, Failure> {
    let game = games::find_game(first.games().await?, &args.game)?;
    let players = player_count(args.players, &game)?;
    let new = options::new_table(&game, &args.option, context)?.open_seats(players as usize);
    let seats = args.tables * players;
    let connections: Vec<Client> = stream::iter(0..args.connections)
        .map(|_| context.settings.connect())
        .buffer_unordered(MAX_CONCURRENT_CALLS)
        .try_collect()
        .await?;
    let streams = seats.div_ceil(args.seats_per_stream.unwrap_or(seats.div_ceil(args.connections)));
    let sessions: Vec<Session> =
        (0..streams).map(|number| connections[number as usize % connections.len()].session()).collect();
    context.progress(&context.localise(
        || format!("{} tables over {streams} streams and {} connections ...", args.tables, args.connections),
        || format!("{} Tische über {streams} Ströme und {} Verbindungen ...", args.tables, args.connections),
    ));
    let memory_before = server.and_then(|server| server.memory_kib().ok());

    let (ready, mut all_ready) = mpsc::channel(MAX_CONCURRENT_CALLS);
    let generator =
        Arc::new(LoadGenerator::new(new, players, connections, sessions, open_tables.clone(), args));
    let mut playing = JoinSet::new();
    for table in 0..args.tables as usize {
        playing.spawn(generator.clone().run_table(table, ready.clone()));
    }
    let patience = Duration::from_millis(args.patience.0.into());
    for started in 0..args.tables {
        let next = tokio::time::timeout(patience, all_ready.recv());
        if unless_table_fails(next, &mut playing).await?.is_err() {
            return Err(tables_do_not_start(started, args));
        }
    }
    unless_table_fails(tokio::time::sleep(Duration::from_millis(args.warm_up.0.into())), &mut playing)
        .await?;

    let cpu = || server.and_then(|server| server.cpu().ok());
    let (cpu_before, begun) = (cpu(), now());
    generator.meter.begin();
    unless_table_fails(tokio::time::sleep(Duration::from_secs(args.seconds.into())), &mut playing).await?;
    let times = generator.meter.end();
    let (took, cpu_after) = (now() - begun, cpu());
    Ok(BenchReport {
        times,
        took,
        tables: args.tables,
        finished: generator.finished(),
        server: server.map(Process::id),
        cpu: cpu_before.zip(cpu_after).map(|(before, after)| after.saturating_sub(before)),
        memory: memory_before.zip(server.and_then(|server| server.memory_kib().ok())),
    })
}

/// The failure of a load that does not get going.
fn tables_do_not_start(started: u32, args: &Args) -> Failure {
    let (tables, connections) = (args.tables, args.connections);
    Failure::new(
        Exit::Unavailable,
        "BENCH",
        format!(
            "only {started} of {tables} tables have started over {connections} connections, and no further one does: \
             the server may refuse connections (connections.max_per_address, connections.max_total) or be too slow"
        ),
        format!(
            "Nur {started} von {tables} Tischen haben über {connections} Verbindungen begonnen, und kein weiterer beginnt: \
             Der Server weist vielleicht Verbindungen ab (connections.max_per_address, connections.max_total) oder ist zu \
             langsam"
        ),
    )
}

/// Awaits `work` unless a table task fails first. Table tasks end only with an error or a panic.
async fn unless_table_fails<T>(
    work: impl Future<Output = T>,
    playing: &mut JoinSet<Result<(), parlor_sdk::Error>>,
) -> Result<T, Failure> {
    tokio::select! {
        done = work => Ok(done),
        Some(ended) = playing.join_next() => match ended {
            Ok(Err(error)) => Err(error.into()),
            // The task panicked.
            Ok(Ok(())) | Err(_) => Err(Failure::new(
                Exit::Failure,
                "BENCH",
                "a table task panicked: this is a bug in parlor",
                "Ein Tisch ließ sich nicht weiterspielen: Das ist ein Fehler in parlor",
            )),
        }
    }
}
