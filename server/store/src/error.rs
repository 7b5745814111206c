//! Errors of a log.

use std::path::PathBuf;
use std::sync::Arc;

use super::{OwnerId, TableId};

/// Error of a log. A failed operation has changed nothing, unless the variant says otherwise.
///
/// `Clone`, because one commit carries many appends and its failure is returned for each of them.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LogError {
    /// The log's length differs from the expected one: another writer was first.
    #[error("table {table} has {actual} entries, not the expected number: read the rest, then append again")]
    Conflict {
        /// The table.
        table: TableId,
        /// Its length, in entries.
        actual: u64,
    },
    /// The owner's request id has already created a table.
    #[error("this request already created table {table}")]
    DuplicateRequest {
        /// The table that it created.
        table: TableId,
    },
    /// The table does not exist, or no longer.
    #[error("there is no table {table}")]
    NoSuchTable {
        /// The table.
        table: TableId,
    },
    /// The table is finished and therefore immutable.
    #[error("table {table} is finished: it takes no more entries")]
    Finished {
        /// The table.
        table: TableId,
    },
    /// The reader's cursor is beyond the end of the log: the log has lost its tail.
    #[error(
        "table {table} has only {length} entries, fewer than the reader has seen: its tail is lost; start again from a snapshot"
    )]
    ReaderAhead {
        /// The table.
        table: TableId,
        /// Its length, in entries.
        length: u64,
    },
    /// The reader's cursor is beyond the end of the feed: the feed has lost its tail.
    #[error(
        "the feed of {owner} ends at number {last}, before what the reader has seen: its tail is lost; list the tables again"
    )]
    FeedAhead {
        /// The owner of the feed.
        owner: OwnerId,
        /// Its last number.
        last: u64,
    },
    /// The requested items are older than the retention of the feed.
    #[error(
        "the feed of {owner} starts at number {first}: older items are no longer kept; list the tables again"
    )]
    FeedTrimmed {
        /// The owner of the feed.
        owner: OwnerId,
        /// Its first number.
        first: u64,
    },
    /// The follower lags too far behind and must follow again.
    #[error("the follower lags too far behind: follow again from {next}")]
    FollowerLagged {
        /// The next index or number for this follower.
        next: u64,
    },
    /// The write queue is full.
    #[error("the write queue is full: try again in a moment")]
    QueueFull,
    /// The disk is full. Appends succeed again once there is space.
    #[error("no space to write {}: free some space on its disk; nothing acknowledged is lost ({why})", file.display())]
    NoSpace {
        /// The file of the store.
        file: PathBuf,
        /// The store's own error.
        why: Arc<str>,
    },
    /// The store is damaged.
    #[error("{} is damaged: {what}. Restore it from a backup; parlor-server check-store lists all damage", file.display())]
    Damaged {
        /// The file of the store.
        file: PathBuf,
        /// The damaged table, if known.
        table: Option<TableId>,
        /// The damaged entry, if known.
        entry: Option<u64>,
        /// Description of the damage.
        what: Arc<str>,
    },
    /// The store has a newer schema than this program.
    #[error("{} has schema version {found}, this program supports versions up to {known}: run a newer parlor-server, or restore an older backup", file.display())]
    NewerSchema {
        /// The file of the store.
        file: PathBuf,
        /// Its schema version.
        found: i64,
        /// The newest supported version.
        known: i64,
    },
    /// The store has an older schema, and this operation must not migrate it.
    #[error("{} was written by an older version: start parlor-server on it once to migrate it", file.display())]
    OlderSchema {
        /// The file of the store.
        file: PathBuf,
    },
    /// The file is not a Parlor store.
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
    /// The file exists, and replacing it was not requested.
    #[error("{} exists already: name another file, or allow replacing it", file.display())]
    FileExists {
        /// The file.
        file: PathBuf,
    },
    /// An argument is out of bounds or inconsistent.
    #[error("{what} must be {allowed}")]
    Invalid {
        /// The invalid argument.
        what: &'static str,
        /// The allowed values.
        allowed: &'static str,
    },
    /// The table's log has reached its size limit.
    #[error("the log of table {table} is full: a log has at most 64 MiB")]
    LogFull {
        /// The table.
        table: TableId,
    },
    /// The file cannot be read or written, for a reason other than space.
    #[error("cannot use {}: {why}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The operating system's error.
        why: Arc<str>,
    },
    /// The database cannot be reached, or the connection to it broke.
    #[error("{} cannot be reached ({why}): check that PostgreSQL runs there and accepts connections from this machine", file.display())]
    Unreachable {
        /// The database.
        file: PathBuf,
        /// The reason.
        why: Arc<str>,
    },
    /// The database does not let this user in, or does not exist.
    #[error("{} refuses access ({why}): check the user and the database in the address, and the password", file.display())]
    AccessDenied {
        /// The database.
        file: PathBuf,
        /// The database's own error.
        why: Arc<str>,
    },
    /// The database server is too old.
    #[error("{} runs PostgreSQL {found}, and version {oldest} or newer is needed: upgrade it", file.display())]
    OldDatabase {
        /// The database.
        file: PathBuf,
        /// Its version.
        found: Arc<str>,
        /// The oldest supported version.
        oldest: u32,
    },
    /// The target of a copy is in use or has been.
    #[error("{} is not empty: name a new one", file.display())]
    NotEmpty {
        /// The store.
        file: PathBuf,
    },
    /// The table belongs to another node, or this node's lease has run out.
    #[error("table {table} is not with this node: ask again")]
    NotOwner {
        /// The table.
        table: TableId,
    },
    /// A node that joins has other settings than those that run.
    #[error("node {node} runs with another {what}: all nodes of a database need the same")]
    NodeDiffers {
        /// The node that runs.
        node: Arc<str>,
        /// Names of what differs, separated by commas.
        what: Arc<str>,
    },
    /// Another node has taken over the tables of this writer. A pending append may or may not have been committed.
    #[error("another node has taken over the tables of this one: ask again")]
    Fenced,
    /// The log is closed. A pending append may or may not have been committed.
    #[error("the log is closed: this append may or may not be in it; read it when it is open again")]
    Closed,
}

impl LogError {
    /// Reports whether every append of a commit fails for this reason, so that committing them one by one is useless.
    pub(crate) fn concerns_every_append(&self) -> bool {
        matches!(self, LogError::NoSpace { .. } | LogError::Fenced | LogError::Closed)
    }
}
