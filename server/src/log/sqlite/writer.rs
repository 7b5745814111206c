//! The thread that writes: takes all that waits, commits it at once, answers when it is on disk.

use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use super::Shared;
use super::batch::Batch;
use super::commit::Written;
use super::failure::{Failing, io_error};
use super::journal::Meta;
use super::work::Now;
use crate::log::{Append, Appended, Delete, Entry, FeedItem, LogError, Millis, Place, Retained};
use crate::telemetry::names::COMMIT_SECONDS;

/// The most appends in one commit, save for the last request in it.
const BATCH: usize = 1024;
/// The most bytes in one commit, save for the last request in it.
const BATCH_BYTES: usize = 8 << 20;

/// How long the writer waits for more requests at a time, and how often at most.
const NAP: Duration = Duration::from_micros(100);
const NAPS: u32 = 8;

/// What is asked of the writer.
pub(super) enum Job {
    /// Each by itself: one that is refused is no trouble for the others.
    Appends(Vec<Append>),
    Delete(Delete),
    /// One step of retention.
    Retain(Millis),
    /// The end: what came before is written, and nothing after it.
    Close,
    /// Lets the file have so many pages at most, as a full disk would.
    #[cfg(test)]
    Pages(u32),
}

/// One thing to be judged, and answered.
#[derive(Clone, Copy)]
enum Step<'a> {
    Append(&'a Append),
    Other(&'a Job),
}

impl Job {
    /// Whether it has a commit of its own. Retention has: it writes while it judges. The end has none at all.
    fn is_alone(&self) -> bool {
        matches!(self, Job::Retain(_) | Job::Close)
    }

    /// How much of the queue it takes up.
    fn size(&self) -> Size {
        match self {
            Job::Appends(appends) => {
                Size { count: appends.len(), bytes: appends.iter().map(Append::bytes).sum() }
            }
            Job::Delete(delete) => {
                Size { count: 1, bytes: delete.feed.iter().map(|post| post.payload.len()).sum() }
            }
            _ => Size { count: 1, bytes: 0 },
        }
    }

    fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        let (appends, other) = match self {
            Job::Appends(appends) => (appends.as_slice(), None),
            other => (&[][..], Some(Step::Other(other))),
        };
        appends.iter().map(Step::Append).chain(other)
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

/// Answers, one for each step of a job.
type Answers = Vec<Result<Done, LogError>>;

struct Request {
    job: Job,
    size: Size,
    answer: oneshot::Sender<Answers>,
}

/// How much of the queue something takes up.
#[derive(Clone, Copy, Default)]
struct Size {
    count: usize,
    bytes: usize,
}

impl AddAssign for Size {
    fn add_assign(&mut self, other: Size) {
        self.count += other.count;
        self.bytes += other.bytes;
    }
}

/// How much waits, and how much may.
struct Waiting {
    count: AtomicUsize,
    bytes: AtomicUsize,
    most: Size,
}

impl Waiting {
    /// Takes up room in the queue, if there is any.
    fn enter(&self, Size { count, bytes }: Size) -> Result<(), LogError> {
        let counted = self.count.fetch_add(count, Ordering::Relaxed) + count;
        let weighed = self.bytes.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if counted <= self.most.count && weighed <= self.most.bytes {
            return Ok(());
        }
        self.leave(Size { count, bytes });
        Err(LogError::Busy)
    }

    fn leave(&self, Size { count, bytes }: Size) {
        self.count.fetch_sub(count, Ordering::Relaxed);
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// The writing end of the store.
pub(super) struct Writer {
    /// `None` only while closing.
    queue: Option<mpsc::Sender<Request>>,
    waiting: Arc<Waiting>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn start(shared: Arc<Shared>, db: Connection, meta: Meta) -> Result<Writer, LogError> {
        let most = Size { count: shared.options.queue.max(1), bytes: shared.options.queue_bytes };
        let (queue, requests) = mpsc::channel(most.count);
        let waiting = Arc::new(Waiting { count: AtomicUsize::new(0), bytes: AtomicUsize::new(0), most });
        let file = shared.file.clone();
        let thread = {
            let waiting = waiting.clone();
            std::thread::Builder::new()
                .name("log-writer".into())
                .spawn(move || run(&shared, db, meta, requests, &waiting))
                .map_err(|error| io_error(&file, error))?
        };
        Ok(Writer { queue: Some(queue), waiting, thread: Some(thread) })
    }

    /// Appends, each by itself, and waits until all are durable or refused. What finds no room in the queue is refused.
    pub(super) async fn append_all(&self, mut appends: Vec<Append>) -> Vec<Result<Appended, LogError>> {
        let mut refused = Vec::new();
        let mut places = 0..;
        appends.retain(|append| {
            let size = Size { count: 1, bytes: append.bytes() };
            let entered = append.validate().and_then(|()| self.waiting.enter(size));
            refused.extend(places.next().zip(entered.as_ref().err().cloned()));
            entered.is_ok()
        });
        let answers = if appends.is_empty() { Vec::new() } else { self.send(Job::Appends(appends)).await };
        let appended = |answer| match answer {
            Ok(Done::Appended(appended)) => Ok(appended),
            Ok(Done::Deleted | Done::Retained { .. } | Done::Closed) => Err(LogError::Closed),
            Err(error) => Err(error),
        };
        let mut results: Vec<_> = answers.into_iter().map(appended).collect();
        for (place, error) in refused {
            results.insert(place, Err(error));
        }
        results
    }

    /// Asks for something else, and waits until it is durable or refused.
    pub(super) async fn submit(&self, job: Job) -> Result<Done, LogError> {
        self.waiting.enter(job.size())?;
        self.send(job).await.pop().unwrap_or(Err(LogError::Closed))
    }

    /// Sends what has its room in the queue, and waits for the answers.
    async fn send(&self, job: Job) -> Answers {
        let size = job.size();
        let (answer, answered) = oneshot::channel();
        let sent = self.queue.as_ref().map(|queue| queue.try_send(Request { job, size, answer }));
        // There is room: a request takes up one of the queue's places at least.
        if !matches!(sent, Some(Ok(()))) {
            self.waiting.leave(size);
            return vec![Err(LogError::Closed); size.count];
        }
        answered.await.unwrap_or_else(|_| vec![Err(LogError::Closed); size.count])
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
    waiting: &Waiting,
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
        let mut size = first.size;
        batch.push(first);
        held = gather(&mut requests, &mut batch, &mut size, recent.into_iter().max());
        recent = [recent[1], size.count];
        waiting.leave(size);
        let steps: Vec<Step<'_>> = batch.iter().flat_map(|request| request.job.steps()).collect();
        let mut answers = timed(|| carry_out(shared, &mut db, &mut meta, &steps));
        for request in batch.drain(..).rev() {
            // The first gets what is left, and nothing of it is copied: mostly it is the only one.
            let own = match answers.len().saturating_sub(request.size.count) {
                0 => std::mem::take(&mut answers),
                before => answers.split_off(before),
            };
            // Whoever does not wait any more needs no answer.
            let _ = request.answer.send(own);
        }
    }
    // Those who read leave first: with the last connection, SQLite tidies up, and the store is one file.
    drop(closing);
    drop(db);
    if let Some(request) = last {
        // Whoever does not wait any more needs no answer.
        let _ = request.answer.send(vec![Ok(Done::Closed)]);
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
    size: &mut Size,
    lately: Option<usize>,
) -> Option<Request> {
    if batch.iter().any(|request| request.job.is_alone()) {
        return None;
    }
    for nap in 0.. {
        let before = size.count;
        while size.count < BATCH
            && size.bytes < BATCH_BYTES
            && let Ok(next) = requests.try_recv()
        {
            if next.job.is_alone() {
                return Some(next);
            }
            *size += next.size;
            batch.push(next);
        }
        let enough = lately.is_none_or(|lately| size.count >= lately) || size.bytes >= BATCH_BYTES;
        let in_vain = nap > 0 && size.count == before;
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

/// Commits the steps together; if that fails for another reason than room, each by itself, so that damage to one table
/// is no trouble for the others.
fn carry_out(shared: &Shared, db: &mut Connection, meta: &mut Meta, steps: &[Step<'_>]) -> Answers {
    match commit(shared, db, meta, steps) {
        Ok(answers) => answers,
        Err(error @ LogError::NoSpace { .. }) => vec![Err(error); steps.len()],
        Err(error) if steps.len() == 1 => vec![Err(error)],
        Err(_) => steps.iter().flat_map(|step| carry_out(shared, db, meta, &[*step])).collect(),
    }
}

fn commit(
    shared: &Shared,
    db: &mut Connection,
    meta: &mut Meta,
    steps: &[Step<'_>],
) -> Result<Answers, LogError> {
    let failing = Failing(&shared.file);
    #[cfg(test)]
    for step in steps {
        if let Step::Other(Job::Pages(pages)) = step {
            failing.at(db.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())))?;
        }
    }
    let transaction = failing.at(db.transaction_with_behavior(TransactionBehavior::Immediate))?;
    let index = shared.index();
    let mut batch = Batch::new(&transaction, &index, *meta, failing, steps.len());
    let mut answers = Vec::with_capacity(steps.len());
    for step in steps {
        answers.push(match step {
            Step::Append(append) => batch.append(append).map(Done::Appended),
            Step::Other(Job::Delete(delete)) => batch.delete(delete).map(|_| Done::Deleted),
            Step::Other(Job::Retain(since)) => {
                let (what, all) = batch.retain(*since)?;
                Ok(Done::Retained { what, all })
            }
            // Appends are steps of their own, and with the end the writer has ended.
            Step::Other(Job::Appends(_) | Job::Close) => Err(LogError::Closed),
            #[cfg(test)]
            Step::Other(Job::Pages(_)) => Ok(Done::Deleted),
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

/// Commits, and notes how long that took.
#[expect(
    clippy::disallowed_methods,
    reason = "how fast the disk is has nothing to do with the time of any table"
)]
fn timed<T>(work: impl FnOnce() -> T) -> T {
    let begun = std::time::Instant::now();
    let done = work();
    metrics::histogram!(COMMIT_SECONDS).record(begun.elapsed());
    done
}

/// The new entries of a table, read from what was just written: mostly nobody wants to know them.
fn entries(now: &Now) -> Vec<Entry> {
    let (mut chain, mut entries) = (now.before, Vec::new());
    let read = chain.decode(&Bytes::copy_from_slice(&now.fresh), 0, &mut entries);
    debug_assert!(read.is_ok() && chain == now.chain, "what was written reads back");
    entries
}

/// Tells the followers what is durable now.
fn publish(shared: &Shared, written: &Written) {
    // Mostly nobody follows a single table, and then there is nothing to look for.
    if !shared.tables.is_idle() {
        for (id, work) in &written.tables {
            if work.deleted {
                shared.tables.end(id, Some(LogError::NoSuchTable { table: *id }));
            }
            if let Some(now) = &work.now {
                shared.tables.publish(id, &entries(now));
                if now.place == Place::Finished {
                    shared.tables.end(id, None);
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
