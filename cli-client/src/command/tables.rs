//! `parlor tables`: lists visible tables, newest first, in pages.

use clap::ValueEnum;
use parlor_sdk::wire::{ListTablesRequest, TableState};

use super::{create::parse_metadata, describe, paging};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

/// Table states accepted by `--state`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum State {
    Open,
    Starting,
    Playing,
    Finished,
    Cancelled,
    Expired,
    Faulted,
}

impl From<State> for TableState {
    fn from(state: State) -> TableState {
        match state {
            State::Open => TableState::Open,
            State::Starting => TableState::Starting,
            State::Playing => TableState::Playing,
            State::Finished => TableState::Finished,
            State::Cancelled => TableState::Cancelled,
            State::Expired => TableState::Expired,
            State::Faulted => TableState::Faulted,
        }
    }
}

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only tables of this game
    #[arg(long)]
    game: Option<String>,
    /// Only tables in one of these states, separated by commas
    #[arg(long, value_enum, value_delimiter = ',')]
    state: Vec<State>,
    /// Only tables with a free seat
    #[arg(long)]
    open_seat: bool,
    /// Only your tables
    #[arg(long)]
    mine: bool,
    /// Only your tables with a seat of this user of yours
    #[arg(long, value_name = "ID")]
    user: Option<String>,
    /// Only your tables with this metadata; repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_metadata)]
    metadata: Vec<(String, String)>,
    /// Number of tables per page
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
    #[command(flatten)]
    page: paging::PageArgs,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let client = context.connect().await?;
    let game = args.game.unwrap_or_default();
    let request = ListTablesRequest {
        game: game.clone(),
        states: args.state.iter().map(|state| TableState::from(*state).into()).collect(),
        owned: args.mine,
        open_seat: args.open_seat,
        user_id: args.user.unwrap_or_default(),
        metadata: args.metadata.into_iter().collect(),
        page_size: args.limit,
        page_token: String::new(),
    };
    let ask =
        async |page_token| client.list_tables(ListTablesRequest { page_token, ..request.clone() }).await;
    let make = format!("parlor create {}", if game.is_empty() { "gap" } else { &game });
    let none = [&*format!("No tables. Make one: {make}"), &*format!("Keine Tische. Mach einen: {make}")];
    args.page.show(context, ask, none, async |tables: &[_]| describe::list(tables, context)).await?;
    Ok(Exit::Ok)
}
