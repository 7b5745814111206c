//! The log in a SQLite file: one writer thread and a pool of reader connections.
//!
//! One row per commit, not one per entry: the new entries of all tables in play are one blob in the journal.
//! A table that goes to rest or finishes gets its log into its own row and leaves the journal. Journal rows
//! that no table needs are deleted, oldest first; when the journal is too long, the tables that hold its
//! oldest rows are written out although they are in play. Journal, memory and start-up time are therefore
//! bounded for any number of tables.

#[cfg(feature = "test-hooks")]
pub(crate) mod arbitrary_rows;
mod backup;
mod check;
mod committer;
mod feed;
mod file_errors;
mod journal;
mod private_file;
mod reader;
mod schema;
mod stored_row;
mod tags;
#[cfg(test)]
mod tests;
pub(crate) mod whole;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use async_trait::async_trait;
use bytes::Bytes;

pub use backup::{backup, restore};
pub use check::check;

use super::follow::FollowTail;
use super::journal::errors::StoreErrors;
use super::journal::followers::Followers;
use super::journal::index::JournalIndex;
use super::journal::row::StoredRow;
use super::journal::writer::{Writer, WriterCommand};
use super::{
    Append, Appended, Delete, Entry, FeedItem, Log, LogError, LogFilter, LogFollower, Millis, OwnerId,
    PageRequest, RetentionCounts, StartupState, StoreReport, TableId, TablePage, TableRow,
};
use committer::SqliteCommitter;
use file_errors::io_error;
use journal::StoreMeta;
use reader::ReaderPool;
use schema::StoreLock;

/// Resource limits of a store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SqliteOptions {
    /// Bytes of the journal above which tables in play are written out.
    pub journal_limit: u64,
    /// Appends that may wait for the writer.
    pub queue: usize,
    /// Bytes of the appends that may wait for the writer.
    pub queue_bytes: usize,
    /// Concurrent readers.
    pub readers: usize,
}

impl Default for SqliteOptions {
    fn default() -> SqliteOptions {
        SqliteOptions { journal_limit: 32 << 20, queue: 8192, queue_bytes: 64 << 20, readers: 4 }
    }
}

/// A log in a SQLite file.
pub struct SqliteLog {
    // Dropped first: the writer commits everything queued.
    writer: Writer,
    shared: Arc<Shared>,
}

/// State shared by the writer and the readers.
struct Shared {
    file: PathBuf,
    options: SqliteOptions,
    index: RwLock<JournalIndex>,
    /// Sequence number of the last commit in the index.
    applied: Mutex<u64>,
    applied_changed: Condvar,
    followers: Followers,
    readers: ReaderPool,
    /// Test hook for a phase of the next commit.
    #[cfg(test)]
    hook: Mutex<Option<tests::CommitHook>>,
    // Dropped last: another process may open the store only when every connection is closed.
    _lock: StoreLock,
}

impl Shared {
    fn index(&self) -> RwLockReadGuard<'_, JournalIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn index_mut(&self) -> RwLockWriteGuard<'_, JournalIndex> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the index contains this commit.
    fn set_applied(&self, seq: u64) {
        *self.applied.lock().unwrap_or_else(PoisonError::into_inner) = seq;
        self.applied_changed.notify_all();
    }

    /// Waits until the index contains this commit.
    ///
    /// A commit is readable from the file slightly before the index has it. Returning it earlier would let
    /// the next read, from memory, see an older state.
    fn wait_applied(&self, seq: u64) {
        let applied = self.applied.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.applied_changed.wait_while(applied, |applied| *applied < seq);
        drop(waited);
    }

    /// Ends all follows and releases all waiting readers.
    fn close(&self) {
        self.set_applied(u64::MAX);
        // The writer's connection must be the last one to close: SQLite then removes the WAL, and the store
        // is one file.
        self.readers.close();
        self.followers.close();
    }
}

