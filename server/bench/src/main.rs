//! `make bench`: benchmarks of the hosted path against a bare tonic baseline, with thousands of tables. Each
//! line of the report is `bench NAME VALUE UNIT`, followed by the range over the turns.

mod baseline;
mod benchmarks;
mod filled_store;
mod message_sizes;
mod process;
mod samples;
mod tournament;

use std::time::Duration;

use anyhow::Result;
use clap::{Parser, Subcommand};
use parlor_server::config::{Cli, Settings, Sources};

/// The server's allocator, also for the baseline.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Benchmarks the hosted path.
#[derive(Parser)]
#[command(name = "bench")]
struct Arguments {
    #[command(flatten)]
    measurement: Measurement,
    #[command(subcommand)]
    part: Option<Part>,
}

/// Extent of the measurements.
#[derive(Clone, Copy, Debug, clap::Args)]
struct Measurement {
    /// Number of turns; the median of all turns is reported.
    #[arg(long, global = true, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    turns: u32,
    /// Duration of each measurement in seconds.
    #[arg(long, global = true, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Concurrent tables; a tenth and ten times as many where table counts are compared.
    #[arg(long, global = true, default_value_t = 1000)]
    tables: usize,
    /// Finished games in the filled store.
    #[arg(long, global = true, default_value_t = 1_000_000)]
    at_rest: u64,
}

/// Single parts of the benchmark, and modes for child processes.
#[derive(Subcommand)]
enum Part {
    /// Only moves per CPU-second of the server, compared with the baseline.
    Moves,
    /// Only memory per table.
    Memory,
    /// Only latency of a move, compared with the baseline.
    Latency,
    /// Only a store full of finished games.
    Rest,
    /// Only tournaments.
    Tournament,
    /// Child process: the agents of a tournament.
    Agents {
        /// Address of the server.
        address: String,
        /// Concurrent tables of each agent.
        #[arg(long)]
        at_once: u32,
    },
    /// Child process: the baseline server.
    BareServe {
        /// Number of tables.
        #[arg(long)]
        tables: usize,
        #[command(flatten)]
        sizes: baseline::Sizes,
        /// Delay in milliseconds between a move and its update, as for a commit to a log.
        #[arg(long)]
        turn_ms: Option<u64>,
        /// Arguments of parlor-server for the settings.
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Child process: the players of the baseline.
    BareLoad {
        /// Address of the server.
        address: String,
        #[command(flatten)]
        load: baseline::BaselineLoad,
        #[command(flatten)]
        sizes: baseline::Sizes,
    },
}

fn main() -> Result<()> {
    let Arguments { measurement, part } = Arguments::parse();
    let runtime = || tokio::runtime::Builder::new_multi_thread().enable_all().build();
    match part {
        Some(Part::Moves) => benchmarks::moves(measurement).map(drop),
        Some(Part::Memory) => benchmarks::memory(measurement),
        Some(Part::Latency) => benchmarks::latency(measurement, None),
        Some(Part::Rest) => benchmarks::at_rest(measurement),
        Some(Part::Tournament) => tournament::run(measurement),
        Some(Part::Agents { address, at_once }) => runtime()?.block_on(tournament::serve(&address, at_once)),
        Some(Part::BareServe { tables, sizes, turn_ms, arguments }) => {
            let cli = Cli::parse_from(std::iter::once("parlor-server".to_owned()).chain(arguments));
            let settings = Settings::load(&Sources::from_process(cli.flags))?;
            runtime()?.block_on(baseline::serve(tables, sizes, turn_ms.map(Duration::from_millis), &settings))
        }
        Some(Part::BareLoad { address, load, sizes }) => {
            println!("{:#}", runtime()?.block_on(baseline::load(&address, load, sizes))?);
            Ok(())
        }
        None => {
            let full = benchmarks::moves(measurement)?;
            benchmarks::memory(measurement)?;
            benchmarks::latency(measurement, Some(full))?;
            benchmarks::at_rest(measurement)?;
            tournament::run(measurement)
        }
    }
}
