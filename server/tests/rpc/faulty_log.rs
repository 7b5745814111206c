//! A log that can be made to wait, to fail, or to be damaged.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use bytes::Bytes;
use parlor_server::{
    TableId,
    log::{
        Append, Appended, Delete, Entry, FeedItem, Filter, Follow, Log, LogError, MemoryLog, Millis, OwnerId,
        Page, Retained, StartUp, TableRow, Tables,
    },
};
use tokio::sync::watch;

use crate::test_server::soon;

/// What becomes of appends.
#[derive(Clone, Debug)]
enum Appends {
    /// They are taken.
    Taken,
    /// They wait.
    Held,
    /// After so many that are taken, they fail like this.
    Failing(usize, LogError),
}

/// A log in memory with a will of its own.
pub(crate) struct Failing {
    log: MemoryLog,
    appends: watch::Sender<Appends>,
    failed: watch::Sender<bool>,
    held: watch::Sender<bool>,
    tried: AtomicUsize,
    reads: Mutex<Option<LogError>>,
    record: Mutex<Option<Bytes>>,
}

impl Failing {
    pub(crate) fn new() -> Arc<Failing> {
        Arc::new(Failing {
            log: MemoryLog::new(),
            appends: watch::Sender::new(Appends::Taken),
            failed: watch::Sender::new(false),
            held: watch::Sender::new(false),
            tried: AtomicUsize::new(0),
            reads: Mutex::default(),
            record: Mutex::default(),
        })
    }

    /// Everything is as it should be, from now on.
    pub(crate) fn mend(&self) {
        self.appends.send_replace(Appends::Taken);
        *self.reads.lock().expect("a lock") = None;
        *self.record.lock().expect("a lock") = None;
    }

    /// Appends fail from now on.
    pub(crate) fn fail(&self, error: LogError) {
        self.fail_after(0, error);
    }

    /// Appends fail after so many more.
    pub(crate) fn fail_after(&self, count: usize, error: LogError) {
        self.appends.send_replace(Appends::Failing(count, error));
    }

    /// How many appends there have been, taken or not.
    pub(crate) fn tried(&self) -> usize {
        self.tried.load(Ordering::Relaxed)
    }

    /// Waits until an append waits.
    pub(crate) async fn has_held(&self) {
        let mut held = self.held.subscribe();
        soon(held.wait_for(|held| *held)).await.expect("a log");
    }

    /// Waits until an append has failed.
    pub(crate) async fn has_failed(&self) {
        let mut failed = self.failed.subscribe();
        soon(failed.wait_for(|failed| *failed)).await.expect("a log");
    }

    /// Appends wait from now on, until the log is mended.
    pub(crate) fn hold(&self) {
        self.appends.send_replace(Appends::Held);
    }

    /// Reading a table fails from now on.
    pub(crate) fn spoil_reads(&self, error: LogError) {
        *self.reads.lock().expect("a lock") = Some(error);
    }

    /// Records are these bytes from now on.
    pub(crate) fn spoil_records(&self, bytes: &[u8]) {
        *self.record.lock().expect("a lock") = Some(Bytes::copy_from_slice(bytes));
    }

    fn readable(&self) -> Result<(), LogError> {
        self.reads.lock().expect("a lock").clone().map_or(Ok(()), Err)
    }
}

/// The disk is away.
pub(crate) fn no_disk() -> LogError {
    LogError::Io { file: "/secret/path/parlor.db".into(), why: "the disk is away".into() }
}

/// There is no room on the disk.
pub(crate) fn full_disk() -> LogError {
    LogError::NoSpace { file: "/secret/path/parlor.db".into(), why: "the disk is full".into() }
}

/// A table makes no sense any more.
pub(crate) fn damage() -> LogError {
    LogError::Damaged {
        file: "/secret/path/parlor.db".into(),
        table: None,
        entry: None,
        what: "a hash is wrong".into(),
    }
}

#[async_trait]
impl Log for Failing {
    async fn append(&self, append: Append) -> Result<Appended, LogError> {
        self.tried.fetch_add(1, Ordering::Relaxed);
        let mut appends = self.appends.subscribe();
        if matches!(*appends.borrow(), Appends::Held) {
            self.held.send_replace(true);
        }
        drop(appends.wait_for(|appends| !matches!(appends, Appends::Held)).await.expect("a log"));
        let mut failed = None;
        self.appends.send_if_modified(|appends| {
            match appends {
                Appends::Failing(0, error) => failed = Some(error.clone()),
                Appends::Failing(count, _) => *count -= 1,
                Appends::Taken | Appends::Held => {}
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
        self.readable()?;
        self.log.read(table, from).await
    }

    async fn follow(&self, table: TableId, from: u64) -> Result<Follow<Entry>, LogError> {
        self.log.follow(table, from).await
    }

    async fn find(&self, table: TableId) -> Result<TableRow, LogError> {
        self.log.find(table).await
    }

    async fn record(&self, table: TableId) -> Result<Option<Bytes>, LogError> {
        self.readable()?;
        let spoilt = self.record.lock().expect("a lock").clone();
        if spoilt.is_some() { Ok(spoilt) } else { self.log.record(table).await }
    }

    async fn requested(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        self.log.requested(owner, request).await
    }

    async fn tables(&self, filter: Filter, page: Page) -> Result<Tables, LogError> {
        self.log.tables(filter, page).await
    }

    async fn owner_feed(&self, owner: &OwnerId, after: u64) -> Result<Vec<FeedItem>, LogError> {
        self.log.owner_feed(owner, after).await
    }

    async fn follow_owner(&self, owner: &OwnerId, after: u64) -> Result<Follow<FeedItem>, LogError> {
        self.log.follow_owner(owner, after).await
    }

    async fn start_up(&self) -> Result<StartUp, LogError> {
        self.log.start_up().await
    }

    async fn delete(&self, delete: Delete) -> Result<(), LogError> {
        self.log.delete(delete).await
    }

    async fn retain(&self, since: Millis) -> Result<Retained, LogError> {
        self.log.retain(since).await
    }
}
