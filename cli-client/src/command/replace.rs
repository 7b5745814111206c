//! `parlor replace`: replaces a seat with a house bot.

use super::show;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Id of the table, which must be yours
    table: String,
    /// Seat number, from 0
    seat: u32,
    /// House bot, as listed by parlor bots
    bot: String,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let table = context.connect().await?.replace_seat(args.table, args.seat, args.bot).await?;
    show::print(&table, context)?;
    Ok(Exit::Ok)
}
