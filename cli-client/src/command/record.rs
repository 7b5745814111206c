//! `parlor record`: records of games that are over, from the server into files.

mod export;
pub(super) mod file;
mod get;
mod list;
mod target;

use clap::Subcommand;

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Get the record of a table that is over
    Get(get::Args),
    /// List records, newest first
    List(list::Args),
    /// Get all records of a tournament, into a folder or one file
    Export(export::Args),
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    match args.what {
        What::Get(args) => get::run(args, context).await,
        What::List(args) => list::run(args, context).await,
        What::Export(args) => export::run(args, context).await,
    }
}
