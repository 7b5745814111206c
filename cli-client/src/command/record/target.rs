//! Where records go, in which form, and whose they are.

use std::fs;
use std::io;
use std::path::Path;

use clap::ValueEnum;
use parlor_sdk::record::Form;
use parlor_sdk::wire;

use crate::errors::Failure;
use crate::exit::Exit;

/// The forms that can be asked for.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Format {
    /// Lines for people, which can be read back
    Text,
    /// Canonical protobuf JSON
    Json,
    /// Protobuf
    Binary,
}

impl From<Format> for Form {
    fn from(format: Format) -> Form {
        match format {
            Format::Text => Form::Text,
            Format::Json => Form::Json,
            Format::Binary => Form::Binary,
        }
    }
}

/// The form for a file: as it was said, or else as the name of the file ends.
pub(super) fn form(said: Option<Format>, file: Option<&Path>, usual: Form) -> Form {
    let extension = file.and_then(Path::extension).and_then(|extension| extension.to_str());
    let by_name = [Form::Text, Form::Json, Form::Binary]
        .into_iter()
        .find(|form| extension.is_some_and(|extension| extension.eq_ignore_ascii_case(form.extension())));
    said.map(Form::from).or(by_name).unwrap_or(usual)
}

/// Whose records are asked for.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Whose {
    /// Only what this seat saw; without it, the full record
    #[arg(long, value_name = "SEAT", value_parser = clap::value_parser!(u32).range(0..=5))]
    seat: Option<u32>,
    /// Only what a spectator saw
    #[arg(long, conflicts_with = "seat")]
    spectator: bool,
}

impl Whose {
    /// The viewer; nothing for the full record.
    pub(super) fn viewer(self) -> Option<wire::Viewer> {
        use wire::viewer::Viewer;
        let spectator = self.spectator.then_some(Viewer::Spectator(wire::Spectator {}));
        let viewer = self.seat.map(Viewer::Seat).or(spectator);
        viewer.map(|viewer| wire::Viewer { viewer: Some(viewer) })
    }
}

/// Writes a file, whole or not at all: under another name first.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let part = part_of(path);
    fs::write(&part, bytes).and_then(|()| fs::rename(&part, path)).map_err(|error| unwritten(path, &error))
}

/// The name of a file while it is not whole.
pub(super) fn part_of(path: &Path) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// A file could not be written.
pub(super) fn unwritten(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    Failure::new(
        Exit::Failure,
        "OUTPUT",
        format!("{path} cannot be written ({error}): check the folder, its permissions and the space"),
        format!("{path} lässt sich nicht schreiben ({error}): Prüfe den Ordner, die Rechte und den Platz"),
    )
}

/// A record without a form, which no server sends.
pub(super) fn shapeless(error: &parlor_sdk::record::Unreadable) -> Failure {
    crate::errors::not_understood(error)
}
