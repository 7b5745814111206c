//! `parlor record export`: all records of a tournament.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use parlor_sdk::record::Form;
use parlor_sdk::wire;

use super::target::{self, Format, Whose};
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The id of the tournament
    tournament: String,
    /// Where to: a folder, which gets one file a record, or a file for all of them. A path that ends with / is a folder
    #[arg(long, value_name = "PATH")]
    to: PathBuf,
    #[command(flatten)]
    whose: Whose,
    /// The form; without it, as the name of the file ends (.txt, .json, .binpb), or text
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// Where the records go.
enum Target {
    Folder(PathBuf),
    File { path: PathBuf, part: PathBuf, file: BufWriter<File> },
}

impl Target {
    fn open(path: &Path) -> Result<Target, Failure> {
        let unwritten = |error| target::unwritten(path, &error);
        let is_folder = path.is_dir() || path.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
        if is_folder {
            fs::create_dir_all(path).map_err(unwritten)?;
            return Ok(Target::Folder(path.to_owned()));
        }
        let part = target::part_of(path);
        let file = BufWriter::new(File::create(&part).map_err(unwritten)?);
        Ok(Target::File { path: path.to_owned(), part, file })
    }

    fn put(&mut self, record: &wire::Record, form: Form) -> Result<(), Failure> {
        let shapeless = |error| target::shapeless(&error);
        match self {
            Target::Folder(folder) => {
                let bytes = form.write(record).map_err(shapeless)?;
                target::write(&folder.join(name(record, form)), &bytes)
            }
            Target::File { path, file, .. } => {
                let bytes = form.write_one_of_many(record).map_err(shapeless)?;
                file.write_all(&bytes).map_err(|error| target::unwritten(path, &error))
            }
        }
    }

    /// All records are there: a file gets its name.
    fn finish(self) -> Result<(), Failure> {
        let Target::File { path, part, mut file } = self else { return Ok(()) };
        file.flush().and_then(|()| fs::rename(&part, &path)).map_err(|error| target::unwritten(&path, &error))
    }
}

/// A name that sorts as the deals do.
fn name(record: &wire::Record, form: Form) -> String {
    let group = record.shuffle.as_ref().and_then(|shuffle| shuffle.deal_group.as_ref());
    let deal =
        group.map(|group| format!("{:06}-{:02}-", group.number(), group.rotation())).unwrap_or_default();
    // What comes from a server is not trusted to be a name of a file.
    let table: String = record.table_id.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{deal}{table}.{}", form.extension())
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let form = target::form(args.format, Some(&args.to), Form::Text);
    let client = context.client().await?;
    let mut records = client.export_records(&args.tournament, args.whose.viewer());
    // Nothing is made on the disk for a tournament that is not there.
    let mut next = records.next().await?;
    let mut target = Target::open(&args.to)?;
    // It draws on standard error, and nothing unless that is a terminal.
    let bar = ProgressBar::new_spinner();
    let template = context.say(
        || "{spinner} {pos} records, {per_sec}".to_owned(),
        || "{spinner} {pos} Aufzeichnungen, {per_sec}".to_owned(),
    );
    bar.set_style(
        ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_spinner()),
    );
    bar.enable_steady_tick(Duration::from_millis(200));
    let mut count: u64 = 0;
    while let Some(record) = next {
        target.put(&record, form)?;
        count += 1;
        bar.set_position(count);
        next = records.next().await?;
    }
    target.finish()?;
    bar.finish_and_clear();
    if context.json {
        context.out.json(&serde_json::json!({ "records": count }))?;
    } else {
        let to = args.to.display();
        context.out.line(
            context.say(|| format!("{count} records in {to}"), || format!("{count} Aufzeichnungen in {to}")),
        )?;
    }
    Ok(Exit::Ok)
}
