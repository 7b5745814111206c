//! `FaultyLog`: a log in memory with injected faults: held or failing appends, failing reads, corrupt
//! records.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use bytes::Bytes;
use parlor_server::TableId;
use parlor_store::{
    Append, Appended, Delete, Entry, FeedItem, Log, LogError, LogFilter, LogFollower, MemoryLog, Millis,
    OwnerId, PageRequest, RetentionCounts, StartupState, TablePage, TableRow,
};
use tokio::sync::watch;

use crate::test_server::with_timeout;

/// The fault that applies to appends.
#[derive(Clone, Debug)]
enum AppendFault {
    None,
    /// Appends wait.
    Held,
    /// After this many that succeed, appends fail with this error.
    Failing(usize, LogError),
}

/// The fault that applies to listings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ListFault {
    None,
    /// Listings wait.
    Held,
    /// Listings wait, and at least one does.
    Holding,
}

/// A log in memory with injected faults.
pub(crate) struct FaultyLog {
    log: MemoryLog,
    appends: watch::Sender<AppendFault>,
    failed: watch::Sender<bool>,
    held: watch::Sender<bool>,
    lists: watch::Sender<ListFault>,
    append_count: AtomicUsize,
    lookup_count: AtomicUsize,
    reads: Mutex<Option<LogError>>,
    record: Mutex<Option<Bytes>>,
}

impl FaultyLog {
    pub(crate) fn new() -> Arc<FaultyLog> {
        Arc::new(FaultyLog {
            log: MemoryLog::new(),
            appends: watch::Sender::new(AppendFault::None),
            failed: watch::Sender::new(false),
            held: watch::Sender::new(false),
            lists: watch::Sender::new(ListFault::None),
            append_count: AtomicUsize::new(0),
            lookup_count: AtomicUsize::new(0),
            reads: Mutex::default(),
            record: Mutex::default(),
        })
    }

    /// Removes every fault; held appends proceed.
    pub(crate) fn recover(&self) {
        self.appends.send_replace(AppendFault::None);
        self.lists.send_replace(ListFault::None);
        *self.reads.lock().expect("an unpoisoned lock") = None;
        *self.record.lock().expect("an unpoisoned lock") = None;
    }

    /// Makes every further append fail.
    pub(crate) fn fail_appends(&self, error: LogError) {
        self.fail_appends_after(0, error);
    }

    /// Lets `count` more appends succeed, and makes every later one fail.
    pub(crate) fn fail_appends_after(&self, count: usize, error: LogError) {
        self.appends.send_replace(AppendFault::Failing(count, error));
    }

    /// The number of appends so far, including failed ones.
    pub(crate) fn append_count(&self) -> usize {
        self.append_count.load(Ordering::Relaxed)
    }

    /// The number of look-ups of single tables so far: of their rows, entries and records.
    pub(crate) fn lookup_count(&self) -> usize {
        self.lookup_count.load(Ordering::Relaxed)
    }

    /// Waits until an append is held.
    pub(crate) async fn wait_for_held_append(&self) {
        let mut held = self.held.subscribe();
        with_timeout(held.wait_for(|held| *held)).await.expect("a live log");
    }

    /// Waits until an append has failed.
    pub(crate) async fn wait_for_failed_append(&self) {
        let mut failed = self.failed.subscribe();
        with_timeout(failed.wait_for(|failed| *failed)).await.expect("a live log");
    }

    /// Holds every further append until [`recover`](FaultyLog::recover).
    pub(crate) fn hold_appends(&self) {
        self.held.send_replace(false);
        self.appends.send_replace(AppendFault::Held);
    }

    /// Holds every further listing until [`recover`](FaultyLog::recover).
    pub(crate) fn hold_lists(&self) {
        self.lists.send_replace(ListFault::Held);
    }

    /// Waits until a listing is held.
    pub(crate) async fn wait_for_held_list(&self) {
        let mut lists = self.lists.subscribe();
        with_timeout(lists.wait_for(|fault| *fault == ListFault::Holding)).await.expect("a live log");
    }

    /// Makes every further read of entries or records fail.
    pub(crate) fn fail_reads(&self, error: LogError) {
        *self.reads.lock().expect("an unpoisoned lock") = Some(error);
    }

