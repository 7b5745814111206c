//! Committed state of a log in memory, and the commits that change it.

use std::collections::{BTreeMap, HashMap, VecDeque, btree_map};
use std::sync::Arc;

use bytes::Bytes;

use crate::append::{TableState, check_append, limits};
use crate::chain::{HashChain, encoded_length};
use crate::follow::TopicHub;
use crate::{
    Append, Appended, Delete, Entry, FeedItem, LogError, Millis, NewFeedItem, NewPlace, OwnerId, Place,
    RetentionCounts, TableId, TableRow,
};

/// A write to the log.
pub(super) enum MemoryCommand {
    Append(Append),
    Delete(Delete),
}

/// Topics to publish commits to.
pub(super) struct FollowerHubs {
    pub(super) tables: Arc<TopicHub<TableId, Entry>>,
    pub(super) owners: Arc<TopicHub<OwnerId, FeedItem>>,
}

/// Everything committed.
#[derive(Default)]
pub(super) struct CommittedState {
    pub(super) tables: BTreeMap<TableId, MemoryTable>,
    feeds: HashMap<OwnerId, OwnerFeed>,
    pub(super) requests: HashMap<(OwnerId, String), TableId>,
}

/// One table.
pub(super) struct MemoryTable {
    pub(super) row: TableRow,
    chain: HashChain,
    bytes: u64,
    pub(super) entries: Vec<Entry>,
    pub(super) record: Option<Bytes>,
    request: Option<String>,
}

/// Feed of one owner: the kept items, up to number `last`.
#[derive(Default)]
struct OwnerFeed {
    last: u64,
    items: VecDeque<FeedItem>,
}

impl CommittedState {
    pub(super) fn table(&self, table: &TableId) -> Result<&MemoryTable, LogError> {
        self.tables.get(table).ok_or(LogError::NoSuchTable { table: *table })
    }

    fn validate(&self, append: &Append) -> Result<(), LogError> {
        if let (Some(listing), Some(request)) = (&append.listing, &append.request)
            && let Some(table) = self.requests.get(&(listing.owner.clone(), request.clone()))
        {
            return Err(LogError::DuplicateRequest { table: *table });
        }
        let table = self.tables.get(&append.table);
        let current = table.map(|table| TableState {
            length: table.chain.length,
            place: table.row.place,
            listing: Some(&table.row.listing),
        });
        check_append(append, current)?;
        let bytes = table.map_or(0, |table| table.bytes) + encoded_length(&append.entries);
        if bytes > limits::MAX_LOG_BYTES {
            return Err(LogError::LogFull { table: append.table });
        }
        Ok(())
    }

    fn remove(&mut self, id: &TableId) -> Result<(), LogError> {
        let Some(table) = self.tables.remove(id) else {
            return Err(LogError::NoSuchTable { table: *id });
        };
        if let Some(request) = table.request {
            self.requests.remove(&(table.row.listing.owner, request));
        }
        Ok(())
    }

    /// One page of an owner's feed.
    pub(super) fn feed(&self, owner: &OwnerId, after: u64) -> Result<Vec<FeedItem>, LogError> {
        let Some(feed) = self.feeds.get(owner) else {
            return match after {
                0 => Ok(Vec::new()),
                _ => Err(LogError::FeedAhead { owner: owner.clone(), last: 0 }),
            };
        };
        if after > feed.last {
            return Err(LogError::FeedAhead { owner: owner.clone(), last: feed.last });
        }
        let first = feed.last + 1 - feed.items.len() as u64;
        if after + 1 < first {
            return Err(LogError::FeedTrimmed { owner: owner.clone(), first });
        }
        let skip = (after + 1 - first) as usize;
        Ok(feed.items.iter().skip(skip).take(limits::MAX_FEED_PAGE_ITEMS).cloned().collect())
    }

    /// Applies a write and publishes it, or refuses it and changes nothing.
    pub(super) fn commit(
        &mut self,
        command: MemoryCommand,
        followers: &FollowerHubs,
    ) -> Result<Appended, LogError> {
        match command {
            MemoryCommand::Append(append) => self.append(append, followers),
            MemoryCommand::Delete(delete) => {
                self.remove(&delete.table)?;
                let feed = self.post(delete.at, delete.feed, followers);
                let table = delete.table;
                followers.tables.end_topic(&table, Some(LogError::NoSuchTable { table }));
                Ok(Appended { length: 0, head: [0; 32], feed })
            }
        }
    }

    fn append(&mut self, append: Append, followers: &FollowerHubs) -> Result<Appended, LogError> {
        self.validate(&append)?;
        let id = append.table;
        let table = match (self.tables.entry(id), append.listing) {
            (btree_map::Entry::Occupied(table), listing) => {
                let table = table.into_mut();
                if listing.is_some() || append.place.is_some() {
                    table.row.updated = append.at;
                }
                if let Some(listing) = listing {
                    table.row.listing = listing;
                }
                table
            }
            (btree_map::Entry::Vacant(free), Some(listing)) => {
                if let Some(request) = &append.request {
                    let key = (listing.owner.clone(), request.clone());
                    self.requests.insert(key, id);
                }
                free.insert(MemoryTable {
                    row: TableRow {
                        id,
                        listing,
                        created: append.at,
                        updated: append.at,
                        place: Place::InPlay,
                    },
                    chain: HashChain::new(&id),
                    bytes: 0,
                    entries: Vec::new(),
                    record: None,
                    request: append.request,
                })
            }
            (btree_map::Entry::Vacant(_), None) => {
                return Err(LogError::NoSuchTable { table: id });
            }
        };
        table.bytes += encoded_length(&append.entries);
        let first = table.entries.len();
        for payload in append.entries {
            table.entries.push(table.chain.append(payload));
        }
        if let Some(place) = append.place {
            table.row.place = place.place();
            if let NewPlace::Finished { record } = place {
                table.record = Some(record);
            }
        }
        followers.tables.publish(&id, &table.entries[first..]);
        if table.row.place == Place::Finished {
            followers.tables.end_topic(&id, None);
        }
        let HashChain { length, head } = table.chain;
        let feed = self.post(append.at, append.feed, followers);
        Ok(Appended { length, head, feed })
    }

    fn post(&mut self, at: Millis, posts: Vec<NewFeedItem>, followers: &FollowerHubs) -> Vec<u64> {
        let mut numbers = Vec::with_capacity(posts.len());
        for NewFeedItem { owner, payload } in posts {
            let feed = self.feeds.entry(owner.clone()).or_default();
            feed.last += 1;
            let item = FeedItem { number: feed.last, at, payload };
            numbers.push(item.number);
            followers.owners.publish(&owner, std::slice::from_ref(&item));
            feed.items.push_back(item);
        }
        numbers
    }

    /// Removes the tables finished before this time, and the feed items posted before it.
    pub(super) fn apply_retention(&mut self, since: Millis) -> Result<RetentionCounts, LogError> {
        let mut retained = RetentionCounts::default();
        let old = |table: &&MemoryTable| table.row.place == Place::Finished && table.row.updated < since;
        let old: Vec<TableId> = self.tables.values().filter(old).map(|table| table.row.id).collect();
        for table in old {
            self.remove(&table)?;
            retained.tables += 1;
        }
        for feed in self.feeds.values_mut() {
            while feed.items.front().is_some_and(|item| item.at < since) {
                feed.items.pop_front();
                retained.feed_items += 1;
            }
        }
        Ok(retained)
    }
}
