//! Rows of tables in SQLite.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, params};

use super::tags;
use crate::chain::HashChain;
use crate::journal::errors::StoreErrors;
use crate::journal::row::StoredRow;
use crate::journal::tags::{kind_column, kind_from_column};
use crate::{Entry, Hash, Listing, LogError, Millis, OwnerId, Place, TableId};

/// Columns in the order that [`StoredRow::from_sql`] reads.
pub(super) const COLUMNS: &str = "id, owner, game, state, visibility, created, updated, request, place, wakes_at, \
     journal_from, length, head, record_hash, sum, kind, tags";

/// A column with a value that no row has.
fn invalid_column(column: usize) -> rusqlite::Error {
    rusqlite::Error::InvalidColumnIndex(column)
}

impl StoredRow {
    /// Decodes the columns and verifies their checksum.
    pub(super) fn from_sql(row: &rusqlite::Row<'_>, errors: StoreErrors<'_>) -> Result<StoredRow, LogError> {
        let id = TableId::from_bytes(errors.wrap(row.get(0))?);
        let read = || -> rusqlite::Result<(StoredRow, Hash)> {
            let place = StoredRow::place_from_columns(row.get(8)?, row.get(9)?);
            let owner: String = row.get(1)?;
            let tags: Option<String> = row.get(16)?;
            let listing = Listing {
                kind: kind_from_column(row.get(15)?).ok_or_else(|| invalid_column(15))?,
                owner: OwnerId::new(&owner).map_err(|_| invalid_column(1))?,
                game: row.get(2)?,
                state: row.get(3)?,
                visibility: row.get(4)?,
                tags: StoredRow::tags_from_column(tags.as_deref()),
            };
            let read = StoredRow {
                id,
                listing,
                created: Millis(row.get(5)?),
                updated: Millis(row.get(6)?),
                request: row.get(7)?,
                place: place.ok_or_else(|| invalid_column(8))?,
                journal_from: row.get(10)?,
                stored: HashChain { length: row.get(11)?, head: row.get(12)? },
                record_hash: row.get(13)?,
            };
            Ok((read, row.get(14)?))
        };
        match read() {
            Ok((row, sum)) if row.checksum() == sum => Ok(row),
            Ok(_) => Err(errors.damaged_table(id)),
            Err(error) if error.sqlite_error().is_some() => errors.wrap(Err(error)),
            Err(_) => Err(errors.damaged_table(id)),
        }
    }

    /// Finds the row of a table.
    pub(super) fn find(
        db: &Connection,
        id: &TableId,
        errors: StoreErrors<'_>,
    ) -> Result<Option<StoredRow>, LogError> {
        let sql = select_by_id();
        let mut statement = errors.wrap(db.prepare_cached(&sql))?;
        let mut rows = errors.wrap(statement.query([id.as_bytes()]))?;
        match errors.wrap(rows.next())? {
            Some(row) => StoredRow::from_sql(row, errors).map(Some),
            None => Ok(None),
        }
    }

    /// Inserts a new table.
    pub(super) fn insert(&self, db: &Connection, log: &[u8], record: Option<&[u8]>) -> rusqlite::Result<()> {
        let (place, wakes_at) = self.place_columns();
        db.prepare_cached(
            "INSERT INTO tables (id, owner, game, state, visibility, created, updated, request, place, wakes_at, \
             journal_from, length, head, record_hash, sum, log, record, kind, tags) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
        )?
        .execute(params![
            self.id.as_bytes(),
            self.listing.owner.as_str(),
            self.listing.game,
            self.listing.state,
            self.listing.visibility,
            self.created.0,
            self.updated.0,
            self.request,
            place,
            wakes_at,
            self.journal_from,
            self.stored.length,
            self.stored.head,
            self.record_hash,
            self.checksum(),
            log,
            record,
            kind_column(self.listing.kind),
            self.tags_column(),
        ])?;
        tags::insert(db, self)
    }

