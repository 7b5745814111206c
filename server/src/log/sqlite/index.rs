//! What is kept in memory: of every table in play the end of its log, as far as it is in the journal only.
//!
//! It is never more than the journal holds, and the journal is bounded. It is a fold of the journal: made anew at
//! start-up, moved on after each commit.

use std::collections::{BTreeSet, VecDeque};

use rusqlite::Connection;

use super::failure::Failing;
use super::journal::{self, Meta};
use super::row::{COLUMNS, Row, log_length};
use crate::log::chain::Chain;
use crate::log::{LogError, TableId};
use crate::{QuickMap, make_room};

/// A table in play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct InPlay {
    /// The end of the log.
    pub(super) chain: Chain,
    /// The end of the part that is in the table's row.
    pub(super) stored: Chain,
    /// How many bytes that part has.
    pub(super) stored_bytes: u64,
    /// The first commit whose entries are not in the row.
    pub(super) journal_from: u64,
    /// The entries that are not in the row, as they are on disk.
    pub(super) tail: Vec<u8>,
    /// The first commit that the tail has entries of.
    pub(super) oldest: Option<u64>,
}

/// All tables in play.
#[derive(Default, PartialEq, Eq, Debug)]
pub(super) struct Index {
    pub(super) tables: QuickMap<TableId, InPlay>,
    /// The tables with a tail, those first that reach back furthest in the journal.
    oldest: BTreeSet<(u64, TableId)>,
    /// The rows of the journal and their sizes.
    rows: VecDeque<(u64, u64)>,
    /// The size of all rows together.
    bytes: u64,
}

/// What a row of the journal costs beside its body.
const ROW_OVERHEAD: u64 = 256;

impl Index {
    /// Reads the tables in play and the journal, and checks all of it.
    pub(super) fn load(db: &Connection, meta: &Meta, failing: Failing<'_>) -> Result<Index, LogError> {
        let mut index = Index::default();
        let sql = format!("SELECT {COLUMNS} FROM tables WHERE place = 0");
        let mut select = failing.at(db.prepare(&sql))?;
        let mut rows = failing.at(select.query([]))?;
        while let Some(row) = failing.at(rows.next())? {
            let row = Row::from_sql(row, failing)?;
            let bytes = failing.at(log_length(db, &row.id))?;
            index.put(row.id, row.stored, bytes, row.journal_from);
        }
        if index.tables.len() as u64 != meta.in_play {
            let what =
                format!("there are {} tables in play, and should be {}", index.tables.len(), meta.in_play);
            return Err(failing.damaged(None, None, &what));
        }
        journal::read(db, failing, |seq, bytes, frames| {
            index.push_row(seq, bytes);
            for frame in &frames {
                let Some(table) = index.tables.get(&frame.table) else {
                    continue;
                };
                if seq < table.journal_from {
                    continue;
                }
                let mut chain = table.chain;
                journal::follow(&mut chain, frame, failing)?;
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
            return Err(failing.damaged(None, None, &what));
        }
        Ok(index)
    }

    /// Notes a new row of the journal.
    pub(super) fn push_row(&mut self, seq: u64, body: usize) {
        let bytes = body as u64 + ROW_OVERHEAD;
        self.rows.push_back((seq, bytes));
        self.bytes += bytes;
    }

    /// Forgets the rows before this one.
    pub(super) fn drop_rows(&mut self, keep_from: u64) {
        while let Some((seq, bytes)) = self.rows.front().copied()
            && seq < keep_from
        {
            self.rows.pop_front();
            self.bytes -= bytes;
        }
    }

    /// How many rows come before this one.
    pub(super) fn rows_before(&self, seq: u64) -> usize {
        self.rows.partition_point(|(row, _)| *row < seq)
    }

    /// The size of the journal.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The tables with a tail, those first that reach back furthest, each with how large the journal would be if
    /// nothing before it were needed.
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

    /// Adds entries of a commit to a table's tail.
    pub(super) fn extend(&mut self, id: TableId, seq: u64, entries: &[u8], chain: Chain) {
        let Some(table) = self.tables.get_mut(&id) else {
            return;
        };
        table.chain = chain;
        if !entries.is_empty() {
            make_room(&mut table.tail, entries.len());
            table.tail.extend_from_slice(entries);
            if table.oldest.is_none() {
                table.oldest = Some(seq);
                self.oldest.insert((seq, id));
            }
        }
    }

    /// Puts a table that has no tail, in the place of what was known of it.
    pub(super) fn put(&mut self, id: TableId, stored: Chain, stored_bytes: u64, journal_from: u64) {
        self.remove(&id);
        self.tables.insert(
            id,
            InPlay { chain: stored, stored, stored_bytes, journal_from, tail: Vec::new(), oldest: None },
        );
    }

    /// Forgets a table that is not in play any more.
    pub(super) fn remove(&mut self, id: &TableId) {
        if let Some(table) = self.tables.remove(id)
            && let Some(oldest) = table.oldest
        {
            self.oldest.remove(&(oldest, *id));
        }
    }
}