    /// Replaces every record by these bytes.
    pub(crate) fn corrupt_records(&self, bytes: &[u8]) {
        *self.record.lock().expect("an unpoisoned lock") = Some(Bytes::copy_from_slice(bytes));
    }

    fn check_readable(&self) -> Result<(), LogError> {
        self.reads.lock().expect("an unpoisoned lock").clone().map_or(Ok(()), Err)
    }
}

/// An I/O error; its text must not reach clients.
pub(crate) fn io_error() -> LogError {
    LogError::Io { file: "/secret/path/parlor.db".into(), why: "the disk is away".into() }
}

/// A full disk; its text must not reach clients.
pub(crate) fn no_space_error() -> LogError {
    LogError::NoSpace { file: "/secret/path/parlor.db".into(), why: "the disk is full".into() }
}

/// A damaged table; its text must not reach clients.
pub(crate) fn damaged_error() -> LogError {
    LogError::Damaged {
        file: "/secret/path/parlor.db".into(),
        table: None,
        entry: None,
        what: "a hash is wrong".into(),
    }
}

#[async_trait]
impl Log for FaultyLog {
    async fn append(&self, append: Append) -> Result<Appended, LogError> {
        self.append_count.fetch_add(1, Ordering::Relaxed);
        let mut appends = self.appends.subscribe();
        if matches!(*appends.borrow(), AppendFault::Held) {
            self.held.send_replace(true);
        }
        drop(appends.wait_for(|appends| !matches!(appends, AppendFault::Held)).await.expect("a live log"));
        let mut failed = None;
        self.appends.send_if_modified(|appends| {
            match appends {
                AppendFault::Failing(0, error) => failed = Some(error.clone()),
                AppendFault::Failing(count, _) => *count -= 1,
                AppendFault::None | AppendFault::Held => {}
            }
            false
        });
        match failed {
            Some(error) => {
                self.failed.send_replace(true);
                Err(error)
            }
            None => self.log.append(append).await,
        }
    }

    async fn read(&self, table: TableId, from: u64) -> Result<Vec<Entry>, LogError> {
        self.lookup_count.fetch_add(1, Ordering::Relaxed);
        self.check_readable()?;
        self.log.read(table, from).await
    }

    async fn follow(&self, table: TableId, from: u64) -> Result<LogFollower<Entry>, LogError> {
        self.log.follow(table, from).await
    }

    async fn find(&self, table: TableId) -> Result<TableRow, LogError> {
        self.lookup_count.fetch_add(1, Ordering::Relaxed);
        self.log.find(table).await
    }

    async fn record(&self, table: TableId) -> Result<Option<Bytes>, LogError> {
        self.lookup_count.fetch_add(1, Ordering::Relaxed);
        self.check_readable()?;
        let corrupt = self.record.lock().expect("an unpoisoned lock").clone();
        if corrupt.is_some() { Ok(corrupt) } else { self.log.record(table).await }
    }

    async fn find_by_request(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        self.log.find_by_request(owner, request).await
    }

    async fn list_tables(&self, filter: LogFilter, page: PageRequest) -> Result<TablePage, LogError> {
        self.lists.send_if_modified(|fault| {
            let is_first = *fault == ListFault::Held;
            if is_first {
                *fault = ListFault::Holding;
            }
            is_first
        });
        let mut lists = self.lists.subscribe();
        drop(lists.wait_for(|fault| *fault == ListFault::None).await.expect("a live log"));
        self.log.list_tables(filter, page).await
    }

    async fn read_owner_feed(&self, owner: &OwnerId, after: u64) -> Result<Vec<FeedItem>, LogError> {
        self.log.read_owner_feed(owner, after).await
    }

    async fn follow_owner_feed(
        &self,
        owner: &OwnerId,
        after: u64,
    ) -> Result<LogFollower<FeedItem>, LogError> {
        self.log.follow_owner_feed(owner, after).await
    }

    async fn load_startup_state(&self) -> Result<StartupState, LogError> {
        self.log.load_startup_state().await
    }

    async fn listed_games(&self) -> Result<Vec<String>, LogError> {
        self.log.listed_games().await
    }

    async fn delete(&self, delete: Delete) -> Result<(), LogError> {
        self.log.delete(delete).await
    }

    async fn apply_retention(&self, since: Millis) -> Result<RetentionCounts, LogError> {
        self.log.apply_retention(since).await
    }
}
