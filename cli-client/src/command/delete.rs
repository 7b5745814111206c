//! `parlor delete`: deletes a finished table.

use serde_json::json;

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Id of the table, which must be yours and finished
    table: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    context.connect().await?.delete_table(&args.table).await?;
    if context.json {
        context.out.json(&json!({ "deleted": true }))?;
    } else {
        let id = &args.table;
        context.out.line(
            context.localise(|| format!("Table {id} is deleted."), || format!("Tisch {id} ist gelöscht.")),
        )?;
    }
    Ok(Exit::Ok)
}
