//! The writer thread: takes everything queued, commits it in one transaction, and replies once it is durable.

use std::time::Duration;

use tokio::sync::mpsc;

use super::batch::{CommitBatch, StoredRows};
use super::writer::{
    CommitStep, QueueSize, QueueUsage, WriterCommand, WriterReplies, WriterReply, WriterRequest,
};
use crate::COMMIT_SECONDS;
use crate::LogError;

/// Appends in one commit, except for the last request in it.
const MAX_BATCH_APPENDS: usize = 1024;
/// Bytes in one commit, except for the last request in it.
const MAX_BATCH_BYTES: usize = 8 << 20;

/// Time that the writer waits for more requests at once, and the number of such waits.
const BATCH_WAIT: Duration = Duration::from_micros(100);
const MAX_BATCH_WAITS: u32 = 8;

/// The part of a writer that a store implements.
pub(crate) trait Committer {
    /// Commits the steps together, updates the index and publishes them. Replies to each step. An error means that
    /// nothing was committed.
    fn commit(&mut self, steps: &[CommitStep<'_>]) -> Result<WriterReplies, LogError>;

    /// Closes the store to readers and followers. Called once, also when the thread panics.
    fn close(&mut self);
}

/// Runs the writer until it is closed or all handles are dropped.
pub(crate) fn run_writer(
    committer: impl Committer,
    mut requests: mpsc::Receiver<WriterRequest>,
    usage: &QueueUsage,
) {
    let mut committer = CloseGuard(committer);
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
        let mut replies = record_commit_time(|| commit_or_split(&mut committer.0, &steps));
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
    drop(committer);
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
struct CloseGuard<C: Committer>(C);

impl<C: Committer> Drop for CloseGuard<C> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Commits the steps together. If that fails for a reason that may be of one step alone, commits each alone, so that
/// damage to one table does not fail the others.
fn commit_or_split(committer: &mut impl Committer, steps: &[CommitStep<'_>]) -> WriterReplies {
    match committer.commit(steps) {
        Ok(replies) => replies,
        Err(error) if steps.len() == 1 || error.concerns_every_append() => vec![Err(error); steps.len()],
        Err(_) => steps.iter().flat_map(|step| commit_or_split(committer, &[*step])).collect(),
    }
}

/// Validates the appends and deletions among the steps, and adds them to the commit. `other` replies to the other steps.
pub(crate) fn add_steps<R: StoredRows>(
    batch: &mut CommitBatch<'_, R>,
    steps: &[CommitStep<'_>],
    mut other: impl FnMut(&mut CommitBatch<'_, R>, &WriterCommand) -> Result<WriterReply, LogError>,
) -> WriterReplies {
    let add = |step: &CommitStep<'_>| match step {
        CommitStep::Append(append) => batch.append(append).map(WriterReply::Appended),
        CommitStep::Other(WriterCommand::Delete(delete)) => {
            batch.delete(delete).map(|_| WriterReply::Deleted)
        }
        CommitStep::Other(command) => other(batch, command),
    };
    steps.iter().map(add).collect()
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
