//! Rows that a commit needs for validation, read in one go before it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use tokio_postgres::Row;

use super::ownership::Ownership;
use super::rows::{PgRow, decode_range};
use crate::journal::batch::StoredRows;
use crate::journal::errors::StoreErrors;
use crate::journal::feed::FeedRange;
use crate::journal::index::JournalIndex;
use crate::journal::plan::WRITE_OUT_STEP;
use crate::journal::row::StoredRow;
use crate::journal::writer::{CommitStep, WriterCommand};
use crate::{LogError, NewFeedItem, OwnerId, TableId};

/// Rows that the steps of a commit need.
#[derive(Default)]
pub(super) struct Wanted<'a> {
    pub(super) tables: BTreeSet<TableId>,
    pub(super) requests: BTreeSet<(&'a str, &'a str)>,
    pub(super) feeds: BTreeSet<&'a str>,
}

impl<'a> Wanted<'a> {
    pub(super) fn by(steps: &[CommitStep<'a>], index: &JournalIndex, journal_limit: u64) -> Wanted<'a> {
        let mut wanted = Wanted::default();
        let mut bytes = index.bytes();
        for step in steps {
            match step {
                CommitStep::Append(append) => {
                    let listed = append.listing.is_some() || append.place.is_some();
                    if listed || !index.tables.contains_key(&append.table) {
                        wanted.tables.insert(append.table);
                    }
                    if let (Some(listing), Some(request)) = (&append.listing, &append.request) {
                        wanted.requests.insert((listing.owner.as_str(), request));
                    }
                    wanted.feeds(&append.feed);
                    bytes += append.bytes() as u64 + crate::chain::encoded_length(&append.entries);
                }
                CommitStep::Other(WriterCommand::Delete(delete)) => {
                    wanted.tables.insert(delete.table);
                    wanted.feeds(&delete.feed);
                }
                CommitStep::Other(_) => {}
            }
        }
        if bytes > journal_limit {
            // These may be written out, to shorten the journal.
            let most = steps.len() + WRITE_OUT_STEP;
            wanted.tables.extend(index.oldest_first().take(most).map(|(_, id, _)| id));
        }
        wanted
    }

    fn feeds(&mut self, posts: &'a [NewFeedItem]) {
        self.feeds.extend(posts.iter().map(|post| post.owner.as_str()));
    }
}

/// Rows as they were read.
pub(super) struct FetchedRows {
    /// The tables whose rows were asked for.
    pub(super) asked: HashSet<TableId>,
    pub(super) rows: Vec<Row>,
    pub(super) requests: Vec<Row>,
    pub(super) ranges: Vec<Row>,
}

impl FetchedRows {
    pub(super) fn decode(
        self,
        ownership: &Arc<Ownership>,
        errors: StoreErrors<'_>,
    ) -> Result<Prefetched, LogError> {
        let mut found = Prefetched {
            ownership: ownership.clone(),
            asked: self.asked,
            rows: HashMap::new(),
            requests: HashMap::new(),
            ranges: HashMap::new(),
            store: errors.0.to_owned(),
        };
        for row in &self.rows {
            // A damaged row fails the append to its table, and no other.
            let read = PgRow::decode(row, errors);
            if let Some(id) = row.try_get::<_, &[u8]>(0).ok().and_then(|id| id.try_into().ok()) {
                found.rows.insert(TableId::from_bytes(id), read);
            }
        }
        for row in &self.requests {
            let id = row.try_get::<_, &[u8]>(2).ok().and_then(|id| id.try_into().ok());
            let id = id.ok_or_else(|| errors.damaged(None, None, "a table has no valid id"))?;
            found.requests.insert((row.get(0), row.get(1)), TableId::from_bytes(id));
        }
        for row in &self.ranges {
            let (owner, range) = decode_range(row, errors)?;
            found.ranges.insert(owner, range);
        }
        Ok(found)
    }
}

/// Decoded rows, as the commit's validation reads them.
pub(super) struct Prefetched {
    ownership: Arc<Ownership>,
    asked: HashSet<TableId>,
    rows: HashMap<TableId, Result<PgRow, LogError>>,
    requests: HashMap<(String, String), TableId>,
    ranges: HashMap<OwnerId, FeedRange>,
    store: std::path::PathBuf,
}

impl Prefetched {
    fn row(&self, id: &TableId) -> Result<Option<&PgRow>, LogError> {
        if !self.asked.contains(id) {
            return Err(StoreErrors(&self.store).damaged_table(*id));
        }
        match self.rows.get(id) {
            None => Ok(None),
            Some(Ok(row)) => Ok(Some(row)),
            Some(Err(error)) => Err(error.clone()),
        }
    }
}

impl StoredRows for Prefetched {
    fn find(&self, id: &TableId) -> Result<Option<StoredRow>, LogError> {
        Ok(self.row(id)?.map(|row| row.row.clone()))
    }

    fn log_length(&self, id: &TableId) -> Result<u64, LogError> {
        Ok(self.row(id)?.map_or(0, |row| row.log_bytes))
    }

    fn check_log(&self, id: &TableId) -> Result<(), LogError> {
        // New entries are added without reading the ones before.
        self.row(id).map(drop)
    }

    fn find_by_request(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        Ok(self.requests.get(&(owner.as_str().to_owned(), request.to_owned())).copied())
    }

    fn check_owner(&self, id: TableId) -> Result<(), LogError> {
        self.ownership.check(id)
    }

    fn feed_range(&self, owner: &OwnerId) -> Result<FeedRange, LogError> {
        Ok(self.ranges.get(owner).copied().unwrap_or(FeedRange::EMPTY))
    }
}
