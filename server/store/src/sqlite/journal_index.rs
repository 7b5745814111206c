//! In-memory index of the tables in play: the tail of each log that is only in the journal.
//!
//! It is a fold of the journal, so it is bounded like the journal: built at start-up, updated after each
//! commit.

use std::collections::{BTreeSet, VecDeque};

use rusqlite::Connection;

use super::file_errors::FileErrors;
use super::journal::{self, StoreMeta};
use super::stored_row::{COLUMNS, StoredRow, log_length};
use crate::chain::HashChain;
use crate::{FastMap, reserve_tightly};
use crate::{LogError, TableId};

/// A table in play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct JournalTable {
    /// End of the log.
    pub(super) chain: HashChain,
    /// End of the part stored in the table's row.
    pub(super) stored: HashChain,
    /// Bytes of that part.
    pub(super) stored_bytes: u64,
    /// First commit whose entries are not in the row.
    pub(super) journal_from: u64,
    /// The entries that are not in the row, in their encoding on disk.
    pub(super) tail: Vec<u8>,
    /// First commit with entries in the tail.
    pub(super) oldest: Option<u64>,
}

/// All tables in play.
#[derive(Default, PartialEq, Eq, Debug)]
pub(super) struct JournalIndex {
    pub(super) tables: FastMap<TableId, JournalTable>,
    /// Tables with a tail, ordered by the oldest journal row they need.
    oldest: BTreeSet<(u64, TableId)>,
    /// Journal rows: sequence number and size in bytes.
    rows: VecDeque<(u64, u64)>,
    /// Bytes of all rows.
    bytes: u64,
}

/// Bytes that a journal row costs beside its body.
const ROW_OVERHEAD: u64 = 256;

impl JournalIndex {
    /// Reads and verifies the tables in play and the journal.
    pub(super) fn load(
        db: &Connection,
        meta: &StoreMeta,
        errors: FileErrors<'_>,
    ) -> Result<JournalIndex, LogError> {
        let mut index = JournalIndex::default();
        let sql = format!("SELECT {COLUMNS} FROM tables WHERE place = 0");
        let mut select = errors.wrap(db.prepare(&sql))?;
        let mut rows = errors.wrap(select.query([]))?;
        while let Some(row) = errors.wrap(rows.next())? {
            let row = StoredRow::from_sql(row, errors)?;
            let bytes = errors.wrap(log_length(db, &row.id))?;
            index.put(row.id, row.stored, bytes, row.journal_from);
        }
        if index.tables.len() as u64 != meta.in_play {
            let what =
                format!("there are {} tables in play, and should be {}", index.tables.len(), meta.in_play);
            return Err(errors.damaged(None, None, &what));
        }
        journal::read(db, errors, |seq, bytes, frames| {
            index.push_row(seq, bytes);
            for frame in &frames {
                let Some(table) = index.tables.get(&frame.table) else {
                    continue;
                };
                if seq < table.journal_from {
                    continue;
                }
                let mut chain = table.chain;
                journal::apply_frame(&mut chain, frame, errors)?;
                index.extend(frame.table, seq, &frame.entries, chain);
            }
            Ok(())
        })?;
        let last = index.rows.back().map_or(0, |(seq, _)| *seq);
        if index.rows.len() as u64 != meta.journal_rows || last > meta.seq {
            let what = format!(
                "the journal has {} rows up to commit {last}, and should have {} up to commit {}",
                index.rows.len(),
                meta.journal_rows,
                meta.seq
            );
            return Err(errors.damaged(None, None, &what));
        }
        Ok(index)
    }

    /// Adds a new journal row.
    pub(super) fn push_row(&mut self, seq: u64, body: usize) {
        let bytes = body as u64 + ROW_OVERHEAD;
        self.rows.push_back((seq, bytes));
        self.bytes += bytes;
    }

    /// Drops the rows before this one.
    pub(super) fn drop_rows(&mut self, keep_from: u64) {
        while let Some((seq, bytes)) = self.rows.front().copied()
            && seq < keep_from
        {
            self.rows.pop_front();
            self.bytes -= bytes;
        }
    }

    /// Number of rows before this one.
    pub(super) fn rows_before(&self, seq: u64) -> usize {
        self.rows.partition_point(|(row, _)| *row < seq)
    }

    /// Bytes of the journal.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Tables with a tail, ordered by the oldest journal row they need, each with the bytes the journal would
    /// keep if no earlier row were needed.
    pub(super) fn oldest_first(&self) -> impl Iterator<Item = (u64, TableId, u64)> {
        let mut rows = self.rows.iter().peekable();
        let mut kept = self.bytes;
        self.oldest.iter().map(move |(oldest, table)| {
            while let Some((_, bytes)) = rows.next_if(|(seq, _)| seq < oldest) {
                kept -= bytes;
            }
            (*oldest, *table, kept)
        })
    }

    /// Appends the entries of a commit to a table's tail.
    pub(super) fn extend(&mut self, id: TableId, seq: u64, entries: &[u8], chain: HashChain) {
        let Some(table) = self.tables.get_mut(&id) else {
            return;
        };
        table.chain = chain;
        if !entries.is_empty() {
            reserve_tightly(&mut table.tail, entries.len());
            table.tail.extend_from_slice(entries);
            if table.oldest.is_none() {
                table.oldest = Some(seq);
                self.oldest.insert((seq, id));
            }
        }
    }

    /// Inserts or replaces a table, without a tail.
    pub(super) fn put(&mut self, id: TableId, stored: HashChain, stored_bytes: u64, journal_from: u64) {
        self.remove(&id);
        self.tables.insert(
            id,
            JournalTable {
                chain: stored,
                stored,
                stored_bytes,
                journal_from,
                tail: Vec::new(),
                oldest: None,
            },
        );
    }

    /// Removes a table that is no longer in play.
    pub(super) fn remove(&mut self, id: &TableId) {
        if let Some(table) = self.tables.remove(id)
            && let Some(oldest) = table.oldest
        {
            self.oldest.remove(&(oldest, *id));
        }
    }
}
