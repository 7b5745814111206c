//! Reading and writing a whole store at once, for copies.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};

use super::backup::{put_in_place, refuse_existing, remove};
use super::feed;
use super::file_errors::io_error;
use super::journal::{self, StoreMeta};
pub(crate) use super::schema::StoreLock;
use super::schema::{open_reader, open_writer, with_suffix};
use super::stored_row::log_bytes;
use crate::journal::errors::StoreErrors;
use crate::journal::feed::FeedRange;
use crate::journal::index::JournalIndex;
use crate::journal::row::StoredRow;
use crate::{FeedItem, LogError, OwnerId, TableId};

/// Last commit of a new store: all that is copied comes with it.
const COPY_COMMIT: u64 = 1;
/// First row of the journal that a copied table in play will need.
pub(crate) const FIRST_JOURNAL_ROW: u64 = COPY_COMMIT + 1;

/// Locks an existing store.
pub(crate) fn lock_existing(file: &Path) -> Result<StoreLock, LogError> {
    // Taking the lock would create its file even where there is no store.
    if let Err(error) = std::fs::metadata(file) {
        return Err(io_error(file, error));
    }
    StoreLock::acquire(file)
}

/// Opens a store for reading, with its tables in play.
pub(crate) fn open(file: &Path) -> Result<(Connection, JournalIndex), LogError> {
    let errors = StoreErrors(file);
    let db = open_reader(file)?;
    let meta = StoreMeta::load(&db, errors)?;
    let index = journal::load_index(&db, &meta, errors)?;
    Ok((db, index))
}

/// The next ids after one, in order.
pub(crate) fn ids_after(
    db: &Connection,
    after: Option<TableId>,
    count: usize,
    errors: StoreErrors<'_>,
) -> Result<Vec<TableId>, LogError> {
    let after = after.map_or_else(Vec::new, |id| id.as_bytes().to_vec());
    let ids: Vec<[u8; 16]> =
        errors
            .wrap(db.prepare_cached("SELECT id FROM tables WHERE id > ?1 ORDER BY id LIMIT ?2").and_then(
                |mut select| select.query_map(params![after, count], |row| row.get(0))?.collect(),
            ))?;
    Ok(ids.into_iter().map(TableId::from_bytes).collect())
}

/// The row of a table, with the part of its log that the row has, and its record, both unverified.
pub(crate) struct WholeRow {
    pub(crate) row: StoredRow,
    pub(crate) log: Vec<u8>,
    pub(crate) record: Option<Vec<u8>>,
}

/// Reads a table.
pub(crate) fn read_table(
    db: &Connection,
    id: TableId,
    errors: StoreErrors<'_>,
) -> Result<WholeRow, LogError> {
    let row = StoredRow::find(db, &id, errors)?.ok_or_else(|| errors.damaged_table(id))?;
    let log = errors.wrap(log_bytes(db, &id))?.unwrap_or_default();
    let record: Option<Option<Vec<u8>>> = errors.wrap(
        db.prepare_cached("SELECT record FROM tables WHERE id = ?1")
            .and_then(|mut select| select.query_row([id.as_bytes()], |row| row.get(0)).optional()),
    )?;
    Ok(WholeRow { row, log, record: record.flatten() })
}

/// The next feeds after an owner, in order.
pub(crate) fn owners_after(
    db: &Connection,
    after: Option<&OwnerId>,
    count: usize,
    errors: StoreErrors<'_>,
) -> Result<Vec<(OwnerId, FeedRange)>, LogError> {
    let select = "SELECT owner, first, last, sum FROM owners WHERE owner > ?1 ORDER BY owner LIMIT ?2";
    let mut select = errors.wrap(db.prepare_cached(select))?;
    let mut rows = errors.wrap(select.query(params![after.map_or("", OwnerId::as_str), count]))?;
    let mut owners = Vec::new();
    while let Some(row) = errors.wrap(rows.next())? {
        owners.push(FeedRange::from_sql(row, errors)?);
    }
    Ok(owners)
}

