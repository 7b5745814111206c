//! Writing a commit: rows, the journal and feeds, and the index update afterwards.

use super::batch::CommitBatch;
use super::feed;
use super::journal::{self, StoreMeta};
use super::journal_index::JournalIndex;
use super::stored_row::{StoredRow, log_bytes};
use super::table_change::{PendingTable, TableChange};
use crate::FastMap;
use crate::chain::HashChain;
use crate::{FeedItem, LogError, OwnerId, Place, TableId};

/// Tables that a commit writes out beyond its own number when the journal is too long.
const WRITE_OUT_STEP: usize = 64;

/// Changes of a commit, to be published once it is durable.
pub(super) struct WrittenCommit {
    pub(super) meta: StoreMeta,
    pub(super) tables: FastMap<TableId, TableChange>,
    pub(super) posted: Vec<(OwnerId, FeedItem)>,
    /// Bytes of the new journal row, if there is one.
    row: Option<usize>,
    /// Sequence number of the first journal row still needed.
    keep_from: u64,
}

impl CommitBatch<'_> {
    /// Writes everything; the caller then commits the transaction.
    pub(super) fn write(mut self, journal_limit: u64) -> Result<WrittenCommit, LogError> {
        self.shorten_journal(journal_limit);
        self.delete_rows()?;
        let mut tables = std::mem::take(&mut self.tables);
        for (id, change) in &mut tables {
            if let Some(pending) = &mut change.pending {
                let new = change.deleted || !change.stored;
                self.write_row(id, pending, new)?;
            }
        }
        let body = self.journal_body(&tables);
        if !body.is_empty() {
            self.errors.wrap(journal::insert(self.db, self.meta.seq, &body))?;
            self.meta.journal_rows += 1;
        }
        let keep_from = self.keep_from(&tables, !body.is_empty());
        let dropped = self.index.rows_before(keep_from);
        if dropped > 0 {
            self.errors.wrap(journal::truncate(self.db, keep_from))?;
            self.meta.journal_rows -= dropped as u64;
        }
        for (owner, item) in &self.posted {
            self.errors.wrap(feed::insert(self.db, owner, item))?;
        }
        for (owner, range) in &self.owners {
            self.errors.wrap(range.store(self.db, owner))?;
        }
        self.count(&tables);
        self.errors.wrap(self.meta.store(self.db))?;
        Ok(WrittenCommit {
            meta: self.meta,
            tables,
            posted: self.posted,
            row: (!body.is_empty()).then_some(body.len()),
            keep_from,
        })
    }

    /// Writes out the tables that hold the oldest rows of a journal that is too long.
    ///
    /// Each commit writes out more tables than it brings, so the journal shrinks under any load.
    fn shorten_journal(&mut self, limit: u64) {
        let in_play = |change: &&TableChange| {
            change.pending.as_ref().is_some_and(|pending| pending.place == Place::InPlay)
        };
        let playing = self.tables.values().filter(in_play);
        let new_entries: usize = playing
            .filter_map(|change| change.pending.as_ref())
            .map(|pending| pending.new_entries.len())
            .sum();
        if self.index.bytes() + new_entries as u64 <= limit {
            return;
        }
        let mut left = self.tables.len() + WRITE_OUT_STEP;
        let index = self.index;
        for (_, id, kept) in index.oldest_first() {
            if left == 0 || kept + new_entries as u64 <= limit {
                break;
            }
            if self.tables.get(&id).is_some_and(leaves_journal) {
                continue;
            }
            left -= 1;
            // A table that cannot be read stays in the journal; reading it reports the damage.
            let row = self.load(id).and_then(|()| match self.pending(&id) {
                Some(pending) => self.row(&id, pending).map(Some),
                None => Ok(None),
            });
            let log = log_bytes(self.db, &id);
            if let (Ok(Some(row)), Ok(_), Some(change)) = (row, log, self.tables.get_mut(&id))
                && let Some(pending) = &mut change.pending
            {
                pending.row = Some(Box::new(row));
                pending.write_out = true;
            }
        }
    }

    fn pending(&self, id: &TableId) -> Option<&PendingTable> {
        self.tables.get(id).and_then(|change| change.pending.as_ref())
    }

    /// Deletes rows before new ones reuse their ids.
    fn delete_rows(&self) -> Result<(), LogError> {
        for (id, change) in &self.tables {
            if change.deleted && change.stored {
                let row = StoredRow::find(self.db, id, self.errors)?;
                let row = row.ok_or_else(|| self.errors.damaged_table(*id))?;
                self.errors.wrap(row.delete(self.db))?;
            }
        }
        Ok(())
    }

    /// Writes the row of a table, with its whole log unless the table stays in the journal.
    fn write_row(&self, id: &TableId, pending: &mut PendingTable, new: bool) -> Result<(), LogError> {
        let Some(row) = &mut pending.row else {
            return Ok(());
        };
        let tail = self.index.tables.get(id).filter(|_| pending.has_tail);
        pending.write_out |= pending.place != Place::InPlay;
        let record = pending.record.as_deref();
        if !pending.write_out {
            if !pending.has_tail {
                // The table enters the journal: rows from an earlier time in play do not count.
                row.journal_from = self.meta.seq;
            }
            return self.errors.wrap(if new {
                row.insert(self.db, &[], record)
            } else {
                row.update(self.db)
            });
        }
        let unchanged = pending.new_entries.is_empty()
            && record.is_none()
            && tail.is_none_or(|table| table.tail.is_empty());
        if unchanged && !new {
            return self.errors.wrap(row.update(self.db));
        }
        let mut log = Vec::new();
        if !new && row.stored.length > 0 {
            log = self.errors.wrap(log_bytes(self.db, id))?.unwrap_or_default();
        }
        if let Some(table) = tail {
            log.extend_from_slice(&table.tail);
        }
        log.extend_from_slice(&pending.new_entries);
        row.stored = pending.chain;
        row.journal_from = self.meta.seq + 1;
        pending.bytes = log.len() as u64;
        self.errors.wrap(if new {
            row.insert(self.db, &log, record)
        } else {
            row.update_all(self.db, &log, record)
        })
    }

    /// Frames of the new entries of the tables that stay in the journal.
    fn journal_body(&self, tables: &FastMap<TableId, TableChange>) -> Vec<u8> {
        let new_entries =
            |change: &TableChange| change.pending.as_ref().map_or(0, |pending| pending.new_entries.len());
        let mut body = Vec::with_capacity(
            tables.values().map(|change| journal::FRAME_OVERHEAD_BYTES + new_entries(change)).sum(),
        );
        for (id, change) in tables {
            if let Some(pending) = &change.pending
                && !pending.write_out
                && !pending.new_entries.is_empty()
            {
                journal::put_frame(
                    &mut body,
                    id,
                    pending.before.length,
                    &pending.new_entries,
                    &pending.chain.head,
                );
            }
        }
        body
    }

    /// First journal row that a table in play still needs.
    fn keep_from(&self, tables: &FastMap<TableId, TableChange>, row: bool) -> u64 {
        let stays = |id: &TableId| tables.get(id).is_none_or(|change| !leaves_journal(change));
        let oldest = self.index.oldest_first().find(|(_, id, _)| stays(id));
        let own = if row { self.meta.seq } else { self.meta.seq + 1 };
        oldest.map_or(own, |(seq, _, _)| seq)
    }

    /// Updates the counts of tables.
    fn count(&mut self, tables: &FastMap<TableId, TableChange>) {
        for (id, change) in tables {
            let now_in_play = change.pending.as_ref().is_some_and(|pending| pending.place == Place::InPlay);
            let before = (change.stored, self.index.tables.contains_key(id));
            let after = (change.pending.is_some(), now_in_play);
            self.meta.tables = self.meta.tables + u64::from(after.0) - u64::from(before.0);
            self.meta.in_play = self.meta.in_play + u64::from(after.1) - u64::from(before.1);
        }
    }
}

/// Reports whether the table's tail in the index is no longer needed.
fn leaves_journal(change: &TableChange) -> bool {
    change.deleted
        || change.pending.as_ref().is_none_or(|pending| pending.write_out || pending.place != Place::InPlay)
}

impl WrittenCommit {
    /// Updates the index. Only after the commit.
    pub(super) fn apply(&self, index: &mut JournalIndex) {
        let seq = self.meta.seq;
        for (id, change) in &self.tables {
            match &change.pending {
                Some(pending) if pending.place == Place::InPlay => {
                    if pending.write_out {
                        index.put(*id, pending.chain, pending.bytes, seq + 1);
                        continue;
                    }
                    if !pending.has_tail {
                        let stored =
                            pending.row.as_ref().map_or_else(|| HashChain::new(id), |row| row.stored);
                        index.put(*id, stored, pending.bytes, seq);
                    }
                    index.extend(*id, seq, &pending.new_entries, pending.chain);
                }
                _ => index.remove(id),
            }
        }
        if let Some(body) = self.row {
            index.push_row(seq, body);
        }
        index.drop_rows(self.keep_from);
    }
}
