//! Commits of the writer thread, in one SQLite transaction each.

use std::sync::Arc;

use rusqlite::{Connection, TransactionBehavior};

use super::Shared;
use super::feed;
use super::journal::{self, StoreMeta};
use super::reader;
use super::stored_row::{log_bytes, log_length};
use crate::append::limits;
use crate::journal::batch::{CommitBatch, StoredRows};
use crate::journal::errors::StoreErrors;
use crate::journal::feed::FeedRange;
use crate::journal::index::JournalIndex;
use crate::journal::plan::CommitPlan;
use crate::journal::row::StoredRow;
use crate::journal::table_change::{RowWrite, TableChange};
use crate::journal::writer::{CommitStep, WriterCommand, WriterReplies, WriterReply};
use crate::journal::writer_thread::{Committer, add_steps};
use crate::{Delete, LogError, Millis, OwnerId, Place, RetentionCounts, TableId};

/// Tables that retention removes in one commit.
const RETAIN_STEP: usize = 256;

/// The writer's connection, and the metadata of its last commit.
pub(super) struct SqliteCommitter {
    shared: Arc<Shared>,
    db: Connection,
    meta: StoreMeta,
}

impl SqliteCommitter {
    pub(super) fn new(shared: Arc<Shared>, db: Connection, meta: StoreMeta) -> SqliteCommitter {
        SqliteCommitter { shared, db, meta }
    }
}

/// Rows as the writer's transaction sees them.
struct TransactionRows<'a> {
    db: &'a Connection,
    errors: StoreErrors<'a>,
}

impl StoredRows for TransactionRows<'_> {
    fn find(&self, id: &TableId) -> Result<Option<StoredRow>, LogError> {
        StoredRow::find(self.db, id, self.errors)
    }

    fn log_length(&self, id: &TableId) -> Result<u64, LogError> {
        self.errors.wrap(log_length(self.db, id))
    }

    fn check_log(&self, id: &TableId) -> Result<(), LogError> {
        self.errors.wrap(log_bytes(self.db, id)).map(drop)
    }

    fn find_by_request(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError> {
        reader::find_by_request(self.db, owner, request, self.errors)
    }

    fn feed_range(&self, owner: &OwnerId) -> Result<FeedRange, LogError> {
        FeedRange::load(self.db, owner, self.errors)
    }
}

impl Committer for SqliteCommitter {
    fn commit(&mut self, steps: &[CommitStep<'_>]) -> Result<WriterReplies, LogError> {
        let shared = &self.shared;
        let errors = StoreErrors(&shared.file);
        #[cfg(test)]
        for step in steps {
            if let CommitStep::Other(WriterCommand::Pages(pages)) = step {
                errors.wrap(self.db.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())))?;
            }
        }
        let transaction = errors.wrap(self.db.transaction_with_behavior(TransactionBehavior::Immediate))?;
        let index = shared.index();
        let rows = TransactionRows { db: &transaction, errors };
        let mut batch = CommitBatch::new(&rows, &index, self.meta.seq + 1, errors, steps.len());
        let mut failure = None;
        let replies = add_steps(&mut batch, steps, |batch, command| match command {
            WriterCommand::Retain(since) => {
                apply_retention(batch, *since).inspect_err(|error| failure = Some(error.clone()))
            }
            #[cfg(test)]
            WriterCommand::Pages(_) => Ok(WriterReply::Deleted),
            // Appends and deletions are added already, and the writer has ended at a close.
            WriterCommand::Appends(_)
            | WriterCommand::Delete(_)
            | WriterCommand::Adopt(_)
            | WriterCommand::Release(..)
            | WriterCommand::Close => Err(LogError::Closed),
        });
        if let Some(error) = failure {
            return Err(error);
        }
        if !batch.changes() {
            return Ok(replies);
        }
        let plan = batch.plan(shared.options.journal_limit);
        let meta = self.meta.after(&plan, &index);
        write(&plan, meta, &index, &transaction, errors)?;
        drop(index);
        #[cfg(test)]
        shared.run_hook(super::tests::CommitPhase::Written);
        errors.wrap(transaction.commit())?;
        #[cfg(test)]
        shared.run_hook(super::tests::CommitPhase::Committed);
        self.meta = meta;
        plan.apply(&mut shared.index_mut());
        shared.set_applied(meta.seq);
        shared.followers.publish(&plan);
        Ok(replies)
    }

    fn close(&mut self) {
        // Readers close first: with its last connection SQLite removes the WAL, and the store is one file.
        self.shared.close();
    }
}

