//! Handle of the writer thread: commands, replies and the bounded queue between them.

use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use parlor_fair::Partition;
use tokio::sync::{mpsc, oneshot};

use super::writer_thread::{Committer, run_writer};
use crate::{Append, Appended, Delete, LogError, Millis, RetentionCounts};

/// A command to the writer.
pub(crate) enum WriterCommand {
    /// Independent appends: a refused one does not affect the others.
    Appends(Vec<Append>),
    Delete(Delete),
    /// One step of retention.
    Retain(Millis),
    /// Takes over partitions, in a store that has them.
    Adopt(Vec<Partition>),
    /// Hands a partition over to a writer, in a store that has them.
    Release(Partition, i64),
    /// Commits everything before it and refuses everything after it.
    Close,
    /// Caps the file at this many pages, as a full disk would.
    #[cfg(test)]
    Pages(u32),
}

/// One part of a command, with a reply of its own.
#[derive(Clone, Copy)]
pub(crate) enum CommitStep<'a> {
    Append(&'a Append),
    Other(&'a WriterCommand),
}

impl WriterCommand {
    /// Reports whether the command must not share a commit. Retention writes while it validates; closing
    /// commits nothing.
    pub(crate) fn needs_own_commit(&self) -> bool {
        matches!(
            self,
            WriterCommand::Retain(_)
                | WriterCommand::Adopt(_)
                | WriterCommand::Release(..)
                | WriterCommand::Close
        )
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

    pub(crate) fn steps(&self) -> impl Iterator<Item = CommitStep<'_>> {
        let (appends, other) = match self {
            WriterCommand::Appends(appends) => (appends.as_slice(), None),
            other => (&[][..], Some(CommitStep::Other(other))),
        };
        appends.iter().map(CommitStep::Append).chain(other)
    }
}

/// Reply of the writer.
#[derive(Clone, Debug)]
pub(crate) enum WriterReply {
    Appended(Appended),
    Deleted,
    Removed {
        counts: RetentionCounts,
        complete: bool,
    },
    Adopted,
    /// True if the partition was handed over.
    Released(bool),
    Closed,
}

/// Replies, one per step of a command.
pub(crate) type WriterReplies = Vec<Result<WriterReply, LogError>>;

pub(crate) struct WriterRequest {
    pub(crate) command: WriterCommand,
    pub(crate) size: QueueSize,
    pub(crate) reply: oneshot::Sender<WriterReplies>,
}

/// Share of the queue's limits.
#[derive(Clone, Copy, Default)]
pub(crate) struct QueueSize {
    pub(crate) count: usize,
    pub(crate) bytes: usize,
}

impl AddAssign for QueueSize {
    fn add_assign(&mut self, other: QueueSize) {
        self.count += other.count;
        self.bytes += other.bytes;
    }
}

/// Current usage of the queue, and its limits.
pub(crate) struct QueueUsage {
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
        Err(LogError::QueueFull)
    }

    pub(crate) fn release(&self, QueueSize { count, bytes }: QueueSize) {
        self.count.fetch_sub(count, Ordering::Relaxed);
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Handle of the writer thread.
pub(crate) struct Writer {
    /// `None` only while closing.
    queue: Option<mpsc::Sender<WriterRequest>>,
    usage: Arc<QueueUsage>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the writer thread, with a queue of this many appends and bytes.
    pub(crate) fn start<C: Committer + Send + 'static>(
        count: usize,
        bytes: usize,
        committer: C,
    ) -> std::io::Result<Writer> {
        let limit = QueueSize { count: count.max(1), bytes };
        let (queue, requests) = mpsc::channel(limit.count);
        let usage = Arc::new(QueueUsage { count: AtomicUsize::new(0), bytes: AtomicUsize::new(0), limit });
        let thread = {
            let usage = usage.clone();
            std::thread::Builder::new()
                .name("log-writer".into())
                .spawn(move || run_writer(committer, requests, &usage))?
        };
        Ok(Writer { queue: Some(queue), usage, thread: Some(thread) })
    }

    /// Appends independently, and waits until all are durable or refused. Appends that exceed the queue are
    /// refused.
    pub(crate) async fn append_all(&self, mut appends: Vec<Append>) -> Vec<Result<Appended, LogError>> {
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
            Ok(_) => Err(LogError::Closed),
            Err(error) => Err(error),
        };
        let mut results: Vec<_> = replies.into_iter().map(appended).collect();
        for (place, error) in refused {
            results.insert(place, Err(error));
        }
        results
    }

    /// Submits another command, and waits until it is durable or refused.
    pub(crate) async fn submit(&self, command: WriterCommand) -> Result<WriterReply, LogError> {
        self.usage.reserve(command.size())?;
        self.send(command).await.pop().unwrap_or(Err(LogError::Closed))
    }

    /// Applies retention, one step after the other.
    pub(crate) async fn apply_retention(&self, since: Millis) -> Result<RetentionCounts, LogError> {
        let mut sum = RetentionCounts::default();
        loop {
            let WriterReply::Removed { counts, complete } = self.submit(WriterCommand::Retain(since)).await?
            else {
                return Err(LogError::Closed);
            };
            sum.tables += counts.tables;
            sum.feed_items += counts.feed_items;
            if complete {
                return Ok(sum);
            }
        }
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
    pub(crate) fn queued(&self) -> usize {
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
