//! Lists of tournaments and of their tables.

use std::pin::pin;

use futures_util::{StreamExt, TryStreamExt, stream};
use parlor_cli::lang::localise;
use parlor_cli::tournament_text;
use parlor_engine::Lang;
use parlor_sdk::{Client, wire};

use super::super::paging;
use super::render;
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
    page.show(context, ask, none, async |tournaments| {
        let standings =
            stream::iter(tournaments).map(|tournament| progress(&tournament.tournament_id, client));
        let progress: Vec<String> = standings.buffered(PROGRESS_CALLS).collect().await;
        lines(tournaments, &progress, context.lang)
    })
    .await
}

/// Number of calls at once for the progress of tournaments.
const PROGRESS_CALLS: usize = 8;

/// Tables that are over, of those that are expected. Empty if the tournament is gone in the meantime.
async fn progress(tournament: &str, client: &Client) -> String {
    client.standings(tournament, false).await.as_ref().map(render::tables_text).unwrap_or_default()
}

fn lines(tournaments: &[wire::Tournament], progress: &[String], lang: Lang) -> Vec<String> {
    let headings = match lang {
        Lang::En => ["tournament", "state", "game", "format", "tables", "name"],
        Lang::De => ["Turnier", "Stand", "Spiel", "Format", "Tische", "Name"],
    };
    let mut columns = Columns::new(headings);
    for (tournament, progress) in tournaments.iter().zip(progress) {
        let setup = tournament.setup.clone().unwrap_or_default();
        columns.row([
            tournament.tournament_id.clone(),
            tournament.state().text().get(lang).to_owned(),
            tournament_text::game_name(&setup, lang),
            tournament_text::format_name(&setup, lang).to_owned(),
            progress.clone(),
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
