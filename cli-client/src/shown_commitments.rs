//! Notes of what tables and tournaments showed before their games, in the data folder: commitments, and the entropy of own
//! seats. `verify` compares records with them.

use parlor_sdk::record::ShownCommitments;
use parlor_sdk::{Client, SeatCommitments, wire};
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::data_folder::DataFolder;
use crate::errors::Failure;

/// File of the notes.
const FILE: &str = "shown.json";

/// Maximum number of notes; older ones are dropped.
const MAX_NOTES: usize = 500;

/// File of the notes of tournaments.
const TOURNAMENTS_FILE: &str = "shown-tournaments.json";

/// Maximum number of commitments in the notes of tournaments; older notes are dropped.
const MAX_COMMITMENTS: usize = 8_000;

/// A note of a table. Bytes are in hexadecimal.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    table_id: String,
    seat: u32,
    server: String,
    seats: Vec<String>,
    entropy: String,
}

/// A note of a tournament. Bytes are in hexadecimal.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct TournamentNote {
    tournament_id: String,
    server: String,
    /// The organiser's, then the entrants'. Empty until they were shown.
    participants: Vec<String>,
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

/// Keeps a note of what a tournament shows to its organiser or to an agent. What was shown first counts. The tournament goes
/// on if the note cannot be written.
pub(crate) fn keep_tournament(context: &Context, id: &str, server: &[u8], participants: &[Vec<u8>]) {
    let Ok(folder) = DataFolder::locate(&context.environment) else { return };
    // Nothing is committed to with a given seed.
    if server.is_empty() {
        return;
    }
    let participants: Vec<String> = participants.iter().map(|commitment| hex(commitment)).collect();
    // Without the note, `verify` has nothing to compare with, and says so.
    let _ = folder.update(TOURNAMENTS_FILE, |notes: &mut Vec<TournamentNote>| {
        match notes.iter_mut().find(|note| note.tournament_id == id) {
            Some(note) if note.participants.is_empty() => note.participants = participants,
            Some(_) => {}
            None => {
                notes.push(TournamentNote {
                    tournament_id: id.to_owned(),
                    server: hex(server),
                    participants,
                });
            }
        }
        let mut left = MAX_COMMITMENTS;
        let fits = |note: &&TournamentNote| {
            let size = note.participants.len() + 1;
            let fits = size <= left;
            left = left.saturating_sub(size);
            fits
        };
        let kept = notes.iter().rev().take_while(fits).count();
        notes.drain(..notes.len() - kept);
    });
}

/// Keeps a note of what a tournament shows to its organiser.
pub(crate) fn keep_shown(context: &Context, tournament: &wire::Tournament) {
    if let Some(shuffle) = &tournament.shuffle {
        keep_tournament(
            context,
            &tournament.tournament_id,
            &shuffle.commitment,
            &shuffle.entropy_commitments,
        );
    }
}

/// What was shown here before the game of a record: to each seat that was joined from here, and to the organiser and agents
/// of its tournament.
pub(crate) fn of_record(context: &Context, record: &wire::Record) -> Result<Vec<ShownCommitments>, Failure> {
    // Without a data folder there are no notes.
    let Ok(folder) = DataFolder::locate(&context.environment) else { return Ok(Vec::new()) };
    let Some(deal) = record.shuffle.as_ref().and_then(|shuffle| shuffle.deal_group.as_ref()) else {
        let notes = folder.read::<Vec<Note>>(FILE)?.unwrap_or_default();
        let notes = notes.into_iter().filter(|note| note.table_id == record.table_id);
        return Ok(notes.filter_map(shown).collect());
    };
    let notes = folder.read::<Vec<TournamentNote>>(TOURNAMENTS_FILE)?.unwrap_or_default();
    let note = notes.into_iter().find(|note| note.tournament_id == deal.tournament_id);
    Ok(note.and_then(|note| shown_to_participant(&note, deal)).into_iter().collect())
}

/// `None` if somebody has edited the note, or if a record of a tournament that is not over has nothing to compare.
fn shown_to_participant(note: &TournamentNote, deal: &wire::DealGroup) -> Option<ShownCommitments> {
    let participants: Vec<_> = note.participants.iter().map(|text| unhex(text)).collect::<Option<_>>()?;
    // Records of a tournament that is not over do not have its commitment.
    let is_over = !deal.tournament_seed.is_empty() || !deal.tournament_commitment.is_empty();
    let server = if is_over { unhex(&note.server)? } else { Vec::new() };
    (is_over || !participants.is_empty()).then(|| ShownCommitments::new(server).participants(participants))
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
