//! `parlor token`: a token for spectators of a private table, or a new one for a seat.

use serde_json::json;

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The id of the table, which must be yours
    table: String,
    /// A new token for this seat, from 0; the one before ends. Without it: a token for spectators
    #[arg(long)]
    seat: Option<u32>,
    /// End all spectator tokens of the table that were given before
    #[arg(long, conflicts_with = "seat")]
    revoke: bool,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let client = context.client().await?;
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
