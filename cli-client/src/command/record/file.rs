//! Record files, from disk or standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use parlor_sdk::record;
use parlor_sdk::wire;

use crate::errors::Failure;
use crate::exit::Exit;

/// Maximum size of a record file, in bytes: some ten thousand records.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// File name that means standard input.
const STANDARD_INPUT: &str = "-";

/// Tells a file argument from a table id.
pub(in crate::command) fn is_file_argument(name: &str) -> bool {
    name == STANDARD_INPUT || name.contains(['/', '\\', '.']) || Path::new(name).exists()
}

/// Reads all records of a file, in any form; at least one.
pub(in crate::command) fn read(name: &str) -> Result<Vec<wire::Record>, Failure> {
    let bytes = if name == STANDARD_INPUT { read_limited(io::stdin().lock()) } else { open(name) };
    let bytes = bytes.map_err(|error| read_failure(name, &error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Failure::new(
            Exit::Failure,
            "FILE_TOO_LARGE",
            format!("{name} has more than 1 GiB: export the records into a folder, one file each"),
            format!("{name} hat mehr als 1 GiB: Exportiere in einen Ordner, eine Datei je Partie"),
        ));
    }
    record::read(&bytes).map_err(|error| {
        Failure::new(
            Exit::Failure,
            "NOT_A_RECORD",
            format!("{name} cannot be read as a record: {error}"),
            format!("{name} lässt sich nicht als Aufzeichnung lesen: {error}"),
        )
    })
}

fn open(name: &str) -> io::Result<Vec<u8>> {
    read_limited(File::open(name)?)
}

fn read_limited(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more, to detect an oversized file.
    from.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Failure to open or read a file that an argument names.
pub(in crate::command) fn read_failure(name: &str, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound => Failure::new(
            Exit::NotFound,
            "FILE_NOT_FOUND",
            format!("there is no file {name}"),
            format!("Es gibt keine Datei {name}"),
        ),
        io::ErrorKind::IsADirectory => Failure::new(
            Exit::Usage,
            "USAGE",
            format!("{name} is a folder: name the files in it, such as {name}/*"),
            format!("{name} ist ein Ordner: Nenne die Dateien darin, etwa {name}/*"),
        ),
        _ => Failure::new(
            Exit::Failure,
            "FILE",
            format!("{name} cannot be read ({error}): check its permissions"),
            format!("{name} lässt sich nicht lesen ({error}): Prüfe die Rechte"),
        ),
    }
}
