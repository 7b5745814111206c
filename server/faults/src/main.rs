//! `make faults`: what the server does when it is killed, cut off, not read from, or out of room.
//!
//! Each part prints a line `faults ...` with its counts and fails if anything that was acknowledged is lost, or anything is
//! doubled. Some parts have a control, such as a server that acknowledges before it commits, and fail if it is not found out.

mod audit;
mod book;
mod cuts;
mod dial;
mod disk;
mod early;
mod frames;
mod kills;
mod load;
mod process;
mod proxy;
mod serve;
mod slow;
mod strace;
mod stream;
mod tally;
mod tournament;
mod trace;
mod world;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand, ValueEnum};
use tokio::signal::unix::{SignalKind, signal};

use kills::Kills;
use load::Size;
use process::Program;
use tournament::Tournaments;

/// Breaks things around a server, and counts what is lost.
#[derive(Parser)]
#[command(name = "faults", args_conflicts_with_subcommands = true)]
struct Arguments {
    /// What chooses the moments, the games and the moves.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How often the server is killed.
    #[arg(long, default_value_t = 50)]
    kills: u32,
    /// How many connections are cut.
    #[arg(long, default_value_t = 200)]
    cuts: u32,
    /// How many tables are played at once, with three or four seats each.
    #[arg(long, default_value_t = 100)]
    tables: usize,
    /// How many deals the tournaments have for each pair, round or match.
    #[arg(long, default_value_t = 6)]
    deals: u32,
    /// Makes the disk full by a limit on the size of files, also where a small disk could be mounted.
    #[arg(long)]
    limit_files: bool,
    /// The parts to run, separated by commas; all of them unless said.
    #[arg(long, value_delimiter = ',')]
    only: Vec<Part>,
    /// The server to test; the parlor-server beside this program unless said. `itself`: the one in this binary.
    #[arg(long)]
    server: Option<PathBuf>,
    #[command(subcommand)]
    serve: Option<Serve>,
}

/// The parts of the run.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Kills,
    Control,
    Trace,
    TraceControl,
    SlowReader,
    Cuts,
    FullDisk,
    Tournament,
    TournamentControl,
}

/// This program as a server.
#[derive(Subcommand)]
enum Serve {
    /// The server itself, with its own arguments.
    Serve {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// The control: acknowledges before it commits.
    ServeEarly {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(Serve::Serve { arguments }) = &arguments.serve {
        return serve::serve(arguments);
    }
    let ended = tokio::runtime::Runtime::new().map_err(anyhow::Error::from).and_then(|runtime| {
        runtime.block_on(async {
            match &arguments.serve {
                Some(Serve::ServeEarly { arguments }) => serve::serve_early(arguments).await,
                _ => run_until_stopped(&arguments).await,
            }
        })
    });
    ended.unwrap_or_else(|error| {
        eprintln!("faults: {error:#}");
        ExitCode::FAILURE
    })
}

/// Whoever stops the run drops it, and with it the servers, folders and mounts that it has made.
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
    let early = Program::of_this_binary(true)?;
    let seed = arguments.seed;
    let size = Size { tables: arguments.tables, streams: 8, one_at_a_time: false };
    let wanted = |part: Part| arguments.only.is_empty() || arguments.only.contains(&part);
    let kills = |program: &Program, stop_at_loss| Kills {
        program: program.clone(),
        seed,
        kills: arguments.kills,
        size,
        stop_at_loss,
    };
    let tournaments =
        |kills: u32, size| Tournaments { program: server.clone(), seed, kills, cuts: 3 * kills, size };
    for part in Part::value_variants().iter().copied().filter(|part| wanted(*part)) {
        let folder = tempfile::Builder::new().prefix("parlor-faults-").tempdir()?;
        let (folder, data) = (folder.path(), folder.path().join("data"));
        match part {
            Part::Kills => kills::report(&kills(&server, false), &data).await,
            Part::Control => kills::report_control(&kills(&early, true), &data).await,
            Part::Trace => trace::report(&server, folder, seed).await,
            Part::TraceControl => trace::report_control(&early, folder, seed).await,
            Part::SlowReader => slow::report(&server, &data, seed, size).await,
            Part::FullDisk => disk::report(&server, folder, seed, size, arguments.limit_files).await,
            Part::Cuts => cuts::report(&server, &data, seed, size, arguments.cuts).await,
            Part::Tournament => {
                tournament::report(&tournaments(arguments.kills, arguments.deals), folder).await
            }
            Part::TournamentControl => tournament::report_control(&tournaments(2, 1), folder).await,
        }?;
    }
    Ok(())
}

fn server(path: Option<&Path>) -> Result<Program> {
    match path {
        Some(path) if path == Path::new("itself") => Program::of_this_binary(false),
        Some(path) => Ok(Program::at(path)),
        None => {
            let this = std::env::current_exe().context("the path of this program")?;
            let server = this.with_file_name("parlor-server");
            if !server.exists() {
                bail!("{} is not there: build it, or name another with --server", server.display());
            }
            Ok(Program::at(&server))
        }
    }
}
