//! Tournaments and their tables, as lists.

use std::pin::pin;

use futures_util::TryStreamExt;
use parlor_sdk::{Client, wire};

use super::board::say;
use crate::context::Context;
use crate::errors::Failure;
use crate::output::{Columns, to_json};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Only tournaments of yours
    #[arg(long)]
    mine: bool,
    /// How many tournaments to a page
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// The page to show, as the page before named it
    #[arg(long, value_name = "PAGE")]
    page: Option<String>,
}

pub(super) async fn tournaments(args: Args, client: &Client, context: &Context) -> Result<(), Failure> {
    let page_token = args.page.unwrap_or_default();
    let request = wire::ListTournamentsRequest { owned: args.mine, page_size: args.limit, page_token };
    let found = client.list_tournaments(request).await?;
    if context.json {
        return context.out.document(&found);
    }
    if found.tournaments.is_empty() {
        return context.out.line(context.say(
            || "No tournaments. Make one: parlor tournament run FILE.toml".to_owned(),
            || "Keine Turniere. Mach eines: parlor tournament run DATEI.toml".to_owned(),
        ));
    }
    let headings = match context.lang {
        parlor_engine::Lang::En => ["tournament", "state", "entrants", "name"],
        parlor_engine::Lang::De => ["Turnier", "Stand", "Teilnehmer", "Name"],
    };
    let mut columns = Columns::new(headings);
    for tournament in &found.tournaments {
        let setup = tournament.setup.clone().unwrap_or_default();
        columns.row([
            tournament.tournament_id.clone(),
            parlor_cli::report::state_text(tournament.state()).get(context.lang).to_owned(),
            setup.entrants.len().to_string(),
            setup.name,
        ]);
    }
    context.out.lines(columns.lines())?;
    if !found.next_page_token.is_empty() {
        let page = &found.next_page_token;
        context.note(&context.say(
            || format!("There are more: add --page {page}"),
            || format!("Es gibt mehr: mit --page {page}"),
        ));
    }
    Ok(())
}

/// The tables, one line each, as they come.
pub(super) async fn tables(tournament: &str, client: &Client, context: &Context) -> Result<(), Failure> {
    let standings = client.standings(tournament, false).await?;
    let name = |entrant: u32| {
        let row = standings.rows.iter().find(|row| row.entrant == entrant);
        row.map_or_else(|| entrant.to_string(), |row| row.name.clone())
    };
    let mut tables = pin!(client.tournament_tables(tournament));
    while let Some(table) = tables.try_next().await? {
        if context.json {
            context.out.json_line(&to_json(&table))?;
            continue;
        }
        let seats: Vec<String> = (0..)
            .zip(&table.entrants)
            .map(|(seat, entrant)| {
                let result = table.results.iter().find(|result| result.seat == seat);
                let points = result.map_or_else(String::new, |result| format!(" {}", result.points));
                format!("{}{points}", name(*entrant))
            })
            .collect();
        let state = match (&*table.void_reason, table.over) {
            ("", true) => String::new(),
            ("", false) => format!("  ({})", say(context.lang, "running", "läuft")),
            (reason, _) => format!("  ({}: {reason})", say(context.lang, "void", "gestrichen")),
        };
        let line =
            format!("{}.{}  {}  {}{state}", table.group, table.rotation, table.table_id, seats.join(", "));
        context.out.line(parlor_cli::text::clean(&line))?;
    }
    Ok(())
}
