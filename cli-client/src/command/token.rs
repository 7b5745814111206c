//! `parlor token`: prints a spectator token of a table, or a new token for a seat.

use serde_json::json;

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Id of the table, which must be yours
    table: String,
    /// Print a new token for this seat, from 0, and revoke the old one [default: a spectator token]
    #[arg(long)]
    seat: Option<u32>,
    /// Revoke all earlier spectator tokens of the table
    #[arg(long, conflicts_with = "seat")]
    revoke: bool,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let client = context.connect().await?;
    let (name, token) = match args.seat {
        Some(seat) => ("seat_token", client.reissue_seat_token(args.table, seat).await?.reveal().to_owned()),
        None => {
            let token = client.create_spectator_token(args.table, args.revoke).await?;
            ("spectator_token", token.reveal().to_owned())
        }
    };
    if context.json {
        context.out.json(&json!({ name: token }))?;
    } else {
        context.out.line(token)?;
    }
    Ok(Exit::Ok)
}
