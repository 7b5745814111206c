//! Owner feeds in SQLite: one row per item, and one per owner with the range of kept numbers.

use bytes::Bytes;
use rusqlite::{Connection, params};

use crate::journal::errors::StoreErrors;
use crate::journal::feed::{FeedRange, item_checksum, verify_item};
use crate::{FeedItem, Hash, LogError, Millis, OwnerId};

impl FeedRange {
    pub(super) fn load(
        db: &Connection,
        owner: &OwnerId,
        errors: StoreErrors<'_>,
    ) -> Result<FeedRange, LogError> {
        let mut select =
            errors.wrap(db.prepare_cached("SELECT owner, first, last, sum FROM owners WHERE owner = ?1"))?;
        let mut rows = errors.wrap(select.query([owner.as_str()]))?;
        match errors.wrap(rows.next())? {
            Some(row) => Ok(FeedRange::from_sql(row, errors)?.1),
            None => Ok(FeedRange::EMPTY),
        }
    }

    /// Decodes a row with the columns owner, first, last, sum.
    pub(super) fn from_sql(
        row: &rusqlite::Row<'_>,
        errors: StoreErrors<'_>,
    ) -> Result<(OwnerId, FeedRange), LogError> {
        let owner: String = errors.wrap(row.get(0))?;
        let range = FeedRange { first: errors.wrap(row.get(1))?, last: errors.wrap(row.get(2))? };
        let sum: Hash = errors.wrap(row.get(3))?;
        FeedRange::from_columns(&owner, range, sum, errors)
    }

    pub(super) fn store(self, db: &Connection, owner: &OwnerId) -> rusqlite::Result<()> {
        db.prepare_cached("INSERT OR REPLACE INTO owners (owner, first, last, sum) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![owner.as_str(), self.first, self.last, self.checksum(owner.as_str())])?;
        Ok(())
    }
}

/// All owners that ever had a feed item.
pub(super) fn owners(
    db: &Connection,
    errors: StoreErrors<'_>,
) -> Result<Vec<(OwnerId, FeedRange)>, LogError> {
    let mut select =
        errors.wrap(db.prepare_cached("SELECT owner, first, last, sum FROM owners ORDER BY owner"))?;
    let mut rows = errors.wrap(select.query([]))?;
    let mut owners = Vec::new();
    while let Some(row) = errors.wrap(rows.next())? {
        owners.push(FeedRange::from_sql(row, errors)?);
    }
    Ok(owners)
}

/// Inserts an item.
pub(super) fn insert(db: &Connection, owner: &OwnerId, item: &FeedItem) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT INTO feed (owner, number, at, sum, payload) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![
            owner.as_str(),
            item.number,
            item.at.0,
            item_checksum(owner, item),
            &item.payload[..]
        ])?;
    Ok(())
}

/// Reads the items of this range from number `first` on, at most a page, and checks that none is missing.
pub(super) fn items(
    db: &Connection,
    owner: &OwnerId,
    first: u64,
    range: FeedRange,
    errors: StoreErrors<'_>,
) -> Result<Vec<FeedItem>, LogError> {
    let last = range.page_end(first);
    let mut select = errors.wrap(db.prepare_cached(
        "SELECT number, at, sum, payload FROM feed WHERE owner = ?1 AND number BETWEEN ?2 AND ?3 ORDER BY number",
    ))?;
    let mut rows = errors.wrap(select.query(params![owner.as_str(), first, last]))?;
    let mut items = Vec::new();
    for number in first..=last {
        let read = match errors.wrap(rows.next())? {
            None => None,
            Some(row) => {
                let item = FeedItem {
                    number: errors.wrap(row.get(0))?,
                    at: Millis(errors.wrap(row.get(1))?),
                    payload: Bytes::from(errors.wrap(row.get::<_, Vec<u8>>(3))?),
                };
                Some((item, errors.wrap(row.get::<_, Hash>(2))?))
            }
        };
        items.push(verify_item(owner, number, read, errors)?);
    }
    Ok(items)
}

/// Removes the oldest items posted before this time, at most a page. Returns their number.
pub(super) fn trim(
    db: &Connection,
    owner: &OwnerId,
    range: &mut FeedRange,
    since: Millis,
    errors: StoreErrors<'_>,
) -> Result<u64, LogError> {
    let old = items(db, owner, range.first, *range, errors)?;
    let count = old.iter().take_while(|item| item.at < since).count() as u64;
    if count > 0 {
        range.first += count;
        errors.wrap(
            db.prepare_cached("DELETE FROM feed WHERE owner = ?1 AND number < ?2")
                .and_then(|mut delete| delete.execute(params![owner.as_str(), range.first])),
        )?;
        errors.wrap(range.store(db, owner))?;
    }
    Ok(count)
}
