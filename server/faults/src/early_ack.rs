//! The control: a log that acknowledges appends before they are durable. A server on this log must be
//! detected.
//!
//! Appends are acknowledged at once and written later, batched into one commit, as a store would do that
//! prefers speed to durability. Reads wait until all appends are written, so that only a crash reveals the
//! difference.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use parlor_server::TableId;
use parlor_store::{
    Append, Appended, Delete, Entry, FeedItem, Log, LogError, LogFilter, LogFollower, Millis, OwnerId,
    PageRequest, RetentionCounts, StartupState, TablePage, TableRow,
};
use tokio::sync::{mpsc, oneshot};

/// Delay between the acknowledgement and the write.
const WRITE_DELAY: Duration = Duration::from_millis(20);

enum Work {
    Append(Box<Append>),
    /// Notified when all earlier appends are written.
    Barrier(oneshot::Sender<()>),
}

/// A log that acknowledges appends before they are written.
pub(crate) struct EarlyAckLog {
    inner: Arc<dyn Log>,
    queue: mpsc::Sender<Work>,
}

impl EarlyAckLog {
    pub(crate) fn over(inner: Arc<dyn Log>) -> EarlyAckLog {
        let (queue, work) = mpsc::channel(8192);
        tokio::spawn(write_later(inner.clone(), work));
        EarlyAckLog { inner, queue }
    }

    /// The inner log, after all pending appends are written.
    async fn flushed(&self) -> &dyn Log {
        let (written, wait) = oneshot::channel();
        if self.queue.send(Work::Barrier(written)).await.is_ok() {
            // The writer ends with the server.
            let _ = wait.await;
        }
        self.inner.as_ref()
    }
}

async fn write_later(log: Arc<dyn Log>, mut work: mpsc::Receiver<Work>) {
    let mut taken = Vec::new();
    while work.recv_many(&mut taken, 1).await > 0 {
        if matches!(taken.last(), Some(Work::Append(_))) {
            tokio::time::sleep(WRITE_DELAY).await;
        }
        while let Ok(more) = work.try_recv() {
            taken.push(more);
        }
        let (mut appends, mut barriers) = (Vec::new(), Vec::new());
        for work in taken.drain(..) {
            match work {
                Work::Append(append) => appends.push(*append),
                Work::Barrier(barrier) => barriers.push(barrier),
            }
        }
        for refused in log.append_all(appends).await.into_iter().filter_map(Result::err) {
            eprintln!("faults: an acknowledged append of the control was refused: {refused}");
        }
        for barrier in barriers {
            // The receiver may be gone.
            let _ = barrier.send(());
        }
    }
}

#[async_trait]
impl Log for EarlyAckLog {
    async fn append(&self, append: Append) -> Result<Appended, LogError> {
        // A new table is written at once: the answer depends on whether its request was handled before.
        if append.expected == 0 {
            return self.flushed().await.append(append).await;
        }
        let length = append.expected + append.entries.len() as u64;
        self.queue.send(Work::Append(Box::new(append))).await.map_err(|_| LogError::Closed)?;
        Ok(Appended { length, head: [0; 32], feed: Vec::new() })
    }

    async fn read(&self, table: TableId, from: u64) -> Result<Vec<Entry>, LogError> {
        self.flushed().await.read(table, from).await
    }

    async fn follow(&self, table: TableId, from: u64) -> Result<LogFollower<Entry>, LogError> {
        self.flushed().await.follow(table, from).await
    }

    async fn find(&self, table: TableId) -> Result<TableRow, LogError> {
        self.flushed().await.find(table).await
    }

    async fn record(&self, table: TableId) -> Result<Option<Bytes>, LogError> {
        self.flushed().await.record(table).await
    }

    async fn find_by_request(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        self.flushed().await.find_by_request(owner, request).await
    }

    async fn list_tables(&self, filter: LogFilter, page: PageRequest) -> Result<TablePage, LogError> {
        self.flushed().await.list_tables(filter, page).await
    }

    async fn read_owner_feed(&self, owner: &OwnerId, after: u64) -> Result<Vec<FeedItem>, LogError> {
        self.flushed().await.read_owner_feed(owner, after).await
    }

    async fn follow_owner_feed(
        &self,
        owner: &OwnerId,
        after: u64,
    ) -> Result<LogFollower<FeedItem>, LogError> {
        self.flushed().await.follow_owner_feed(owner, after).await
    }

    async fn load_startup_state(&self) -> Result<StartupState, LogError> {
        self.flushed().await.load_startup_state().await
    }

    async fn listed_games(&self) -> Result<Vec<String>, LogError> {
        self.flushed().await.listed_games().await
    }

    async fn delete(&self, delete: Delete) -> Result<(), LogError> {
        self.flushed().await.delete(delete).await
    }

    async fn apply_retention(&self, since: Millis) -> Result<RetentionCounts, LogError> {
        self.flushed().await.apply_retention(since).await
    }
}
