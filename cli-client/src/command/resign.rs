//! `parlor resign`: gives a seat up.

use parlor_sdk::{Resigning, SeatToken};
use serde_json::json;

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The id of a table of yours, together with a seat: for its owner
    #[arg(requires = "seat", conflicts_with = "seat_token")]
    table: Option<String>,
    /// The seat of that table, from 0
    seat: Option<u32>,
    /// The token of the seat: for the player (or PARLOR_CLI_SEAT_TOKEN)
    #[arg(long, value_name = "TOKEN")]
    seat_token: Option<String>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let resigning = match (args.table, args.seat) {
        (Some(table_id), Some(seat)) => Resigning::Owner { table_id, seat },
        _ => {
            let token = match args.seat_token {
                Some(token) => Some(token),
                None => context.environment.text("SEAT_TOKEN")?,
            };
            let token = token.ok_or_else(|| {
                Failure::usage(
                    "which seat? Give --seat-token TOKEN, or TABLE SEAT of a table of yours",
                    "Welcher Sitz? Gib --seat-token TOKEN an, oder TISCH SITZ eines Tischs von dir",
                )
            })?;
            Resigning::Player(SeatToken::new(token))
        }
    };
    context.client().await?.resign_seat(resigning).await?;
    if context.json {
        context.out.json(&json!({ "resigned": true }))?;
    } else {
        context.out.line(context.say(
            || "The seat is given up: it plays defaults to the end and ranks last.".into(),
            || "Der Sitz ist aufgegeben: Er spielt mit Vorgaben zu Ende und wird Letzter.".into(),
        ))?;
    }
    Ok(Exit::Ok)
}
