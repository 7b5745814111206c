//! `make bench`: how fast the hosted path is.

mod bare;

use anyhow::Result;
use clap::{Parser, Subcommand};
use parlor_server::config::{Cli, Settings, Sources};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(name = "bench")]
struct Arguments {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// The server of the baseline.
    BareServe {
        #[arg(long)]
        tables: usize,
        #[command(flatten)]
        sizes: bare::Sizes,
        /// Arguments of parlor-server, for the settings.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// The players of the baseline.
    BareLoad {
        address: String,
        #[command(flatten)]
        load: bare::Load,
        #[command(flatten)]
        sizes: bare::Sizes,
    },
}

fn main() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match Arguments::parse().part {
        Part::BareServe { tables, sizes, arguments } => {
            let cli = Cli::parse_from(std::iter::once("parlor-server".to_owned()).chain(arguments));
            let settings = Settings::load(&Sources::of_process(cli.flags))?;
            runtime.block_on(bare::serve(tables, sizes, &settings))
        }
        Part::BareLoad { address, load, sizes } => {
            println!("{:#}", runtime.block_on(bare::load(&address, load, sizes))?);
            Ok(())
        }
    }
}
