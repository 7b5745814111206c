//! One commit: what many callers asked for, judged one after the other, then written together.
//!
//! Judging only reads. Whatever is refused has changed nothing, and the others go on. What is written is written at
//! the end, once a table: many appends to a table in one commit cost as much as one.

use std::collections::{HashMap, hash_map};

use rusqlite::Connection;

use super::failure::Failing;
use super::feed::{self, Numbers};
use super::index::Index;
use super::journal::Meta;
use super::row::{Row, log_length, record_hash};
use super::work::{Now, Work};
use crate::QuickMap;
use crate::log::append::{Current, admit, limits};
use crate::log::chain::{Chain, encoded_length};
use crate::log::{
    Append, Appended, Delete, FeedItem, LogError, Millis, NewPlace, OwnerId, Place, Post, Retained, TableId,
};

/// How many tables retention removes in one commit.
const RETAIN_STEP: usize = 256;

/// A commit in the making.
pub(super) struct Batch<'a> {
    pub(super) db: &'a Connection,
    pub(super) index: &'a Index,
    pub(super) failing: Failing<'a>,
    /// The store as it will be.
    pub(super) meta: Meta,
    pub(super) tables: QuickMap<TableId, Work>,
    pub(super) owners: HashMap<OwnerId, Numbers>,
    pub(super) posted: Vec<(OwnerId, FeedItem)>,
    /// What the requests of this commit made, or had made before their table was deleted.
    requests: HashMap<(OwnerId, String), Option<TableId>>,
    /// Whether feeds were trimmed.
    pub(super) trimmed: bool,
}

