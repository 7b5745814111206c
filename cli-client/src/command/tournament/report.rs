//! `parlor tournament report`: writes the HTML report.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use futures_util::TryStreamExt;
use parlor_cli::report::{Game, GameLinks, Games, MAX_PAGE_BYTES, Report, game_page, transcript};
use parlor_cli::tournament_text;
use parlor_engine::Lang;
use parlor_sdk::record::RecordFormat;
use parlor_sdk::{Client, wire};

use crate::context::Context;
use crate::errors::{Failure, unknown_reply};
use crate::exit::Exit;

/// Maximum number of games that are put into a page to see whether it gets too large.
const MAX_GAMES_IN_PAGE: usize = 5000;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the tournament
    tournament: String,
    /// Output file
    #[arg(long, value_name = "FILE")]
    html: PathBuf,
    /// Write replays and records into this folder and link to them [default: in the page, up to 2 MB; else beside it]
    #[arg(long, value_name = "FOLDER", conflicts_with = "embed")]
    records: Option<PathBuf>,
    /// Put all replays and records into the page, however large it gets
    #[arg(long)]
    embed: bool,
}

pub(super) async fn run(args: Args, client: &Client, context: &Context) -> Result<(), Failure> {
    let tournament = client.tournament(&args.tournament).await?;
    let standings = client.standings(&args.tournament, true).await?;
    let tables: Vec<wire::TournamentTable> = client.tournament_tables(&args.tournament).try_collect().await?;
    #[expect(clippy::disallowed_methods, reason = "the creation time is shown to people only")]
    let created = tournament_text::time_text(Some(SystemTime::now()));
    let games = games(&args, client, context).await?;
    let mut report = Report { tournament, standings, tables, games, created };
    let mut page = report.page(context.lang);
    if page.len() > MAX_PAGE_BYTES
        && !args.embed
        && let Games::InPage(games) = std::mem::take(&mut report.games)
    {
        let mut folder = GameFolder::create(&args, context.lang)?;
        games.iter().try_for_each(|(table, game)| folder.add(table, game))?;
        folder.note(context);
        report.games = Games::Beside(folder.links);
        page = report.page(context.lang);
    }
    std::fs::write(&args.html, page).map_err(|error| write_failure(&args.html, &error))?;
    let file = args.html.display();
    context.out.line(context.localise(
        || format!("The report is in {file}: open it in a browser."),
        || format!("Der Bericht ist in {file}: Öffne ihn in einem Browser."),
    ))
}

/// Fetches all games: for the page, or into the folder beside it if that was asked for, or if they are too many.
async fn games(args: &Args, client: &Client, context: &Context) -> Result<Games, Failure> {
    let mut folder = args.records.is_some().then(|| GameFolder::create(args, context.lang)).transpose()?;
    let mut in_page = BTreeMap::new();
    let mut exported = client.export_records(&args.tournament, None);
    while let Some(record) = exported.next().await? {
        let text = RecordFormat::Text.write(&record).map_err(unknown_reply)?;
        let text = String::from_utf8(text).map_err(unknown_reply)?;
        let game = Game { record: text, replay: transcript(&record, context.lang) };
        match &mut folder {
            Some(folder) => folder.add(&record.table_id, &game)?,
            None => drop(in_page.insert(record.table_id, game)),
        }
        if in_page.len() > MAX_GAMES_IN_PAGE && !args.embed {
            let mut beside = GameFolder::create(args, context.lang)?;
            let games = std::mem::take(&mut in_page);
            games.iter().try_for_each(|(table, game)| beside.add(table, game))?;
            beside.note(context);
            folder = Some(beside);
        }
    }
    Ok(folder.map_or(Games::InPage(in_page), |folder| Games::Beside(folder.links)))
}

/// Folder with a replay and a record for each game.
struct GameFolder {
    page: PathBuf,
    folder: PathBuf,
    lang: Lang,
    links: BTreeMap<String, GameLinks>,
}

impl GameFolder {
    /// Creates the folder: the one that was asked for, or `report-games` beside `report.html`.
    fn create(args: &Args, lang: Lang) -> Result<GameFolder, Failure> {
        let folder = args.records.clone().unwrap_or_else(|| {
            let stem = args.html.file_stem().unwrap_or_default().to_string_lossy();
            args.html.with_file_name(format!("{stem}-games"))
        });
        std::fs::create_dir_all(&folder).map_err(|error| write_failure(&folder, &error))?;
        Ok(GameFolder { page: args.html.clone(), folder, lang, links: BTreeMap::new() })
    }

    fn add(&mut self, table: &str, game: &Game) -> Result<(), Failure> {
        let (record, replay) = (format!("{table}.txt"), format!("{table}.html"));
        let page = game_page(table, game, &record, self.lang);
        for (file, content) in [(&record, &game.record), (&replay, &page)] {
            let path = self.folder.join(file);
            std::fs::write(&path, content).map_err(|error| write_failure(&path, &error))?;
        }
        let link = |file: &str| relative_link(&self.page, &self.folder.join(file));
        let links = GameLinks { replay: link(&replay), record: link(&record) };
        self.links.insert(table.to_owned(), links);
        Ok(())
    }

    /// Says that the games are beside the page although that was not asked for.
    fn note(&self, context: &Context) {
        let folder = self.folder.display();
        context.note(&context.localise(
            || format!("The games would make the page larger than 2 MB: they are in {folder}. --embed puts them into the page."),
            || format!("Mit den Spielen wäre die Seite größer als 2 MB: Sie sind in {folder}. --embed legt sie in die Seite."),
        ));
    }
}

/// Percent-encoded link from the page to a file, relative if the file is below the folder of the page.
fn relative_link(page: &Path, file: &Path) -> String {
    let relative = page.parent().and_then(|folder| file.strip_prefix(folder).ok()).unwrap_or(file);
    percent_encoded(&relative.to_string_lossy())
}

/// Percent-encodes a path for a URL.
fn percent_encoded(path: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    };
    path.bytes().map(byte).collect()
}

fn write_failure(path: &Path, error: &std::io::Error) -> Failure {
    let path = path.display();
    Failure::new(
        Exit::Failure,
        "OUTPUT",
        format!("{path} cannot be written ({error}): choose another path"),
        format!("{path} lässt sich nicht schreiben ({error}): Wähle einen anderen Ort"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_links_are_relative_to_the_page() {
        let link = |page: &str, file: &str| relative_link(Path::new(page), Path::new(file));
        assert_eq!(link("out/report.html", "out/records/a b.txt"), "records/a%20b.txt");
        assert_eq!(link("report.html", "records/t.txt"), "records/t.txt");
        assert_eq!(link("a/report.html", "/b/t.txt"), "/b/t.txt");
    }
}
