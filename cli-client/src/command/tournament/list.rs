//! Lists of tournaments and of their tables.

use std::pin::pin;

use futures_util::TryStreamExt;
use parlor_cli::lang::localise;
use parlor_engine::Lang;
use parlor_sdk::{Client, wire};

use super::super::paging;
use crate::context::Context;
use crate::errors::Failure;
use crate::output::{Columns, to_json};

#[derive(clap::Args)]
pub(super) struct Args {
    /// Only your tournaments
    #[arg(long)]
    mine: bool,
    /// Number of tournaments per page
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    #[command(flatten)]
    page: paging::PageArgs,
}

pub(super) async fn tournaments(args: Args, client: &Client, context: &Context) -> Result<(), Failure> {
    let Args { mine: owned, limit: page_size, page } = args;
    let ask = async |page_token| {
        client.list_tournaments(wire::ListTournamentsRequest { owned, page_size, page_token }).await
    };
    let none = [
        "No tournaments. Make one: parlor tournament run FILE.toml",
        "Keine Turniere. Mach eines: parlor tournament run DATEI.toml",
    ];
    page.show(context, ask, none, |tournaments| lines(tournaments, context.lang)).await
}

fn lines(tournaments: &[wire::Tournament], lang: Lang) -> Vec<String> {
    let headings = match lang {
        Lang::En => ["tournament", "state", "entrants", "name"],
        Lang::De => ["Turnier", "Stand", "Teilnehmer", "Name"],
    };
    let mut columns = Columns::new(headings);
    for tournament in tournaments {
        let setup = tournament.setup.clone().unwrap_or_default();
        columns.row([
            tournament.tournament_id.clone(),
            tournament.state().text().get(lang).to_owned(),
            setup.entrants.len().to_string(),
            setup.name,
        ]);
    }
    columns.lines()
}

/// Prints one line per table as the tables arrive.
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
            ("", false) => format!("  ({})", localise(context.lang, "running", "läuft")),
            (reason, _) => format!("  ({}: {reason})", localise(context.lang, "void", "gestrichen")),
        };
        let line =
            format!("{}.{}  {}  {}{state}", table.group, table.rotation, table.table_id, seats.join(", "));
        context.out.line(parlor_cli::text::sanitise(&line))?;
    }
    Ok(())
}
