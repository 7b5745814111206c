//! Owner feeds: one row per item, and one per owner with the range of kept numbers.

use bytes::Bytes;
use rusqlite::{Connection, params};
use sha2::{Digest, Sha256};

use super::file_errors::FileErrors;
use crate::append::limits;
use crate::{FeedItem, Hash, LogError, Millis, OwnerId};

/// Kept numbers of an owner's feed, from `first` to `last`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FeedRange {
    pub(super) first: u64,
    pub(super) last: u64,
}

impl FeedRange {
    /// Range of a feed that never had an item.
    pub(super) const EMPTY: FeedRange = FeedRange { first: 1, last: 0 };

    fn checksum(self, owner: &str) -> Hash {
        let mut hash = Sha256::new();
        hash.update(b"parlor feed numbers 1\0");
        hash.update(self.first.to_be_bytes());
        hash.update(self.last.to_be_bytes());
        hash.update(owner);
        hash.finalize().into()
    }

    pub(super) fn load(
        db: &Connection,
        owner: &OwnerId,
        errors: FileErrors<'_>,
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
        errors: FileErrors<'_>,
    ) -> Result<(OwnerId, FeedRange), LogError> {
        let owner: String = errors.wrap(row.get(0))?;
        let range = FeedRange { first: errors.wrap(row.get(1))?, last: errors.wrap(row.get(2))? };
        let sum: Hash = errors.wrap(row.get(3))?;
        match OwnerId::new(&owner) {
            Ok(name) if range.checksum(&owner) == sum => Ok((name, range)),
            _ => {
                let what = format!("the row of owner {owner:?} is corrupted");
                Err(errors.damaged(None, None, &what))
            }
        }
    }

    pub(super) fn store(self, db: &Connection, owner: &OwnerId) -> rusqlite::Result<()> {
        db.prepare_cached("INSERT OR REPLACE INTO owners (owner, first, last, sum) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![owner.as_str(), self.first, self.last, self.checksum(owner.as_str())])?;
        Ok(())
    }
}

/// All owners that ever had a feed item.
pub(super) fn owners(db: &Connection, errors: FileErrors<'_>) -> Result<Vec<(OwnerId, FeedRange)>, LogError> {
    let mut select =
        errors.wrap(db.prepare_cached("SELECT owner, first, last, sum FROM owners ORDER BY owner"))?;
    let mut rows = errors.wrap(select.query([]))?;
    let mut owners = Vec::new();
    while let Some(row) = errors.wrap(rows.next())? {
        owners.push(FeedRange::from_sql(row, errors)?);
    }
    Ok(owners)
}

/// Checksum of an item, its number and its owner.
fn item_checksum(owner: &OwnerId, item: &FeedItem) -> Hash {
    let mut hash = Sha256::new();
    hash.update(b"parlor feed item 1\0");
    hash.update(item.number.to_be_bytes());
    hash.update(item.at.0.to_be_bytes());
    hash.update((owner.as_str().len() as u64).to_be_bytes());
    hash.update(owner.as_str());
    hash.update(&item.payload);
    hash.finalize().into()
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

/// Reads the items from number `first` to `last`, at most a page, and checks that none is missing.
pub(super) fn items(
    db: &Connection,
    owner: &OwnerId,
    first: u64,
    last: u64,
    errors: FileErrors<'_>,
) -> Result<Vec<FeedItem>, LogError> {
    let last = last.min(first.saturating_add(limits::MAX_FEED_PAGE_ITEMS as u64 - 1));
    let mut select = errors.wrap(db.prepare_cached(
        "SELECT number, at, sum, payload FROM feed WHERE owner = ?1 AND number BETWEEN ?2 AND ?3 ORDER BY number",
    ))?;
    let mut rows = errors.wrap(select.query(params![owner.as_str(), first, last]))?;
    let mut items = Vec::new();
    for number in first..=last {
        let damaged = || {
            let what = format!("item {number} of the feed of {owner} is corrupted");
            errors.damaged(None, None, &what)
        };
        let row = errors.wrap(rows.next())?.ok_or_else(damaged)?;
        let item = FeedItem {
            number: errors.wrap(row.get(0))?,
            at: Millis(errors.wrap(row.get(1))?),
            payload: Bytes::from(errors.wrap(row.get::<_, Vec<u8>>(3))?),
        };
        let sum: Hash = errors.wrap(row.get(2))?;
        if item.number != number || item_checksum(owner, &item) != sum {
            return Err(damaged());
        }
        items.push(item);
    }
    Ok(items)
}

/// Removes the oldest items posted before this time, at most a page. Returns their number.
pub(super) fn trim(
    db: &Connection,
    owner: &OwnerId,
    range: &mut FeedRange,
    since: Millis,
    errors: FileErrors<'_>,
) -> Result<u64, LogError> {
    let old = items(db, owner, range.first, range.last, errors)?;
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
