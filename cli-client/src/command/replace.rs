//! `parlor replace`: a bot of the house takes over a seat.

use super::show;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The id of the table, which must be yours
    table: String,
    /// The seat, from 0
    seat: u32,
    /// The bot, as parlor bots lists them
    bot: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let table = context.client().await?.replace_seat(args.table, args.seat, args.bot).await?;
    show::print(&table, context)?;
    Ok(Exit::Ok)
}
