//! The thread that writes: takes all that waits, commits it at once, answers when it is on disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

use super::Shared;
use super::batch::Batch;
use super::commit::Written;
use super::failure::{Failing, io_error};
use super::journal::Meta;
use crate::log::{Append, Appended, Delete, FeedItem, LogError, Millis, Place, Retained};

/// The most requests in one commit.
const BATCH: usize = 1024;
/// The most bytes in one commit, save for the last request in it.
const BATCH_BYTES: usize = 8 << 20;

/// How long the writer waits for more requests at a time, and how often at most.
const NAP: Duration = Duration::from_micros(100);
const NAPS: u32 = 8;

/// What is asked of the writer.
pub(super) enum Job {
    Append(Append),
    Delete(Delete),
    /// One step of retention.
    Retain(Millis),
    /// The end: what came before is written, and nothing after it.
    Close,
    /// Lets the file have so many pages at most, as a full disk would.
    #[cfg(test)]
    Pages(u32),
}

impl Job {
    /// Whether it has a commit of its own. Retention has: it writes while it judges. The end has none at all.
    fn is_alone(&self) -> bool {
        matches!(self, Job::Retain(_) | Job::Close)
    }
}

/// What the writer did.
#[derive(Clone, Debug)]
pub(super) enum Done {
    Appended(Appended),
    Deleted,
    Retained { what: Retained, all: bool },
    Closed,
}

struct Request {
    job: Job,
    bytes: usize,
    answer: oneshot::Sender<Result<Done, LogError>>,
}

/// The writing end of the store.
pub(super) struct Writer {
    /// `None` only while closing.
    queue: Option<mpsc::Sender<Request>>,
    /// The bytes that wait.
    waiting: Arc<AtomicUsize>,
    limit: usize,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(shared: Arc<Shared>, db: Connection, meta: Meta) -> Result<Writer, LogError> {
        let (queue, requests) = mpsc::channel(shared.options.queue.max(1));
        let waiting = Arc::new(AtomicUsize::new(0));
        let limit = shared.options.queue_bytes;
        let file = shared.file.clone();
        let thread = {
            let waiting = waiting.clone();
            std::thread::Builder::new()
                .name("log-writer".into())
                .spawn(move || run(&shared, db, meta, requests, &waiting))
                .map_err(|error| io_error(&file, error))?
        };
        Ok(Writer { queue: Some(queue), waiting, limit, thread: Some(thread) })
    }

    /// Asks for something, and waits until it is durable or refused.
    pub(super) async fn submit(&self, job: Job) -> Result<Done, LogError> {
        let bytes = match &job {
            Job::Append(append) => append.bytes(),
            Job::Delete(delete) => delete.feed.iter().map(|post| post.payload.len()).sum(),
            _ => 0,
        };
        let queue = self.queue.as_ref().ok_or(LogError::Closed)?;
        if self.waiting.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) > self.limit {
            self.waiting.fetch_sub(bytes, Ordering::Relaxed);
            return Err(LogError::Busy);
        }
        let (answer, answered) = oneshot::channel();
        let sent = queue.try_send(Request { job, bytes, answer });
        if let Err(error) = sent {
            self.waiting.fetch_sub(bytes, Ordering::Relaxed);
            return Err(match error {
                TrySendError::Full(_) => LogError::Busy,
                TrySendError::Closed(_) => LogError::Closed,
            });
        }
        answered.await.unwrap_or(Err(LogError::Closed))
    }
}

#[cfg(test)]
impl Writer {
    /// How many requests wait.
    pub(super) fn queued(&self) -> usize {
        self.queue.as_ref().map_or(0, |queue| queue.max_capacity() - queue.capacity())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // Whatever it died of, those who waited have been told.
            let _ = thread.join();
        }
    }
}

fn run(
    shared: &Shared,
    mut db: Connection,
    mut meta: Meta,
    mut requests: mpsc::Receiver<Request>,
    waiting: &AtomicUsize,
) {
    let closing = Closing(shared);
    let mut batch = Vec::new();
    let mut held = None;
    let mut recent = [0; 2];
    let mut last = None;
    while let Some(first) = held.take().or_else(|| requests.blocking_recv()) {
        if matches!(first.job, Job::Close) {
            last = Some(first);
            break;
        }
        let mut bytes = first.bytes;
        batch.push(first);
        held = gather(&mut requests, &mut batch, &mut bytes, recent.into_iter().max());
        recent = [recent[1], batch.len()];
        let jobs: Vec<&Job> = batch.iter().map(|request| &request.job).collect();
        let answers = carry_out(shared, &mut db, &mut meta, &jobs);
        waiting.fetch_sub(bytes, Ordering::Relaxed);
        for (request, answer) in batch.drain(..).zip(answers) {
            // Whoever does not wait any more needs no answer.
            let _ = request.answer.send(answer);
        }
    }
    // Those who read leave first: with the last connection, SQLite tidies up, and the store is one file.
    drop(closing);
    drop(db);
    if let Some(request) = last {
        // Whoever does not wait any more needs no answer.
        let _ = request.answer.send(Ok(Done::Closed));
    }
}

