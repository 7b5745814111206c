//! The writer thread: takes everything queued, commits it in one transaction, and replies once it is durable.

use std::time::Duration;

use bytes::Bytes;
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::mpsc;

use super::Shared;
use super::batch::CommitBatch;
use super::commit::WrittenCommit;
use super::file_errors::FileErrors;
use super::journal::StoreMeta;
use super::table_change::PendingTable;
use super::writer::{
    CommitStep, QueueSize, QueueUsage, WriterCommand, WriterReplies, WriterReply, WriterRequest,
};
use crate::COMMIT_SECONDS;
use crate::{Entry, FeedItem, LogError, Place};

/// Appends in one commit, except for the last request in it.
const MAX_BATCH_APPENDS: usize = 1024;
/// Bytes in one commit, except for the last request in it.
const MAX_BATCH_BYTES: usize = 8 << 20;

/// Time that the writer waits for more requests at once, and the number of such waits.
const BATCH_WAIT: Duration = Duration::from_micros(100);
const MAX_BATCH_WAITS: u32 = 8;

/// Runs the writer until it is closed or all handles are dropped.
pub(super) fn run_writer(
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
                let (counts, complete) = batch.apply_retention(*since)?;
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
