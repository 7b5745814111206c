//! Rows of tables and feeds as the database has them.

use tokio_postgres::Row;

use crate::chain::HashChain;
use crate::journal::errors::StoreErrors;
use crate::journal::feed::FeedRange;
use crate::journal::row::StoredRow;
use crate::journal::tags::kind_from_column;
use crate::{Hash, Listing, LogError, Millis, OwnerId, TableId};

/// Columns in the order that [`PgRow::decode`] reads.
pub(super) const COLUMNS: &str = "tables.id, owner, game, state, visibility, created, updated, request, place, wakes_at, \
     journal_from, length, head, record_hash, sum, kind, tags, log_bytes";

/// Row of a table, with the columns that only this store has.
#[derive(Clone, Debug)]
pub(super) struct PgRow {
    pub(super) row: StoredRow,
    /// Bytes of the log that are not in the journal.
    pub(super) log_bytes: u64,
}

impl PgRow {
    /// Decodes the columns and verifies their checksum.
    pub(super) fn decode(row: &Row, errors: StoreErrors<'_>) -> Result<PgRow, LogError> {
        let id = row.try_get::<_, &[u8]>(0).ok().and_then(|id| id.try_into().ok()).map(TableId::from_bytes);
        let id = id.ok_or_else(|| errors.damaged(None, None, "a table has no valid id"))?;
        let read = PgRow::columns(id, row);
        read.filter(|(read, sum)| read.row.checksum() == *sum)
            .map(|(read, _)| read)
            .ok_or_else(|| errors.damaged_table(id))
    }

    fn columns(id: TableId, row: &Row) -> Option<(PgRow, Hash)> {
        let text = |column| row.try_get::<_, String>(column).ok();
        let byte = |column| row.try_get::<_, i16>(column).ok().and_then(|value| u8::try_from(value).ok());
        let number = |column| row.try_get::<_, i64>(column).ok().and_then(|value| u64::try_from(value).ok());
        let hash = |column| row.try_get::<_, &[u8]>(column).ok().and_then(|value| Hash::try_from(value).ok());
        let wakes_at: Option<i64> = row.try_get(9).ok()?;
        let record_hash: Option<&[u8]> = row.try_get(13).ok()?;
        let tags: Option<&str> = row.try_get(16).ok()?;
        let read = StoredRow {
            id,
            listing: Listing {
                kind: kind_from_column(byte(15)?)?,
                owner: OwnerId::new(&text(1)?).ok()?,
                game: text(2)?,
                state: byte(3)?,
                visibility: byte(4)?,
                tags: StoredRow::tags_from_column(tags),
            },
            created: Millis(number(5)?),
            updated: Millis(number(6)?),
            request: row.try_get(7).ok()?,
            place: StoredRow::place_from_columns(byte(8)?, wakes_at.map(u64::try_from).transpose().ok()?)?,
            journal_from: number(10)?,
            stored: HashChain { length: number(11)?, head: hash(12)? },
            record_hash: record_hash.map(Hash::try_from).transpose().ok()?,
        };
        let row = PgRow { row: read, log_bytes: number(17)? };
        Some((row, hash(14)?))
    }
}

/// Decodes the columns owner, first, last, sum of a feed's range.
pub(super) fn decode_range(row: &Row, errors: StoreErrors<'_>) -> Result<(OwnerId, FeedRange), LogError> {
    let number = |column| row.try_get::<_, i64>(column).ok().and_then(|value| u64::try_from(value).ok());
    let sum = row.try_get::<_, &[u8]>(3).ok().and_then(|value| Hash::try_from(value).ok());
    let owner: &str = row.try_get(0).unwrap_or_default();
    match (number(1), number(2), sum) {
        (Some(first), Some(last), Some(sum)) => {
            FeedRange::from_columns(owner, FeedRange { first, last }, sum, errors)
        }
        _ => Err(errors.damaged(None, None, &format!("the row of owner {owner:?} is corrupted"))),
    }
}

/// A number as a column; the store's numbers are below 2^63.
pub(super) fn bigint(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Position and bytes of each part of a large value that starts at this position.
pub(super) fn parts(from: u64, bytes: &[u8]) -> impl Iterator<Item = (i64, &[u8])> {
    /// Databases that speak the protocol of PostgreSQL want values well below a megabyte.
    const PART_BYTES: usize = 256 << 10;
    let at = move |part: usize| bigint(from + (part * PART_BYTES) as u64);
    bytes.chunks(PART_BYTES).enumerate().map(move |(part, bytes)| (at(part), bytes))
}