/// Takes what waits into the batch. Gives the request that must have a commit of its own, if one is next.
///
/// Those who were just answered mostly ask again at once. If the first of them were committed without the others, half
/// of the tables would always wait for the other half. So the writer naps, as long as that helps, until there are as many
/// as lately. Whoever plays alone never waits.
fn gather(
    requests: &mut mpsc::Receiver<Request>,
    batch: &mut Vec<Request>,
    bytes: &mut usize,
    lately: Option<usize>,
) -> Option<Request> {
    if batch.iter().any(|request| request.job.is_alone()) {
        return None;
    }
    for nap in 0.. {
        let before = batch.len();
        while batch.len() < BATCH
            && *bytes < BATCH_BYTES
            && let Ok(next) = requests.try_recv()
        {
            if next.job.is_alone() {
                return Some(next);
            }
            *bytes += next.bytes;
            batch.push(next);
        }
        let enough = lately.is_none_or(|lately| batch.len() >= lately) || *bytes >= BATCH_BYTES;
        let in_vain = nap > 0 && batch.len() == before;
        if enough || in_vain || nap == NAPS {
            break;
        }
        std::thread::park_timeout(NAP);
    }
    None
}

/// Closes the log when the writer ends, whatever it ends of.
struct Closing<'a>(&'a Shared);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Commits the jobs together; if that fails for another reason than room, each by itself, so that damage to one table
/// is no trouble for the others.
fn carry_out(
    shared: &Shared,
    db: &mut Connection,
    meta: &mut Meta,
    jobs: &[&Job],
) -> Vec<Result<Done, LogError>> {
    match commit(shared, db, meta, jobs) {
        Ok(answers) => answers,
        Err(error @ LogError::NoSpace { .. }) => vec![Err(error); jobs.len()],
        Err(error) if jobs.len() == 1 => vec![Err(error)],
        Err(_) => jobs.iter().flat_map(|job| carry_out(shared, db, meta, &[job])).collect(),
    }
}

fn commit(
    shared: &Shared,
    db: &mut Connection,
    meta: &mut Meta,
    jobs: &[&Job],
) -> Result<Vec<Result<Done, LogError>>, LogError> {
    let failing = Failing(&shared.file);
    #[cfg(test)]
    for job in jobs {
        if let Job::Pages(pages) = job {
            failing.at(db.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())))?;
        }
    }
    let transaction = failing.at(db.transaction_with_behavior(TransactionBehavior::Immediate))?;
    let index = shared.index();
    let mut batch = Batch::new(&transaction, &index, *meta, failing);
    let mut answers = Vec::with_capacity(jobs.len());
    for job in jobs {
        answers.push(match job {
            Job::Append(append) => batch.append(append).map(Done::Appended),
            Job::Delete(delete) => batch.delete(delete).map(|_| Done::Deleted),
            Job::Retain(since) => {
                let (what, all) = batch.retain(*since)?;
                Ok(Done::Retained { what, all })
            }
            // Never in a commit: the writer has ended.
            Job::Close => Err(LogError::Closed),
            #[cfg(test)]
            Job::Pages(_) => Ok(Done::Deleted),
        });
    }
    if !batch.changes() {
        return Ok(answers);
    }
    let written = batch.write(shared.options.journal_limit)?;
    drop(index);
    #[cfg(test)]
    shared.reach(super::tests::Moment::Written);
    failing.at(transaction.commit())?;
    #[cfg(test)]
    shared.reach(super::tests::Moment::Committed);
    *meta = written.meta;
    written.apply(&mut shared.index_mut());
    shared.set_applied(meta.seq);
    publish(shared, &written);
    Ok(answers)
}

/// Tells the followers what is durable now.
fn publish(shared: &Shared, written: &Written) {
    for (id, work) in &written.tables {
        if work.deleted {
            shared.tables.end(id, Some(LogError::NoSuchTable { table: *id }));
        }
        if let Some(now) = &work.now {
            shared.tables.publish(id, &now.entries);
            if now.place == Place::Finished {
                shared.tables.end(id, None);
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
