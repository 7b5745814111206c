//! `parlor tournament report`: writes the HTML report.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::TryStreamExt;
use parlor_cli::report::{RecordLink, Report};
use parlor_sdk::record::RecordFormat;
use parlor_sdk::{Client, wire};

use super::super::describe;
use crate::context::Context;
use crate::errors::{Failure, unknown_reply};
use crate::exit::Exit;

/// Maximum number of records embedded in the page; more would make it too large for a browser.
const MAX_EMBEDDED_RECORDS: usize = 2000;

#[derive(clap::Args)]
pub(super) struct Args {
    /// Id of the tournament
    tournament: String,
    /// Output file
    #[arg(long, value_name = "FILE")]
    html: PathBuf,
    /// Write the records into this folder and link to them [default: embed them in the page]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
}

pub(super) async fn run(args: Args, client: &Client, context: &Context) -> Result<(), Failure> {
    let tournament = client.tournament(&args.tournament).await?;
    let standings = client.standings(&args.tournament, true).await?;
    let tables: Vec<wire::TournamentTable> = client.tournament_tables(&args.tournament).try_collect().await?;
    let with_record = tables.iter().filter(|table| table.has_record).count();
    let mut records = BTreeMap::new();
    if args.records.is_some() || with_record <= MAX_EMBEDDED_RECORDS {
        if let Some(folder) = &args.records {
            std::fs::create_dir_all(folder).map_err(|error| write_failure(folder, &error))?;
        }
        let mut exported = client.export_records(&args.tournament, None);
        while let Some(record) = exported.next().await? {
            let file = format!("{}.txt", record.table_id);
            let text = RecordFormat::Text.write(&record).map_err(unknown_reply)?;
            let address = match &args.records {
                Some(folder) => {
                    let path = folder.join(&file);
                    std::fs::write(&path, text).map_err(|error| write_failure(&path, &error))?;
                    relative_link(&args.html, &path)
                }
                None => format!("data:text/plain;charset=utf-8;base64,{}", STANDARD.encode(text)),
            };
            records.insert(record.table_id, RecordLink { address, file });
        }
    } else {
        context.note(&context.localise(
            || {
                format!(
                    "{with_record} records are too many for one page: --records FOLDER writes them into files"
                )
            },
            || {
                format!(
                    "{with_record} Partien sind zu viel für eine Seite: --records ORDNER schreibt sie daneben"
                )
            },
        ));
    }
    #[expect(clippy::disallowed_methods, reason = "the creation time is shown to people only")]
    let created = describe::format_timestamp(Some(SystemTime::now())).unwrap_or_default();
    let page = Report { tournament, standings, tables, records, created }.page(context.lang);
    std::fs::write(&args.html, page).map_err(|error| write_failure(&args.html, &error))?;
    let file = args.html.display();
    context.out.line(context.localise(
        || format!("The report is in {file}: open it in a browser."),
        || format!("Der Bericht ist in {file}: Öffne ihn in einem Browser."),
    ))
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