impl<'a> Batch<'a> {
    /// With room for so many tables.
    pub(super) fn new(
        db: &'a Connection,
        index: &'a Index,
        meta: Meta,
        failing: Failing<'a>,
        tables: usize,
    ) -> Batch<'a> {
        Batch {
            db,
            index,
            failing,
            meta: Meta { seq: meta.seq + 1, ..meta },
            tables: QuickMap::with_capacity_and_hasher(tables, Default::default()),
            owners: HashMap::new(),
            posted: Vec::new(),
            requests: HashMap::new(),
            trimmed: false,
        }
    }

    /// Whether there is anything to write.
    pub(super) fn changes(&self) -> bool {
        let changed = |work: &Work| {
            let new = work.now.as_ref();
            work.deleted || new.is_some_and(|now| now.row.is_some() || !now.fresh.is_empty())
        };
        self.trimmed || !self.posted.is_empty() || self.tables.values().any(changed)
    }

    /// Makes sure that a table is among those of this commit.
    pub(super) fn load(&mut self, id: TableId) -> Result<(), LogError> {
        let hash_map::Entry::Vacant(place) = self.tables.entry(id) else { return Ok(()) };
        let now = match self.index.tables.get(&id) {
            Some(table) => Some(Now::in_play(table)),
            None => match Row::find(self.db, &id, self.failing)? {
                Some(row) => {
                    let bytes = self.failing.at(log_length(self.db, &id))?;
                    Some(Now::at_rest(&row, bytes))
                }
                None => None,
            },
        };
        place.insert(Work { stored: now.is_some(), now, deleted: false });
        Ok(())
    }

    /// The row of a table that exists, as it will be.
    pub(super) fn row(&self, id: &TableId, now: &Now) -> Result<Row, LogError> {
        match &now.row {
            Some(row) => Ok(Row::clone(row)),
            None => {
                let row = Row::find(self.db, id, self.failing)?;
                row.ok_or_else(|| self.failing.damaged_table(*id))
            }
        }
    }

    /// The table that a request made.
    fn requested(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        if let Some(made) = self.requests.get(&(owner.clone(), request.to_owned())) {
            return Ok(*made);
        }
        super::read::requested(self.db, owner, request, self.failing)
    }

    /// Makes sure that the numbers of these owners are known.
    fn load_owners(&mut self, posts: &[Post]) -> Result<(), LogError> {
        for Post { owner, .. } in posts {
            if !self.owners.contains_key(owner) {
                let numbers = Numbers::load(self.db, owner, self.failing)?;
                self.owners.insert(owner.clone(), numbers);
            }
        }
        Ok(())
    }

    fn post(&mut self, at: Millis, posts: &[Post]) -> Vec<u64> {
        let mut given = Vec::with_capacity(posts.len());
        for Post { owner, payload } in posts {
            let numbers = self.owners.entry(owner.clone()).or_insert(Numbers::NONE);
            numbers.last += 1;
            given.push(numbers.last);
            let item = FeedItem { number: numbers.last, at, payload: payload.clone() };
            self.posted.push((owner.clone(), item));
        }
        given
    }

    /// Judges an append, and takes it into the commit.
    pub(super) fn append(&mut self, append: &Append) -> Result<Appended, LogError> {
        let id = append.table;
        if let (Some(listing), Some(request)) = (&append.listing, &append.request)
            && let Some(table) = self.requested(&listing.owner, request)?
        {
            return Err(LogError::Repeated { table });
        }
        self.load(id)?;
        self.load_owners(&append.feed)?;
        let now = self.tables.get(&id).and_then(|work| work.now.as_ref());
        let listed = append.listing.is_some() || append.place.is_some();
        let before = match now {
            // A table that rests or is finished has its whole log in its row, so the row changes with every entry.
            Some(now) if listed || now.place != Place::InPlay => Some(self.row(&id, now)?),
            _ => None,
        };
        let current = now.map(|now| Current {
            length: now.chain.length,
            place: now.place,
            listing: before.as_ref().map(|row| &row.listing),
        });
        admit(append, current)?;
        let bytes = now.map_or(0, |now| now.bytes + now.fresh.len() as u64);
        let new_bytes = encoded_length(&append.entries);
        if bytes + new_bytes > limits::LOG {
            return Err(LogError::Full { table: id });
        }

        // From here on nothing is refused.
        let row = before.map_or_else(|| self.new_row(append, now.is_none()), Some);
        let feed = self.post(append.at, &append.feed);
        let Some(work) = self.tables.get_mut(&id) else {
            return Err(LogError::Closed);
        };
        let now = work.now.get_or_insert_with(|| Now::new(&id));
        now.fresh.reserve(new_bytes as usize);
        for payload in &append.entries {
            now.chain.write(payload, &mut now.fresh);
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
                now.place = row.place;
            }
            if let Some(NewPlace::Finished { record }) = &append.place {
                row.record_hash = Some(record_hash(record));
                now.record = Some(record.clone());
            }
            if let Some(request) = &append.request {
                let key = (row.listing.owner.clone(), request.clone());
                self.requests.insert(key, Some(id));
            }
            now.row = Some(Box::new(row));
        }
        Ok(Appended { length: now.chain.length, head: now.chain.head, feed })
    }

    /// The row of a table that this append creates.
    fn new_row(&self, append: &Append, create: bool) -> Option<Row> {
        let listing = append.listing.clone().filter(|_| create)?;
        Some(Row {
            id: append.table,
            listing,
            created: append.at,
            updated: append.at,
            request: append.request.clone(),
            place: Place::InPlay,
            journal_from: self.meta.seq,
            stored: Chain::of(&append.table),
            record_hash: None,
        })
    }

    /// Judges a deletion, and takes it into the commit.
    pub(super) fn delete(&mut self, delete: &Delete) -> Result<Vec<u64>, LogError> {
        let table = delete.table;
        self.load(table)?;
        self.load_owners(&delete.feed)?;
        let Some(now) = self.tables.get(&table).and_then(|work| work.now.as_ref()) else {
            return Err(LogError::NoSuchTable { table });
        };
        let row = self.row(&table, now)?;
        if let Some(request) = row.request {
            self.requests.insert((row.listing.owner, request), None);
        }
        if let Some(work) = self.tables.get_mut(&table) {
            work.now = None;
            work.deleted = true;
        }
        Ok(self.post(delete.at, &delete.feed))
    }

    /// Takes one step of retention into the commit, which must be about nothing else. Gives also whether that was
    /// all.
    pub(super) fn retain(&mut self, since: Millis) -> Result<(Retained, bool), LogError> {
        let mut retained = Retained::default();
        let old: Vec<[u8; 16]> = self.failing.at(self
            .db
            .prepare_cached(
                "SELECT id FROM tables WHERE place = 2 AND updated < ?1 ORDER BY updated LIMIT ?2",
            )
            .and_then(|mut select| select.query_map((since.0, RETAIN_STEP), |row| row.get(0))?.collect()))?;
        let mut done = old.len() < RETAIN_STEP;
        for id in old {
            self.delete(&Delete { table: TableId::from_bytes(id), at: since, feed: Vec::new() })?;
            retained.tables += 1;
        }
        for (owner, mut numbers) in feed::owners(self.db, self.failing)? {
            let count = feed::trim(self.db, &owner, &mut numbers, since, self.failing)?;
            self.trimmed |= count > 0;
            done &= count < limits::FEED_PAGE as u64;
            retained.feed_items += count;
        }
        Ok((retained, done))
    }
}
