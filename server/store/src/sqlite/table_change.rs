//! State of one table within a commit.

use bytes::Bytes;

use super::journal_index::JournalTable;
use super::stored_row::StoredRow;
use crate::chain::HashChain;
use crate::{Place, TableId};

/// A table that this commit changes.
pub(super) struct TableChange {
    /// The table after the commit; `None` if it does not exist then.
    pub(super) pending: Option<PendingTable>,
    /// Set if the store has a row of it.
    pub(super) stored: bool,
    /// Set if that row must be deleted before a new one is written.
    pub(super) deleted: bool,
}

/// A table as it will be after the commit.
pub(super) struct PendingTable {
    pub(super) chain: HashChain,
    pub(super) place: Place,
    /// New entries in their encoding on disk, and the chain before them.
    pub(super) new_entries: Vec<u8>,
    pub(super) before: HashChain,
    /// Bytes of the log before the commit.
    pub(super) bytes: u64,
    /// The new row; `None` if it is unchanged, as in most commits, hence the box.
    pub(super) row: Option<Box<StoredRow>>,
    pub(super) record: Option<Bytes>,
    /// Set if its tail in the index is part of its log.
    pub(super) has_tail: bool,
    /// Set if the whole log is written to its row.
    pub(super) write_out: bool,
}

impl PendingTable {
    /// The current state of a table in play.
    pub(super) fn in_play(table: &JournalTable) -> PendingTable {
        PendingTable {
            chain: table.chain,
            before: table.chain,
            place: Place::InPlay,
            new_entries: Vec::new(),
            bytes: table.stored_bytes + table.tail.len() as u64,
            row: None,
            record: None,
            has_tail: true,
            write_out: false,
        }
    }

    /// The current state of a table at rest or finished.
    pub(super) fn at_rest(row: &StoredRow, bytes: u64) -> PendingTable {
        PendingTable {
            chain: row.stored,
            before: row.stored,
            place: row.place,
            new_entries: Vec::new(),
            bytes,
            row: None,
            record: None,
            has_tail: false,
            write_out: false,
        }
    }

    /// A table being created.
    pub(super) fn new(id: &TableId) -> PendingTable {
        PendingTable {
            chain: HashChain::new(id),
            before: HashChain::new(id),
            place: Place::InPlay,
            new_entries: Vec::new(),
            bytes: 0,
            row: None,
            record: None,
            has_tail: false,
            write_out: false,
        }
    }
}
