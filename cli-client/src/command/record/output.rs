//! Record output: format, viewer selection, atomic file writes.

use std::fs;
use std::io;
use std::path::Path;

use clap::ValueEnum;
use parlor_sdk::record::RecordFormat;
use parlor_sdk::wire;

use crate::errors::Failure;
use crate::exit::Exit;

/// Formats accepted by `--format`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Format {
    /// Lines for people; can be read back
    Text,
    /// Canonical protobuf JSON
    Json,
    /// Protobuf
    Binary,
}

impl From<Format> for RecordFormat {
    fn from(format: Format) -> RecordFormat {
        match format {
            Format::Text => RecordFormat::Text,
            Format::Json => RecordFormat::Json,
            Format::Binary => RecordFormat::Binary,
        }
    }
}

/// The form of an output: the chosen one, else by file extension, else the default.
pub(super) fn output_form(
    chosen: Option<Format>,
    file: Option<&Path>,
    default: RecordFormat,
) -> RecordFormat {
    let extension = file.and_then(Path::extension).and_then(|extension| extension.to_str());
    let by_name = [RecordFormat::Text, RecordFormat::Json, RecordFormat::Binary]
        .into_iter()
        .find(|form| extension.is_some_and(|extension| extension.eq_ignore_ascii_case(form.extension())));
    chosen.map(RecordFormat::from).or(by_name).unwrap_or(default)
}

/// Viewer whose record is requested.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct ViewerArgs {
    /// Only what this seat saw [default: the full record]
    #[arg(long, value_name = "SEAT", value_parser = clap::value_parser!(u32).range(0..=5))]
    seat: Option<u32>,
    /// Only what a spectator saw
    #[arg(long, conflicts_with = "seat")]
    spectator: bool,
}

impl ViewerArgs {
    /// The viewer; `None` for the full record.
    pub(super) fn viewer(self) -> Option<wire::Viewer> {
        use wire::viewer::Viewer;
        let spectator = self.spectator.then_some(Viewer::Spectator(wire::Spectator {}));
        let viewer = self.seat.map(Viewer::Seat).or(spectator);
        viewer.map(|viewer| wire::Viewer { viewer: Some(viewer) })
    }
}

/// Writes a file atomically: under a temporary name first.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let part = partial_path(path);
    fs::write(&part, bytes)
        .and_then(|()| fs::rename(&part, path))
        .map_err(|error| write_failure(path, &error))
}

/// Temporary name of a file being written.
pub(super) fn partial_path(path: &Path) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// Failure to write a file.
pub(super) fn write_failure(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    Failure::new(
        Exit::Failure,
        "OUTPUT",
        format!("{path} cannot be written ({error}): check the folder, its permissions and the space"),
        format!("{path} lässt sich nicht schreiben ({error}): Prüfe den Ordner, die Rechte und den Platz"),
    )
}

/// Failure to encode a record, which a correct server never causes.
pub(super) fn encode_failure(error: &parlor_sdk::record::RecordError) -> Failure {
    crate::errors::unknown_reply(error)
}
