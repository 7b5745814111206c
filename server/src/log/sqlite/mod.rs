//! The log in a file: SQLite, one thread that writes, a few connections that read.
//!
//! A row a commit, not a row an entry: the new entries of all tables in play are one blob in the journal. A table that
//! comes to rest or is finished gets its log into its own row and leaves the journal. Rows of the journal that no table
//! needs are deleted, from the oldest on; when the journal is too long, the tables that hold its oldest rows are written
//! out though they are in play. So the journal, the memory and the time of a start are bounded, however many tables
//! there are.

mod backup;
mod batch;
mod check;
mod commit;
mod failure;
mod feed;
mod index;
mod journal;
mod read;
mod row;
mod schema;
mod tags;
#[cfg(test)]
mod tests;
mod work;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use async_trait::async_trait;
use bytes::Bytes;

pub use backup::{backup, restore};
pub use check::{Report, check};

use super::follow::{Hub, Rest};
use super::{
    Append, Appended, Delete, Entry, FeedItem, Filter, Follow, Log, LogError, Millis, OwnerId, Page,
    Retained, StartUp, TableId, TableRow, Tables,
};
use failure::Failing;
use index::Index;
use journal::Meta;
use read::Readers;
use row::Row;
use schema::Lock;
use writer::{Done, Job, Writer};

/// How much the store may use of what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// How large the journal grows before tables in play are written out, in bytes.
    pub journal_limit: u64,
    /// How many appends may wait for the disk.
    pub queue: usize,
    /// How many bytes of them.
    pub queue_bytes: usize,
    /// How many reads go on at once.
    pub readers: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { journal_limit: 32 << 20, queue: 8192, queue_bytes: 64 << 20, readers: 4 }
    }
}

/// A log in a file of SQLite's.
pub struct SqliteLog {
    // Dropped first: it writes until the last moment.
    writer: Writer,
    shared: Arc<Shared>,
}

/// What the writer and the readers share.
struct Shared {
    file: PathBuf,
    options: Options,
    index: RwLock<Index>,
    /// The last commit that the index knows of.
    applied: Mutex<u64>,
    applied_more: Condvar,
    tables: Arc<Hub<TableId, Entry>>,
    owners: Arc<Hub<OwnerId, FeedItem>>,
    readers: Readers,
    /// What a test does at some moment of the next commit.
    #[cfg(test)]
    hook: Mutex<Option<tests::Hook>>,
    // Dropped last: others may come when every connection is closed.
    _lock: Lock,
}

impl Shared {
    fn index(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn index_mut(&self) -> RwLockWriteGuard<'_, Index> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that the index knows of this commit.
    fn set_applied(&self, seq: u64) {
        *self.applied.lock().unwrap_or_else(PoisonError::into_inner) = seq;
        self.applied_more.notify_all();
    }

    /// Waits until the index knows of this commit.
    ///
    /// A commit can be read from the file a moment before the index knows of it. Nobody is told of it before, or the
    /// next reader, from memory, would know less.
    fn wait_applied(&self, seq: u64) {
        let applied = self.applied.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.applied_more.wait_while(applied, |applied| *applied < seq);
        drop(waited);
    }

    /// Cuts all followers off, and lets nobody wait for what will not come.
    fn close(&self) {
        self.set_applied(u64::MAX);
        // The writer's connection is to be the last one: then SQLite tidies up, and the store is one file.
        self.readers.close();
        self.tables.close();
        self.owners.close();
    }
}

impl SqliteLog {
    /// Opens a store, or creates it; brings an older one up to date. Reads and checks the tables in play.
    ///
    /// Blocks: call it before the server serves.
    pub fn open(file: &Path, options: Options) -> Result<SqliteLog, LogError> {
        let failing = Failing(file);
        let lock = Lock::take(file)?;
        let db = schema::open_to_write(file)?;
        let meta = Meta::load(&db, failing)?;
        let index = Index::load(&db, &meta, failing)?;
        let shared = Arc::new(Shared {
            file: file.to_owned(),
            readers: Readers::new(options.readers),
            options,
            index: RwLock::new(index),
            applied: Mutex::new(meta.seq),
            applied_more: Condvar::new(),
            tables: Hub::new(),
            owners: Hub::new(),
            #[cfg(test)]
            hook: Mutex::new(None),
            _lock: lock,
        });
        let writer = Writer::start(shared.clone(), db, meta)?;
        Ok(SqliteLog { writer, shared })
    }