impl StoreMeta {
    /// The metadata after a commit, given the index before it.
    fn after(mut self, plan: &CommitPlan, index: &JournalIndex) -> StoreMeta {
        self.seq = plan.seq;
        self.journal_rows += u64::from(!plan.body.is_empty());
        self.journal_rows -= index.rows_before(plan.keep_from) as u64;
        for (id, change) in &plan.tables {
            let now_in_play = change.pending.as_ref().is_some_and(|pending| pending.place == Place::InPlay);
            let before = (change.stored, index.tables.contains_key(id));
            let after = (change.pending.is_some(), now_in_play);
            self.tables = self.tables + u64::from(after.0) - u64::from(before.0);
            self.in_play = self.in_play + u64::from(after.1) - u64::from(before.1);
        }
        self
    }
}

/// Writes everything; the caller then commits the transaction.
fn write(
    plan: &CommitPlan,
    meta: StoreMeta,
    index: &JournalIndex,
    db: &Connection,
    errors: StoreErrors<'_>,
) -> Result<(), LogError> {
    for (id, change) in &plan.tables {
        if change.deleted && change.stored {
            let row = StoredRow::find(db, id, errors)?.ok_or_else(|| errors.damaged_table(*id))?;
            errors.wrap(row.delete(db))?;
        }
    }
    for (id, change) in &plan.tables {
        errors.wrap(write_row(id, change, db))?;
    }
    if !plan.body.is_empty() {
        errors.wrap(journal::insert(db, plan.seq, &plan.body))?;
    }
    if index.rows_before(plan.keep_from) > 0 {
        errors.wrap(journal::truncate(db, plan.keep_from))?;
    }
    for (owner, item) in &plan.posted {
        errors.wrap(feed::insert(db, owner, item))?;
    }
    for (owner, range) in &plan.owners {
        errors.wrap(range.store(db, owner))?;
    }
    errors.wrap(meta.store(db))
}

fn write_row(id: &TableId, change: &TableChange, db: &Connection) -> rusqlite::Result<()> {
    let Some((pending, row)) =
        change.pending.as_ref().and_then(|pending| Some((pending, pending.row.as_ref()?)))
    else {
        return Ok(());
    };
    let record = pending.record.as_deref();
    match &pending.row_write {
        RowWrite::Unchanged => Ok(()),
        RowWrite::Insert => row.insert(db, &[], record),
        RowWrite::Update => row.update(db),
        RowWrite::InsertLog(log) => row.insert(db, log, record),
        RowWrite::ExtendLog(added) => {
            let stored = log_bytes(db, id)?.unwrap_or_default();
            row.update_all(db, &[&stored, &added[..]].concat(), record)
        }
    }
}

/// Adds one step of retention to the commit, which must contain nothing else.
fn apply_retention(
    batch: &mut CommitBatch<'_, TransactionRows<'_>>,
    since: Millis,
) -> Result<WriterReply, LogError> {
    let TransactionRows { db, errors } = *batch.rows;
    let mut counts = RetentionCounts::default();
    let old: Vec<[u8; 16]> = errors.wrap(
        db.prepare_cached("SELECT id FROM tables WHERE place = 2 AND updated < ?1 ORDER BY updated LIMIT ?2")
            .and_then(|mut select| select.query_map((since.0, RETAIN_STEP), |row| row.get(0))?.collect()),
    )?;
    let mut complete = old.len() < RETAIN_STEP;
    for id in old {
        batch.delete(&Delete { table: TableId::from_bytes(id), at: since, feed: Vec::new() })?;
        counts.tables += 1;
    }
    for (owner, mut range) in feed::owners(db, errors)? {
        let count = feed::trim(db, &owner, &mut range, since, errors)?;
        batch.trimmed |= count > 0;
        complete &= count < limits::MAX_FEED_PAGE_ITEMS as u64;
        counts.feed_items += count;
    }
    Ok(WriterReply::Removed { counts, complete })
}
