//! `parlor join`: joins a seat, and prints its token. The seat adds nothing to the shuffle.

use parlor_sdk::{JoinTable, JoinedSeat, SeatToken, wire};

use super::{describe, play::resume_command};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Id of the table
    table: String,
    /// Seat number, from 0 [default: the first free one]
    #[arg(long)]
    seat: Option<u32>,
    /// Display name (or PARLOR_CLI_NAME)
    #[arg(long)]
    name: Option<String>,
    /// Id of your user who gets the seat, for the owner of the table
    #[arg(long, value_name = "ID")]
    user: Option<String>,
    /// Seat token of the previous table, for a rematch
    #[arg(long, value_name = "TOKEN")]
    previous_token: Option<String>,
    /// Idempotency key: the same id returns the same seat and token
    ///
    /// Keep it as secret as the token, and take a random one, such as a UUID: on a server without API keys whoever
    /// knows it gets the seat, and it needs at least 22 characters.
    #[arg(long, value_name = "ID")]
    request_id: Option<String>,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    // Another call plays the seat, too late to reveal entropy.
    let mut join = JoinTable::new(args.table).without_entropy();
    if let Some(seat) = args.seat {
        join = join.seat(seat);
    }
    if let Some(name) = args.name.as_ref().or(context.settings.name.as_ref()) {
        join = join.display_name(name);
    }
    if let Some(user) = args.user {
        join = join.user_id(user);
    }
    if let Some(token) = args.previous_token {
        join = join.previous_token(&SeatToken::new(token));
    }
    if let Some(id) = args.request_id {
        join = join.request_id(id);
    }
    let joined = context.connect().await?.join_table(join).await?;
    print(joined, context)?;
    Ok(Exit::Ok)
}

fn print(joined: JoinedSeat, context: &Context) -> Result<(), Failure> {
    let JoinedSeat { seat, token, table, .. } = joined;
    if context.json {
        return context.out.document(&wire::JoinTableResponse {
            seat,
            seat_token: token.reveal().to_owned(),
            table: Some(table),
        });
    }
    let (id, game) = (&table.table_id, &table.game);
    let resume = resume_command(&context.settings, &token);
    let who = describe::occupants(&table, context.lang);
    context.out.line(context.localise(
        || format!("You have seat {seat} of table {id} ({game}: {who}).\nPlay it with: {resume}"),
        || format!("Du hast Sitz {seat} an Tisch {id} ({game}: {who}).\nSpiel mit: {resume}"),
    ))
}
