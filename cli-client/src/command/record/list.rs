//! `parlor record list`: lists visible records, newest first, in pages.

use std::time::SystemTime;

use parlor_engine::Lang;
use parlor_sdk::wire::{self, ListRecordsRequest};

use crate::command::{describe, paging};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::output::Columns;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only records of this game
    #[arg(long)]
    game: Option<String>,
    /// Only tables with a seat of this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only tables of this tournament
    #[arg(long, value_name = "ID")]
    tournament: Option<String>,
    /// Only tables created at this time or later, such as 2026-11-16 or 2026-11-16T09:30:00Z
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp)]
    since: Option<SystemTime>,
    /// Only tables created before this time
    #[arg(long, value_name = "TIME", value_parser = parse_timestamp)]
    until: Option<SystemTime>,
    /// Only your tables
    #[arg(long)]
    mine: bool,
    /// Number of records per page
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    #[command(flatten)]
    page: paging::PageArgs,
}

/// Parses a day, or a time in UTC.
fn parse_timestamp(text: &str) -> Result<SystemTime, String> {
    humantime::parse_rfc3339_weak(text)
        .or_else(|_| humantime::parse_rfc3339_weak(&format!("{text}T00:00:00Z")))
        .map_err(|_| "it must be a day such as 2026-11-16, or a time such as 2026-11-16T09:30:00Z".to_owned())
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let client = context.connect().await?;
    let request = ListRecordsRequest {
        game: args.game.unwrap_or_default(),
        agent: args.agent.unwrap_or_default(),
        tournament_id: args.tournament.unwrap_or_default(),
        created_since: args.since.map(Into::into),
        created_before: args.until.map(Into::into),
        owned: args.mine,
        page_size: args.limit,
        page_token: String::new(),
    };
    let ask =
        async |page_token| client.list_records(ListRecordsRequest { page_token, ..request.clone() }).await;
    let none = ["No records.", "Keine Aufzeichnungen."];
    args.page.show(context, ask, none, async |records: &[_]| lines(records, context)).await?;
    Ok(Exit::Ok)
}

fn lines(records: &[wire::RecordSummary], context: &Context) -> Vec<String> {
    let lang = context.lang;
    let headings = match lang {
        Lang::En => ["table", "game", "end", "seats", "made"],
        Lang::De => ["Tisch", "Spiel", "Ende", "Sitze", "gemacht"],
    };
    let mut columns = Columns::new(headings);
    for record in records {
        let created = record.create_time.and_then(|time| SystemTime::try_from(time).ok());
        columns.row([
            record.table_id.clone(),
            record.game.clone(),
            describe::end(record.result.as_ref()).get(lang).to_owned(),
            describe::record_seats(record, lang),
            describe::format_timestamp(created).unwrap_or_default(),
        ]);
    }
    columns.lines()
}
