//! Commits of the writer thread: one fenced transaction each.
//!
//! A commit takes two round trips. The first one takes the fence and reads what validation needs, the second one
//! writes and commits. If it is in doubt whether a commit took place, nobody is answered before that is known.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use super::Shared;
use super::membership::WriterId;
use super::prefetch::{Prefetched, Wanted};
use super::retention;
use super::write::{Written, write};
use super::writer_connection::WriterConnection;
use crate::journal::batch::CommitBatch;
use crate::journal::errors::StoreErrors;
use crate::journal::plan::CommitPlan;
use crate::journal::writer::{CommitStep, WriterCommand, WriterReplies, WriterReply};
use crate::journal::writer_thread::{Committer, add_steps};
use crate::{Delete, LogError, Millis};

/// Tries of a commit that the database undoes because of another transaction.
const MAX_TRIES: u32 = 16;
/// Waits between two tries to reach the database: the first one, and the longest.
const FIRST_WAIT: Duration = Duration::from_millis(20);
const MAX_WAIT: Duration = Duration::from_secs(1);
/// Tries to reach the database before appends that are surely not committed are refused: about twenty seconds.
const MAX_OUTAGE_TRIES: u32 = 25;

/// A writer, and the runtime that drives its connection while it commits.
pub(super) struct PgCommitter {
    pub(super) runtime: Runtime,
    pub(super) lane: Lane,
}

