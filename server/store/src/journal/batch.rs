//! One group commit: requests of many callers, validated one after the other, then written together.
//!
//! Validation only reads, so a refused request changes nothing and does not affect the others. All writes
//! happen at the end, once per table: many appends to a table in one commit cost as much as one.

use std::collections::{HashMap, hash_map};

use super::errors::StoreErrors;
use super::feed::FeedRange;
use super::index::JournalIndex;
use super::row::{StoredRow, record_hash};
use super::table_change::{PendingTable, TableChange};
use crate::FastMap;
use crate::append::{TableState, check_append, limits};
use crate::chain::{HashChain, encoded_length};
use crate::{
    Append, Appended, Delete, FeedItem, LogError, Millis, NewFeedItem, NewPlace, OwnerId, Place, TableId,
};

/// The stored rows as a commit reads them, in the transaction that writes it.
pub(crate) trait StoredRows {
    /// The row of a table in any place.
    fn find(&self, id: &TableId) -> Result<Option<StoredRow>, LogError>;

    /// Bytes of the part of a log that its row has.
    fn log_length(&self, id: &TableId) -> Result<u64, LogError>;

    /// Verifies that the part of a log that its row has can be read.
    fn check_log(&self, id: &TableId) -> Result<(), LogError>;

    /// The table that an owner's request id created.
    fn find_by_request(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError>;

    /// Refuses a table that this store must not change.
    fn check_owner(&self, _: TableId) -> Result<(), LogError> {
        Ok(())
    }

    /// The kept numbers of an owner's feed.
    fn feed_range(&self, owner: &OwnerId) -> Result<FeedRange, LogError>;
}

/// A commit being assembled.
pub(crate) struct CommitBatch<'a, R> {
    pub(crate) rows: &'a R,
    pub(crate) index: &'a JournalIndex,
    pub(crate) errors: StoreErrors<'a>,
    /// Sequence number of the commit.
    pub(crate) seq: u64,
    pub(crate) tables: FastMap<TableId, TableChange>,
    pub(crate) owners: HashMap<OwnerId, FeedRange>,
    pub(crate) posted: Vec<(OwnerId, FeedItem)>,
    /// Request ids changed by this commit: the table that each created, or `None` if its table was deleted.
    requests: HashMap<(OwnerId, String), Option<TableId>>,
    /// Set when feeds were trimmed.
    pub(crate) trimmed: bool,
}

impl<'a, R: StoredRows> CommitBatch<'a, R> {
    /// An empty commit with capacity for this many tables.
    pub(crate) fn new(
        rows: &'a R,
        index: &'a JournalIndex,
        seq: u64,
        errors: StoreErrors<'a>,
        tables: usize,
    ) -> CommitBatch<'a, R> {
        CommitBatch {
            rows,
            index,
            errors,
            seq,
            tables: FastMap::with_capacity_and_hasher(tables, Default::default()),
            owners: HashMap::new(),
            posted: Vec::new(),
            requests: HashMap::new(),
            trimmed: false,
        }
    }

    /// Reports whether there is anything to write.
    pub(crate) fn changes(&self) -> bool {
        let changed = |change: &TableChange| {
            let new = change.pending.as_ref();
            change.deleted
                || new.is_some_and(|pending| pending.row.is_some() || !pending.new_entries.is_empty())
        };
        self.trimmed || !self.posted.is_empty() || self.tables.values().any(changed)
    }

    /// Loads a table into this commit, unless it is there already.
    pub(crate) fn load(&mut self, id: TableId) -> Result<(), LogError> {
        let hash_map::Entry::Vacant(place) = self.tables.entry(id) else { return Ok(()) };
        let pending = match self.index.tables.get(&id) {
            Some(table) => Some(PendingTable::in_play(table)),
            None => match self.rows.find(&id)? {
                Some(row) => Some(PendingTable::at_rest(&row, self.rows.log_length(&id)?)),
                None => None,
            },
        };
        place.insert(TableChange { stored: pending.is_some(), pending, deleted: false });
        Ok(())
    }

    /// The row of an existing table, as it will be after the commit.
    pub(crate) fn row(&self, id: &TableId, pending: &PendingTable) -> Result<StoredRow, LogError> {
        match &pending.row {
            Some(row) => Ok(StoredRow::clone(row)),
            None => self.rows.find(id)?.ok_or_else(|| self.errors.damaged_table(*id)),
        }
    }

    /// The table that a request id created.
    fn find_by_request(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        if let Some(made) = self.requests.get(&(owner.clone(), request.to_owned())) {
            return Ok(*made);
        }
        self.rows.find_by_request(owner, request)
    }

    /// Loads the feed ranges of these owners.
    fn load_owners(&mut self, posts: &[NewFeedItem]) -> Result<(), LogError> {
        for NewFeedItem { owner, .. } in posts {
            if !self.owners.contains_key(owner) {
                let range = self.rows.feed_range(owner)?;
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
    pub(crate) fn append(&mut self, append: &Append) -> Result<Appended, LogError> {
        let id = append.table;
        self.rows.check_owner(id)?;
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
            journal_from: self.seq,
            stored: HashChain::new(&append.table),
            record_hash: None,
        })
    }

    /// Validates a deletion and adds it to the commit.
    pub(crate) fn delete(&mut self, delete: &Delete) -> Result<Vec<u64>, LogError> {
        let table = delete.table;
        self.rows.check_owner(table)?;
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

    /// Writes a table in play out, whether or not the journal is too long.
    pub(crate) fn write_out(&mut self, id: TableId) -> Result<(), LogError> {
        self.load(id)?;
        let pending = self.tables.get(&id).and_then(|change| change.pending.as_ref());
        let mut row = self.row(&id, pending.ok_or(LogError::NoSuchTable { table: id })?)?;
        row.journal_from = self.seq + 1;
        if let Some(pending) = self.tables.get_mut(&id).and_then(|change| change.pending.as_mut()) {
            pending.row = Some(Box::new(row));
            pending.write_out = true;
        }
        Ok(())
    }
}
