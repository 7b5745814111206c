//! `parlor delete`: deletes a table that is over.

use serde_json::json;

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The id of the table, which must be yours and over
    table: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    context.client().await?.delete_table(&args.table).await?;
    if context.json {
        context.out.json(&json!({ "deleted": true }))?;
    } else {
        let id = &args.table;
        context.out.line(
            context.say(|| format!("Table {id} is deleted."), || format!("Tisch {id} ist gelöscht.")),
        )?;
    }
    Ok(Exit::Ok)
}
