//! One group commit: requests of many callers, validated one after the other, then written together.
//!
//! Validation only reads, so a refused request changes nothing and does not affect the others. All writes
//! happen at the end, once per table: many appends to a table in one commit cost as much as one.

use std::collections::{HashMap, hash_map};

use rusqlite::Connection;

use super::feed::{self, FeedRange};
use super::file_errors::FileErrors;
use super::journal::StoreMeta;
use super::journal_index::JournalIndex;
use super::stored_row::{StoredRow, log_length, record_hash};
use super::table_change::{PendingTable, TableChange};
use crate::FastMap;
use crate::append::{TableState, check_append, limits};
use crate::chain::{HashChain, encoded_length};
use crate::{
    Append, Appended, Delete, FeedItem, LogError, Millis, NewFeedItem, NewPlace, OwnerId, Place,
    RetentionCounts, TableId,
};

/// Tables that retention removes in one commit.
const RETAIN_STEP: usize = 256;

/// A commit being assembled.
pub(super) struct CommitBatch<'a> {
    pub(super) db: &'a Connection,
    pub(super) index: &'a JournalIndex,
    pub(super) errors: FileErrors<'a>,
    /// The store's metadata after the commit.
    pub(super) meta: StoreMeta,
    pub(super) tables: FastMap<TableId, TableChange>,
    pub(super) owners: HashMap<OwnerId, FeedRange>,
    pub(super) posted: Vec<(OwnerId, FeedItem)>,
    /// Request ids changed by this commit: the table that each created, or `None` if its table was deleted.
    requests: HashMap<(OwnerId, String), Option<TableId>>,
    /// Set when feeds were trimmed.
    pub(super) trimmed: bool,
}