impl Committer for PgCommitter {
    fn commit(&mut self, steps: &[CommitStep<'_>]) -> Result<WriterReplies, LogError> {
        self.runtime.block_on(self.lane.commit(steps))
    }

    fn close(&mut self) {
        self.lane.shared.close();
    }
}

/// One writer: its connection, and the sequence number of its last commit.
pub(super) struct Lane {
    pub(super) shared: Arc<Shared>,
    pub(super) writer: i64,
    pub(super) seq: u64,
    pub(super) connection: Option<WriterConnection>,
    pub(super) fenced: bool,
}

/// A try to commit that did not succeed.
pub(super) enum Failure {
    /// Nothing is committed, and trying again is useless.
    Refused(LogError),
    /// Nothing is committed: the database undid it because of another transaction.
    Undone(LogError),
    /// Nothing is committed: the database cannot be reached.
    Unreachable(LogError),
}

impl Lane {
    async fn commit(&mut self, steps: &[CommitStep<'_>]) -> Result<WriterReplies, LogError> {
        let (mut tries, mut outage) = (0, 0);
        loop {
            if self.fenced {
                return Err(LogError::Fenced);
            }
            match self.try_commit(steps).await {
                Ok(replies) => return Ok(replies),
                Err(Failure::Refused(error)) => return Err(error),
                Err(Failure::Undone(error)) => {
                    tries += 1;
                    if tries == MAX_TRIES {
                        return Err(error);
                    }
                }
                Err(Failure::Unreachable(error)) => {
                    self.connection = None;
                    outage += 1;
                    if outage == MAX_OUTAGE_TRIES || self.shared.dropped.load(Ordering::Relaxed) {
                        return Err(error);
                    }
                    tokio::time::sleep(wait_before(outage)).await;
                }
            }
        }
    }

    /// Opens the connection if there is none.
    pub(super) async fn ensure_connected(&mut self) -> Result<(), Failure> {
        if self.connection.is_none() {
            let opened = WriterConnection::open(&self.shared.address).await;
            self.connection = Some(opened.map_err(Failure::Unreachable)?);
        }
        Ok(())
    }

    /// Begins a commit: takes the fence, and reads rows.
    pub(super) async fn begin(
        &mut self,
        wanted: &Wanted<'_>,
        errors: StoreErrors<'_>,
    ) -> Result<Prefetched, Failure> {
        self.ensure_connected().await?;
        let Some(connection) = &self.connection else {
            return Err(Failure::Refused(LogError::Closed));
        };
        let read = connection.begin(self.writer, self.seq, wanted).await;
        let Some(rows) = read.map_err(|error| failure(&error, errors))? else {
            connection.roll_back().await;
            self.fence();
            return Err(Failure::Refused(LogError::Fenced));
        };
        match rows.decode(&self.shared.ownership, errors) {
            Ok(rows) => Ok(rows),
            Err(error) => {
                connection.roll_back().await;
                Err(Failure::Refused(error))
            }
        }
    }

    /// Ends a commit whose statements were sent. Returns when it is certain whether it took place.
    pub(super) async fn commit_written(
        &mut self,
        plan: CommitPlan,
        written: Result<Written, Error>,
        errors: StoreErrors<'_>,
    ) -> Result<(), Failure> {
        let Some(connection) = &self.connection else {
            return Err(Failure::Refused(LogError::Closed));
        };
        match written {
            Ok(Written::All) => {}
            Ok(Written::Partly) => {
                connection.roll_back().await;
                return Err(Failure::Undone(LogError::QueueFull));
            }
            Err(error) => {
                let failure = failure(&error, errors);
                connection.roll_back().await;
                return Err(failure);
            }
        }
        let committed = connection.db.client.batch_execute("COMMIT").await;
        // Without an error and without a warning, the commit is durable.
        let certain = committed.is_ok() && !connection.db.take_warning();
        if certain || self.settle(plan.seq).await? {
            self.finish(&plan);
            return Ok(());
        }
        Err(match committed {
            Ok(()) => Failure::Undone(LogError::QueueFull),
            Err(error) => failure(&error, errors),
        })
    }

    /// Tries once to commit the steps.
    async fn try_commit(&mut self, steps: &[CommitStep<'_>]) -> Result<WriterReplies, Failure> {
        match steps {
            [CommitStep::Other(WriterCommand::Adopt(partitions))] => {
                self.try_adopt(partitions).await?;
                return Ok(vec![Ok(WriterReply::Adopted)]);
            }
            [CommitStep::Other(WriterCommand::Release(partition, to))] => {
                let released = self.try_release(*partition, WriterId(*to)).await?;
                return Ok(vec![Ok(WriterReply::Released(released))]);
            }
            _ => {}
        }
        let shared = self.shared.clone();
        let errors = StoreErrors(shared.address.name());
        self.ensure_connected().await?;
        let Some(connection) = &self.connection else {
            return Err(Failure::Refused(LogError::Closed));
        };
        let wanted = Wanted::by(steps, &shared.index(), shared.options.journal_limit);
        let read = connection.begin(self.writer, self.seq, &wanted).await;
        let Some(mut rows) = read.map_err(|error| failure(&error, errors))? else {
            // The fence is closed: another node has sealed this writer.
            connection.roll_back().await;
            self.fence();
            return Err(Failure::Refused(LogError::Fenced));
        };
        let mut retained = None;
        if let [CommitStep::Other(WriterCommand::Retain(since))] = steps {
            let numbers = shared.ownership.numbers();
            let done = retention::apply(connection, *since, &numbers, &mut rows, errors).await;
            retained = Some(done.map_err(|error| failure(&error, errors))?);
        }
        let rows = rows.decode(&shared.ownership, errors).map_err(Failure::Refused);
        let rows = match rows {
            Ok(rows) => rows,
            Err(error) => {
                connection.roll_back().await;
                return Err(error);
            }
        };
        let (plan, replies, truncates) = self.plan(steps, &rows, retained, errors);
        let Some(plan) = plan else {
            connection.roll_back().await;
            return Ok(replies);
        };
        #[cfg(test)]
        shared.run_hook();
        let written = write(&plan, self.writer, truncates, &connection.db.client, &connection.write).await;
        self.commit_written(plan, written, errors).await?;
        Ok(replies)
    }

    /// Validates the steps and plans the commit; no plan if nothing changes. Also tells whether the journal is cut.
    fn plan(
        &self,
        steps: &[CommitStep<'_>],
        rows: &Prefetched,
        retained: Option<retention::Retained>,
        errors: StoreErrors<'_>,
    ) -> (Option<CommitPlan>, WriterReplies, bool) {
        let index = self.shared.index();
        let mut batch = CommitBatch::new(rows, &index, self.seq + 1, errors, steps.len());
        let replies = add_steps(&mut batch, steps, |batch, command| match (command, &retained) {
            (WriterCommand::Retain(since), Some(retained)) => {
                delete_all(batch, retained, *since)?;
                Ok(WriterReply::Removed { counts: retained.counts, complete: retained.complete })
            }
            _ => Err(LogError::Closed),
        });
        if !batch.changes() {
            return (None, replies, false);
        }
        let plan = batch.plan(self.shared.options.journal_limit);
        let truncates = index.rows_before(plan.keep_from) > 0;
        (Some(plan), replies, truncates)
    }

    /// Finds out whether a commit took place whose end is in doubt: by a write, which waits for a transaction that may
    /// still be under way, and which must itself reach the standby.
    async fn settle(&mut self, seq: u64) -> Result<bool, Failure> {
        let mut wait = 0;
        loop {
            wait += 1;
            let shared = self.shared.clone();
            let opened = WriterConnection::open(&shared.address).await;
            let checked = match opened {
                Ok(connection) => {
                    let checked = connection.check_writer(self.writer).await;
                    let certain = checked.is_ok() && !connection.db.take_warning();
                    self.connection = Some(connection);
                    checked.ok().filter(|_| certain)
                }
                Err(_) => None,
            };
            match checked {
                Some(Some((found, sealed))) => {
                    if sealed {
                        self.fence();
                    }
                    return Ok(found == seq);
                }
                // The writer is gone: its journal was taken over, with or without this commit.
                Some(None) => {
                    self.fence();
                    return Err(Failure::Refused(LogError::Fenced));
                }
                None if self.shared.dropped.load(Ordering::Relaxed) => {
                    return Err(Failure::Refused(LogError::Closed));
                }
                None => tokio::time::sleep(wait_before(wait)).await,
            }
        }
    }

    /// Records that this writer is sealed: it will never commit again.
    fn fence(&mut self) {
        self.fenced = true;
        self.shared.ownership.retire();
    }

    /// Carries a durable commit over to memory and to the followers.
    fn finish(&mut self, plan: &CommitPlan) {
        self.seq = plan.seq;
        plan.apply(&mut self.shared.index_mut());
        self.shared.set_applied(plan.seq);
        self.shared.followers.publish(plan);
    }
}

fn delete_all(
    batch: &mut CommitBatch<'_, Prefetched>,
    retained: &retention::Retained,
    since: Millis,
) -> Result<(), LogError> {
    batch.trimmed |= retained.counts.feed_items > 0;
    for table in &retained.tables {
        batch.delete(&Delete { table: *table, at: since, feed: Vec::new() })?;
    }
    Ok(())
}

/// Wait before the next try to reach the database.
fn wait_before(tries: u32) -> Duration {
    (FIRST_WAIT * 2_u32.saturating_pow(tries.min(10) - 1)).min(MAX_WAIT)
}

/// Meaning of an error before the commit.
pub(super) fn failure(error: &Error, errors: StoreErrors<'_>) -> Failure {
    let translated = errors.translate_pg(error);
    let undone = [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        // Another node has used the same number or request id.
        SqlState::UNIQUE_VIOLATION,
    ];
    // What a server says when it goes away, or is no longer the primary.
    let leaving = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::READ_ONLY_SQL_TRANSACTION,
        SqlState::TOO_MANY_CONNECTIONS,
    ];
    match error.code() {
        Some(code) if undone.contains(code) => Failure::Undone(translated),
        Some(code) if leaving.contains(code) => Failure::Unreachable(translated),
        Some(_) => Failure::Refused(translated),
        // Not an answer of the server: the connection is broken.
        None => Failure::Unreachable(translated),
    }
}
