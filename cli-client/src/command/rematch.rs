//! `parlor rematch`: creates a new table for the same players.

use parlor_sdk::{JoinTable, SeatToken};

use super::{play, show};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Id of the finished table
    table: String,
    /// Seat token of the finished table, for a player (or PARLOR_CLI_SEAT_TOKEN) [default: you are the owner]
    #[arg(long, value_name = "TOKEN")]
    seat_token: Option<String>,
    /// Move everyone one seat to the left, so that another player begins
    #[arg(long)]
    rotate: bool,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let token = match args.seat_token {
        Some(token) => Some(token),
        None => context.environment.own_text("SEAT_TOKEN")?,
    };
    let token = token.map(SeatToken::new);
    let client = context.connect().await?;
    let table = client.rematch(args.table, token.as_ref(), args.rotate).await?;
    show::print(&table, context)?;
    if context.json {
        return Ok(Exit::Ok);
    }
    // A player's seat is found by the token of the one before, which is at hand now.
    let play = match token {
        Some(token) => {
            let join = JoinTable::new(&table.table_id).previous_token(&token);
            play::resume_command(&context.settings, &client.join_table(join).await?.token)
        }
        None => format!("parlor play {}--join {}", context.settings.server_flag(), table.table_id),
    };
    context
        .out
        .line(context.localise(|| format!("Play it with: {play}"), || format!("Spiel mit: {play}")))?;
    Ok(Exit::Ok)
}
