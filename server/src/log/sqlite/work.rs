//! One table in a commit: as it was, and as it will be.

use bytes::Bytes;

use super::index::InPlay;
use super::row::Row;
use crate::log::chain::Chain;
use crate::log::{Place, TableId};

/// A table that this commit is about.
pub(super) struct Work {
    /// The table as it will be; `None` when it does not exist, or not any more.
    pub(super) now: Option<Now>,
    /// Whether a row of it is in the store.
    pub(super) stored: bool,
    /// Whether that row is to be deleted, before a new one may be written.
    pub(super) deleted: bool,
}

/// A table as it will be after the commit.
pub(super) struct Now {
    pub(super) chain: Chain,
    pub(super) place: Place,
    /// The new entries, as they are on disk, and the log before them.
    pub(super) fresh: Vec<u8>,
    pub(super) before: Chain,
    /// How many bytes the log had before.
    pub(super) bytes: u64,
    /// Its row. `None` where the row stays as it is, as with most commits: so it is in a box.
    pub(super) row: Option<Box<Row>>,
    pub(super) record: Option<Bytes>,
    /// Whether its tail in the index is part of its log.
    pub(super) has_tail: bool,
    /// Whether all of its log goes to its row.
    pub(super) write_out: bool,
}

impl Now {
    /// A table in play, as it is.
    pub(super) fn in_play(table: &InPlay) -> Now {
        Now {
            chain: table.chain,
            before: table.chain,
            place: Place::InPlay,
            fresh: Vec::new(),
            bytes: table.stored_bytes + table.tail.len() as u64,
            row: None,
            record: None,
            has_tail: true,
            write_out: false,
        }
    }

    /// A table that rests or is finished, as it is.
    pub(super) fn at_rest(row: &Row, bytes: u64) -> Now {
        Now {
            chain: row.stored,
            before: row.stored,
            place: row.place,
            fresh: Vec::new(),
            bytes,
            row: None,
            record: None,
            has_tail: false,
            write_out: false,
        }
    }

    /// A table that is just being created.
    pub(super) fn new(id: &TableId) -> Now {
        Now {
            chain: Chain::of(id),
            before: Chain::of(id),
            place: Place::InPlay,
            fresh: Vec::new(),
            bytes: 0,
            row: None,
            record: None,
            has_tail: false,
            write_out: false,
        }
    }
}