    /// Writes a copy of the store, as it is at one moment, to a new file, and checks it. Play goes on meanwhile.
    pub async fn backup(&self, to: &Path) -> Result<Report, LogError> {
        let (shared, to) = (self.shared.clone(), to.to_owned());
        let task = tokio::task::spawn_blocking(move || backup::backup(&shared.file, &to));
        task.await.unwrap_or(Err(LogError::Closed))
    }
}

#[async_trait]
impl Log for SqliteLog {
    async fn append(&self, append: Append) -> Result<Appended, LogError> {
        self.writer.append_all(vec![append]).await.pop().unwrap_or(Err(LogError::Closed))
    }

    async fn append_all(&self, appends: Vec<Append>) -> Vec<Result<Appended, LogError>> {
        self.writer.append_all(appends).await
    }

    async fn read(&self, table: TableId, from: u64) -> Result<Vec<Entry>, LogError> {
        if let Some(found) = self.shared.tail(table, from) {
            return found;
        }
        let read = move |shared: &Shared, db: &_| read::entries(shared, db, table, from);
        Ok(self.shared.reading(read).await?.0)
    }

    async fn follow(&self, table: TableId, from: u64) -> Result<Follow<Entry>, LogError> {
        let listening = self.shared.tables.listen(table);
        let (entries, finished) = match self.shared.tail(table, from) {
            Some(found) => (found?, false),
            None => {
                let read = move |shared: &Shared, db: &_| read::entries(shared, db, table, from);
                self.shared.reading(read).await?
            }
        };
        Ok(listening.after(entries, from, Rest::of_table(finished)))
    }

    async fn find(&self, table: TableId) -> Result<TableRow, LogError> {
        let read = move |shared: &Shared, db: &_| {
            let row = Row::find(db, &table, Failing(&shared.file))?;
            row.map(TableRow::from).ok_or(LogError::NoSuchTable { table })
        };
        self.shared.reading(read).await
    }

    async fn record(&self, table: TableId) -> Result<Option<Bytes>, LogError> {
        let read = move |shared: &Shared, db: &_| {
            let failing = Failing(&shared.file);
            let row = Row::find(db, &table, failing)?;
            row.ok_or(LogError::NoSuchTable { table })?.record(db, failing)
        };
        self.shared.reading(read).await
    }

    async fn requested(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        let (owner, request) = (owner.clone(), request.to_owned());
        let read =
            move |shared: &Shared, db: &_| read::requested(db, &owner, &request, Failing(&shared.file));
        self.shared.reading(read).await
    }

    async fn tables(&self, filter: Filter, page: Page) -> Result<Tables, LogError> {
        let read = move |shared: &Shared, db: &_| read::tables(db, &filter, page, Failing(&shared.file));
        self.shared.reading(read).await
    }

    async fn owner_feed(&self, owner: &OwnerId, after: u64) -> Result<Vec<FeedItem>, LogError> {
        let owner = owner.clone();
        let read = move |shared: &Shared, db: &_| read::owner_feed(db, &owner, after, Failing(&shared.file));
        self.shared.reading(read).await
    }

    async fn follow_owner(&self, owner: &OwnerId, after: u64) -> Result<Follow<FeedItem>, LogError> {
        let listening = self.shared.owners.listen(owner.clone());
        let items = self.owner_feed(owner, after).await?;
        let rest = Rest::of_feed(items.len());
        Ok(listening.after(items, after + 1, rest))
    }

    async fn start_up(&self) -> Result<StartUp, LogError> {
        self.shared.reading(read::start_up).await
    }

    async fn delete(&self, delete: Delete) -> Result<(), LogError> {
        delete.validate()?;
        self.writer.submit(Job::Delete(delete)).await.map(|_| ())
    }

    async fn retain(&self, since: Millis) -> Result<Retained, LogError> {
        let mut sum = Retained::default();
        loop {
            let Done::Retained { what, all } = self.writer.submit(Job::Retain(since)).await? else {
                return Err(LogError::Closed);
            };
            sum.tables += what.tables;
            sum.feed_items += what.feed_items;
            if all {
                return Ok(sum);
            }
        }
    }

    async fn close(&self) {
        // If it is closed already, there is nothing to wait for.
        let _ = self.writer.submit(Job::Close).await;
    }
}
