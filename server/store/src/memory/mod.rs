//! A log in memory, for training without durability and for crash simulations.
//!
//! In a simulation, appends wait for [`MemoryLog::sync`], and [`MemoryLog::crash`] loses those that still
//! wait.

mod committed;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::oneshot;

use super::follow::{FollowTail, TopicHub};
use super::{
    Append, Appended, Delete, Entry, FeedItem, Log, LogError, LogFilter, LogFollower, LogKind, Millis,
    OwnerId, PageRequest, Place, RetentionCounts, StartupState, TableId, TablePage, TableRow,
};
use crate::limits::MAX_SCANNED_ROWS;
use committed::{CommittedState, FollowerHubs, MemoryCommand};

/// Writes that may wait for [`MemoryLog::sync`].
const MAX_PENDING: usize = 4096;

/// A log that ends with the process.
pub struct MemoryLog {
    state: Mutex<State>,
    followers: FollowerHubs,
}

/// Committed state and pending writes.
struct State {
    committed: CommittedState,
    /// `None` when every append is committed at once.
    pending: Option<Vec<PendingCommand>>,
    crashed: bool,
}

struct PendingCommand {
    command: MemoryCommand,
    answer: oneshot::Sender<Result<Appended, LogError>>,
}

impl Default for MemoryLog {
    fn default() -> MemoryLog {
        MemoryLog::new()
    }
}

impl MemoryLog {
    /// An empty log in which every append is committed at once.
    #[must_use]
    pub fn new() -> MemoryLog {
        MemoryLog::with(CommittedState::default(), None)
    }

    /// An empty log in which appends wait for [`MemoryLog::sync`].
    #[must_use]
    pub fn simulated() -> MemoryLog {
        MemoryLog::with(CommittedState::default(), Some(Vec::new()))
    }

    fn with(committed: CommittedState, pending: Option<Vec<PendingCommand>>) -> MemoryLog {
        MemoryLog {
            state: Mutex::new(State { committed, pending, crashed: false }),
            followers: FollowerHubs { tables: TopicHub::new(), owners: TopicHub::new() },
        }
    }

    /// Commits and acknowledges all pending writes, and returns their number.
    pub fn sync(&self) -> usize {
        let mut state = self.state();
        let pending = state.pending.as_mut().map(std::mem::take).unwrap_or_default();
        let count = pending.len();
        for PendingCommand { command, answer } in pending {
            // Fails when the caller has gone.
            let _ = answer.send(state.committed.commit(command, &self.followers));
        }
        count
    }

    /// Simulates a machine failure: pending writes are lost, callers and followers are cut off. Returns the
    /// log as the next start finds it; this one returns [`LogError::Closed`] from now on.
    #[must_use]
    pub fn crash(&self) -> MemoryLog {
        let mut state = self.state();
        state.crashed = true;
        let pending = state.pending.take().map(|_lost| Vec::new());
        self.followers.tables.close();
        self.followers.owners.close();
        MemoryLog::with(std::mem::take(&mut state.committed), pending)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is validated before it is applied, so a panic leaves none half applied.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the committed state.
    fn with_committed<T>(
        &self,
        read: impl FnOnce(&CommittedState) -> Result<T, LogError>,
    ) -> Result<T, LogError> {
        let state = self.state();
        if state.crashed {
            return Err(LogError::Closed);
        }
        read(&state.committed)
    }

    async fn submit(&self, command: MemoryCommand) -> Result<Appended, LogError> {
        let answer = {
            let mut state = self.state();
            let State { committed, pending, crashed } = &mut *state;
            if *crashed {
                return Err(LogError::Closed);
            }
            let Some(pending) = pending else {
                return committed.commit(command, &self.followers);
            };
            if pending.len() >= MAX_PENDING {
                return Err(LogError::QueueFull);
            }
            let (answer, answered) = oneshot::channel();
            pending.push(PendingCommand { command, answer });
            answered
        };
        answer.await.unwrap_or(Err(LogError::Closed))
    }
}

#[async_trait]
impl Log for MemoryLog {
    async fn append(&self, append: Append) -> Result<Appended, LogError> {
        append.validate()?;
        self.submit(MemoryCommand::Append(append)).await
    }

