//! The log in a PostgreSQL database, or one that speaks its protocol.
//!
//! As in the SQLite store, one row per commit holds the new entries of all tables in play. A commit takes a fence: it
//! increments the sequence number of its writer, in the transaction that writes everything else, and only if the
//! writer is not sealed. Another node seals a writer before it takes over its tables, so that of two nodes that both
//! believe to own a table only one can commit.
//!
//! The SQL is portable: no advisory locks, no notifications, values well below a megabyte.

mod adopt;
mod committer;
mod connect;
mod handover;
mod membership;
mod ownership;
mod prefetch;
mod reader;
mod rendezvous;
mod retention;
mod rows;
mod schema;
mod shared_values;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod whole;
mod write;
mod writer_connection;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::watch;

pub use connect::{PgAddress, PgUrl};
pub use membership::{ClusterView, Duties, Membership, NewNode, NodeRow, WriterId};
pub use ownership::MonotonicClock;
pub use shared_values::SharedValues;

use super::follow::FollowTail;
use super::journal::followers::Followers;
use super::journal::index::JournalIndex;
use super::journal::writer::{Writer, WriterCommand, WriterReply};
use super::{
    Append, Appended, Delete, Entry, FeedItem, Log, LogError, LogFilter, LogFollower, Millis, OwnerId,
    PageRequest, RetentionCounts, StartupState, TableId, TablePage, TableRow,
};
use committer::{Lane, PgCommitter};
use ownership::Ownership;
use parlor_fair::Partition;
use reader::ReaderPool;

/// Resource limits of a store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PgOptions {
    /// Bytes of the journal above which tables in play are written out.
    pub journal_limit: u64,
    /// Appends that may wait for the writer.
    pub queue: usize,
    /// Bytes of the appends that may wait for the writer.
    pub queue_bytes: usize,
    /// Connections for reads.
    pub readers: usize,
}

impl Default for PgOptions {
    fn default() -> PgOptions {
        PgOptions { journal_limit: 32 << 20, queue: 8192, queue_bytes: 64 << 20, readers: 4 }
    }
}

/// A log in a PostgreSQL database.
pub struct PgLog {
    writer: Writer,
    shared: Arc<Shared>,
}

/// State shared by the writer and the readers.
struct Shared {
    address: PgAddress,
    options: PgOptions,
    /// Id of the writer; set once it exists.
    writer: OnceLock<i64>,
    index: RwLock<JournalIndex>,
    /// Sequence number of the last commit in the index.
    applied: watch::Sender<u64>,
    followers: Followers,
    readers: ReaderPool,
    /// Set when nobody waits for the writer any more.
    dropped: AtomicBool,
    /// The partitions of this node, and its lease.
    ownership: Arc<Ownership>,
    /// Test hook for a phase of the next commit.
    #[cfg(test)]
    hook: std::sync::Mutex<Option<tests::CommitHook>>,
}

impl Shared {
    fn new(address: PgAddress, options: PgOptions, ownership: Ownership) -> Arc<Shared> {
        Arc::new(Shared {
            readers: ReaderPool::new(options.readers),
            address,
            options,
            writer: OnceLock::new(),
            index: RwLock::default(),
            applied: watch::Sender::new(0),
            followers: Followers::new(),
            dropped: AtomicBool::new(false),
            ownership: Arc::new(ownership),
            #[cfg(test)]
            hook: std::sync::Mutex::default(),
        })
    }

    fn index(&self) -> RwLockReadGuard<'_, JournalIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn index_mut(&self) -> RwLockWriteGuard<'_, JournalIndex> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn writer(&self) -> i64 {
        self.writer.get().copied().unwrap_or_default()
    }

    /// Records that the index contains this commit.
    fn set_applied(&self, seq: u64) {
        self.applied.send_replace(seq);
    }

    /// Waits until the index contains this commit.
    ///
    /// A commit is readable from the database slightly before the index has it. Returning it earlier would let the next
    /// read, from memory, see an older state.
    async fn wait_applied(&self, seq: u64) {
        // Fails only without a sender, which this is.
        let _ = self.applied.subscribe().wait_for(|applied| *applied >= seq).await;
    }

    /// Ends all follows and releases all waiting readers.
    fn close(&self) {
        self.set_applied(u64::MAX);
        self.readers.close();
        self.followers.close();
    }
}

impl PgLog {
    /// Opens a store for a node that is alone, creating or migrating its schema, and takes over the tables in play of all
    /// other nodes.
    ///
    /// # Errors
    /// The database cannot be reached, has a newer schema, or is damaged.
    pub async fn open(address: PgAddress, node: &str, options: PgOptions) -> Result<PgLog, LogError> {
        let shared = Shared::new(address, options, Ownership::alone());
        let new = adopt::adopt_all(&shared, node).await?;
        // The writer's own connection lives on its thread's runtime, which drives it while it commits.
        let adopt::NewWriter { id, seq, index, connection } = new;
        drop(connection);
        PgLog::start(shared, id, seq, index)
    }

