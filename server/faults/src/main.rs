//! `make faults`: fault injection against a server under load: kills, cut connections, slow readers, hostile clients, a
//! full disk.
//!
//! Each part prints a line `faults ...` with its counts, and fails if an acknowledged answer is lost or
//! anything is duplicated. Some parts have a control, such as a server that acknowledges before it commits,
//! and fail if the control is not detected.

mod audit;
mod counts;
mod cuts;
mod early_ack;
mod full_disk;
mod grpc_frames;
mod hostile;
mod kills;
mod latency;
mod ledger;
mod load;
mod play_client;
mod process;
mod proxy;
mod run;
mod serve;
mod server_address;
mod slow_reader;
mod spectators;
mod strace;
mod tournament;
mod trace;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand, ValueEnum};
use tokio::signal::unix::{SignalKind, signal};

use hostile::attack;
use kills::KillRun;
use load::LoadSize;
use process::ServerProgram;
use tournament::TournamentRun;

/// Injects faults into a server under load, and counts lost and duplicated answers.
#[derive(Parser)]
#[command(name = "faults", args_conflicts_with_subcommands = true)]
struct Arguments {
    /// Seed of the times of faults, the games and the moves.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of kills of the server.
    #[arg(long, default_value_t = 50)]
    kills: u32,
    /// Number of cut connections.
    #[arg(long, default_value_t = 200)]
    cuts: u32,
    /// Number of concurrent tables, with three or four seats each on average.
    #[arg(long, default_value_t = 100)]
    tables: usize,
    /// Number of deals of the tournaments for each pair, round or match.
    #[arg(long, default_value_t = 6)]
    deals: u32,
    /// Number of rounds with hostile clients, each beside a round without.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Simulate the full disk by a file size limit, even where a small disk could be mounted.
    #[arg(long)]
    limit_files: bool,
    /// Parts to run, separated by commas; default: all.
    #[arg(long, value_delimiter = ',')]
    only: Vec<Part>,
    /// Server to test; default: the parlor-server beside this program. `itself`: the server in this binary.
    #[arg(long)]
    server: Option<PathBuf>,
    #[command(subcommand)]
    mode: Option<Mode>,
}

/// Parts of a run.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Kills,
    Control,
    Trace,
    TraceControl,
    SlowReader,
    Cuts,
    Spectators,
    Hostile,
    FullDisk,
    Tournament,
    TournamentControl,
}

/// Modes in which this binary is a server, or attacks one.
#[derive(Subcommand)]
enum Mode {
    /// The real server, with its own arguments.
    Serve {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// The control server: acknowledges before it commits.
    ServeEarly {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Hostile clients of the server at this address. They end with their standard input.
    Attack {
        address: SocketAddr,
        /// Kinds of clients, separated by commas; default: all.
        #[arg(long, value_delimiter = ',')]
        only: Vec<attack::Kind>,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(Mode::Serve { arguments }) = &arguments.mode {
        return serve::serve(arguments);
    }
    let ended = tokio::runtime::Runtime::new().map_err(anyhow::Error::from).and_then(|runtime| {
        runtime.block_on(async {
            match &arguments.mode {
                Some(Mode::ServeEarly { arguments }) => serve::serve_early(arguments).await,
                Some(Mode::Attack { address, only }) => attack::run(*address, only).await,
                _ => run_until_stopped(&arguments).await,
            }
        })
    });
    ended.unwrap_or_else(|error| {
        eprintln!("faults: {error:#}");
        ExitCode::FAILURE
    })
}

/// Runs until the end or a signal. A signal drops the run, and with it its servers, folders and mounts.
async fn run_until_stopped(arguments: &Arguments) -> Result<ExitCode> {
    let (mut interrupted, mut terminated) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::select! {
        ended = run(arguments) => ended.map(|()| ExitCode::SUCCESS),
        _ = interrupted.recv() => bail!("stopped"),
        _ = terminated.recv() => bail!("stopped"),
    }
}

async fn run(arguments: &Arguments) -> Result<()> {
    let server = server(arguments.server.as_deref())?;
    let early = ServerProgram::of_this_binary(true)?;
    let seed = arguments.seed;
    let size = LoadSize { tables: arguments.tables, streams: 8, one_at_a_time: false, at_leisure: false };
    let wanted = |part: Part| arguments.only.is_empty() || arguments.only.contains(&part);
    let kills = |program: &ServerProgram, stop_at_loss| KillRun {
        program: program.clone(),
        seed,
        kills: arguments.kills,
        size,
        stop_at_loss,
    };
    let tournaments =
        |kills: u32, size| TournamentRun { program: server.clone(), seed, kills, cuts: 3 * kills, size };
    for part in Part::value_variants().iter().copied().filter(|part| wanted(*part)) {
        let folder = tempfile::Builder::new().prefix("parlor-faults-").tempdir()?;
        let (folder, data) = (folder.path(), folder.path().join("data"));
        match part {
            Part::Kills => kills::report(&kills(&server, false), &data).await,
            Part::Control => kills::report_control(&kills(&early, true), &data).await,
            Part::Trace => trace::report(&server, folder, seed).await,
            Part::TraceControl => trace::report_control(&early, folder, seed).await,
            Part::SlowReader => slow_reader::report(&server, &data, seed, size).await,
            Part::FullDisk => full_disk::report(&server, folder, seed, size, arguments.limit_files).await,
            Part::Spectators => spectators::report(&server, &data).await,
            Part::Hostile => hostile::report(&server, &data, seed, arguments.rounds).await,
            Part::Cuts => cuts::report(&server, &data, seed, size, arguments.cuts).await,
            Part::Tournament => {
                tournament::report(&tournaments(arguments.kills, arguments.deals), folder).await
            }
            Part::TournamentControl => tournament::report_control(&tournaments(2, 1), folder).await,
        }?;
    }
    Ok(())
}

fn server(path: Option<&Path>) -> Result<ServerProgram> {
    match path {
        Some(path) if path == Path::new("itself") => ServerProgram::of_this_binary(false),
        Some(path) => Ok(ServerProgram::at(path)),
        None => {
            let this = std::env::current_exe().context("the path of this program")?;
            let server = this.with_file_name("parlor-server");
            if !server.exists() {
                bail!("{} is not there: build it, or name another with --server", server.display());
            }
            Ok(ServerProgram::at(&server))
        }
    }
}