    async fn read(&self, table: TableId, from: u64) -> Result<Vec<Entry>, LogError> {
        self.with_committed(|committed| {
            let entries = &committed.table(&table)?.entries;
            let rest = usize::try_from(from).ok().and_then(|from| entries.get(from..));
            rest.map(<[Entry]>::to_vec).ok_or(LogError::ReaderAhead { table, length: entries.len() as u64 })
        })
    }

    async fn follow(&self, table: TableId, from: u64) -> Result<LogFollower<Entry>, LogError> {
        let pending = self.followers.tables.subscribe(table);
        let entries = self.read(table, from).await?;
        let finished =
            self.with_committed(|committed| Ok(committed.table(&table)?.row.place == Place::Finished))?;
        Ok(pending.into_follow(entries, from, FollowTail::of_table(finished)))
    }

    async fn find(&self, table: TableId) -> Result<TableRow, LogError> {
        self.with_committed(|committed| Ok(committed.table(&table)?.row.clone()))
    }

    async fn record(&self, table: TableId) -> Result<Option<Bytes>, LogError> {
        self.with_committed(|committed| Ok(committed.table(&table)?.record.clone()))
    }

    async fn find_by_request(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        let key = (owner.clone(), request.to_owned());
        self.with_committed(|committed| Ok(committed.requests.get(&key).copied()))
    }

    async fn list_tables(&self, filter: LogFilter, page: PageRequest) -> Result<TablePage, LogError> {
        self.with_committed(|committed| {
            let size = page.bounded_size();
            let older = match page.after {
                Some(after) => committed.tables.range(..after),
                None => committed.tables.range::<TableId, _>(..),
            };
            let mut older = older.rev();
            let mut tables = Vec::new();
            let mut last = None;
            for (id, table) in older.by_ref().take(MAX_SCANNED_ROWS) {
                last = Some(*id);
                if filter.passes(&table.row) {
                    tables.push(table.row.clone());
                    if tables.len() == size {
                        break;
                    }
                }
            }
            Ok(TablePage { tables, next: older.next().and(last) })
        })
    }

    async fn read_owner_feed(&self, owner: &OwnerId, after: u64) -> Result<Vec<FeedItem>, LogError> {
        self.with_committed(|committed| committed.feed(owner, after))
    }

    async fn follow_owner_feed(
        &self,
        owner: &OwnerId,
        after: u64,
    ) -> Result<LogFollower<FeedItem>, LogError> {
        let pending = self.followers.owners.subscribe(owner.clone());
        let items = self.read_owner_feed(owner, after).await?;
        let rest = FollowTail::of_feed(items.len());
        Ok(pending.into_follow(items, after + 1, rest))
    }

    async fn load_startup_state(&self) -> Result<StartupState, LogError> {
        self.with_committed(|committed| {
            let mut start = StartupState::default();
            for (id, table) in &committed.tables {
                match (table.row.listing.kind, table.row.place) {
                    (_, Place::AtRest { wakes_at: None } | Place::Finished) | (LogKind::Agent, _) => {}
                    (LogKind::Tournament, _) => start.tournaments.push(*id),
                    (LogKind::Table, Place::InPlay) => start.in_play.push(*id),
                    (LogKind::Table, Place::AtRest { wakes_at: Some(time) }) => {
                        start.waking.push((time, *id));
                    }
                }
            }
            start.waking.sort();
            Ok(start)
        })
    }

    async fn listed_games(&self) -> Result<Vec<String>, LogError> {
        self.with_committed(|committed| {
            let games = committed.tables.values().map(|table| table.row.listing.game.clone());
            Ok(games.collect::<BTreeSet<_>>().into_iter().collect())
        })
    }

    async fn delete(&self, delete: Delete) -> Result<(), LogError> {
        delete.validate()?;
        self.submit(MemoryCommand::Delete(delete)).await.map(|_| ())
    }

    async fn apply_retention(&self, since: Millis) -> Result<RetentionCounts, LogError> {
        let mut state = self.state();
        if state.crashed {
            return Err(LogError::Closed);
        }
        state.committed.apply_retention(since)
    }
}
