//! `parlor record get`: fetches the record of a table.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use parlor_sdk::record::RecordFormat;
use parlor_sdk::wire::{GetRecordRequest, Language};

use super::output::{self, Format, ViewerArgs};
use crate::command::keys;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Id of the table
    table: String,
    #[command(flatten)]
    viewer: ViewerArgs,
    /// Seat or spectator token, for a private table that is not yours
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// Add the texts of what happened, in the language of the output
    #[arg(long)]
    texts: bool,
    /// Format [default: by the file name (.txt, .json, .binpb), else text]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let usual = if context.json { RecordFormat::Json } else { RecordFormat::Text };
    let form = output::output_form(args.format, args.output.as_deref(), usual);
    if form == RecordFormat::Binary && args.output.is_none() && io::stdout().is_terminal() {
        return Err(Failure::usage(
            "bytes would confuse the terminal: add -o FILE, or choose another format",
            "Bytes brächten das Terminal durcheinander: Mit -o DATEI, oder in anderem Format",
        ));
    }
    let request = GetRecordRequest {
        table_id: args.table,
        token: args.token.unwrap_or_default(),
        viewer: args.viewer.viewer(),
        texts: if args.texts { Language::from(context.lang) } else { Language::Unspecified }.into(),
    };
    let client = context.connect().await?;
    let record = client.record_with(request).await?;
    keys::pin_server_keys(&client, context).await;
    let bytes = form.write(&record).map_err(|error| output::encode_failure(&error))?;
    match args.output {
        Some(path) => output::write(&path, &bytes)?,
        None => {
            let mut out = io::stdout().lock();
            out.write_all(&bytes)?;
            out.flush()?;
        }
    }
    Ok(Exit::Ok)
}
