//! The feeds of owners: one row an item, and for each owner which numbers are kept.

use bytes::Bytes;
use rusqlite::{Connection, params};
use sha2::{Digest, Sha256};

use super::failure::Failing;
use crate::log::append::limits;
use crate::log::{FeedItem, Hash, LogError, Millis, OwnerId};

/// Which numbers of an owner's feed are kept: those from `first` to `last`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Numbers {
    pub(super) first: u64,
    pub(super) last: u64,
}

impl Numbers {
    /// Those of an owner who was never told anything.
    pub(super) const NONE: Numbers = Numbers { first: 1, last: 0 };

    fn sum(self, owner: &str) -> Hash {
        let mut hash = Sha256::new();
        hash.update(b"parlor feed numbers 1\0");
        hash.update(self.first.to_be_bytes());
        hash.update(self.last.to_be_bytes());
        hash.update(owner);
        hash.finalize().into()
    }

    pub(super) fn load(db: &Connection, owner: &OwnerId, failing: Failing<'_>) -> Result<Numbers, LogError> {
        let mut select =
            failing.at(db.prepare_cached("SELECT owner, first, last, sum FROM owners WHERE owner = ?1"))?;
        let mut rows = failing.at(select.query([owner.as_str()]))?;
        match failing.at(rows.next())? {
            Some(row) => Ok(Numbers::from_sql(row, failing)?.1),
            None => Ok(Numbers::NONE),
        }
    }

    /// Reads a row with the columns owner, first, last, sum.
    pub(super) fn from_sql(
        row: &rusqlite::Row<'_>,
        failing: Failing<'_>,
    ) -> Result<(OwnerId, Numbers), LogError> {
        let owner: String = failing.at(row.get(0))?;
        let numbers = Numbers { first: failing.at(row.get(1))?, last: failing.at(row.get(2))? };
        let sum: Hash = failing.at(row.get(3))?;
        match OwnerId::new(&owner) {
            Ok(name) if numbers.sum(&owner) == sum => Ok((name, numbers)),
            _ => {
                let what = format!("the row of owner {owner:?} is not what was written");
                Err(failing.damaged(None, None, &what))
            }
        }
    }

    pub(super) fn store(self, db: &Connection, owner: &OwnerId) -> rusqlite::Result<()> {
        db.prepare_cached("INSERT OR REPLACE INTO owners (owner, first, last, sum) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![owner.as_str(), self.first, self.last, self.sum(owner.as_str())])?;
        Ok(())
    }
}

/// Everybody who was ever told anything.
pub(super) fn owners(db: &Connection, failing: Failing<'_>) -> Result<Vec<(OwnerId, Numbers)>, LogError> {
    let mut select =
        failing.at(db.prepare_cached("SELECT owner, first, last, sum FROM owners ORDER BY owner"))?;
    let mut rows = failing.at(select.query([]))?;
    let mut owners = Vec::new();
    while let Some(row) = failing.at(rows.next())? {
        owners.push(Numbers::from_sql(row, failing)?);
    }
    Ok(owners)
}

/// A hash over an item and its place in the feed.
fn item_sum(owner: &OwnerId, item: &FeedItem) -> Hash {
    let mut hash = Sha256::new();
    hash.update(b"parlor feed item 1\0");
    hash.update(item.number.to_be_bytes());
    hash.update(item.at.0.to_be_bytes());
    hash.update((owner.as_str().len() as u64).to_be_bytes());
    hash.update(owner.as_str());
    hash.update(&item.payload);
    hash.finalize().into()
}

/// Writes an item.
pub(super) fn insert(db: &Connection, owner: &OwnerId, item: &FeedItem) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT INTO feed (owner, number, at, sum, payload) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![owner.as_str(), item.number, item.at.0, item_sum(owner, item), &item.payload[..]])?;
    Ok(())
}

/// Reads the items from number `first` to number `last`, at most a page of them, and checks that none is missing.
pub(super) fn items(
    db: &Connection,
    owner: &OwnerId,
    first: u64,
    last: u64,
    failing: Failing<'_>,
) -> Result<Vec<FeedItem>, LogError> {
    let last = last.min(first.saturating_add(limits::FEED_PAGE as u64 - 1));
    let mut select = failing.at(db.prepare_cached(
        "SELECT number, at, sum, payload FROM feed WHERE owner = ?1 AND number BETWEEN ?2 AND ?3 ORDER BY number",
    ))?;
    let mut rows = failing.at(select.query(params![owner.as_str(), first, last]))?;
    let mut items = Vec::new();
    for number in first..=last {
        let damaged = || {
            let what = format!("item {number} of the feed of {owner} is not what was written");
            failing.damaged(None, None, &what)
        };
        let row = failing.at(rows.next())?.ok_or_else(damaged)?;
        let item = FeedItem {
            number: failing.at(row.get(0))?,
            at: Millis(failing.at(row.get(1))?),
            payload: Bytes::from(failing.at(row.get::<_, Vec<u8>>(3))?),
        };
        let sum: Hash = failing.at(row.get(2))?;
        if item.number != number || item_sum(owner, &item) != sum {
            return Err(damaged());
        }
        items.push(item);
    }
    Ok(items)
}

/// Removes the oldest items that were posted before this time, at most a page of them. Gives how many.
pub(super) fn trim(
    db: &Connection,
    owner: &OwnerId,
    numbers: &mut Numbers,
    since: Millis,
    failing: Failing<'_>,
) -> Result<u64, LogError> {
    let old = items(db, owner, numbers.first, numbers.last, failing)?;
    let count = old.iter().take_while(|item| item.at < since).count() as u64;
    if count > 0 {
        numbers.first += count;
        failing.at(db
            .prepare_cached("DELETE FROM feed WHERE owner = ?1 AND number < ?2")
            .and_then(|mut delete| delete.execute(params![owner.as_str(), numbers.first])))?;
        failing.at(numbers.store(db, owner))?;
    }
    Ok(count)
}
