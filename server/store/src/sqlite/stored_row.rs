//! Row of a table: its listing, its place, and the part of its log that is not in the journal.

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use super::file_errors::FileErrors;
use super::tags;
use crate::chain::HashChain;
use crate::{Entry, Hash, Listing, LogError, LogKind, Millis, OwnerId, Place, TableId, TableRow};

/// All columns of a table except its log and its record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct StoredRow {
    pub(super) id: TableId,
    pub(super) listing: Listing,
    pub(super) created: Millis,
    pub(super) updated: Millis,
    pub(super) request: Option<String>,
    pub(super) place: Place,
    /// First commit whose entries of this table are in the journal and not in this row.
    pub(super) journal_from: u64,
    /// End of the log in this row.
    pub(super) stored: HashChain,
    pub(super) record_hash: Option<Hash>,
}

const IN_PLAY: u8 = 0;
const AT_REST: u8 = 1;
const FINISHED: u8 = 2;

/// Columns in the order that [`StoredRow::from_sql`] reads.
pub(super) const COLUMNS: &str = "id, owner, game, state, visibility, created, updated, request, place, wakes_at, \
     journal_from, length, head, record_hash, sum, kind, tags";

impl StoredRow {
    /// Decodes the columns and verifies their checksum.
    pub(super) fn from_sql(row: &rusqlite::Row<'_>, errors: FileErrors<'_>) -> Result<StoredRow, LogError> {
        let id = TableId::from_bytes(errors.wrap(row.get(0))?);
        let read = || -> rusqlite::Result<(StoredRow, Hash)> {
            let wakes_at = row.get::<_, Option<u64>>(9)?.map(Millis);
            let place = match (row.get(8)?, wakes_at) {
                (IN_PLAY, None) => Place::InPlay,
                (AT_REST, wakes_at) => Place::AtRest { wakes_at },
                (FINISHED, None) => Place::Finished,
                (other, _) => return Err(rusqlite::Error::IntegralValueOutOfRange(8, other.into())),
            };
            let owner: String = row.get(1)?;
            let owner = OwnerId::new(&owner)
                .map_err(|_| rusqlite::Error::InvalidColumnName("the owner has no name".into()))?;
            let tags: Option<String> = row.get(16)?;
            let listing = Listing {
                kind: tags::kind_from_column(row.get(15)?)?,
                owner,
                game: row.get(2)?,
                state: row.get(3)?,
                visibility: row.get(4)?,
                tags: tags.map_or_else(Vec::new, |tags| tags.split(' ').map(str::to_owned).collect()),
            };
            let read = StoredRow {
                id,
                listing,
                created: Millis(row.get(5)?),
                updated: Millis(row.get(6)?),
                request: row.get(7)?,
                place,
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

    /// Checksum of all columns. It includes the table id, so that no row passes for another.
    fn checksum(&self) -> Hash {
        let (place, wakes_at) = self.place_columns();
        let mut hash = Sha256::new();
        hash.update(b"parlor table row 1\0");
        hash.update(self.id.as_bytes());
        let request = self.request.as_deref();
        for text in [self.listing.owner.as_str(), &self.listing.game, request.unwrap_or("")] {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        }
        let flags = [
            self.listing.state,
            self.listing.visibility,
            place,
            request.is_some().into(),
            wakes_at.is_some().into(),
            self.record_hash.is_some().into(),
        ];
        hash.update(flags);
        for number in
            [self.created.0, self.updated.0, wakes_at.unwrap_or(0), self.journal_from, self.stored.length]
        {
            hash.update(number.to_be_bytes());
        }
        hash.update(self.stored.head);
        hash.update(self.record_hash.unwrap_or_default());
        // Rows from before kinds and tags keep their checksum.
        if self.listing.kind != LogKind::Table || !self.listing.tags.is_empty() {
            hash.update([tags::kind_column(self.listing.kind)]);
            hash.update(self.listing.tags.join(" "));
        }
        hash.finalize().into()
    }

    fn place_columns(&self) -> (u8, Option<u64>) {
        match self.place {
            Place::InPlay => (IN_PLAY, None),
            Place::AtRest { wakes_at } => (AT_REST, wakes_at.map(|time| time.0)),
            Place::Finished => (FINISHED, None),
        }
    }

    /// Finds the row of a table.
    pub(super) fn find(
        db: &Connection,
        id: &TableId,
        errors: FileErrors<'_>,
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
            tags::kind_column(self.listing.kind),
            (!self.listing.tags.is_empty()).then(|| self.listing.tags.join(" ")),
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
        errors: FileErrors<'_>,
    ) -> Result<(), LogError> {
        let log = errors.wrap(log_bytes(db, &self.id))?.unwrap_or_default();
        let mut chain = HashChain::new(&self.id);
        let read = chain.decode(&Bytes::from(log), from, out);
        if let Err(broken) = read {
            return Err(errors.damaged_entry(self.id, broken.index));
        }
        if chain != self.stored {
            let entry = chain.length.min(self.stored.length).saturating_sub(1);
            return Err(errors.damaged_entry(self.id, entry));
        }
        Ok(())
    }

    /// Reads and verifies the record.
    pub(super) fn record(&self, db: &Connection, errors: FileErrors<'_>) -> Result<Option<Bytes>, LogError> {
        let record: Option<Vec<u8>> =
            errors
                .wrap(db.prepare_cached("SELECT record FROM tables WHERE id = ?1").and_then(|mut select| {
                    select.query_row([self.id.as_bytes()], |row| row.get(0)).optional()
                }))?
                .flatten();
        if record.as_deref().map(record_hash) != self.record_hash {
            let what = format!("the record of table {} is corrupted", self.id);
            return Err(errors.damaged(Some(self.id), None, &what));
        }
        Ok(record.map(Bytes::from))
    }
}

impl From<StoredRow> for TableRow {
    fn from(row: StoredRow) -> TableRow {
        TableRow {
            id: row.id,
            listing: row.listing,
            created: row.created,
            updated: row.updated,
            place: row.place,
        }
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

pub(super) fn record_hash(record: &[u8]) -> Hash {
    let mut hash = Sha256::new();
    hash.update(b"parlor record 1\0");
    hash.update(record);
    hash.finalize().into()
}
