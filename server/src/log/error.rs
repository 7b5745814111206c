//! Why a log refused or failed.

use std::path::PathBuf;
use std::sync::Arc;

use super::{OwnerId, TableId};

/// Why a log refused or failed. Whatever failed is not in the log, unless it says otherwise.
///
/// One commit carries many appends, so one failure is told to many: the error can be cloned.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogError {
    /// The log has another length than the writer expected: somebody else was faster.
    #[error("table {table} has {actual} entries, not as many as expected: read the rest, then append again")]
    Conflict {
        /// The table.
        table: TableId,
        /// How many entries it has.
        actual: u64,
    },
    /// The owner's request has made a table already.
    #[error("this request has made table {table} already")]
    Repeated {
        /// The table it made.
        table: TableId,
    },
    /// There is no such table, or not any more.
    #[error("there is no table {table}")]
    NoSuchTable {
        /// The table.
        table: TableId,
    },
    /// A finished table never changes.
    #[error("table {table} is finished: nothing can be added to it")]
    Finished {
        /// The table.
        table: TableId,
    },
    /// The reader knows more than the log: the log has lost its end.
    #[error(
        "table {table} has {length} entries only: it has lost what was read before; begin again with a snapshot"
    )]
    Ahead {
        /// The table.
        table: TableId,
        /// How many entries it has.
        length: u64,
    },
    /// The reader knows more than the feed: the feed has lost its end.
    #[error(
        "the feed of {owner} ends with number {last}: it has lost what was read before; list the tables anew"
    )]
    FeedAhead {
        /// Whose feed.
        owner: OwnerId,
        /// The last number in it.
        last: u64,
    },
    /// The items asked for are older than what is kept.
    #[error(
        "the feed of {owner} begins with number {first}: what was before is not kept; list the tables anew"
    )]
    FeedTrimmed {
        /// Whose feed.
        owner: OwnerId,
        /// The first number in it.
        first: u64,
    },
    /// A follower is so far behind that it must read on by itself.
    #[error("the follower is too far behind: follow again from {next}")]
    Behind {
        /// The index or number that comes next for this follower.
        next: u64,
    },
    /// Too much waits to be written.
    #[error("too much waits to be written: try again in a moment")]
    Busy,
    /// There is no room on the disk. The log goes on by itself when there is.
    #[error("no room to write {}: free some space on its disk; nothing that was acknowledged is lost ({why})", file.display())]
    NoSpace {
        /// The file of the store.
        file: PathBuf,
        /// What the store says.
        why: Arc<str>,
    },
    /// The store is damaged.
    #[error("{} is damaged: {what}. Restore it from a backup, or see with check-store what else is damaged", file.display())]
    Damaged {
        /// The file of the store.
        file: PathBuf,
        /// The table, if it is known which.
        table: Option<TableId>,
        /// The entry, if it is known which.
        entry: Option<u64>,
        /// What is damaged, in words.
        what: Arc<str>,
    },
    /// The store was written by a newer version.
    #[error("{} has schema version {found}, this program knows versions up to {known}: run a newer parlor-server, or restore a backup of before", file.display())]
    Newer {
        /// The file of the store.
        file: PathBuf,
        /// The version of its schema.
        found: i64,
        /// The newest version that is known.
        known: i64,
    },
    /// The store was written by an older version, and nobody may change it here.
    #[error("{} was written by an older version: start parlor-server on it once, which brings it up to date", file.display())]
    Older {
        /// The file of the store.
        file: PathBuf,
    },
    /// The file is something else.
    #[error("{} is not a store of Parlor: name another file, or a new one", file.display())]
    NotAStore {
        /// The file.
        file: PathBuf,
    },
    /// Another process has the store open.
    #[error("{} is in use by another process: stop that one first, or name another file", file.display())]
    InUse {
        /// The file of the store.
        file: PathBuf,
    },
    /// The file is there already, and nobody said that it may be replaced.
    #[error("{} exists already: name another file, or say that it may be replaced", file.display())]
    Exists {
        /// The file.
        file: PathBuf,
    },
    /// What was given is too large or does not fit together.
    #[error("{what} must be {allowed}")]
    Invalid {
        /// What is wrong.
        what: &'static str,
        /// What is allowed, in words.
        allowed: &'static str,
    },
    /// The log of the table is as long as a log may be.
    #[error("the log of table {table} is full: a log has at most 64 MiB")]
    Full {
        /// The table.
        table: TableId,
    },
    /// The file cannot be read or written, for another reason than room.
    #[error("cannot use {}: {why}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system says.
        why: Arc<str>,
    },
    /// The log is closed. What was being appended may or may not be in it.
    #[error("the log is closed: it may have taken this or not; read it when it is open again")]
    Closed,
}
