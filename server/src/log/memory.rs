//! A log in memory: for training, where nothing needs to last, and for simulations of crashes.
//!
//! In a simulation nothing is durable by itself: appends wait for [`MemoryLog::sync`], and [`MemoryLog::crash`] loses
//! those that still wait.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::oneshot;

use super::append::{Current, admit, limits};
use super::chain::{Chain, encoded_length};
use super::follow::{Hub, Rest};
use super::{
    Append, Appended, Delete, Entry, FeedItem, Filter, Follow, Log, LogError, Millis, NewPlace, OwnerId,
    Page, Place, Post, Retained, StartUp, TableId, TableRow, Tables,
};

/// How many appends may wait for [`MemoryLog::sync`].
const QUEUE: usize = 4096;

/// A log that is gone with the process.
pub struct MemoryLog {
    state: Mutex<State>,
    tables: Arc<Hub<TableId, Entry>>,
    owners: Arc<Hub<OwnerId, FeedItem>>,
}

/// What is committed, and what waits for it.
struct State {
    committed: Committed,
    /// `None` when every append is durable at once.
    waiting: Option<Vec<Waiting>>,
    crashed: bool,
}

struct Waiting {
    job: Job,
    answer: oneshot::Sender<Result<Appended, LogError>>,
}

enum Job {
    Append(Append),
    Delete(Delete),
}

#[derive(Clone, Default)]
struct Committed {
    tables: BTreeMap<TableId, Table>,
    feeds: HashMap<OwnerId, Feed>,
    requests: HashMap<(OwnerId, String), TableId>,
}

#[derive(Clone)]
struct Table {
    row: TableRow,
    chain: Chain,
    bytes: u64,
    entries: Vec<Entry>,
    record: Option<Bytes>,
    request: Option<String>,
}

#[derive(Clone, Default)]
struct Feed {
    last: u64,
    items: VecDeque<FeedItem>,
}

impl Default for MemoryLog {
    fn default() -> MemoryLog {
        MemoryLog::new()
    }
}

impl MemoryLog {
    /// An empty log, in which every append is durable at once, as far as memory is.
    #[must_use]
    pub fn new() -> MemoryLog {
        MemoryLog::with(Committed::default(), None)
    }

    /// An empty log, in which appends wait for [`MemoryLog::sync`].
    #[must_use]
    pub fn simulated() -> MemoryLog {
        MemoryLog::with(Committed::default(), Some(Vec::new()))
    }

    fn with(committed: Committed, waiting: Option<Vec<Waiting>>) -> MemoryLog {
        MemoryLog {
            state: Mutex::new(State { committed, waiting, crashed: false }),
            tables: Hub::new(),
            owners: Hub::new(),
        }
    }

    /// Makes durable, and answers, all that waits. Gives how many appends and deletions that were.
    pub fn sync(&self) -> usize {
        let mut state = self.state();
        let waiting = state.waiting.as_mut().map(std::mem::take).unwrap_or_default();
        let count = waiting.len();
        for Waiting { job, answer } in waiting {
            // A caller that has gone needs no answer.
            let _ = answer.send(self.commit(&mut state.committed, job));
        }
        count
    }

