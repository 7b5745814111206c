//! A log that says "done" before it is: the control. Whoever uses it must be found out.
//!
//! Appends are answered at once and written a moment later, all that came meanwhile in one commit: what a store does that
//! puts speed before the promise. Reads wait until everything is written, so that only a crash can tell.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use parlor_server::TableId;
use parlor_server::log::{
    Append, Appended, Delete, Entry, FeedItem, Filter, Follow, Log, LogError, Millis, OwnerId, Page,
    Retained, StartUp, TableRow, Tables,
};
use tokio::sync::{mpsc, oneshot};

/// How much later it is written.
const LATER: Duration = Duration::from_millis(20);

enum Work {
    Append(Box<Append>),
    /// Says when all before it is written.
    Barrier(oneshot::Sender<()>),
}

/// A log that answers before anything is written.
pub(crate) struct EarlyLog {
    inner: Arc<dyn Log>,
    queue: mpsc::Sender<Work>,
}

impl EarlyLog {
    pub(crate) fn over(inner: Arc<dyn Log>) -> EarlyLog {
        let (queue, work) = mpsc::channel(8192);
        tokio::spawn(write_later(inner.clone(), work));
        EarlyLog { inner, queue }
    }

    async fn settled(&self) -> &dyn Log {
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
            tokio::time::sleep(LATER).await;
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
            eprintln!("faults: the early log could not keep its promise: {refused}");
        }
        for barrier in barriers {
            // Whoever waited may have gone.
            let _ = barrier.send(());
        }
    }
}

#[async_trait]
impl Log for EarlyLog {
    async fn append(&self, append: Append) -> Result<Appended, LogError> {
        // A new table is written at once: whether its request was carried out before must be known.
        if append.expected == 0 {
            return self.settled().await.append(append).await;
        }
        let length = append.expected + append.entries.len() as u64;
        self.queue.send(Work::Append(Box::new(append))).await.map_err(|_| LogError::Closed)?;
        Ok(Appended { length, head: [0; 32], feed: Vec::new() })
    }

    async fn read(&self, table: TableId, from: u64) -> Result<Vec<Entry>, LogError> {
        self.settled().await.read(table, from).await
    }

    async fn follow(&self, table: TableId, from: u64) -> Result<Follow<Entry>, LogError> {
        self.settled().await.follow(table, from).await
    }

    async fn find(&self, table: TableId) -> Result<TableRow, LogError> {
        self.settled().await.find(table).await
    }

    async fn record(&self, table: TableId) -> Result<Option<Bytes>, LogError> {
        self.settled().await.record(table).await
    }

    async fn requested(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        self.settled().await.requested(owner, request).await
    }

    async fn tables(&self, filter: Filter, page: Page) -> Result<Tables, LogError> {
        self.settled().await.tables(filter, page).await
    }

    async fn owner_feed(&self, owner: &OwnerId, after: u64) -> Result<Vec<FeedItem>, LogError> {
        self.settled().await.owner_feed(owner, after).await
    }

    async fn follow_owner(&self, owner: &OwnerId, after: u64) -> Result<Follow<FeedItem>, LogError> {
        self.settled().await.follow_owner(owner, after).await
    }

    async fn start_up(&self) -> Result<StartUp, LogError> {
        self.settled().await.start_up().await
    }

    async fn delete(&self, delete: Delete) -> Result<(), LogError> {
        self.settled().await.delete(delete).await
    }

    async fn retain(&self, since: Millis) -> Result<Retained, LogError> {
        self.settled().await.retain(since).await
    }
}
