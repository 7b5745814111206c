//! `make bench`: how fast the hosted path is, beside bare tonic and under thousands of tables. Each line of the report is
//! `bench NAME VALUE UNIT`, with the range of the turns behind it.

mod bare;
mod figures;
mod process;
mod rest;
mod run;
mod sizes;
mod tournament;

use anyhow::Result;
use clap::{Parser, Subcommand};
use parlor_server::config::{Cli, Settings, Sources};

/// The allocator of the server, for the baseline too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures the hosted path.
#[derive(Parser)]
#[command(name = "bench", args_conflicts_with_subcommands = true)]
struct Arguments {
    /// How many turns there are: the median of them counts.
    #[arg(long, default_value_t = 5)]
    turns: u32,
    /// How long each load is measured.
    #[arg(long, default_value_t = 4)]
    seconds: u64,
    /// How many tables are played at once; a tenth and ten times as many where numbers are compared.
    #[arg(long, default_value_t = 1000)]
    tables: usize,
    /// How many finished games the store has that is not empty.
    #[arg(long, default_value_t = 1_000_000)]
    at_rest: u64,
    #[command(subcommand)]
    part: Option<Part>,
}

/// Parts of it alone, and what runs as processes of their own.
#[derive(Subcommand)]
enum Part {
    /// Tournaments alone.
    Tournament(tournament::Measuring),
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
    let arguments = Arguments::parse();
    let runtime = || tokio::runtime::Builder::new_multi_thread().enable_all().build();
    match arguments.part {
        Some(Part::BareServe { tables, sizes, arguments }) => {
            let cli = Cli::parse_from(std::iter::once("parlor-server".to_owned()).chain(arguments));
            let settings = Settings::load(&Sources::of_process(cli.flags))?;
            runtime()?.block_on(bare::serve(tables, sizes, &settings))
        }
        Some(Part::BareLoad { address, load, sizes }) => {
            println!("{:#}", runtime()?.block_on(bare::load(&address, load, sizes))?);
            Ok(())
        }
        Some(Part::Tournament(measuring)) => tournament::run(measuring),
        Some(Part::Agents { address, at_once }) => runtime()?.block_on(tournament::serve(&address, at_once)),
        None => {
            run::run(&arguments)?;
            let Arguments { turns, seconds, .. } = arguments;
            tournament::run(tournament::Measuring { turns, seconds })
        }
    }
}