    /// Updates the mutable columns except the log and the record.
    pub(super) fn update(&self, db: &Connection) -> rusqlite::Result<()> {
        let (place, wakes_at) = self.place_columns();
        let changed = db
            .prepare_cached(
                "UPDATE tables SET game = ?2, state = ?3, visibility = ?4, updated = ?5, place = ?6, wakes_at = ?7, \
                 journal_from = ?8, sum = ?9 WHERE id = ?1",
            )?
            .execute(params![
                self.id.as_bytes(),
                self.listing.game,
                self.listing.state,
                self.listing.visibility,
                self.updated.0,
                place,
                wakes_at,
                self.journal_from,
                self.checksum(),
            ])?;
        expect_one_row(changed)
    }

    /// Updates the mutable columns, the log and the record.
    pub(super) fn update_all(
        &self,
        db: &Connection,
        log: &[u8],
        record: Option<&[u8]>,
    ) -> rusqlite::Result<()> {
        let (place, wakes_at) = self.place_columns();
        if self.place == Place::Finished {
            tags::finish(db, self)?;
        }
        let changed = db
            .prepare_cached(
                "UPDATE tables SET game = ?2, state = ?3, visibility = ?4, updated = ?5, place = ?6, wakes_at = ?7, \
                 journal_from = ?8, sum = ?9, length = ?10, head = ?11, record_hash = ?12, log = ?13, record = ?14 \
                 WHERE id = ?1",
            )?
            .execute(params![
                self.id.as_bytes(),
                self.listing.game,
                self.listing.state,
                self.listing.visibility,
                self.updated.0,
                place,
                wakes_at,
                self.journal_from,
                self.checksum(),
                self.stored.length,
                self.stored.head,
                self.record_hash,
                log,
                record,
            ])?;
        expect_one_row(changed)
    }

    /// Deletes the table with everything stored of it.
    pub(super) fn delete(&self, db: &Connection) -> rusqlite::Result<()> {
        tags::delete(db, self)?;
        let deleted = db.prepare_cached("DELETE FROM tables WHERE id = ?1")?.execute([self.id.as_bytes()])?;
        expect_one_row(deleted)
    }

    /// Reads and verifies the entries in this row, and returns those from index `from` on.
    pub(super) fn entries(
        &self,
        db: &Connection,
        from: u64,
        out: &mut Vec<Entry>,
        errors: StoreErrors<'_>,
    ) -> Result<(), LogError> {
        let log = errors.wrap(log_bytes(db, &self.id))?.unwrap_or_default();
        self.decode_log(log, from, out, errors)
    }

    /// Reads and verifies the record.
    pub(super) fn record(&self, db: &Connection, errors: StoreErrors<'_>) -> Result<Option<Bytes>, LogError> {
        let record: Option<Vec<u8>> =
            errors
                .wrap(db.prepare_cached("SELECT record FROM tables WHERE id = ?1").and_then(|mut select| {
                    select.query_row([self.id.as_bytes()], |row| row.get(0)).optional()
                }))?
                .flatten();
        self.verify_record(record, errors)
    }
}

fn select_by_id() -> String {
    format!("SELECT {COLUMNS} FROM tables WHERE id = ?1")
}

/// Fails unless exactly one row changed: otherwise the primary key index is damaged.
fn expect_one_row(changed: usize) -> rusqlite::Result<()> {
    match changed {
        1 => Ok(()),
        other => Err(rusqlite::Error::StatementChangedRows(other)),
    }
}

/// The stored part of a log, unverified.
pub(super) fn log_bytes(db: &Connection, id: &TableId) -> rusqlite::Result<Option<Vec<u8>>> {
    db.prepare_cached("SELECT log FROM tables WHERE id = ?1")?
        .query_row([id.as_bytes()], |row| row.get(0))
        .optional()
}

/// Bytes of the stored part of a log.
pub(super) fn log_length(db: &Connection, id: &TableId) -> rusqlite::Result<u64> {
    let length = db
        .prepare_cached("SELECT length(log) FROM tables WHERE id = ?1")?
        .query_row([id.as_bytes()], |row| row.get(0))
        .optional()?;
    Ok(length.unwrap_or(0))
}
