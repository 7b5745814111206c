//! The writer thread: takes everything queued, commits it in one transaction, and replies once it is durable.

use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use super::Shared;
use super::batch::CommitBatch;
use super::commit::WrittenCommit;
use super::failure::{FileErrors, io_error};
use super::journal::StoreMeta;
use super::work::PendingTable;
use crate::log::{Append, Appended, Delete, Entry, FeedItem, LogError, Millis, Place, Retained};
use crate::telemetry::names::COMMIT_SECONDS;

/// Appends in one commit, except for the last request in it.
const MAX_BATCH_APPENDS: usize = 1024;
/// Bytes in one commit, except for the last request in it.
const MAX_BATCH_BYTES: usize = 8 << 20;

/// Time that the writer waits for more requests at once, and the number of such waits.
const BATCH_WAIT: Duration = Duration::from_micros(100);
const MAX_BATCH_WAITS: u32 = 8;

/// A command to the writer.
pub(super) enum WriterCommand {
    /// Independent appends: a refused one does not affect the others.
    Appends(Vec<Append>),
    Delete(Delete),
    /// One step of retention.
    Retain(Millis),
    /// Commits everything before it and refuses everything after it.
    Close,
    /// Caps the file at this many pages, as a full disk would.
    #[cfg(test)]
    Pages(u32),
}

/// One part of a command, with a reply of its own.
#[derive(Clone, Copy)]
enum CommitStep<'a> {
    Append(&'a Append),
    Other(&'a WriterCommand),
}

impl WriterCommand {
    /// Reports whether the command must not share a commit. Retention writes while it validates; closing
    /// commits nothing.
    fn needs_own_commit(&self) -> bool {
        matches!(self, WriterCommand::Retain(_) | WriterCommand::Close)
    }

    /// Share of the queue's limits that the command takes.
    fn size(&self) -> QueueSize {
        match self {
            WriterCommand::Appends(appends) => {
                QueueSize { count: appends.len(), bytes: appends.iter().map(Append::bytes).sum() }
            }
            WriterCommand::Delete(delete) => {
                QueueSize { count: 1, bytes: delete.feed.iter().map(|post| post.payload.len()).sum() }
            }
            _ => QueueSize { count: 1, bytes: 0 },
        }
    }

    fn steps(&self) -> impl Iterator<Item = CommitStep<'_>> {
        let (appends, other) = match self {
            WriterCommand::Appends(appends) => (appends.as_slice(), None),
            other => (&[][..], Some(CommitStep::Other(other))),
        };
        appends.iter().map(CommitStep::Append).chain(other)
    }
}

/// Reply of the writer.
#[derive(Clone, Debug)]
pub(super) enum WriterReply {
    Appended(Appended),
    Deleted,
    Removed { counts: Retained, complete: bool },
    Closed,
}

/// Replies, one per step of a command.
type WriterReplies = Vec<Result<WriterReply, LogError>>;

struct WriterRequest {
    command: WriterCommand,
    size: QueueSize,
    reply: oneshot::Sender<WriterReplies>,
}

/// Share of the queue's limits.
#[derive(Clone, Copy, Default)]
struct QueueSize {
    count: usize,
    bytes: usize,
}

impl AddAssign for QueueSize {
    fn add_assign(&mut self, other: QueueSize) {
        self.count += other.count;
        self.bytes += other.bytes;
    }
}

/// Current usage of the queue, and its limits.
struct QueueUsage {
    count: AtomicUsize,
    bytes: AtomicUsize,
    limit: QueueSize,
}

impl QueueUsage {
    /// Reserves space in the queue, if there is any.
    fn reserve(&self, QueueSize { count, bytes }: QueueSize) -> Result<(), LogError> {
        let count_after = self.count.fetch_add(count, Ordering::Relaxed) + count;
        let bytes_after = self.bytes.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if count_after <= self.limit.count && bytes_after <= self.limit.bytes {
            return Ok(());
        }
        self.release(QueueSize { count, bytes });
        Err(LogError::Busy)
    }

