//! `parlor record list`: records that can be seen, newest first, page by page.

use std::time::SystemTime;

use parlor_engine::Lang;
use parlor_sdk::wire::{self, ListRecordsRequest};

use crate::command::describe;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::output::Columns;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only games of this kind
    #[arg(long)]
    game: Option<String>,
    /// Only tables at which this agent had a seat
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only tables of this tournament
    #[arg(long, value_name = "ID")]
    tournament: Option<String>,
    /// Only tables made at this time or later, such as 2026-11-16 or 2026-11-16T09:30:00Z
    #[arg(long, value_name = "TIME", value_parser = moment)]
    since: Option<SystemTime>,
    /// Only tables made before this time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    until: Option<SystemTime>,
    /// Only tables of yours
    #[arg(long)]
    mine: bool,
    /// How many records to a page
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// The page to show, as the page before named it
    #[arg(long, value_name = "PAGE", conflicts_with = "all")]
    page: Option<String>,
    /// All pages, one after the other
    #[arg(long)]
    all: bool,
}

/// A moment: a day, or a time of UTC.
fn moment(text: &str) -> Result<SystemTime, String> {
    humantime::parse_rfc3339_weak(text)
        .or_else(|_| humantime::parse_rfc3339_weak(&format!("{text}T00:00:00Z")))
        .map_err(|_| "it must be a day such as 2026-11-16, or a time such as 2026-11-16T09:30:00Z".to_owned())
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let client = context.client().await?;
    let mut request = ListRecordsRequest {
        game: args.game.unwrap_or_default(),
        agent: args.agent.unwrap_or_default(),
        tournament_id: args.tournament.unwrap_or_default(),
        created_since: args.since.map(Into::into),
        created_before: args.until.map(Into::into),
        owned: args.mine,
        page_size: args.limit,
        page_token: args.page.unwrap_or_default(),
    };
    let mut found = client.list_records(request.clone()).await?;
    // A page may be short, even empty, and still have a next one.
    while !found.next_page_token.is_empty() && (args.all || found.records.is_empty()) {
        request.page_token = std::mem::take(&mut found.next_page_token);
        let more = client.list_records(request.clone()).await?;
        found.records.extend(more.records);
        found.next_page_token = more.next_page_token;
    }
    if context.json {
        context.out.document(&found)?;
    } else if found.records.is_empty() {
        context.out.line(context.say(|| "No records.".into(), || "Keine Aufzeichnungen.".into()))?;
    } else {
        context.out.lines(lines(&found.records, context))?;
        if !found.next_page_token.is_empty() {
            context.note(&describe::more(&found.next_page_token, context));
        }
    }
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
        let made = record.create_time.and_then(|time| SystemTime::try_from(time).ok());
        columns.row([
            record.table_id.clone(),
            record.game.clone(),
            describe::end(record.result.as_ref()).get(lang).to_owned(),
            describe::record_seats(record, lang),
            describe::moment(made).unwrap_or_default(),
        ]);
    }
    columns.lines()
}
