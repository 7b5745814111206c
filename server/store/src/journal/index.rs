//! In-memory index of the tables in play: the tail of each log that is only in the journal.
//!
//! It is a fold of the journal, so it is bounded like the journal: built at start-up, updated after each
//! commit.

use std::collections::{BTreeSet, VecDeque};

use bytes::Bytes;

use super::errors::StoreErrors;
use super::frame::{apply_frame, decode_frames, row_checksum};
use crate::chain::HashChain;
use crate::{Entry, FastMap, Hash, LogError, TableId, reserve_tightly};

/// A table in play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct JournalTable {
    /// End of the log.
    pub(crate) chain: HashChain,
    /// End of the part stored in the table's row.
    pub(crate) stored: HashChain,
    /// Bytes of that part.
    pub(crate) stored_bytes: u64,
    /// First commit whose entries are not in the row.
    pub(crate) journal_from: u64,
    /// The entries that are not in the row, in their encoding on disk.
    pub(crate) tail: Vec<u8>,
    /// First commit with entries in the tail.
    pub(crate) oldest: Option<u64>,
}

impl JournalTable {
    /// The entries in the tail from an index on, with their hashes verified.
    pub(crate) fn decode_tail(
        self,
        id: TableId,
        from: u64,
        errors: StoreErrors<'_>,
    ) -> Result<LogSlice, LogError> {
        let mut chain = self.stored;
        let mut entries = Vec::new();
        let read = chain.decode(&Bytes::from(self.tail), from, &mut entries);
        read.map_err(|broken| errors.damaged_entry(id, broken.index))?;
        Ok(LogSlice { entries, length: chain.length })
    }
}

/// Entries of a log from some index on, and the length of the whole log.
pub(crate) struct LogSlice {
    pub(crate) entries: Vec<Entry>,
    pub(crate) length: u64,
}

impl LogSlice {
    /// The entries; refused if the reader's index is beyond the end.
    pub(crate) fn entries_from(self, table: TableId, from: u64) -> Result<Vec<Entry>, LogError> {
        if from > self.length {
            return Err(LogError::ReaderAhead { table, length: self.length });
        }
        Ok(self.entries)
    }
}

/// All tables in play.
#[derive(Default, PartialEq, Eq, Debug)]
pub(crate) struct JournalIndex {
    pub(crate) tables: FastMap<TableId, JournalTable>,
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
    /// Adds a row of the journal as it was read, with its checksum.
    ///
    /// Frames are applied before the row's checksum is verified, so that damage is reported with its table and
    /// entry where they can be determined.
    pub(crate) fn replay_row(
        &mut self,
        seq: u64,
        sum: &Hash,
        body: &Bytes,
        errors: StoreErrors<'_>,
    ) -> Result<(), LogError> {
        let damaged = || errors.damaged(None, None, &format!("row {seq} of the journal is corrupted"));
        self.push_row(seq, body.len());
        for frame in &decode_frames(body).ok_or_else(damaged)? {
            let Some(table) = self.tables.get(&frame.table) else {
                continue;
            };
            if seq < table.journal_from {
                continue;
            }
            let mut chain = table.chain;
            apply_frame(&mut chain, frame, errors)?;
            self.extend(frame.table, seq, &frame.entries, chain);
        }
        if row_checksum(seq, body) == *sum { Ok(()) } else { Err(damaged()) }
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Sequence number of the last row; 0 without rows.
    pub(crate) fn last_row(&self) -> u64 {
        self.rows.back().map_or(0, |(seq, _)| *seq)
    }

    /// Adds a new journal row.
    pub(crate) fn push_row(&mut self, seq: u64, body: usize) {
        let bytes = body as u64 + ROW_OVERHEAD;
        self.rows.push_back((seq, bytes));
        self.bytes += bytes;
    }

    /// Drops the rows before this one.
    pub(crate) fn drop_rows(&mut self, keep_from: u64) {
        while let Some((seq, bytes)) = self.rows.front().copied()
            && seq < keep_from
        {
            self.rows.pop_front();
            self.bytes -= bytes;
        }
    }

    /// Number of rows before this one.
    pub(crate) fn rows_before(&self, seq: u64) -> usize {
        self.rows.partition_point(|(row, _)| *row < seq)
    }

    /// Bytes of the journal.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Tables with a tail, ordered by the oldest journal row they need, each with the bytes the journal would
    /// keep if no earlier row were needed.
    pub(crate) fn oldest_first(&self) -> impl Iterator<Item = (u64, TableId, u64)> {
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
    pub(crate) fn extend(&mut self, id: TableId, seq: u64, entries: &[u8], chain: HashChain) {
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
    pub(crate) fn put(&mut self, id: TableId, stored: HashChain, stored_bytes: u64, journal_from: u64) {
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
    pub(crate) fn remove(&mut self, id: &TableId) {
        if let Some(table) = self.tables.remove(id)
            && let Some(oldest) = table.oldest
        {
            self.oldest.remove(&(oldest, *id));
        }
    }
}