    /// Joins the nodes of a store, creating or migrating its schema. The node owns no partition at first: whoever drives
    /// the membership adopts and releases them.
    ///
    /// # Errors
    /// The database cannot be reached, has a newer schema, or a node with other settings.
    pub async fn join(
        address: PgAddress,
        node: NewNode,
        clock: MonotonicClock,
        options: PgOptions,
    ) -> Result<(PgLog, Membership), LogError> {
        let ownership = Ownership::leased(clock);
        let shared = Shared::new(address, options, ownership);
        let membership = Membership::join(&shared.address, node, shared.ownership.clone()).await?;
        let log = PgLog::start(shared, membership.writer(), 0, JournalIndex::default())?;
        Ok((log, membership))
    }

    fn start(shared: Arc<Shared>, writer: i64, seq: u64, index: JournalIndex) -> Result<PgLog, LogError> {
        // Nobody else has the store yet.
        let _ = shared.writer.set(writer);
        *shared.index_mut() = index;
        shared.set_applied(seq);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let io = |error: std::io::Error| LogError::Io {
            file: shared.address.name().to_owned(),
            why: error.to_string().into(),
        };
        let lane = Lane { shared: shared.clone(), writer, seq, connection: None, fenced: false };
        let committer = PgCommitter { runtime: runtime.map_err(io)?, lane };
        let (count, bytes) = (shared.options.queue, shared.options.queue_bytes);
        let writer = Writer::start(count, bytes, committer).map_err(io)?;
        Ok(PgLog { writer, shared })
    }

    /// Reports whether this node owns a partition and its lease holds.
    #[must_use]
    pub fn owns(&self, partition: Partition) -> bool {
        self.shared.ownership.has(partition) && self.shared.ownership.is_valid()
    }

    /// Takes over the tables in play of partitions that are assigned to this node. Returns what is to be loaded of them.
    ///
    /// # Errors
    /// The database cannot be reached, or what is stored is damaged. [`LogError::Fenced`]: this node was retired.
    pub async fn adopt(&self, partitions: Vec<Partition>) -> Result<StartupState, LogError> {
        let numbers: Vec<i16> = partitions.iter().map(|partition| i16::from(partition.number())).collect();
        self.writer.submit(WriterCommand::Adopt(partitions)).await?;
        self.shared.startup_state_of(&numbers).await
    }

    /// Hands a partition over to another node: everything in it is written out, and the owner changes in the same commit.
    /// Nothing may be asked of its tables meanwhile, and nobody may follow them. Returns false, and keeps the partition, if
    /// the other node is gone.
    ///
    /// # Errors
    /// The database cannot be reached: the partition stays. [`LogError::Fenced`]: this node was retired.
    pub async fn release(&self, partition: Partition, to: WriterId) -> Result<bool, LogError> {
        match self.writer.submit(WriterCommand::Release(partition, to.0)).await? {
            WriterReply::Released(released) => Ok(released),
            _ => Err(LogError::Closed),
        }
    }

    /// Completes once another node has taken over from this one. Nothing can be appended from then on, and what is read
    /// may be old: the server must stop.
    pub fn fenced(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut fenced = self.shared.ownership.retired();
        async move {
            // Fails when the log is gone, and with it everyone who could be fenced.
            if fenced.wait_for(|fenced| *fenced).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

impl Drop for PgLog {
    fn drop(&mut self) {
        // The writer ends when it has committed everything; one that cannot reach the database need not go on trying.
        self.shared.dropped.store(true, Ordering::Relaxed);
    }
}

#[async_trait]
impl Log for PgLog {
    async fn append(&self, append: Append) -> Result<Appended, LogError> {
        self.writer.append_all(vec![append]).await.pop().unwrap_or(Err(LogError::Closed))
    }

    async fn append_all(&self, appends: Vec<Append>) -> Vec<Result<Appended, LogError>> {
        self.writer.append_all(appends).await
    }

    async fn read(&self, table: TableId, from: u64) -> Result<Vec<Entry>, LogError> {
        match self.shared.read_tail(table, from) {
            Some(found) => found,
            None => Ok(self.shared.entries(table, from).await?.0),
        }
    }

    async fn follow(&self, table: TableId, from: u64) -> Result<LogFollower<Entry>, LogError> {
        let pending = self.shared.followers.tables.subscribe(table);
        let (entries, finished) = match self.shared.read_tail(table, from) {
            Some(found) => (found?, false),
            None => self.shared.entries(table, from).await?,
        };
        Ok(pending.into_follow(entries, from, FollowTail::of_table(finished)))
    }

    async fn find(&self, table: TableId) -> Result<TableRow, LogError> {
        Ok(TableRow::from(self.shared.row(table).await?.row))
    }

    async fn record(&self, table: TableId) -> Result<Option<Bytes>, LogError> {
        self.shared.record(table).await
    }

    async fn find_by_request(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        self.shared.find_by_request(owner, request).await
    }

    async fn list_tables(&self, filter: LogFilter, page: PageRequest) -> Result<TablePage, LogError> {
        self.shared.tables(&filter, page).await
    }

    async fn read_owner_feed(&self, owner: &OwnerId, after: u64) -> Result<Vec<FeedItem>, LogError> {
        self.shared.read_owner_feed(owner, after).await
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
        self.shared.load_startup_state().await
    }

    async fn listed_games(&self) -> Result<Vec<String>, LogError> {
        self.shared.listed_games().await
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
