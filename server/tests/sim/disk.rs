//! The disk of the simulated server: a log that loses what was not synced when the machine fails, and one that lies.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use parlor_server::TableId;
use parlor_server::log::{
    Append, Appended, Delete, Entry, FeedItem, Filter, Follow, Log, LogError, MemoryLog, Millis, OwnerId,
    Page, Retained, StartUp, TableRow, Tables,
};

/// Whether the log keeps its word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Honesty {
    /// What is acknowledged is durable.
    Honest,
    /// What is acknowledged is durable a moment later.
    Early,
}

/// The disk, which outlives the server.
#[derive(Clone)]
pub(crate) struct Disk {
    log: Arc<Mutex<Arc<MemoryLog>>>,
    honesty: Honesty,
}

impl Disk {
    pub(crate) fn new(honesty: Honesty) -> Disk {
        Disk { log: Arc::new(Mutex::new(Arc::new(MemoryLog::simulated()))), honesty }
    }

    fn log(&self) -> Arc<MemoryLog> {
        self.log.lock().expect("nobody panics with it").clone()
    }

    /// The log as a server sees it.
    pub(crate) fn open(&self) -> Arc<dyn Log> {
        match self.honesty {
            Honesty::Honest => self.log(),
            Honesty::Early => Arc::new(EarlyLog(self.log())),
        }
    }

    /// How long it takes to make something durable, at least and at most, in milliseconds. A log that does not wait for
    /// it has no hurry.
    pub(crate) const fn sync_takes(&self) -> (u32, u32) {
        match self.honesty {
            Honesty::Honest => (5, 60),
            Honesty::Early => (300, 600),
        }
    }

    /// Makes durable what waits.
    pub(crate) fn sync(&self) {
        self.log().sync();
    }

    /// The machine fails: what waits is lost.
    pub(crate) fn crash(&self) {
        let mut log = self.log.lock().expect("nobody panics with it");
        *log = Arc::new(log.crash());
    }
}

/// A log that acknowledges an append before it is durable.
struct EarlyLog(Arc<MemoryLog>);

#[async_trait]
impl Log for EarlyLog {
    async fn append(&self, append: Append) -> Result<Appended, LogError> {
        let length = append.expected + append.entries.len() as u64;
        let mut appending = self.0.append(append);
        // Handed in, in this order, and not waited for.
        match futures_util::poll!(&mut appending) {
            std::task::Poll::Ready(Err(error)) => Err(error),
            _ => Ok(Appended { length, head: Default::default(), feed: Vec::new() }),
        }
    }

    async fn read(&self, table: TableId, from: u64) -> Result<Vec<Entry>, LogError> {
        self.0.read(table, from).await
    }

    async fn follow(&self, table: TableId, from: u64) -> Result<Follow<Entry>, LogError> {
        self.0.follow(table, from).await
    }

    async fn find(&self, table: TableId) -> Result<TableRow, LogError> {
        self.0.find(table).await
    }

    async fn record(&self, table: TableId) -> Result<Option<Bytes>, LogError> {
        self.0.record(table).await
    }

    async fn requested(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        self.0.requested(owner, request).await
    }

    async fn tables(&self, filter: Filter, page: Page) -> Result<Tables, LogError> {
        self.0.tables(filter, page).await
    }

    async fn owner_feed(&self, owner: &OwnerId, after: u64) -> Result<Vec<FeedItem>, LogError> {
        self.0.owner_feed(owner, after).await
    }

    async fn follow_owner(&self, owner: &OwnerId, after: u64) -> Result<Follow<FeedItem>, LogError> {
        self.0.follow_owner(owner, after).await
    }

    async fn start_up(&self) -> Result<StartUp, LogError> {
        self.0.start_up().await
    }

    async fn delete(&self, delete: Delete) -> Result<(), LogError> {
        self.0.delete(delete).await
    }

    async fn retain(&self, since: Millis) -> Result<Retained, LogError> {
        self.0.retain(since).await
    }
}
