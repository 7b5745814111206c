//! Writing a commit: rows, the journal, feeds; and what is known in memory afterwards.

use super::batch::Batch;
use super::feed;
use super::index::Index;
use super::journal::{self, Meta};
use super::row::{Row, log_bytes};
use super::work::{Now, Work};
use crate::QuickMap;
use crate::log::chain::Chain;
use crate::log::{FeedItem, LogError, OwnerId, Place, TableId};

/// How many tables more than it has itself a commit writes out when the journal is too long.
const WRITE_OUT_STEP: usize = 64;

/// What a commit changed, to be told when it is durable.
pub(super) struct Written {
    pub(super) meta: Meta,
    pub(super) tables: QuickMap<TableId, Work>,
    pub(super) posted: Vec<(OwnerId, FeedItem)>,
    /// The size of the new row of the journal, if there is one.
    row: Option<usize>,
    /// The first row of the journal that is still needed.
    keep_from: u64,
}

impl Batch<'_> {
    /// Writes everything. What remains is to commit.
    pub(super) fn write(mut self, journal_limit: u64) -> Result<Written, LogError> {
        self.shorten_journal(journal_limit);
        self.delete_rows()?;
        let mut tables = std::mem::take(&mut self.tables);
        for (id, work) in &mut tables {
            if let Some(now) = &mut work.now {
                let new = work.deleted || !work.stored;
                self.write_row(id, now, new)?;
            }
        }
        let body = self.journal_body(&tables);
        if !body.is_empty() {
            self.failing.at(journal::insert(self.db, self.meta.seq, &body))?;
            self.meta.journal_rows += 1;
        }
        let keep_from = self.keep_from(&tables, !body.is_empty());
        let dropped = self.index.rows_before(keep_from);
        if dropped > 0 {
            self.failing.at(journal::truncate(self.db, keep_from))?;
            self.meta.journal_rows -= dropped as u64;
        }
        for (owner, item) in &self.posted {
            self.failing.at(feed::insert(self.db, owner, item))?;
        }
        for (owner, numbers) in &self.owners {
            self.failing.at(numbers.store(self.db, owner))?;
        }
        self.count(&tables);
        self.failing.at(self.meta.store(self.db))?;
        Ok(Written {
            meta: self.meta,
            tables,
            posted: self.posted,
            row: (!body.is_empty()).then_some(body.len()),
            keep_from,
        })
    }

    /// If the journal is too long, the tables that hold its oldest rows are written out.
    ///
    /// Each commit writes out more tables than it brings, so the journal gets shorter whatever is played.
    fn shorten_journal(&mut self, limit: u64) {
        let in_play = |work: &&Work| work.now.as_ref().is_some_and(|now| now.place == Place::InPlay);
        let playing = self.tables.values().filter(in_play);
        let fresh: usize = playing.filter_map(|work| work.now.as_ref()).map(|now| now.fresh.len()).sum();
        if self.index.bytes() + fresh as u64 <= limit {
            return;
        }
        let mut left = self.tables.len() + WRITE_OUT_STEP;
        let index = self.index;
        for (_, id, kept) in index.oldest_first() {
            if left == 0 || kept + fresh as u64 <= limit {
                break;
            }
            if self.tables.get(&id).is_some_and(leaves_journal) {
                continue;
            }
            left -= 1;
            // A table that cannot be read stays where it is: whoever reads it is told of the damage.
            let row = self.load(id).and_then(|()| match self.now(&id) {
                Some(now) => self.row(&id, now).map(Some),
                None => Ok(None),
            });
            let log = log_bytes(self.db, &id);
            if let (Ok(Some(row)), Ok(_), Some(work)) = (row, log, self.tables.get_mut(&id))
                && let Some(now) = &mut work.now
            {
                now.row = Some(Box::new(row));
                now.write_out = true;
            }
        }
    }

    fn now(&self, id: &TableId) -> Option<&Now> {
        self.tables.get(id).and_then(|work| work.now.as_ref())
    }

    /// Deletes what is to be deleted, before anything new may take its names.
    fn delete_rows(&self) -> Result<(), LogError> {
        for (id, work) in &self.tables {
            if work.deleted && work.stored {
                let row = Row::find(self.db, id, self.failing)?;
                let row = row.ok_or_else(|| self.failing.damaged_table(*id))?;
                self.failing.at(row.delete(self.db))?;
            }
        }
        Ok(())
    }

    /// Writes the row of a table, with its whole log unless the table goes on in the journal.
    fn write_row(&self, id: &TableId, now: &mut Now, new: bool) -> Result<(), LogError> {
        let Some(row) = &mut now.row else {
            return Ok(());
        };
        let tail = self.index.tables.get(id).filter(|_| now.has_tail);
        now.write_out |= now.place != Place::InPlay;
        let record = now.record.as_deref();
        if !now.write_out {
            if !now.has_tail {
                // It comes to the table: what is in the journal of an earlier stay does not count.
                row.journal_from = self.meta.seq;
            }
            return self.failing.at(if new { row.insert(self.db, &[], record) } else { row.update(self.db) });
        }
        let unchanged =
            now.fresh.is_empty() && record.is_none() && tail.is_none_or(|table| table.tail.is_empty());
        if unchanged && !new {
            return self.failing.at(row.update(self.db));
        }
        let mut log = Vec::new();
        if !new && row.stored.length > 0 {
            log = self.failing.at(log_bytes(self.db, id))?.unwrap_or_default();
        }
        if let Some(table) = tail {
            log.extend_from_slice(&table.tail);
        }
        log.extend_from_slice(&now.fresh);
        row.stored = now.chain;
        row.journal_from = self.meta.seq + 1;
        now.bytes = log.len() as u64;
        self.failing.at(if new {
            row.insert(self.db, &log, record)
        } else {
            row.update_all(self.db, &log, record)
        })
    }

    /// The new entries of the tables that stay in the journal.
    fn journal_body(&self, tables: &QuickMap<TableId, Work>) -> Vec<u8> {
        let fresh = |work: &Work| work.now.as_ref().map_or(0, |now| now.fresh.len());
        let mut body = Vec::with_capacity(tables.values().map(|work| journal::AROUND + fresh(work)).sum());
        for (id, work) in tables {
            if let Some(now) = &work.now
                && !now.write_out
                && !now.fresh.is_empty()
            {
                journal::put_frame(&mut body, id, now.before.length, &now.fresh, &now.chain.head);
            }
        }
        body
    }

    /// The first row of the journal that some table in play still needs.
    fn keep_from(&self, tables: &QuickMap<TableId, Work>, row: bool) -> u64 {
        let stays = |id: &TableId| tables.get(id).is_none_or(|work| !leaves_journal(work));
        let oldest = self.index.oldest_first().find(|(_, id, _)| stays(id));
        let own = if row { self.meta.seq } else { self.meta.seq + 1 };
        oldest.map_or(own, |(seq, _, _)| seq)
    }

    /// Counts the tables as they will be.
    fn count(&mut self, tables: &QuickMap<TableId, Work>) {
        for (id, work) in tables {
            let now_in_play = work.now.as_ref().is_some_and(|now| now.place == Place::InPlay);
            let before = (work.stored, self.index.tables.contains_key(id));
            let after = (work.now.is_some(), now_in_play);
            self.meta.tables = self.meta.tables + u64::from(after.0) - u64::from(before.0);
            self.meta.in_play = self.meta.in_play + u64::from(after.1) - u64::from(before.1);
        }
    }
}

/// Whether the tail that the index has of a table is not needed any more.
fn leaves_journal(work: &Work) -> bool {
    work.deleted || work.now.as_ref().is_none_or(|now| now.write_out || now.place != Place::InPlay)
}

impl Written {
    /// Moves the index on. Only after the commit.
    pub(super) fn apply(&self, index: &mut Index) {
        let seq = self.meta.seq;
        for (id, work) in &self.tables {
            match &work.now {
                Some(now) if now.place == Place::InPlay => {
                    if now.write_out {
                        index.put(*id, now.chain, now.bytes, seq + 1);
                        continue;
                    }
                    if !now.has_tail {
                        let stored = now.row.as_ref().map_or_else(|| Chain::of(id), |row| row.stored);
                        index.put(*id, stored, now.bytes, seq);
                    }
                    index.extend(*id, seq, &now.fresh, now.chain);
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
