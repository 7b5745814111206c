//! Notes of what tables showed before their games, in the data folder: commitments, and the entropy of own seats. `verify`
//! compares records with them.

use parlor_sdk::record::ShownCommitments;
use parlor_sdk::{Client, SeatCommitments};
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::data_folder::DataFolder;
use crate::errors::Failure;

/// File of the notes.
const FILE: &str = "shown.json";

/// Maximum number of notes; older ones are dropped.
const MAX_NOTES: usize = 500;

/// A note. Bytes are in hexadecimal.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    table_id: String,
    seat: u32,
    server: String,
    seats: Vec<String>,
    entropy: String,
}

/// Keeps notes of the seats that a client joins. The game goes on if a note cannot be written.
pub(crate) fn keep(client: &Client, context: &Context) {
    let Ok(folder) = DataFolder::locate(&context.environment) else { return };
    client.on_commitments(move |shown| {
        // Without the note, `verify` has nothing to compare with, and says so.
        let _ = write(&folder, shown);
    });
}

fn write(folder: &DataFolder, shown: &SeatCommitments) -> Result<(), Failure> {
    let note = Note {
        table_id: shown.table_id.clone(),
        seat: shown.seat,
        server: hex(&shown.server),
        seats: shown.seats.iter().map(|commitment| hex(commitment)).collect(),
        entropy: hex(&shown.entropy),
    };
    folder.update(FILE, |notes: &mut Vec<Note>| {
        notes.retain(|other| (&other.table_id, other.seat) != (&note.table_id, note.seat));
        notes.push(note);
        notes.drain(..notes.len().saturating_sub(MAX_NOTES));
    })
}

/// Commitments of a table as they were shown to each seat that was joined from here.
pub(crate) fn of_table(context: &Context, table_id: &str) -> Result<Vec<ShownCommitments>, Failure> {
    // Without a data folder there are no notes.
    let Ok(folder) = DataFolder::locate(&context.environment) else { return Ok(Vec::new()) };
    let notes = folder.read::<Vec<Note>>(FILE)?.unwrap_or_default();
    let notes = notes.into_iter().filter(|note| note.table_id == table_id);
    Ok(notes.filter_map(shown).collect())
}

/// `None` if somebody has edited the note.
fn shown(note: Note) -> Option<ShownCommitments> {
    let seats = note.seats.iter().map(|commitment| unhex(commitment)).collect::<Option<Vec<_>>>()?;
    let shown = ShownCommitments::new(unhex(&note.server)?).participants(seats.clone());
    // Before all seats were filled, nothing was asked for.
    Some(if seats.is_empty() { shown } else { shown.revealed(note.seat, unhex(&note.entropy)?) })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes from hexadecimal digits, with or without 0x.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let is_hex = digits.len().is_multiple_of(2) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
    if is_hex { (0..digits.len()).step_by(2).map(byte).collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_is_read_with_and_without_a_prefix() {
        for (text, expected) in [
            ("0aFF", Some(vec![10, 255])),
            ("0x00", Some(vec![0])),
            ("a", None),
            ("xy", None),
            ("", Some(vec![])),
        ] {
            assert_eq!(unhex(text), expected, "{text}");
        }
        assert_eq!(hex(&[10, 255]), "0aff");
    }
}
