//! `parlor tables`: tables that can be seen, newest first, page by page.

use clap::ValueEnum;
use parlor_sdk::wire::{ListTablesRequest, TableState};

use super::{create::parse_metadata, describe};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

/// The states that can be asked for.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum State {
    Open,
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
    /// Only tables with a seat that is free
    #[arg(long)]
    open_seat: bool,
    /// Only tables of yours
    #[arg(long)]
    mine: bool,
    /// Only tables of yours with a seat of this user, by your own id
    #[arg(long, value_name = "ID")]
    user: Option<String>,
    /// Only tables of yours with this metadata; may be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_metadata)]
    metadata: Vec<(String, String)>,
    /// How many tables to a page
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
    /// The page to show, as the page before named it
    #[arg(long, value_name = "PAGE", conflicts_with = "all")]
    page: Option<String>,
    /// All pages, one after the other
    #[arg(long)]
    all: bool,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let client = context.client().await?;
    let mut request = ListTablesRequest {
        game: args.game.clone().unwrap_or_default(),
        states: args.state.iter().map(|state| TableState::from(*state).into()).collect(),
        owned: args.mine,
        open_seat: args.open_seat,
        user_id: args.user.unwrap_or_default(),
        metadata: args.metadata.into_iter().collect(),
        page_size: args.limit,
        page_token: args.page.unwrap_or_default(),
    };
    let mut found = client.list_tables(request.clone()).await?;
    while args.all && !found.next_page_token.is_empty() {
        request.page_token = std::mem::take(&mut found.next_page_token);
        let more = client.list_tables(request.clone()).await?;
        found.tables.extend(more.tables);
        found.next_page_token = more.next_page_token;
    }
    if context.json {
        context.out.document(&found)?;
    } else if found.tables.is_empty() {
        let game = args.game.as_deref().unwrap_or("gap");
        context.out.line(context.say(
            || format!("No tables. Make one: parlor create {game}"),
            || format!("Keine Tische. Mach einen: parlor create {game}"),
        ))?;
    } else {
        context.out.lines(describe::list(&found.tables, context))?;
        if !found.next_page_token.is_empty() {
            context.note(&describe::more(&found.next_page_token, context));
        }
    }
    Ok(Exit::Ok)
}
