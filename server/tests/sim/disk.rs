//! The disk of the simulated server: a log that loses unsynced appends in a crash, and one that acknowledges
//! too early.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use bytes::Bytes;
use parlor_server::TableId;
use parlor_store::{
    Append, Appended, Delete, Entry, FeedItem, Log, LogError, LogFilter, LogFollower, MemoryLog, Millis,
    OwnerId, PageRequest, RetentionCounts, StartupState, TablePage, TableRow,
};

/// The moment at which the log acknowledges an append.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AckMode {
    /// After it is durable.
    AfterSync,
    /// Before it is durable: the fault that the checks must detect.
    BeforeSync,
}

/// The disk, which survives crashes of the server.
#[derive(Clone)]
pub(crate) struct Disk {
    log: Arc<Mutex<Arc<MemoryLog>>>,
    ack_mode: AckMode,
}

impl Disk {
    pub(crate) fn new(ack_mode: AckMode) -> Disk {
        Disk { log: Arc::new(Mutex::new(Arc::new(MemoryLog::simulated()))), ack_mode }
    }

    fn log(&self) -> Arc<MemoryLog> {
        self.log.lock().expect("an unpoisoned lock").clone()
    }

    /// The log as a server sees it.
    pub(crate) fn open(&self) -> Arc<dyn Log> {
        match self.ack_mode {
            AckMode::AfterSync => self.log(),
            AckMode::BeforeSync => Arc::new(EarlyAckLog(self.log())),
        }
    }

    /// The shortest and longest interval between syncs, in milliseconds. Long if the log acknowledges early,
    /// so that crashes lose acknowledged appends.
    pub(crate) const fn sync_interval_ms(&self) -> (u32, u32) {
        match self.ack_mode {
            AckMode::AfterSync => (5, 60),
            AckMode::BeforeSync => (300, 600),
        }
    }

    /// Makes all appends so far durable.
    pub(crate) fn sync(&self) {
        self.log().sync();
    }

    /// Crashes: unsynced appends are lost.
    pub(crate) fn crash(&self) {
        let mut log = self.log.lock().expect("an unpoisoned lock");
        *log = Arc::new(log.crash());
    }
}

/// A log that acknowledges an append before it is durable.
struct EarlyAckLog(Arc<MemoryLog>);

#[async_trait]
impl Log for EarlyAckLog {
    async fn append(&self, append: Append) -> Result<Appended, LogError> {
        let length = append.expected + append.entries.len() as u64;
        let mut appending = self.0.append(append);
        // Submitted in order, without waiting for durability.
        match futures_util::poll!(&mut appending) {
            std::task::Poll::Ready(Err(error)) => Err(error),
            _ => Ok(Appended { length, head: Default::default(), feed: Vec::new() }),
        }
    }

    async fn read(&self, table: TableId, from: u64) -> Result<Vec<Entry>, LogError> {
        self.0.read(table, from).await
    }

    async fn follow(&self, table: TableId, from: u64) -> Result<LogFollower<Entry>, LogError> {
        self.0.follow(table, from).await
    }

    async fn find(&self, table: TableId) -> Result<TableRow, LogError> {
        self.0.find(table).await
    }

    async fn record(&self, table: TableId) -> Result<Option<Bytes>, LogError> {
        self.0.record(table).await
    }

    async fn find_by_request(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        self.0.find_by_request(owner, request).await
    }

    async fn list_tables(&self, filter: LogFilter, page: PageRequest) -> Result<TablePage, LogError> {
        self.0.list_tables(filter, page).await
    }

    async fn listed_games(&self) -> Result<Vec<String>, LogError> {
        self.0.listed_games().await
    }

    async fn read_owner_feed(&self, owner: &OwnerId, after: u64) -> Result<Vec<FeedItem>, LogError> {
        self.0.read_owner_feed(owner, after).await
    }

    async fn follow_owner_feed(
        &self,
        owner: &OwnerId,
        after: u64,
    ) -> Result<LogFollower<FeedItem>, LogError> {
        self.0.follow_owner_feed(owner, after).await
    }

    async fn load_startup_state(&self) -> Result<StartupState, LogError> {
        self.0.load_startup_state().await
    }

    async fn delete(&self, delete: Delete) -> Result<(), LogError> {
        self.0.delete(delete).await
    }

    async fn apply_retention(&self, since: Millis) -> Result<RetentionCounts, LogError> {
        self.0.apply_retention(since).await
    }
}
