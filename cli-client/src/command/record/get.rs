//! `parlor record get`: the record of a table.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use parlor_sdk::record::Form;
use parlor_sdk::wire::GetRecordRequest;

use super::target::{self, Format, Whose};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The id of the table
    table: String,
    #[command(flatten)]
    whose: Whose,
    /// A token of a seat or for spectators, for a private table that is not yours
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// The form; without it, as the name of the file ends (.txt, .json, .binpb), or text
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The file to write; without it, standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let usual = if context.json { Form::Json } else { Form::Text };
    let form = target::form(args.format, args.output.as_deref(), usual);
    if form == Form::Binary && args.output.is_none() && io::stdout().is_terminal() {
        return Err(Failure::usage(
            "bytes would confuse the terminal: add -o FILE, or choose another format",
            "Bytes brächten das Terminal durcheinander: Mit -o DATEI, oder in anderem Format",
        ));
    }
    let request = GetRecordRequest {
        table_id: args.table,
        token: args.token.unwrap_or_default(),
        viewer: args.whose.viewer(),
    };
    let record = context.client().await?.record_with(request).await?;
    let bytes = form.write(&record).map_err(|error| target::shapeless(&error))?;
    match args.output {
        Some(path) => target::write(&path, &bytes)?,
        None => {
            let mut out = io::stdout().lock();
            out.write_all(&bytes)?;
            out.flush()?;
        }
    }
    Ok(Exit::Ok)
}