    fn release(&self, QueueSize { count, bytes }: QueueSize) {
        self.count.fetch_sub(count, Ordering::Relaxed);
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Handle of the writer thread.
pub(super) struct Writer {
    /// `None` only while closing.
    queue: Option<mpsc::Sender<WriterRequest>>,
    usage: Arc<QueueUsage>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(shared: Arc<Shared>, db: Connection, meta: StoreMeta) -> Result<Writer, LogError> {
        let limit = QueueSize { count: shared.options.queue.max(1), bytes: shared.options.queue_bytes };
        let (queue, requests) = mpsc::channel(limit.count);
        let usage = Arc::new(QueueUsage { count: AtomicUsize::new(0), bytes: AtomicUsize::new(0), limit });
        let file = shared.file.clone();
        let thread = {
            let usage = usage.clone();
            std::thread::Builder::new()
                .name("log-writer".into())
                .spawn(move || run_writer(&shared, db, meta, requests, &usage))
                .map_err(|error| io_error(&file, error))?
        };
        Ok(Writer { queue: Some(queue), usage, thread: Some(thread) })
    }

    /// Appends independently, and waits until all are durable or refused. Appends that exceed the queue are
    /// refused.
    pub(super) async fn append_all(&self, mut appends: Vec<Append>) -> Vec<Result<Appended, LogError>> {
        let mut refused = Vec::new();
        let mut places = 0..;
        appends.retain(|append| {
            let size = QueueSize { count: 1, bytes: append.bytes() };
            let reserved = append.validate().and_then(|()| self.usage.reserve(size));
            refused.extend(places.next().zip(reserved.as_ref().err().cloned()));
            reserved.is_ok()
        });
        let replies =
            if appends.is_empty() { Vec::new() } else { self.send(WriterCommand::Appends(appends)).await };
        let appended = |reply| match reply {
            Ok(WriterReply::Appended(appended)) => Ok(appended),
            Ok(WriterReply::Deleted | WriterReply::Removed { .. } | WriterReply::Closed) => {
                Err(LogError::Closed)
            }
            Err(error) => Err(error),
        };
        let mut results: Vec<_> = replies.into_iter().map(appended).collect();
        for (place, error) in refused {
            results.insert(place, Err(error));
        }
        results
    }

    /// Submits another command, and waits until it is durable or refused.
    pub(super) async fn submit(&self, command: WriterCommand) -> Result<WriterReply, LogError> {
        self.usage.reserve(command.size())?;
        self.send(command).await.pop().unwrap_or(Err(LogError::Closed))
    }

    /// Sends a command with reserved space, and waits for the replies.
    async fn send(&self, command: WriterCommand) -> WriterReplies {
        let size = command.size();
        let (reply, received) = oneshot::channel();
        let sent = self.queue.as_ref().map(|queue| queue.try_send(WriterRequest { command, size, reply }));
        // The channel has capacity: every command reserves at least one of its places.
        if !matches!(sent, Some(Ok(()))) {
            self.usage.release(size);
            return vec![Err(LogError::Closed); size.count];
        }
        received.await.unwrap_or_else(|_| vec![Err(LogError::Closed); size.count])
    }
}

#[cfg(test)]
impl Writer {
    /// Number of queued requests.
    pub(super) fn queued(&self) -> usize {
        self.queue.as_ref().map_or(0, |queue| queue.max_capacity() - queue.capacity())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // Callers have already been answered, even if the thread panicked.
            let _ = thread.join();
        }
    }
}

fn run_writer(
    shared: &Shared,
    mut db: Connection,
    mut meta: StoreMeta,
    mut requests: mpsc::Receiver<WriterRequest>,
    usage: &QueueUsage,
) {
    let close_guard = CloseGuard(shared);
    let mut batch = Vec::new();
    let mut held = None;
    let mut recent = [0; 2];
    let mut last = None;
    while let Some(first) = held.take().or_else(|| requests.blocking_recv()) {
        if matches!(first.command, WriterCommand::Close) {
            last = Some(first);
            break;
        }
        let mut size = first.size;
        batch.push(first);
        held = collect_batch(&mut requests, &mut batch, &mut size, recent.into_iter().max());
        recent = [recent[1], size.count];
        usage.release(size);
        let steps: Vec<CommitStep<'_>> = batch.iter().flat_map(|request| request.command.steps()).collect();
        let mut replies = record_commit_time(|| commit_or_split(shared, &mut db, &mut meta, &steps));
        for request in batch.drain(..).rev() {
            // The first request takes the remaining vector without copying; usually it is the only one.
            let own = match replies.len().saturating_sub(request.size.count) {
                0 => std::mem::take(&mut replies),
                before => replies.split_off(before),
            };
            // Fails when the caller has gone.
            let _ = request.reply.send(own);
        }
    }
    // Readers close first: with its last connection SQLite removes the WAL, and the store is one file.
    drop(close_guard);
    drop(db);
    if let Some(request) = last {
        // Fails when the caller has gone.
        let _ = request.reply.send(vec![Ok(WriterReply::Closed)]);
    }
}

/// Collects queued requests into the batch. Returns a request that needs a commit of its own, if one is next.
///
/// Callers that were just answered usually send again at once. Committing the first of them without the
/// others would make half of the tables always wait for the other half. So the writer waits for as many
/// requests as in recent commits, as long as more arrive. A single caller never waits.
fn collect_batch(
    requests: &mut mpsc::Receiver<WriterRequest>,
    batch: &mut Vec<WriterRequest>,
    size: &mut QueueSize,
    recent_count: Option<usize>,
) -> Option<WriterRequest> {
    if batch.iter().any(|request| request.command.needs_own_commit()) {
        return None;
    }
    for wait in 0.. {
        let before = size.count;
        while size.count < MAX_BATCH_APPENDS
            && size.bytes < MAX_BATCH_BYTES
            && let Ok(next) = requests.try_recv()
        {
            if next.command.needs_own_commit() {
                return Some(next);
            }
            *size += next.size;
            batch.push(next);
        }
        let enough = recent_count.is_none_or(|recent_count| size.count >= recent_count)
            || size.bytes >= MAX_BATCH_BYTES;
        let fruitless = wait > 0 && size.count == before;
        if enough || fruitless || wait == MAX_BATCH_WAITS {
            break;
        }
        std::thread::park_timeout(BATCH_WAIT);
    }
    None
}

/// Closes the log when the writer ends, even by a panic.
struct CloseGuard<'a>(&'a Shared);