/// Items of a feed from a number on, at most a page of them.
pub(crate) fn feed_items(
    db: &Connection,
    owner: &OwnerId,
    first: u64,
    range: FeedRange,
    errors: StoreErrors<'_>,
) -> Result<Vec<FeedItem>, LogError> {
    feed::items(db, owner, first, range, errors)
}

/// Rows of tags and of feed items.
pub(crate) fn row_counts(db: &Connection, errors: StoreErrors<'_>) -> Result<(u64, u64), LogError> {
    let counts = "SELECT (SELECT count(*) FROM tags), (SELECT count(*) FROM feed)";
    errors.wrap(db.query_row(counts, [], |row| Ok((row.get(0)?, row.get(1)?))))
}

/// A new store under another name, which gets its own when it is complete.
pub(crate) struct StoreFile {
    file: PathBuf,
    draft: PathBuf,
    /// `None` once everything is written.
    db: Option<Connection>,
    _lock: StoreLock,
}

impl StoreFile {
    pub(crate) fn create(file: &Path) -> Result<StoreFile, LogError> {
        if file.exists() {
            return Err(LogError::NotEmpty { file: file.to_owned() });
        }
        let lock = StoreLock::acquire(file)?;
        let draft = with_suffix(file, ".partial");
        for suffix in ["", "-wal", "-shm"] {
            remove(&with_suffix(&draft, suffix))?;
        }
        let db = open_writer(&draft)?;
        StoreErrors(file).wrap(db.execute_batch("BEGIN IMMEDIATE"))?;
        Ok(StoreFile { file: file.to_owned(), draft, db: Some(db), _lock: lock })
    }

    fn db(&self) -> Result<&Connection, LogError> {
        self.db.as_ref().ok_or(LogError::Closed)
    }

    pub(crate) fn draft(&self) -> &Path {
        &self.draft
    }

    pub(crate) fn put_table(
        &self,
        row: &StoredRow,
        log: &[u8],
        record: Option<&[u8]>,
    ) -> Result<(), LogError> {
        StoreErrors(&self.file).wrap(row.insert(self.db()?, log, record))
    }

    pub(crate) fn put_feed(&self, owner: &OwnerId, range: FeedRange) -> Result<(), LogError> {
        StoreErrors(&self.file).wrap(range.store(self.db()?, owner))
    }

    pub(crate) fn put_items(&self, owner: &OwnerId, items: &[FeedItem]) -> Result<(), LogError> {
        let db = self.db()?;
        items.iter().try_for_each(|item| StoreErrors(&self.file).wrap(feed::insert(db, owner, item)))
    }

    /// Writes everything to the disk, under the other name still.
    pub(crate) fn finish(&mut self, tables: u64, in_play: u64) -> Result<(), LogError> {
        let errors = StoreErrors(&self.file);
        let db = self.db.take().ok_or(LogError::Closed)?;
        let meta = StoreMeta { seq: COPY_COMMIT, journal_rows: 0, tables, in_play };
        errors.wrap(meta.store(&db))?;
        errors.wrap(db.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)"))?;
        // The last connection to close removes the WAL.
        db.close().map_err(|(_, error)| errors.wrap::<()>(Err(error)).expect_err("an error"))
    }

    /// Gives the store its name.
    pub(crate) fn put_in_place(self) -> Result<(), LogError> {
        refuse_existing(&self.file)?;
        std::fs::File::open(&self.draft)
            .and_then(|draft| draft.sync_all())
            .map_err(|error| io_error(&self.draft, error))?;
        put_in_place(&self.draft, &self.file)
    }

    /// Removes what was written.
    pub(crate) fn remove(mut self) {
        self.db = None;
        for suffix in ["", "-wal", "-shm"] {
            // What remains is replaced by the next copy to this name.
            let _ = remove(&with_suffix(&self.draft, suffix));
        }
    }
}
