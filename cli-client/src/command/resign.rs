//! `parlor resign`: resigns a seat.

use parlor_sdk::{ResignTarget, SeatToken};
use serde_json::json;

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Id of your table, together with a seat, for the owner
    #[arg(requires = "seat", conflicts_with = "seat_token")]
    table: Option<String>,
    /// Seat number, from 0
    #[arg(long, requires = "table")]
    seat: Option<u32>,
    /// Seat token, for the player (or PARLOR_CLI_SEAT_TOKEN)
    #[arg(long, value_name = "TOKEN")]
    seat_token: Option<String>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let resigning = match (args.table, args.seat) {
        (Some(table_id), Some(seat)) => ResignTarget::Owner { table_id, seat },
        _ => {
            let token = match args.seat_token {
                Some(token) => Some(token),
                None => context.environment.own_text("SEAT_TOKEN")?,
            };
            let token = token.ok_or_else(|| {
                Failure::usage(
                    "no seat given: give --seat-token TOKEN, or TABLE --seat SEAT for your table",
                    "Welcher Sitz? Gib --seat-token TOKEN an, oder TISCH --seat SITZ eines Tischs von dir",
                )
            })?;
            ResignTarget::Player(SeatToken::new(token))
        }
    };
    context.connect().await?.resign_seat(resigning).await?;
    if context.json {
        context.out.json(&json!({ "resigned": true }))?;
    } else {
        context.out.line(context.localise(
            || "Resigned: the seat plays default actions to the end and ranks last.".into(),
            || "Der Sitz ist aufgegeben: Er spielt mit Vorgaben zu Ende und wird Letzter.".into(),
        ))?;
    }
    Ok(Exit::Ok)
}
