//! Notes that models make of their decisions, in a file of the data folder. The server never gets them.

use serde_json::json;

use crate::data_folder::DataFolder;
use crate::errors::Failure;

/// The file of the data folder: a JSON object on each line.
const FILE: &str = "mcp_notes.jsonl";
/// Maximum number of characters of a note; the rest is dropped.
const MAX_CHARACTERS: usize = 4000;
/// Maximum size of the file.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// A note of a decision.
pub(super) struct Note<'a> {
    pub(super) table: &'a str,
    pub(super) seat: u32,
    pub(super) decision: u32,
    pub(super) index: u32,
    pub(super) text: &'a str,
}

/// Appends a note.
pub(super) fn keep(folder: &DataFolder, note: &Note<'_>) -> Result<(), Failure> {
    let Note { table, seat, decision, index, text } = note;
    let text: String = text.chars().take(MAX_CHARACTERS).collect();
    let line = json!({ "table": table, "seat": seat, "decision": decision, "index": index, "note": text });
    folder.append_line(FILE, &line.to_string(), MAX_FILE_BYTES)
}
