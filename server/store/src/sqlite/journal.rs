//! The journal: one row per commit, with the new entries of all tables in play.
//!
//! The body of a row is a list of frames, one per table: the table id, the index of the first entry, the
//! length of the entries in bytes, the entries, and the hash of the last one.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::file_errors::FileErrors;
use crate::chain::{ByteReader, HashChain, put_varint};
use crate::{Hash, LogError, TableId};

/// The entries of one table in one commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct JournalFrame {
    pub(super) table: TableId,
    pub(super) first: u64,
    pub(super) entries: Bytes,
    pub(super) head: Hash,
}

/// Typical bytes of a frame beside its entries: the table id, two varints and the head.
pub(super) const FRAME_OVERHEAD_BYTES: usize = 16 + 4 + 2 + 32;

/// Appends a frame to the body of a row.
pub(super) fn put_frame(body: &mut Vec<u8>, table: &TableId, first: u64, entries: &[u8], head: &Hash) {
    body.extend_from_slice(table.as_bytes());
    put_varint(first, body);
    put_varint(entries.len() as u64, body);
    body.extend_from_slice(entries);
    body.extend_from_slice(head);
}

/// Decodes the frames of a row; `None` if the body is malformed.
pub(super) fn decode_frames(body: &Bytes) -> Option<Vec<JournalFrame>> {
    let mut reader = ByteReader::new(body);
    let mut frames = Vec::new();
    while !reader.is_empty() {
        let table = TableId::from_bytes(reader.array()?);
        let first = reader.varint()?;
        let length = reader.varint_length()?;
        let start = reader.at;
        reader.take(length)?;
        let entries = body.slice(start..reader.at);
        let head = reader.array()?;
        frames.push(JournalFrame { table, first, entries, head });
    }
    Some(frames)
}

/// Checksum of a row. Without it, damage to a table id would look like an entry of another table.
fn row_checksum(seq: u64, body: &[u8]) -> Hash {
    let mut hash = Sha256::new();
    hash.update(b"parlor journal row 1\0");
    hash.update(seq.to_be_bytes());
    hash.update(body);
    hash.finalize().into()
}

pub(super) fn insert(db: &Connection, seq: u64, body: &[u8]) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT INTO journal (seq, sum, body) VALUES (?1, ?2, ?3)")?.execute(params![
        seq,
        row_checksum(seq, body),
        body
    ])?;
    Ok(())
}

/// Deletes the rows before this one.
pub(super) fn truncate(db: &Connection, keep_from: u64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM journal WHERE seq < ?1")?.execute([keep_from])?;
    Ok(())
}

/// Reads the whole journal in order, passing the frames of each row to `fold`. Frames are applied before the
/// row's checksum is verified, so that damage is reported with its table and entry where they can be
/// determined.
pub(super) fn read(
    db: &Connection,
    errors: FileErrors<'_>,
    mut fold: impl FnMut(u64, usize, Vec<JournalFrame>) -> Result<(), LogError>,
) -> Result<(), LogError> {
    let mut select = errors.wrap(db.prepare("SELECT seq, sum, body FROM journal ORDER BY seq"))?;
    let mut rows = errors.wrap(select.query([]))?;
    while let Some(row) = errors.wrap(rows.next())? {
        let seq: u64 = errors.wrap(row.get(0))?;
        let sum: Hash = errors.wrap(row.get(1))?;
        let body = Bytes::from(errors.wrap(row.get::<_, Vec<u8>>(2))?);
        let sound = row_checksum(seq, &body) == sum;
        let damaged = || errors.damaged(None, None, &format!("row {seq} of the journal is corrupted"));
        let frames = decode_frames(&body).ok_or_else(damaged)?;
        fold(seq, body.len(), frames)?;
        if !sound {
            return Err(damaged());
        }
    }
    Ok(())
}

/// Applies a frame to a chain, verifying that it continues the chain.
pub(super) fn apply_frame(
    chain: &mut HashChain,
    frame: &JournalFrame,
    errors: FileErrors<'_>,
) -> Result<(), LogError> {
    if frame.first != chain.length {
        let entry = chain.length.min(frame.first);
        let what = format!("entry {entry} of table {} is missing from the journal", frame.table);
        return Err(errors.damaged(Some(frame.table), Some(entry), &what));
    }
    let before = chain.length;
    let read = chain.decode(&frame.entries, u64::MAX, &mut Vec::new());
    if let Err(broken) = read {
        return Err(errors.damaged_entry(frame.table, broken.index));
    }
    if chain.head != frame.head {
        let entry = chain.length.saturating_sub(1).max(before);
        return Err(errors.damaged_entry(frame.table, entry));
    }
    Ok(())
}

/// Metadata of the store, in a single row: the last commit and the expected row counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct StoreMeta {
    pub(super) seq: u64,
    pub(super) journal_rows: u64,
    pub(super) tables: u64,
    pub(super) in_play: u64,
}

impl StoreMeta {
    fn checksum(self) -> Hash {
        let mut hash = Sha256::new();
        hash.update(b"parlor meta 1\0");
        for number in [self.seq, self.journal_rows, self.tables, self.in_play] {
            hash.update(number.to_be_bytes());
        }
        hash.finalize().into()
    }

    pub(super) fn load(db: &Connection, errors: FileErrors<'_>) -> Result<StoreMeta, LogError> {
        let damaged = || errors.damaged(None, None, "the metadata row of the store is corrupted");
        let select = "SELECT seq, journal_rows, tables, in_play, sum FROM meta WHERE one = 1";
        let read = db.prepare_cached(select).and_then(|mut select| {
            let row = select.query_row([], |row| {
                let meta = StoreMeta {
                    seq: row.get(0)?,
                    journal_rows: row.get(1)?,
                    tables: row.get(2)?,
                    in_play: row.get(3)?,
                };
                Ok((meta, row.get::<_, Hash>(4)?))
            });
            row.optional()
        });
        match errors.wrap(read)? {
            Some((meta, sum)) if meta.checksum() == sum => Ok(meta),
            Some(_) => Err(damaged()),
            None => {
                // Without a commit, the store must be empty.
                let empty = "SELECT NOT EXISTS (SELECT 1 FROM tables) AND NOT EXISTS (SELECT 1 FROM journal)";
                match errors.wrap(db.query_row(empty, [], |row| row.get(0)))? {
                    true => Ok(StoreMeta::default()),
                    false => Err(damaged()),
                }
            }
        }
    }

    pub(super) fn store(self, db: &Connection) -> rusqlite::Result<()> {
        db.prepare_cached(
            "INSERT OR REPLACE INTO meta (one, seq, journal_rows, tables, in_play, sum) \
             VALUES (1, ?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            self.seq,
            self.journal_rows,
            self.tables,
            self.in_play,
            self.checksum()
        ])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn journal_frames_round_trip(written: Vec<([u8; 16], u64, Vec<u8>, [u8; 32])>) {
            let mut body = Vec::new();
            for (table, first, entries, head) in &written {
                put_frame(&mut body, &TableId::from_bytes(*table), *first, entries, head);
            }
            let read = decode_frames(&body.into()).map(|frames| {
                frames
                    .into_iter()
                    .map(|frame| (*frame.table.as_bytes(), frame.first, frame.entries.to_vec(), frame.head))
                    .collect::<Vec<_>>()
            });
            prop_assert_eq!(read, Some(written));
        }

        #[test]
        fn decoding_arbitrary_frames_never_panics(body: Vec<u8>) {
            let _ = decode_frames(&body.into());
        }
    }
}
