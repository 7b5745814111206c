//! State of one table within a commit.

use bytes::Bytes;

use super::index::JournalTable;
use super::row::StoredRow;
use crate::chain::HashChain;
use crate::{Place, TableId};

/// A table that this commit changes.
pub(crate) struct TableChange {
    /// The table after the commit; `None` if it does not exist then.
    pub(crate) pending: Option<PendingTable>,
    /// Set if the store has a row of it.
    pub(crate) stored: bool,
    /// Set if that row must be deleted before a new one is written.
    pub(crate) deleted: bool,
}

/// Change of a table's row in a commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum RowWrite {
    /// Nothing.
    Unchanged,
    /// A new row, whose log is in the journal alone.
    Insert,
    /// The columns of an existing row, without its log and record.
    Update,
    /// A new row with this log, and the record.
    InsertLog(Vec<u8>),
    /// An existing row with these bytes added to its log, and the record.
    ExtendLog(Vec<u8>),
}

/// A table as it will be after the commit.
pub(crate) struct PendingTable {
    pub(crate) chain: HashChain,
    pub(crate) place: Place,
    /// New entries in their encoding on disk, and the chain before them.
    pub(crate) new_entries: Vec<u8>,
    pub(crate) before: HashChain,
    /// Bytes of the log before the commit.
    pub(crate) bytes: u64,
    /// Bytes of the part of it that its row had then.
    pub(crate) stored_bytes: u64,
    /// The new row; `None` if it is unchanged, as in most commits, hence the box.
    pub(crate) row: Option<Box<StoredRow>>,
    pub(crate) record: Option<Bytes>,
    /// Set if its tail in the index is part of its log.
    pub(crate) has_tail: bool,
    /// Set if the whole log is written to its row.
    pub(crate) write_out: bool,
    /// Change of its row, once the commit is planned.
    pub(crate) row_write: RowWrite,
}

impl PendingTable {
    /// The current state of a table in play.
    pub(crate) fn in_play(table: &JournalTable) -> PendingTable {
        PendingTable {
            chain: table.chain,
            before: table.chain,
            place: Place::InPlay,
            new_entries: Vec::new(),
            bytes: table.stored_bytes + table.tail.len() as u64,
            stored_bytes: table.stored_bytes,
            row: None,
            record: None,
            has_tail: true,
            write_out: false,
            row_write: RowWrite::Unchanged,
        }
    }

    /// The current state of a table at rest or finished.
    pub(crate) fn at_rest(row: &StoredRow, bytes: u64) -> PendingTable {
        PendingTable {
            chain: row.stored,
            before: row.stored,
            place: row.place,
            new_entries: Vec::new(),
            bytes,
            stored_bytes: bytes,
            row: None,
            record: None,
            has_tail: false,
            write_out: false,
            row_write: RowWrite::Unchanged,
        }
    }

    /// A table being created.
    pub(crate) fn new(id: &TableId) -> PendingTable {
        PendingTable {
            chain: HashChain::new(id),
            before: HashChain::new(id),
            place: Place::InPlay,
            new_entries: Vec::new(),
            bytes: 0,
            stored_bytes: 0,
            row: None,
            record: None,
            has_tail: false,
            write_out: false,
            row_write: RowWrite::Unchanged,
        }
    }
}
