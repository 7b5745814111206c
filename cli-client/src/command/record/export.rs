//! `parlor record export`: exports all records of a tournament.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use parlor_sdk::record::{self, ManifestCheck, RecordFormat};
use parlor_sdk::wire;

use super::output::{self, Format, ViewerArgs};
use crate::command::keys;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Id of the tournament
    tournament: String,
    /// Destination: a folder for one file per record, or a file for all of them. A path ending with / is a
    /// folder
    #[arg(long, value_name = "PATH")]
    to: PathBuf,
    #[command(flatten)]
    viewer: ViewerArgs,
    /// Format [default: by the file name (.txt, .json, .binpb), else text]
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// Name of the manifest in a folder, and ending of its name beside a file.
const MANIFEST: &str = "manifest.json";

/// Destination of an export.
enum Destination {
    Folder(PathBuf),
    File { path: PathBuf, part: PathBuf, file: BufWriter<File> },
}

impl Destination {
    fn open(path: &Path) -> Result<Destination, Failure> {
        let write_failure = |error| output::write_failure(path, &error);
        let is_folder = path.is_dir() || path.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
        if is_folder {
            fs::create_dir_all(path).map_err(write_failure)?;
            return Ok(Destination::Folder(path.to_owned()));
        }
        let part = output::partial_path(path);
        let file = BufWriter::new(File::create(&part).map_err(write_failure)?);
        Ok(Destination::File { path: path.to_owned(), part, file })
    }

    fn put(&mut self, record: &wire::Record, form: RecordFormat) -> Result<(), Failure> {
        let encode_failure = |error| output::encode_failure(&error);
        match self {
            Destination::Folder(folder) => {
                let bytes = form.write(record).map_err(encode_failure)?;
                output::write(&folder.join(file_name(record, form)), &bytes)
            }
            Destination::File { path, file, .. } => {
                let bytes = form.write_entry(record).map_err(encode_failure)?;
                file.write_all(&bytes).map_err(|error| output::write_failure(path, &error))
            }
        }
    }

    /// Path of the manifest: in the folder, or beside the file.
    fn manifest_path(&self) -> PathBuf {
        match self {
            Destination::Folder(folder) => folder.join(MANIFEST),
            Destination::File { path, .. } => {
                let mut name = path.as_os_str().to_owned();
                name.push(format!(".{MANIFEST}"));
                name.into()
            }
        }
    }

    /// Completes the export: renames the partial file to its final name.
    fn finish(self) -> Result<(), Failure> {
        let Destination::File { path, part, mut file } = self else { return Ok(()) };
        file.flush()
            .and_then(|()| fs::rename(&part, &path))
            .map_err(|error| output::write_failure(&path, &error))
    }
}

/// File name that sorts in deal order.
fn file_name(record: &wire::Record, form: RecordFormat) -> String {
    let group = record.shuffle.as_ref().and_then(|shuffle| shuffle.deal_group.as_ref());
    let deal =
        group.map(|group| format!("{:06}-{:02}-", group.number(), group.rotation())).unwrap_or_default();
    // The server's table id is not trusted as a file name.
    let table: String = record.table_id.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{deal}{table}.{}", form.extension())
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let form = output::output_form(args.format, Some(&args.to), RecordFormat::Text);
    let client = context.connect().await?;
    let mut records = client.export_records(&args.tournament, args.viewer.viewer());
    // Creates nothing on disk if the first call fails.
    let mut next = records.next().await?;
    let mut destination = Destination::open(&args.to)?;
    // The progress bar is drawn on standard error, and only on a terminal.
    let bar = ProgressBar::new_spinner();
    let template = context.localise(
        || "{spinner} {pos} records, {per_sec}".to_owned(),
        || "{spinner} {pos} Aufzeichnungen, {per_sec}".to_owned(),
    );
    bar.set_style(
        ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_spinner()),
    );
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut count: u64 = 0;
    let mut check = ManifestCheck::default();
    while let Some(record) = next {
        destination.put(&record, form)?;
        check.add(&record);
        count += 1;
        bar.set_position(count);
        next = records.next().await?;
    }
    keys::pin_server_keys(&client, context).await;
    if let Some(manifest) = records.manifest() {
        if !check.matches(manifest) {
            return Err(changed());
        }
        output::write(&destination.manifest_path(), &record::write_manifest(manifest))?;
    }
    destination.finish()?;
    bar.finish_and_clear();
    if context.json {
        context.out.json(&serde_json::json!({ "records": count }))?;
    } else {
        let to = args.to.display();
        context.out.line(
            context.localise(
                || format!("{count} records in {to}"),
                || format!("{count} Aufzeichnungen in {to}"),
            ),
        )?;
    }
    Ok(Exit::Ok)
}

/// Failure of an export whose records are not those of its manifest, as the tournament went on while the connection broke.
fn changed() -> Failure {
    Failure::new(
        Exit::Failure,
        "EXPORT_CHANGED",
        "the tournament went on during the export, so that its records do not fit together: export it again",
        "Das Turnier ging beim Exportieren weiter, und die Aufzeichnungen passen nicht zusammen: Exportiere noch einmal",
    )
}
