//! `parlor record`: fetches, lists and exports records of finished games.

mod export;
pub(super) mod file;
mod get;
mod list;
mod output;

use clap::Subcommand;

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: RecordCommand,
}

#[derive(Subcommand)]
enum RecordCommand {
    /// Fetch the record of a finished table
    Get(get::Args),
    /// List records, newest first
    List(list::Args),
    /// Export all records of a tournament into a folder or one file
    Export(export::Args),
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    match args.command {
        RecordCommand::Get(args) => get::run(args, context).await,
        RecordCommand::List(args) => list::run(args, context).await,
        RecordCommand::Export(args) => export::run(args, context).await,
    }
}