    /// The machine fails: what waits is lost, callers and followers are cut off. Gives the log as it is found after
    /// the next start; this one answers [`LogError::Closed`] from now on.
    #[must_use]
    pub fn crash(&self) -> MemoryLog {
        let mut state = self.state();
        state.crashed = true;
        let waiting = state.waiting.take().map(|_lost| Vec::new());
        self.tables.close();
        self.owners.close();
        MemoryLog::with(std::mem::take(&mut state.committed), waiting)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is checked before it begins, so a panic leaves none half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at what is committed.
    fn look<T>(&self, look: impl FnOnce(&Committed) -> Result<T, LogError>) -> Result<T, LogError> {
        let state = self.state();
        if state.crashed {
            return Err(LogError::Closed);
        }
        look(&state.committed)
    }

    async fn submit(&self, job: Job) -> Result<Appended, LogError> {
        let answer = {
            let mut state = self.state();
            let State { committed, waiting, crashed } = &mut *state;
            if *crashed {
                return Err(LogError::Closed);
            }
            let Some(waiting) = waiting else {
                return self.commit(committed, job);
            };
            if waiting.len() >= QUEUE {
                return Err(LogError::Busy);
            }
            let (answer, answered) = oneshot::channel();
            waiting.push(Waiting { job, answer });
            answered
        };
        answer.await.unwrap_or(Err(LogError::Closed))
    }

    fn commit(&self, committed: &mut Committed, job: Job) -> Result<Appended, LogError> {
        match job {
            Job::Append(append) => self.commit_append(committed, append),
            Job::Delete(delete) => {
                committed.remove(&delete.table)?;
                let feed = self.post(committed, delete.at, delete.feed);
                let table = delete.table;
                self.tables.end(&table, Some(LogError::NoSuchTable { table }));
                Ok(Appended { length: 0, head: [0; 32], feed })
            }
        }
    }

    fn commit_append(&self, committed: &mut Committed, append: Append) -> Result<Appended, LogError> {
        committed.admit(&append)?;
        let id = append.table;
        let table = match (committed.tables.entry(id), append.listing) {
            (std::collections::btree_map::Entry::Occupied(table), listing) => {
                let table = table.into_mut();
                if listing.is_some() || append.place.is_some() {
                    table.row.updated = append.at;
                }
                if let Some(listing) = listing {
                    table.row.listing = listing;
                }
                table
            }
            (std::collections::btree_map::Entry::Vacant(free), Some(listing)) => {
                if let Some(request) = &append.request {
                    let key = (listing.owner.clone(), request.clone());
                    committed.requests.insert(key, id);
                }
                free.insert(Table {
                    row: TableRow {
                        id,
                        listing,
                        created: append.at,
                        updated: append.at,
                        place: Place::InPlay,
                    },
                    chain: Chain::of(&id),
                    bytes: 0,
                    entries: Vec::new(),
                    record: None,
                    request: append.request,
                })
            }
            (std::collections::btree_map::Entry::Vacant(_), None) => {
                return Err(LogError::NoSuchTable { table: id });
            }
        };
        table.bytes += encoded_length(&append.entries);
        let first = table.entries.len();
        for payload in append.entries {
            table.entries.push(table.chain.link(payload));
        }
        if let Some(place) = append.place {
            table.row.place = place.place();
            if let NewPlace::Finished { record } = place {
                table.record = Some(record);
            }
        }
        self.tables.publish(&id, &table.entries[first..]);
        if table.row.place == Place::Finished {
            self.tables.end(&id, None);
        }
        let Chain { length, head } = table.chain;
        let feed = self.post(committed, append.at, append.feed);
        Ok(Appended { length, head, feed })
    }

    fn post(&self, committed: &mut Committed, at: Millis, posts: Vec<Post>) -> Vec<u64> {
        let mut numbers = Vec::with_capacity(posts.len());
        for Post { owner, payload } in posts {
            let feed = committed.feeds.entry(owner.clone()).or_default();
            feed.last += 1;
            let item = FeedItem { number: feed.last, at, payload };
            numbers.push(item.number);
            self.owners.publish(&owner, std::slice::from_ref(&item));
            feed.items.push_back(item);
        }
        numbers
    }
}

impl Committed {
    fn table(&self, table: &TableId) -> Result<&Table, LogError> {
        self.tables.get(table).ok_or(LogError::NoSuchTable { table: *table })
    }

