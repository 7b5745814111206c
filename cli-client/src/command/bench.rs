//! `parlor bench`: plays many tables at once, and says how many moves a second the server makes, and how fast each.

mod report;
mod tables;

use std::net::ToSocketAddrs;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use parlor_cli::load::{Process, now};
use parlor_sdk::{Client, NewTable, Session};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::clock::{Millis, parse_time};
use super::create::players;
use super::{games, options};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use report::Report;
use tables::{Ground, Held};

/// How many calls are made at once to make tables ready.
const AT_ONCE: usize = 64;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  parlor bench --tables 1000 --connections 16\n  \
        parlor bench --tables 1000 --connections 16 --seats-per-stream 1 --rate 20000 --json")]
pub(crate) struct Args {
    /// How many tables are played at once
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    tables: u32,
    /// Over how many connections
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    connections: u32,
    /// How many seats share a stream [default: all of a connection]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    seats_per_stream: Option<u32>,
    /// The game
    #[arg(long, default_value = "gap")]
    game: String,
    /// An option of the game; may be given several times. `parlor games GAME` lists them
    #[arg(long, value_name = "NAME=VALUE", value_parser = options::parse)]
    option: Vec<(String, String)>,
    /// How many play at a table [default: as few as the game allows]
    #[arg(long, value_name = "COUNT")]
    players: Option<u32>,
    /// How long to measure
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
    /// How long to play before measuring
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_time)]
    warm_up: Millis,
    /// At most so many moves a second in all [default: as fast as it goes]
    #[arg(long, value_name = "MOVES", value_parser = clap::value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// Do not ask for views, events and legal actions
    #[arg(long)]
    bare: bool,
    /// The process of the server, for its CPU and memory [default: whoever listens there, on this machine]
    #[arg(long, value_name = "ID")]
    server_pid: Option<u32>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let server = server(&args, context)?;
    let first = context.stop.unless(context.waiting(context.client())).await;
    let first = match first {
        Ok(client) => client?,
        Err(exit) => return Ok(exit),
    };
    let held = Held::new(args.tables as usize);
    let measured = context.stop.unless(measure(&args, &first, server, &held, context)).await;
    // Whatever came of it, nothing of it stays.
    held.cancel_all(&first).await;
    match measured {
        Ok(report) => report?.print(context).map(|()| Exit::Ok),
        Err(exit) => Ok(exit),
    }
}

/// The process of the server: the one named, or the one that listens at the address, if that is this machine's.
fn server(args: &Args, context: &Context) -> Result<Option<Process>, Failure> {
    if let Some(id) = args.server_pid {
        return Process::with_id(id).map(Some).ok_or_else(|| {
            Failure::usage(
                format!(
                    "there is no process {id} to be looked at: give the id of the server, or leave it out"
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
    held: &Held,
    context: &Context,
) -> Result<Report, Failure> {
    let game = games::find(first.games().await?, &args.game)?;
    let players = players(args.players, &game)?;
    let new =
        NewTable::with_options(options::make(&game, &args.option, context)?).open_seats(players as usize);
    let seats = args.tables * players;
    let connections: Vec<Client> = stream::iter(0..args.connections)
        .map(|_| context.settings.connect())
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await?;
    let streams = seats.div_ceil(args.seats_per_stream.unwrap_or(seats.div_ceil(args.connections)));
    let sessions: Vec<Session> =
        (0..streams).map(|number| connections[number as usize % connections.len()].session()).collect();
    context.progress(&context.say(
        || format!("{} tables over {streams} streams and {} connections ...", args.tables, args.connections),
        || format!("{} Tische über {streams} Ströme und {} Verbindungen ...", args.tables, args.connections),
    ));
    let memory_before = server.and_then(|server| server.memory_kib().ok());

    let (ready, mut all_ready) = mpsc::channel(AT_ONCE);
    let ground = Arc::new(Ground::new(new, players, connections, sessions, held.clone(), args));
    let mut playing = JoinSet::new();
    for table in 0..args.tables as usize {
        playing.spawn(ground.clone().play_on(table, ready.clone()));
    }
    for _ in 0..args.tables {
        unless_one_fails(all_ready.recv(), &mut playing).await?;
    }
    unless_one_fails(tokio::time::sleep(Duration::from_millis(args.warm_up.0.into())), &mut playing).await?;

    let cpu = || server.and_then(|server| server.cpu().ok());
    let (cpu_before, begun) = (cpu(), now());
    ground.meter.begin();
    unless_one_fails(tokio::time::sleep(Duration::from_secs(args.seconds.into())), &mut playing).await?;
    let times = ground.meter.end();
    let (took, cpu_after) = (now() - begun, cpu());
    Ok(Report {
        times,
        took,
        tables: args.tables,
        finished: ground.finished(),
        server: server.map(Process::id),
        cpu: cpu_before.zip(cpu_after).map(|(before, after)| after.saturating_sub(before)),
        memory: memory_before.zip(server.and_then(|server| server.memory_kib().ok())),
    })
}

/// Waits for something, unless a table fails: those that are played never end by themselves.
async fn unless_one_fails<T>(
    work: impl Future<Output = T>,
    playing: &mut JoinSet<Result<(), parlor_sdk::Error>>,
) -> Result<T, Failure> {
    tokio::select! {
        done = work => Ok(done),
        Some(ended) = playing.join_next() => match ended {
            Ok(Err(error)) => Err(error.into()),
            // It panicked.
            Ok(Ok(())) | Err(_) => Err(Failure::new(
                Exit::Failure,
                "BENCH",
                "a table could not be played on: this is a mistake in parlor",
                "Ein Tisch ließ sich nicht weiterspielen: Das ist ein Fehler in parlor",
            )),
        }
    }
}
