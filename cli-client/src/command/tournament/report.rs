//! `parlor tournament report`: one page with everything in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::TryStreamExt;
use parlor_cli::report::{RecordLink, Report};
use parlor_sdk::record::Form;
use parlor_sdk::{Client, wire};

use super::super::describe;
use crate::context::Context;
use crate::errors::{Failure, not_understood};
use crate::exit::Exit;

/// So many records are put into the page itself; beyond that it would be too large for a browser.
const EMBEDDED: usize = 2000;

#[derive(clap::Args)]
pub(super) struct Args {
    /// The id of the tournament
    tournament: String,
    /// Where the page is written
    #[arg(long, value_name = "FILE")]
    html: PathBuf,
    /// Write the records into this folder and link to them there [default: they are in the page]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
}

pub(super) async fn run(args: Args, client: &Client, context: &Context) -> Result<(), Failure> {
    let tournament = client.tournament(&args.tournament).await?;
    let standings = client.standings(&args.tournament, true).await?;
    let tables: Vec<wire::TournamentTable> = client.tournament_tables(&args.tournament).try_collect().await?;
    let with_record = tables.iter().filter(|table| table.has_record).count();
    let mut records = BTreeMap::new();
    if args.records.is_some() || with_record <= EMBEDDED {
        if let Some(folder) = &args.records {
            std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
        }
        let mut exported = client.export_records(&args.tournament, None);
        while let Some(record) = exported.next().await? {
            let file = format!("{}.txt", record.table_id);
            let text = Form::Text.write(&record).map_err(not_understood)?;
            let address = match &args.records {
                Some(folder) => {
                    let path = folder.join(&file);
                    std::fs::write(&path, text).map_err(|error| cannot_write(&path, &error))?;
                    relative(&args.html, &path)
                }
                None => format!("data:text/plain;charset=utf-8;base64,{}", STANDARD.encode(text)),
            };
            records.insert(record.table_id, RecordLink { address, file });
        }
    } else {
        context.note(&context.say(
            || {
                format!(
                    "{with_record} records are too many for one page: --records FOLDER writes them beside it"
                )
            },
            || {
                format!(
                    "{with_record} Partien sind zu viel für eine Seite: --records ORDNER schreibt sie daneben"
                )
            },
        ));
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "a person reads when it was made, and nothing depends on it"
    )]
    let made = describe::moment(Some(SystemTime::now())).unwrap_or_default();
    let page = Report { tournament, standings, tables, records, made }.page(context.lang);
    std::fs::write(&args.html, page).map_err(|error| cannot_write(&args.html, &error))?;
    let file = args.html.display();
    context.out.line(context.say(
        || format!("The report is in {file}: open it in a browser."),
        || format!("Der Bericht ist in {file}: Öffne ihn in einem Browser."),
    ))
}

/// The way from the page to a file, as a link has it: beside the page where that is possible.
fn relative(page: &Path, file: &Path) -> String {
    let beside = page.parent().and_then(|folder| file.strip_prefix(folder).ok()).unwrap_or(file);
    encoded(&beside.to_string_lossy())
}

/// A path in an address.
fn encoded(path: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    };
    path.bytes().map(byte).collect()
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    let path = path.display();
    Failure::new(
        Exit::Failure,
        "OUTPUT",
        format!("{path} cannot be written ({error}): choose another place"),
        format!("{path} lässt sich nicht schreiben ({error}): Wähle einen anderen Ort"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_from_the_page_to_the_record() {
        let link = |page: &str, file: &str| relative(Path::new(page), Path::new(file));
        assert_eq!(link("out/report.html", "out/records/a b.txt"), "records/a%20b.txt");
        assert_eq!(link("report.html", "records/t.txt"), "records/t.txt");
        assert_eq!(link("a/report.html", "/b/t.txt"), "/b/t.txt");
    }
}
