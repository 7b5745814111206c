//! Files with records, from the disk or from standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use parlor_sdk::record;
use parlor_sdk::wire;

use crate::errors::Failure;
use crate::exit::Exit;

/// The largest file that is read, in bytes: some ten thousand records.
const LARGEST: u64 = 1 << 30;

/// What a file is called that is standard input.
const STANDARD_INPUT: &str = "-";

/// Whether somebody means a file and not the id of a table.
pub(in crate::command) fn is_meant(name: &str) -> bool {
    name == STANDARD_INPUT || name.contains(['/', '\\', '.']) || Path::new(name).exists()
}

/// All records of a file, whatever their form; at least one.
pub(in crate::command) fn read(name: &str) -> Result<Vec<wire::Record>, Failure> {
    let bytes = if name == STANDARD_INPUT { take(io::stdin().lock()) } else { open(name) };
    let bytes = bytes.map_err(|error| unread(name, &error))?;
    if bytes.len() as u64 > LARGEST {
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
    take(File::open(name)?)
}

fn take(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One byte more, to see that it is too many.
    from.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unread(name: &str, error: &io::Error) -> Failure {
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
