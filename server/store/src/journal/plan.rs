//! Plan of a commit: rows, the journal and feeds, and the index update afterwards.

use std::collections::HashMap;

use super::batch::{CommitBatch, StoredRows};
use super::feed::FeedRange;
use super::frame;
use super::index::JournalIndex;
use super::table_change::{PendingTable, RowWrite, TableChange};
use crate::FastMap;
use crate::chain::HashChain;
use crate::{FeedItem, OwnerId, Place, TableId};

/// Tables that a commit writes out beyond its own number when the journal is too long.
pub(crate) const WRITE_OUT_STEP: usize = 64;

/// Everything that one commit writes, and then publishes.
pub(crate) struct CommitPlan {
    /// Sequence number of the commit.
    pub(crate) seq: u64,
    pub(crate) tables: FastMap<TableId, TableChange>,
    pub(crate) posted: Vec<(OwnerId, FeedItem)>,
    /// Feed ranges after the commit.
    pub(crate) owners: HashMap<OwnerId, FeedRange>,
    /// Body of the new journal row; empty if there is none.
    pub(crate) body: Vec<u8>,
    /// Sequence number of the first journal row still needed.
    pub(crate) keep_from: u64,
}

impl<R: StoredRows> CommitBatch<'_, R> {
    /// Plans what the transaction writes. Deleted rows go first, because new ones may reuse their ids.
    pub(crate) fn plan(mut self, journal_limit: u64) -> CommitPlan {
        self.shorten_journal(journal_limit);
        let mut tables = std::mem::take(&mut self.tables);
        for (id, change) in &mut tables {
            let new = change.deleted || !change.stored;
            if let Some(pending) = &mut change.pending {
                self.plan_row(id, pending, new);
            }
        }
        let body = self.journal_body(&tables);
        let keep_from = self.keep_from(&tables, !body.is_empty());
        CommitPlan { seq: self.seq, tables, posted: self.posted, owners: self.owners, body, keep_from }
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
            let log = self.rows.check_log(&id);
            if let (Ok(Some(row)), Ok(()), Some(change)) = (row, log, self.tables.get_mut(&id))
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

    /// Decides what is written of a table's row: its whole log, unless the table stays in the journal.
    fn plan_row(&self, id: &TableId, pending: &mut PendingTable, new: bool) {
        let Some(row) = &mut pending.row else {
            return;
        };
        let tail = self.index.tables.get(id).filter(|_| pending.has_tail);
        pending.write_out |= pending.place != Place::InPlay;
        if !pending.write_out {
            if !pending.has_tail {
                // The table enters the journal: rows from an earlier time in play do not count.
                row.journal_from = self.seq;
            }
            pending.row_write = if new { RowWrite::Insert } else { RowWrite::Update };
            return;
        }
        let tail = tail.map_or(&[][..], |table| &table.tail);
        if pending.new_entries.is_empty() && pending.record.is_none() && tail.is_empty() && !new {
            pending.row_write = RowWrite::Update;
            return;
        }
        let added = [tail, &pending.new_entries].concat();
        row.stored = pending.chain;
        row.journal_from = self.seq + 1;
        pending.bytes += pending.new_entries.len() as u64;
        pending.row_write = if new { RowWrite::InsertLog(added) } else { RowWrite::ExtendLog(added) };
    }

    /// Frames of the new entries of the tables that stay in the journal.
    fn journal_body(&self, tables: &FastMap<TableId, TableChange>) -> Vec<u8> {
        let new_entries =
            |change: &TableChange| change.pending.as_ref().map_or(0, |pending| pending.new_entries.len());
        let mut body = Vec::with_capacity(
            tables.values().map(|change| frame::FRAME_OVERHEAD_BYTES + new_entries(change)).sum(),
        );
        for (id, change) in tables {
            if let Some(pending) = &change.pending
                && !pending.write_out
                && !pending.new_entries.is_empty()
            {
                frame::put_frame(
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
        let own = if row { self.seq } else { self.seq + 1 };
        oldest.map_or(own, |(seq, _, _)| seq)
    }
}

/// Reports whether the table's tail in the index is no longer needed.
fn leaves_journal(change: &TableChange) -> bool {
    change.deleted
        || change.pending.as_ref().is_none_or(|pending| pending.write_out || pending.place != Place::InPlay)
}

impl CommitPlan {
    /// Updates the index. Only after the commit.
    pub(crate) fn apply(&self, index: &mut JournalIndex) {
        let seq = self.seq;
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
        if !self.body.is_empty() {
            index.push_row(seq, self.body.len());
        }
        index.drop_rows(self.keep_from);
    }
}
