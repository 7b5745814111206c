//! `parlor show`: shows a table.

use crate::command::describe;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Id of the table
    table: String,
    /// Seat or spectator token, for a private table that is not yours
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let client = context.connect().await?;
    let table = client.table_with_token(args.table, args.token.as_deref().unwrap_or_default()).await?;
    print(&table, context)?;
    Ok(Exit::Ok)
}

/// Prints a table.
pub(super) fn print(table: &parlor_sdk::wire::Table, context: &Context) -> Result<(), Failure> {
    if context.json {
        context.out.document(table)
    } else {
        context.out.lines(describe::table(table, context))
    }
}
