//! A log in memory: for training, where nothing needs to last, and for simulations of crashes.
//!
//! In a simulation nothing is durable by itself: appends wait for [`MemoryLog::sync`], and [`MemoryLog::crash`] loses
//! those that still wait.

mod committed;
#[cfg(test)]
mod tests;

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::oneshot;

use super::follow::{Hub, Rest};
use super::{
    Append, Appended, Delete, Entry, FeedItem, Filter, Follow, Kind, Log, LogError, Millis, OwnerId, Page,
    Place, Retained, StartUp, TableId, TableRow, Tables,
};
use committed::{Committed, Followers, Job};

/// How many appends may wait for [`MemoryLog::sync`].
const QUEUE: usize = 4096;

/// A log that is gone with the process.
pub struct MemoryLog {
    state: Mutex<State>,
    followers: Followers,
}

/// What is committed, and what waits for it.
struct State {
    committed: Committed,
    /// `None` when every append is durable at once.
    waiting: Option<Vec<Waiting>>,
    crashed: bool,
}

struct Waiting {
    job: Job,
    answer: oneshot::Sender<Result<Appended, LogError>>,
}

impl Default for MemoryLog {
    fn default() -> MemoryLog {
        MemoryLog::new()
    }
}

impl MemoryLog {
    /// An empty log, in which every append is durable at once, as far as memory is.
    #[must_use]
    pub fn new() -> MemoryLog {
        MemoryLog::with(Committed::default(), None)
    }

    /// An empty log, in which appends wait for [`MemoryLog::sync`].
    #[must_use]
    pub fn simulated() -> MemoryLog {
        MemoryLog::with(Committed::default(), Some(Vec::new()))
    }

    fn with(committed: Committed, waiting: Option<Vec<Waiting>>) -> MemoryLog {
        MemoryLog {
            state: Mutex::new(State { committed, waiting, crashed: false }),
            followers: Followers { tables: Hub::new(), owners: Hub::new() },
        }
    }

    /// Makes durable, and answers, all that waits. Gives how many appends and deletions that were.
    pub fn sync(&self) -> usize {
        let mut state = self.state();
        let waiting = state.waiting.as_mut().map(std::mem::take).unwrap_or_default();
        let count = waiting.len();
        for Waiting { job, answer } in waiting {
            // A caller that has gone needs no answer.
            let _ = answer.send(state.committed.commit(job, &self.followers));
        }
        count
    }

    /// The machine fails: what waits is lost, callers and followers are cut off. Gives the log as it is found after
    /// the next start; this one answers [`LogError::Closed`] from now on.
    #[must_use]
    pub fn crash(&self) -> MemoryLog {
        let mut state = self.state();
        state.crashed = true;
        let waiting = state.waiting.take().map(|_lost| Vec::new());
        self.followers.tables.close();
        self.followers.owners.close();
        MemoryLog::with(std::mem::take(&mut state.committed), waiting)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is checked before it begins, so a panic leaves none half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at what is committed.
    fn look<T>(&self, look: impl FnOnce(&Committed) -> Result<T, LogError>) -> Result<T, LogError> {
        let state = self.state();
        if state.crashed {
            return Err(LogError::Closed);
        }
        look(&state.committed)
    }

    async fn submit(&self, job: Job) -> Result<Appended, LogError> {
        let answer = {
            let mut state = self.state();
            let State { committed, waiting, crashed } = &mut *state;
            if *crashed {
                return Err(LogError::Closed);
            }
            let Some(waiting) = waiting else {
                return committed.commit(job, &self.followers);
            };
            if waiting.len() >= QUEUE {
                return Err(LogError::Busy);
            }
            let (answer, answered) = oneshot::channel();
            waiting.push(Waiting { job, answer });
            answered
        };
        answer.await.unwrap_or(Err(LogError::Closed))
    }
}

#[async_trait]
impl Log for MemoryLog {
    async fn append(&self, append: Append) -> Result<Appended, LogError> {
        append.validate()?;
        self.submit(Job::Append(append)).await
    }

    async fn read(&self, table: TableId, from: u64) -> Result<Vec<Entry>, LogError> {
        self.look(|committed| {
            let entries = &committed.table(&table)?.entries;
            let rest = usize::try_from(from).ok().and_then(|from| entries.get(from..));
            rest.map(<[Entry]>::to_vec).ok_or(LogError::Ahead { table, length: entries.len() as u64 })
        })
    }

    async fn follow(&self, table: TableId, from: u64) -> Result<Follow<Entry>, LogError> {
        let listening = self.followers.tables.listen(table);
        let entries = self.read(table, from).await?;
        let finished = self.look(|committed| Ok(committed.table(&table)?.row.place == Place::Finished))?;
        Ok(listening.after(entries, from, Rest::of_table(finished)))
    }

    async fn find(&self, table: TableId) -> Result<TableRow, LogError> {
        self.look(|committed| Ok(committed.table(&table)?.row.clone()))
    }

    async fn record(&self, table: TableId) -> Result<Option<Bytes>, LogError> {
        self.look(|committed| Ok(committed.table(&table)?.record.clone()))
    }

    async fn requested(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        let key = (owner.clone(), request.to_owned());
        self.look(|committed| Ok(committed.requests.get(&key).copied()))
    }

    async fn tables(&self, filter: Filter, page: Page) -> Result<Tables, LogError> {
        self.look(|committed| {
            let size = page.bounded_size();
            let older = match page.after {
                Some(after) => committed.tables.range(..after),
                None => committed.tables.range::<TableId, _>(..),
            };
            let mut passing = older.rev().filter(|(_, table)| filter.passes(&table.row));
            let tables: Vec<_> = passing.by_ref().take(size).map(|(_, table)| table.row.clone()).collect();
            let next = passing.next().and(tables.last()).map(|last| last.id);
            Ok(Tables { tables, next })
        })
    }

    async fn owner_feed(&self, owner: &OwnerId, after: u64) -> Result<Vec<FeedItem>, LogError> {
        self.look(|committed| committed.feed(owner, after))
    }

    async fn follow_owner(&self, owner: &OwnerId, after: u64) -> Result<Follow<FeedItem>, LogError> {
        let listening = self.followers.owners.listen(owner.clone());
        let items = self.owner_feed(owner, after).await?;
        let rest = Rest::of_feed(items.len());
        Ok(listening.after(items, after + 1, rest))
    }

    async fn start_up(&self) -> Result<StartUp, LogError> {
        self.look(|committed| {
            let mut start = StartUp::default();
            for (id, table) in &committed.tables {
                match (table.row.listing.kind, table.row.place) {
                    (_, Place::AtRest { wakes_at: None } | Place::Finished) | (Kind::Agent, _) => {}
                    (Kind::Tournament, _) => start.tournaments.push(*id),
                    (Kind::Table, Place::InPlay) => start.in_play.push(*id),
                    (Kind::Table, Place::AtRest { wakes_at: Some(time) }) => start.waking.push((time, *id)),
                }
            }
            start.waking.sort();
            Ok(start)
        })
    }

    async fn delete(&self, delete: Delete) -> Result<(), LogError> {
        delete.validate()?;
        self.submit(Job::Delete(delete)).await.map(|_| ())
    }

    async fn retain(&self, since: Millis) -> Result<Retained, LogError> {
        let mut state = self.state();
        if state.crashed {
            return Err(LogError::Closed);
        }
        state.committed.retain(since)
    }
}