impl SqliteLog {
    /// Opens or creates a store, migrating an older one. Reads and verifies the tables in play.
    ///
    /// Blocking: call it before the server starts serving.
    pub fn open(file: &Path, options: SqliteOptions) -> Result<SqliteLog, LogError> {
        let errors = StoreErrors(file);
        let lock = StoreLock::acquire(file)?;
        let db = schema::open_writer(file)?;
        let meta = StoreMeta::load(&db, errors)?;
        let index = journal::load_index(&db, &meta, errors)?;
        let shared = Arc::new(Shared {
            file: file.to_owned(),
            readers: ReaderPool::new(options.readers),
            options,
            index: RwLock::new(index),
            applied: Mutex::new(meta.seq),
            applied_changed: Condvar::new(),
            followers: Followers::new(),
            #[cfg(test)]
            hook: Mutex::new(None),
            _lock: lock,
        });
        let (count, bytes) = (shared.options.queue, shared.options.queue_bytes);
        let committer = SqliteCommitter::new(shared.clone(), db, meta);
        let writer = Writer::start(count, bytes, committer).map_err(|error| io_error(file, error))?;
        Ok(SqliteLog { writer, shared })
    }

    /// Writes a checked copy of a consistent snapshot to a new file, while appends continue.
    pub async fn backup(&self, to: &Path) -> Result<StoreReport, LogError> {
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
        if let Some(found) = self.shared.read_tail(table, from) {
            return found;
        }
        let read = move |shared: &Shared, db: &_| reader::entries(shared, db, table, from);
        Ok(self.shared.with_reader(read).await?.0)
    }

    async fn follow(&self, table: TableId, from: u64) -> Result<LogFollower<Entry>, LogError> {
        let pending = self.shared.followers.tables.subscribe(table);
        let (entries, finished) = match self.shared.read_tail(table, from) {
            Some(found) => (found?, false),
            None => {
                let read = move |shared: &Shared, db: &_| reader::entries(shared, db, table, from);
                self.shared.with_reader(read).await?
            }
        };
        Ok(pending.into_follow(entries, from, FollowTail::of_table(finished)))
    }

    async fn find(&self, table: TableId) -> Result<TableRow, LogError> {
        let read = move |shared: &Shared, db: &_| {
            let row = StoredRow::find(db, &table, StoreErrors(&shared.file))?;
            row.map(TableRow::from).ok_or(LogError::NoSuchTable { table })
        };
        self.shared.with_reader(read).await
    }

    async fn record(&self, table: TableId) -> Result<Option<Bytes>, LogError> {
        let read = move |shared: &Shared, db: &_| {
            let errors = StoreErrors(&shared.file);
            let row = StoredRow::find(db, &table, errors)?;
            row.ok_or(LogError::NoSuchTable { table })?.record(db, errors)
        };
        self.shared.with_reader(read).await
    }

    async fn find_by_request(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        let (owner, request) = (owner.clone(), request.to_owned());
        let read = move |shared: &Shared, db: &_| {
            reader::find_by_request(db, &owner, &request, StoreErrors(&shared.file))
        };
        self.shared.with_reader(read).await
    }

    async fn list_tables(&self, filter: LogFilter, page: PageRequest) -> Result<TablePage, LogError> {
        let read =
            move |shared: &Shared, db: &_| reader::tables(db, &filter, page, StoreErrors(&shared.file));
        self.shared.with_reader(read).await
    }

    async fn read_owner_feed(&self, owner: &OwnerId, after: u64) -> Result<Vec<FeedItem>, LogError> {
        let owner = owner.clone();
        let read = move |shared: &Shared, db: &_| {
            reader::read_owner_feed(db, &owner, after, StoreErrors(&shared.file))
        };
        self.shared.with_reader(read).await
    }

    async fn follow_owner_feed(
        &self,
        owner: &OwnerId,
        after: u64,
    ) -> Result<LogFollower<FeedItem>, LogError> {
        let pending = self.shared.followers.owners.subscribe(owner.clone());
        let items = self.read_owner_feed(owner, after).await?;
        let rest = FollowTail::of_feed(items.len());
        Ok(pending.into_follow(items, after + 1, rest))
    }

    async fn load_startup_state(&self) -> Result<StartupState, LogError> {
        self.shared.with_reader(reader::load_startup_state).await
    }

    async fn listed_games(&self) -> Result<Vec<String>, LogError> {
        let read = move |shared: &Shared, db: &_| reader::listed_games(db, StoreErrors(&shared.file));
        self.shared.with_reader(read).await
    }

    async fn delete(&self, delete: Delete) -> Result<(), LogError> {
        delete.validate()?;
        self.writer.submit(WriterCommand::Delete(delete)).await.map(|_| ())
    }

    async fn apply_retention(&self, since: Millis) -> Result<RetentionCounts, LogError> {
        self.writer.apply_retention(since).await
    }

    async fn close(&self) {
        // A log that is already closed needs no waiting.
        let _ = self.writer.submit(WriterCommand::Close).await;
    }
}
