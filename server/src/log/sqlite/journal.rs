//! The journal: one row a commit, with the new entries of all tables in play.
//!
//! The body of a row is a list of frames, one a table: the table, the index of the first entry, the length of the
//! entries in bytes, the entries, and the hash of the last one.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::failure::Failing;
use crate::log::chain::{Chain, Reader, put_number};
use crate::log::{Hash, LogError, TableId};

/// The entries of one table in one commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Frame {
    pub(super) table: TableId,
    pub(super) first: u64,
    pub(super) entries: Bytes,
    pub(super) head: Hash,
}

/// How many bytes a frame mostly has beside its entries: the table, two numbers and the head.
pub(super) const AROUND: usize = 16 + 4 + 2 + 32;

/// Adds a frame to the body of a row.
pub(super) fn put_frame(body: &mut Vec<u8>, table: &TableId, first: u64, entries: &[u8], head: &Hash) {
    body.extend_from_slice(table.as_bytes());
    put_number(first, body);
    put_number(entries.len() as u64, body);
    body.extend_from_slice(entries);
    body.extend_from_slice(head);
}

/// The frames of a row; `None` where there is none to be read.
pub(super) fn frames(body: &Bytes) -> Option<Vec<Frame>> {
    let mut reader = Reader::new(body);
    let mut frames = Vec::new();
    while !reader.is_empty() {
        let table = TableId::from_bytes(reader.array()?);
        let first = reader.number()?;
        let length = reader.length()?;
        let start = reader.at;
        reader.take(length)?;
        let entries = body.slice(start..reader.at);
        let head = reader.array()?;
        frames.push(Frame { table, first, entries, head });
    }
    Some(frames)
}

/// A hash over a row. Without it, damage to the name of a table would look like the entry of another.
fn row_sum(seq: u64, body: &[u8]) -> Hash {
    let mut hash = Sha256::new();
    hash.update(b"parlor journal row 1\0");
    hash.update(seq.to_be_bytes());
    hash.update(body);
    hash.finalize().into()
}

pub(super) fn insert(db: &Connection, seq: u64, body: &[u8]) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT INTO journal (seq, sum, body) VALUES (?1, ?2, ?3)")?.execute(params![
        seq,
        row_sum(seq, body),
        body
    ])?;
    Ok(())
}

/// Removes the rows before this one.
pub(super) fn truncate(db: &Connection, keep_from: u64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM journal WHERE seq < ?1")?.execute([keep_from])?;
    Ok(())
}

/// Reads the whole journal in order. `fold` gets every row's frames; it says where one does not fit. Damage is
/// reported with the table and the entry, if they can still be told.
pub(super) fn read(
    db: &Connection,
    failing: Failing<'_>,
    mut fold: impl FnMut(u64, usize, Vec<Frame>) -> Result<(), LogError>,
) -> Result<(), LogError> {
    let mut select = failing.at(db.prepare("SELECT seq, sum, body FROM journal ORDER BY seq"))?;
    let mut rows = failing.at(select.query([]))?;
    while let Some(row) = failing.at(rows.next())? {
        let seq: u64 = failing.at(row.get(0))?;
        let sum: Hash = failing.at(row.get(1))?;
        let body = Bytes::from(failing.at(row.get::<_, Vec<u8>>(2))?);
        let sound = row_sum(seq, &body) == sum;
        let damaged =
            || failing.damaged(None, None, &format!("row {seq} of the journal is not what was written"));
        let frames = frames(&body).ok_or_else(damaged)?;
        fold(seq, body.len(), frames)?;
        if !sound {
            return Err(damaged());
        }
    }
    Ok(())
}

/// Checks that a frame follows on a chain, and moves the chain on.
pub(super) fn follow(chain: &mut Chain, frame: &Frame, failing: Failing<'_>) -> Result<(), LogError> {
    if frame.first != chain.length {
        let entry = chain.length.min(frame.first);
        let what = format!("entry {entry} of table {} is missing from the journal", frame.table);
        return Err(failing.damaged(Some(frame.table), Some(entry), &what));
    }
    let before = chain.length;
    let read = chain.decode(&frame.entries, u64::MAX, &mut Vec::new());
    if let Err(broken) = read {
        return Err(failing.damaged_entry(frame.table, broken.index));
    }
    if chain.head != frame.head {
        let entry = chain.length.saturating_sub(1).max(before);
        return Err(failing.damaged_entry(frame.table, entry));
    }
    Ok(())
}

/// The one row about the store as a whole: the last commit, and how many rows there must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Meta {
    pub(super) seq: u64,
    pub(super) journal_rows: u64,
    pub(super) tables: u64,
    pub(super) in_play: u64,
}

impl Meta {
    fn sum(self) -> Hash {
        let mut hash = Sha256::new();
        hash.update(b"parlor meta 1\0");
        for number in [self.seq, self.journal_rows, self.tables, self.in_play] {
            hash.update(number.to_be_bytes());
        }
        hash.finalize().into()
    }

    pub(super) fn load(db: &Connection, failing: Failing<'_>) -> Result<Meta, LogError> {
        let damaged =
            || failing.damaged(None, None, "the row about the store as a whole is not what was written");
        let select = "SELECT seq, journal_rows, tables, in_play, sum FROM meta WHERE one = 1";
        let read = db.prepare_cached(select).and_then(|mut select| {
            let row = select.query_row([], |row| {
                let meta = Meta {
                    seq: row.get(0)?,
                    journal_rows: row.get(1)?,
                    tables: row.get(2)?,
                    in_play: row.get(3)?,
                };
                Ok((meta, row.get::<_, Hash>(4)?))
            });
            row.optional()
        });
        match failing.at(read)? {
            Some((meta, sum)) if meta.sum() == sum => Ok(meta),
            Some(_) => Err(damaged()),
            None => {
                // Nothing was ever committed: then nothing may be there.
                let empty = "SELECT NOT EXISTS (SELECT 1 FROM tables) AND NOT EXISTS (SELECT 1 FROM journal)";
                match failing.at(db.query_row(empty, [], |row| row.get(0)))? {
                    true => Ok(Meta::default()),
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
        .execute(params![self.seq, self.journal_rows, self.tables, self.in_play, self.sum()])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn frames_read_back(written: Vec<([u8; 16], u64, Vec<u8>, [u8; 32])>) {
            let mut body = Vec::new();
            for (table, first, entries, head) in &written {
                put_frame(&mut body, &TableId::from_bytes(*table), *first, entries, head);
            }
            let read = frames(&body.into()).map(|frames| {
                frames
                    .into_iter()
                    .map(|frame| (*frame.table.as_bytes(), frame.first, frame.entries.to_vec(), frame.head))
                    .collect::<Vec<_>>()
            });
            prop_assert_eq!(read, Some(written));
        }

        #[test]
        fn any_bytes_are_frames_or_are_refused(body: Vec<u8>) {
            let _ = frames(&body.into());
        }
    }
}
