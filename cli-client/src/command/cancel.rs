//! `parlor cancel`: cancels a table without a score.

use super::show;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Id of the table, which must be yours
    table: String,
    /// Reason, shown to the players
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    note: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let table = context.connect().await?.cancel_table(args.table, args.note).await?;
    if context.json {
        show::print(&table, context)?;
    } else {
        let id = &table.table_id;
        context.out.line(
            context.localise(|| format!("Table {id} is cancelled."), || format!("Tisch {id} ist abgesagt.")),
        )?;
    }
    Ok(Exit::Ok)
}