impl<'a> CommitBatch<'a> {
    /// An empty commit with capacity for this many tables.
    pub(super) fn new(
        db: &'a Connection,
        index: &'a JournalIndex,
        meta: StoreMeta,
        errors: FileErrors<'a>,
        tables: usize,
    ) -> CommitBatch<'a> {
        CommitBatch {
            db,
            index,
            errors,
            meta: StoreMeta { seq: meta.seq + 1, ..meta },
            tables: FastMap::with_capacity_and_hasher(tables, Default::default()),
            owners: HashMap::new(),
            posted: Vec::new(),
            requests: HashMap::new(),
            trimmed: false,
        }
    }

    /// Reports whether there is anything to write.
    pub(super) fn changes(&self) -> bool {
        let changed = |change: &TableChange| {
            let new = change.pending.as_ref();
            change.deleted
                || new.is_some_and(|pending| pending.row.is_some() || !pending.new_entries.is_empty())
        };
        self.trimmed || !self.posted.is_empty() || self.tables.values().any(changed)
    }

    /// Loads a table into this commit, unless it is there already.
    pub(super) fn load(&mut self, id: TableId) -> Result<(), LogError> {
        let hash_map::Entry::Vacant(place) = self.tables.entry(id) else { return Ok(()) };
        let pending = match self.index.tables.get(&id) {
            Some(table) => Some(PendingTable::in_play(table)),
            None => match StoredRow::find(self.db, &id, self.errors)? {
                Some(row) => {
                    let bytes = self.errors.wrap(log_length(self.db, &id))?;
                    Some(PendingTable::at_rest(&row, bytes))
                }
                None => None,
            },
        };
        place.insert(TableChange { stored: pending.is_some(), pending, deleted: false });
        Ok(())
    }

    /// The row of an existing table, as it will be after the commit.
    pub(super) fn row(&self, id: &TableId, pending: &PendingTable) -> Result<StoredRow, LogError> {
        match &pending.row {
            Some(row) => Ok(StoredRow::clone(row)),
            None => {
                let row = StoredRow::find(self.db, id, self.errors)?;
                row.ok_or_else(|| self.errors.damaged_table(*id))
            }
        }
    }

    /// The table that a request id created.
    fn find_by_request(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        if let Some(made) = self.requests.get(&(owner.clone(), request.to_owned())) {
            return Ok(*made);
        }
        super::reader::find_by_request(self.db, owner, request, self.errors)
    }

    /// Loads the feed ranges of these owners.
    fn load_owners(&mut self, posts: &[NewFeedItem]) -> Result<(), LogError> {
        for NewFeedItem { owner, .. } in posts {
            if !self.owners.contains_key(owner) {
                let range = FeedRange::load(self.db, owner, self.errors)?;
                self.owners.insert(owner.clone(), range);
            }
        }
        Ok(())
    }

    fn post(&mut self, at: Millis, posts: &[NewFeedItem]) -> Vec<u64> {
        let mut given = Vec::with_capacity(posts.len());
        for NewFeedItem { owner, payload } in posts {
            let range = self.owners.entry(owner.clone()).or_insert(FeedRange::EMPTY);
            range.last += 1;
            given.push(range.last);
            let item = FeedItem { number: range.last, at, payload: payload.clone() };
            self.posted.push((owner.clone(), item));
        }
        given
    }

    /// Validates an append and adds it to the commit.
    pub(super) fn append(&mut self, append: &Append) -> Result<Appended, LogError> {
        let id = append.table;
        if let (Some(listing), Some(request)) = (&append.listing, &append.request)
            && let Some(table) = self.find_by_request(&listing.owner, request)?
        {
            return Err(LogError::DuplicateRequest { table });
        }
        self.load(id)?;
        self.load_owners(&append.feed)?;
        let pending = self.tables.get(&id).and_then(|change| change.pending.as_ref());
        let listed = append.listing.is_some() || append.place.is_some();
        let before = match pending {
            // A table at rest or finished has its whole log in its row, so the row changes with every entry.
            Some(pending) if listed || pending.place != Place::InPlay => Some(self.row(&id, pending)?),
            _ => None,
        };
        let current = pending.map(|pending| TableState {
            length: pending.chain.length,
            place: pending.place,
            listing: before.as_ref().map(|row| &row.listing),
        });
        check_append(append, current)?;
        let bytes = pending.map_or(0, |pending| pending.bytes + pending.new_entries.len() as u64);
        let new_bytes = encoded_length(&append.entries);
        if bytes + new_bytes > limits::MAX_LOG_BYTES {
            return Err(LogError::LogFull { table: id });
        }

        // No refusal beyond this point.
        let row = before.map_or_else(|| self.new_row(append, pending.is_none()), Some);
        let feed = self.post(append.at, &append.feed);
        let Some(change) = self.tables.get_mut(&id) else {
            return Err(LogError::Closed);
        };
        let pending = change.pending.get_or_insert_with(|| PendingTable::new(&id));
        pending.new_entries.reserve(new_bytes as usize);
        for payload in &append.entries {
            pending.chain.append_encoded(payload, &mut pending.new_entries);
        }
        if let Some(mut row) = row {
            if listed {
                row.updated = append.at;
            }
            if let Some(listing) = &append.listing {
                row.listing = listing.clone();
            }
            if let Some(place) = &append.place {
                row.place = place.place();
                pending.place = row.place;
            }
            if let Some(NewPlace::Finished { record }) = &append.place {
                row.record_hash = Some(record_hash(record));
                pending.record = Some(record.clone());
            }
            if let Some(request) = &append.request {
                let key = (row.listing.owner.clone(), request.clone());
                self.requests.insert(key, Some(id));
            }
            pending.row = Some(Box::new(row));
        }
        Ok(Appended { length: pending.chain.length, head: pending.chain.head, feed })
    }

    /// The row of a table that this append creates.
    fn new_row(&self, append: &Append, create: bool) -> Option<StoredRow> {
        let listing = append.listing.clone().filter(|_| create)?;
        Some(StoredRow {
            id: append.table,
            listing,
            created: append.at,
            updated: append.at,
            request: append.request.clone(),
            place: Place::InPlay,
            journal_from: self.meta.seq,
            stored: HashChain::new(&append.table),
            record_hash: None,
        })
    }

    /// Validates a deletion and adds it to the commit.
    pub(super) fn delete(&mut self, delete: &Delete) -> Result<Vec<u64>, LogError> {
        let table = delete.table;
        self.load(table)?;
        self.load_owners(&delete.feed)?;
        let Some(pending) = self.tables.get(&table).and_then(|change| change.pending.as_ref()) else {
            return Err(LogError::NoSuchTable { table });
        };
        let row = self.row(&table, pending)?;
        if let Some(request) = row.request {
            self.requests.insert((row.listing.owner, request), None);
        }
        if let Some(change) = self.tables.get_mut(&table) {
            change.pending = None;
            change.deleted = true;
        }
        Ok(self.post(delete.at, &delete.feed))
    }

    /// Adds one step of retention to the commit, which must contain nothing else. Also returns whether
    /// retention is complete.
    pub(super) fn apply_retention(&mut self, since: Millis) -> Result<(RetentionCounts, bool), LogError> {
        let mut retained = RetentionCounts::default();
        let old: Vec<[u8; 16]> = self.errors.wrap(
            self.db
                .prepare_cached(
                    "SELECT id FROM tables WHERE place = 2 AND updated < ?1 ORDER BY updated LIMIT ?2",
                )
                .and_then(|mut select| select.query_map((since.0, RETAIN_STEP), |row| row.get(0))?.collect()),
        )?;
        let mut done = old.len() < RETAIN_STEP;
        for id in old {
            self.delete(&Delete { table: TableId::from_bytes(id), at: since, feed: Vec::new() })?;
            retained.tables += 1;
        }
        for (owner, mut range) in feed::owners(self.db, self.errors)? {
            let count = feed::trim(self.db, &owner, &mut range, since, self.errors)?;
            self.trimmed |= count > 0;
            done &= count < limits::MAX_FEED_PAGE_ITEMS as u64;
            retained.feed_items += count;
        }
        Ok((retained, done))
    }
}
