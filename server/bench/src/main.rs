//! `make bench`: how fast the hosted path is, beside bare tonic and under thousands of tables. Each line of the report is
//! `bench NAME VALUE UNIT`, with the range of the turns behind it.

mod bare;
mod figures;
mod process;
mod rest;
mod run;
mod sizes;
mod tournament;

use std::time::Duration;

use anyhow::Result;
use clap::{Parser, Subcommand};
use parlor_server::config::{Cli, Settings, Sources};

/// The allocator of the server, for the baseline too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures the hosted path.
#[derive(Parser)]
#[command(name = "bench")]
struct Arguments {
    #[command(flatten)]
    measuring: Measuring,
    #[command(subcommand)]
    part: Option<Part>,
}

/// How much is measured.
#[derive(Clone, Copy, Debug, clap::Args)]
struct Measuring {
    /// How many turns there are: the median of them counts.
    #[arg(long, global = true, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    turns: u32,
    /// How long each load is measured.
    #[arg(long, global = true, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// How many tables are played at once; a tenth and ten times as many where numbers are compared.
    #[arg(long, global = true, default_value_t = 1000)]
    tables: usize,
    /// How many finished games the store has that is not empty.
    #[arg(long, global = true, default_value_t = 1_000_000)]
    at_rest: u64,
}

/// Parts of it alone, and what runs as processes of their own.
#[derive(Subcommand)]
enum Part {
    /// Moves for a second of the server's CPU alone, beside the baseline's.
    Moves,
    /// The memory of a table alone.
    Memory,
    /// How long a move takes alone, beside the baseline's.
    Latency,
    /// A store full of finished games alone.
    Rest,
    /// Tournaments alone.
    Tournament,
    /// The agents of a tournament.
    Agents {
        /// Where the server listens.
        address: String,
        /// How many tables each takes.
        #[arg(long)]
        at_once: u32,
    },
    /// The server of the baseline.
    BareServe {
        /// How many tables it has.
        #[arg(long)]
        tables: usize,
        #[command(flatten)]
        sizes: bare::Sizes,
        /// Moves are told so many milliseconds after they were made, as if they were committed to a log first.
        #[arg(long)]
        turn_ms: Option<u64>,
        /// Arguments of parlor-server, for the settings.
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// The players of the baseline.
    BareLoad {
        /// Where the server listens.
        address: String,
        #[command(flatten)]
        load: bare::Load,
        #[command(flatten)]
        sizes: bare::Sizes,
    },
}

fn main() -> Result<()> {
    let Arguments { measuring, part } = Arguments::parse();
    let runtime = || tokio::runtime::Builder::new_multi_thread().enable_all().build();
    match part {
        Some(Part::Moves) => run::moves(measuring).map(drop),
        Some(Part::Memory) => run::memory(measuring),
        Some(Part::Latency) => run::latency(measuring, None),
        Some(Part::Rest) => run::at_rest(measuring),
        Some(Part::Tournament) => tournament::run(measuring),
        Some(Part::Agents { address, at_once }) => runtime()?.block_on(tournament::serve(&address, at_once)),
        Some(Part::BareServe { tables, sizes, turn_ms, arguments }) => {
            let cli = Cli::parse_from(std::iter::once("parlor-server".to_owned()).chain(arguments));
            let settings = Settings::load(&Sources::of_process(cli.flags))?;
            runtime()?.block_on(bare::serve(tables, sizes, turn_ms.map(Duration::from_millis), &settings))
        }
        Some(Part::BareLoad { address, load, sizes }) => {
            println!("{:#}", runtime()?.block_on(bare::load(&address, load, sizes))?);
            Ok(())
        }
        None => {
            let full = run::moves(measuring)?;
            run::memory(measuring)?;
            run::latency(measuring, Some(full))?;
            run::at_rest(measuring)?;
            tournament::run(measuring)
        }
    }
}
