//! The journal and the metadata row in SQLite.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::stored_row::{COLUMNS, log_length};
use crate::journal::errors::StoreErrors;
use crate::journal::frame::row_checksum;
use crate::journal::index::JournalIndex;
use crate::journal::row::StoredRow;
use crate::{Hash, LogError};

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

/// Reads the whole journal in order: sequence number, checksum and body of each row.
pub(super) fn read(
    db: &Connection,
    errors: StoreErrors<'_>,
    mut fold: impl FnMut(u64, &Hash, &Bytes) -> Result<(), LogError>,
) -> Result<(), LogError> {
    let mut select = errors.wrap(db.prepare("SELECT seq, sum, body FROM journal ORDER BY seq"))?;
    let mut rows = errors.wrap(select.query([]))?;
    while let Some(row) = errors.wrap(rows.next())? {
        let body = Bytes::from(errors.wrap(row.get::<_, Vec<u8>>(2))?);
        fold(errors.wrap(row.get(0))?, &errors.wrap(row.get(1))?, &body)?;
    }
    Ok(())
}

/// Reads and verifies the tables in play and the journal.
pub(super) fn load_index(
    db: &Connection,
    meta: &StoreMeta,
    errors: StoreErrors<'_>,
) -> Result<JournalIndex, LogError> {
    let mut index = JournalIndex::default();
    let sql = format!("SELECT {COLUMNS} FROM tables WHERE place = 0");
    let mut select = errors.wrap(db.prepare(&sql))?;
    let mut rows = errors.wrap(select.query([]))?;
    while let Some(row) = errors.wrap(rows.next())? {
        let row = StoredRow::from_sql(row, errors)?;
        let bytes = errors.wrap(log_length(db, &row.id))?;
        index.put(row.id, row.stored, bytes, row.journal_from);
    }
    if index.tables.len() as u64 != meta.in_play {
        let what = format!("there are {} tables in play, and should be {}", index.tables.len(), meta.in_play);
        return Err(errors.damaged(None, None, &what));
    }
    read(db, errors, |seq, sum, body| index.replay_row(seq, sum, body, errors))?;
    let (rows, last) = (index.rows() as u64, index.last_row());
    if rows != meta.journal_rows || last > meta.seq {
        let what = format!(
            "the journal has {rows} rows up to commit {last}, and should have {} up to commit {}",
            meta.journal_rows, meta.seq
        );
        return Err(errors.damaged(None, None, &what));
    }
    Ok(index)
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

    pub(super) fn load(db: &Connection, errors: StoreErrors<'_>) -> Result<StoreMeta, LogError> {
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