    fn admit(&self, append: &Append) -> Result<(), LogError> {
        if let (Some(listing), Some(request)) = (&append.listing, &append.request)
            && let Some(table) = self.requests.get(&(listing.owner.clone(), request.clone()))
        {
            return Err(LogError::Repeated { table: *table });
        }
        let table = self.tables.get(&append.table);
        let current = table.map(|table| Current {
            length: table.chain.length,
            place: table.row.place,
            owner: Some(&table.row.listing.owner),
        });
        admit(append, current)?;
        let bytes = table.map_or(0, |table| table.bytes) + encoded_length(&append.entries);
        if bytes > limits::LOG {
            return Err(LogError::Full { table: append.table });
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

    fn feed(&self, owner: &OwnerId, after: u64) -> Result<Vec<FeedItem>, LogError> {
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
        Ok(feed.items.iter().skip(skip).take(limits::FEED_PAGE).cloned().collect())
    }
}

#[async_trait]
impl Log for MemoryLog {
    async fn append(&self, append: Append) -> Result<Appended, LogError> {
        append.validate()?;
        self.submit(Job::Append(append)).await
    }

    async fn read(&self, table: TableId, from: u64) -> Result<Vec<Entry>, LogError> {
        self.look(|committed| {
            let entries = &committed.table(&table)?.entries;
            let rest = usize::try_from(from).ok().and_then(|from| entries.get(from..));
            rest.map(<[Entry]>::to_vec).ok_or(LogError::Ahead { table, length: entries.len() as u64 })
        })
    }

    async fn follow(&self, table: TableId, from: u64) -> Result<Follow<Entry>, LogError> {
        let listening = self.tables.listen(table);
        let entries = self.read(table, from).await?;
        let finished = self.look(|committed| Ok(committed.table(&table)?.row.place == Place::Finished))?;
        Ok(listening.after(entries, from, Rest::of_table(finished)))
    }

    async fn find(&self, table: TableId) -> Result<TableRow, LogError> {
        self.look(|committed| Ok(committed.table(&table)?.row.clone()))
    }

    async fn record(&self, table: TableId) -> Result<Option<Bytes>, LogError> {
        self.look(|committed| Ok(committed.table(&table)?.record.clone()))
    }

    async fn requested(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        let key = (owner.clone(), request.to_owned());
        self.look(|committed| Ok(committed.requests.get(&key).copied()))
    }

    async fn tables(&self, filter: Filter, page: Page) -> Result<Tables, LogError> {
        self.look(|committed| {
            let size = page.bounded_size();
            let older = match page.after {
                Some(after) => committed.tables.range(..after),
                None => committed.tables.range::<TableId, _>(..),
            };
            let mut passing = older.rev().filter(|(_, table)| filter.passes(&table.row.listing));
            let tables: Vec<_> = passing.by_ref().take(size).map(|(_, table)| table.row.clone()).collect();
            let next = passing.next().and(tables.last()).map(|last| last.id);
            Ok(Tables { tables, next })
        })
    }

    async fn owner_feed(&self, owner: &OwnerId, after: u64) -> Result<Vec<FeedItem>, LogError> {
        self.look(|committed| committed.feed(owner, after))
    }

    async fn follow_owner(&self, owner: &OwnerId, after: u64) -> Result<Follow<FeedItem>, LogError> {
        let listening = self.owners.listen(owner.clone());
        let items = self.owner_feed(owner, after).await?;
        let rest = Rest::of_feed(items.len());
        Ok(listening.after(items, after + 1, rest))
    }

    async fn start_up(&self) -> Result<StartUp, LogError> {
        self.look(|committed| {
            let mut start = StartUp::default();
            for (id, table) in &committed.tables {
                match table.row.place {
                    Place::InPlay => start.in_play.push(*id),
                    Place::AtRest { wakes_at: Some(time) } => start.waking.push((time, *id)),
                    Place::AtRest { wakes_at: None } | Place::Finished => {}
                }
            }
            start.waking.sort();
            Ok(start)
        })
    }

    async fn delete(&self, delete: Delete) -> Result<(), LogError> {
        delete.validate()?;
        self.submit(Job::Delete(delete)).await.map(|_| ())
    }

    async fn retain(&self, since: Millis) -> Result<Retained, LogError> {
        let mut state = self.state();
        if state.crashed {
            return Err(LogError::Closed);
        }
        let old: Vec<TableId> = state
            .committed
            .tables
            .values()
            .filter(|table| table.row.place == Place::Finished && table.row.updated < since)
            .map(|table| table.row.id)
            .collect();
        let mut retained = Retained::default();
        for table in old {
            state.committed.remove(&table)?;
            retained.tables += 1;
        }
        for feed in state.committed.feeds.values_mut() {
            while feed.items.front().is_some_and(|item| item.at < since) {
                feed.items.pop_front();
                retained.feed_items += 1;
            }
        }
        Ok(retained)
    }
}