impl Drop for CloseGuard<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Commits the steps together. If that fails for a reason other than space, commits each alone, so that
/// damage to one table does not fail the others.
fn commit_or_split(
    shared: &Shared,
    db: &mut Connection,
    meta: &mut StoreMeta,
    steps: &[CommitStep<'_>],
) -> WriterReplies {
    match commit(shared, db, meta, steps) {
        Ok(replies) => replies,
        Err(error @ LogError::NoSpace { .. }) => vec![Err(error); steps.len()],
        Err(error) if steps.len() == 1 => vec![Err(error)],
        Err(_) => steps.iter().flat_map(|step| commit_or_split(shared, db, meta, &[*step])).collect(),
    }
}

fn commit(
    shared: &Shared,
    db: &mut Connection,
    meta: &mut StoreMeta,
    steps: &[CommitStep<'_>],
) -> Result<WriterReplies, LogError> {
    let errors = FileErrors(&shared.file);
    #[cfg(test)]
    for step in steps {
        if let CommitStep::Other(WriterCommand::Pages(pages)) = step {
            errors.wrap(db.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())))?;
        }
    }
    let transaction = errors.wrap(db.transaction_with_behavior(TransactionBehavior::Immediate))?;
    let index = shared.index();
    let mut batch = CommitBatch::new(&transaction, &index, *meta, errors, steps.len());
    let mut replies = Vec::with_capacity(steps.len());
    for step in steps {
        replies.push(match step {
            CommitStep::Append(append) => batch.append(append).map(WriterReply::Appended),
            CommitStep::Other(WriterCommand::Delete(delete)) => {
                batch.delete(delete).map(|_| WriterReply::Deleted)
            }
            CommitStep::Other(WriterCommand::Retain(since)) => {
                let (counts, complete) = batch.retain(*since)?;
                Ok(WriterReply::Removed { counts, complete })
            }
            // Appends are steps of their own, and the writer has already ended at a close.
            CommitStep::Other(WriterCommand::Appends(_) | WriterCommand::Close) => Err(LogError::Closed),
            #[cfg(test)]
            CommitStep::Other(WriterCommand::Pages(_)) => Ok(WriterReply::Deleted),
        });
    }
    if !batch.changes() {
        return Ok(replies);
    }
    let written = batch.write(shared.options.journal_limit)?;
    drop(index);
    #[cfg(test)]
    shared.run_hook(super::tests::CommitPhase::Written);
    errors.wrap(transaction.commit())?;
    #[cfg(test)]
    shared.run_hook(super::tests::CommitPhase::Committed);
    *meta = written.meta;
    written.apply(&mut shared.index_mut());
    shared.set_applied(meta.seq);
    publish(shared, &written);
    Ok(replies)
}

/// Runs a commit and records its duration.
#[expect(
    clippy::disallowed_methods,
    reason = "commit duration is a metric of the disk, unrelated to the time of any table"
)]
fn record_commit_time<T>(work: impl FnOnce() -> T) -> T {
    let begun = std::time::Instant::now();
    let done = work();
    metrics::histogram!(COMMIT_SECONDS).record(begun.elapsed());
    done
}

/// Decodes the new entries of a table from what was written; only needed when it has followers.
fn decode_new_entries(pending: &PendingTable) -> Vec<Entry> {
    let (mut chain, mut entries) = (pending.before, Vec::new());
    let read = chain.decode(&Bytes::copy_from_slice(&pending.new_entries), 0, &mut entries);
    debug_assert!(read.is_ok() && chain == pending.chain, "written entries must decode to the same chain");
    entries
}

/// Publishes the commit to followers.
fn publish(shared: &Shared, written: &WrittenCommit) {
    // Usually no table has followers.
    if !shared.tables.is_idle() {
        for (id, change) in &written.tables {
            if change.deleted {
                shared.tables.end_topic(id, Some(LogError::NoSuchTable { table: *id }));
            }
            if let Some(pending) = &change.pending {
                shared.tables.publish(id, &decode_new_entries(pending));
                if pending.place == Place::Finished {
                    shared.tables.end_topic(id, None);
                }
            }
        }
    }
    for posts in written.posted.chunk_by(|a, b| a.0 == b.0) {
        let items: Vec<FeedItem> = posts.iter().map(|(_, item)| item.clone()).collect();
        if let Some((owner, _)) = posts.first() {
            shared.owners.publish(owner, &items);
        }
    }
}
