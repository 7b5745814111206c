//! Durable event logs of tables, tournaments and agents, with listings and owner feeds.
//!
//! A table is the fold of its log. An append carries the log length that the writer expects (optimistic
//! concurrency), so of two concurrent writers one wins and the other gets [`LogError::Conflict`]. An append
//! is acknowledged, readable and followable only after its commit is durable. The same commit carries the
//! owner's feed items, the table's listing and its place.
//!
//! The place says where the log is stored. A table *in play* shares the journal with all others in play and
//! is read at start-up. A table *at rest* costs only disk, until a client uses it or its clock wakes it. A
//! *finished* table has a record and never changes again.
//!
//! Tournaments and agent registrations are logs too, distinguished by their [`LogKind`]; a listing of tables
//! contains neither. A log that grows for days should stay in play: there an append costs only its own size,
//! however long the log is, and does not hold the journal back, because a journal at its limit writes the
//! whole log out once. At rest every append rewrites the whole log, so that place suits logs that rarely
//! change.
//!
//! A log reads no clock: every call carries its time.

mod append;
mod chain;
#[cfg(test)]
mod contract;
mod copy;
mod error;
mod follow;
mod id;
mod journal;
mod memory;
mod postgres;
mod query;
mod report;
mod sqlite;
#[cfg(feature = "test-hooks")]
pub mod test_hooks;

use std::collections::HashMap;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::future::join_all;

pub use append::{Append, Appended, Delete, Listing, LogKind, NewFeedItem, NewPlace, limits};
pub use chain::{Entry, Hash};
pub use copy::{CopyStore, check as check_postgres, copy_store};
pub use error::LogError;
pub use follow::LogFollower;
pub use id::{Millis, OwnerId};
pub use memory::MemoryLog;
pub use parlor_fair::{InvalidTableId, TableId};
pub use postgres::{
    ClusterView, Duties, Membership, MonotonicClock, NewNode, NodeRow, PgAddress, PgLog, PgOptions, PgUrl,
    SharedValues, WriterId,
};
pub use query::{
    FeedItem, LogFilter, PageRequest, Place, RetentionCounts, StartupState, TablePage, TableRow,
};
pub use report::StoreReport;
pub use sqlite::{SqliteLog, SqliteOptions, backup, check, restore};

/// The persisted message forms: package `parlor.store.v1`, generated from `proto/parlor/store/v1`.
///
/// Messages of the API that are part of them are opaque bytes here; the host encodes them with a codec of its own.
#[allow(
    clippy::all,
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    unused_qualifications,
    reason = "generated code"
)]
pub mod v1 {
    include!(concat!(env!("OUT_DIR"), "/parlor.store.v1.rs"));
}

/// Name of the histogram of commit durations, in seconds.
pub const COMMIT_SECONDS: &str = "parlor_commit_seconds";

/// A hash map with a fast hash function, seeded at random per map.
pub type FastMap<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// Reserves room for `additional` bytes without doubling the capacity: there are many tables, and half of a doubled buffer
/// would stay empty. Long buffers still grow by a factor, so that appending stays linear.
pub fn reserve_tightly(buffer: &mut Vec<u8>, additional: usize) {
    const LONG: usize = 1024;
    if buffer.capacity() - buffer.len() < additional {
        buffer.reserve_exact(additional + buffer.len() / if buffer.len() < LONG { 8 } else { 2 });
    }
}

/// Storage of the logs of all tables.
///
/// # Cancellation
///
/// A call whose future is dropped may still be carried out.
#[async_trait]
pub trait Log: Send + Sync + 'static {
    /// Appends entries to a table's log, together with everything else in the same commit. Returns when all
    /// of it is durable.
    ///
    /// Expected length 0 creates the table and requires a listing and a place.
    async fn append(&self, append: Append) -> Result<Appended, LogError>;

    /// Appends to the logs of several tables, independently: a refused append does not affect the others.
    /// Returns the results in the order of the appends, when all of them are durable or refused.
    async fn append_all(&self, appends: Vec<Append>) -> Vec<Result<Appended, LogError>> {
        join_all(appends.into_iter().map(|append| self.append(append))).await
    }

    /// Reads the entries from index `from` to the end, none if `from` is the length. Verifies their hashes.
    async fn read(&self, table: TableId, from: u64) -> Result<Vec<Entry>, LogError>;

    /// Follows the entries from index `from` on: stored ones first, then each new one when it is durable.
    /// Ends when the table is finished.
    async fn follow(&self, table: TableId, from: u64) -> Result<LogFollower<Entry>, LogError>;

    /// The listing and the place of a table.
    async fn find(&self, table: TableId) -> Result<TableRow, LogError>;

    /// The record of a finished table; `None` before it is finished.
    async fn record(&self, table: TableId) -> Result<Option<Bytes>, LogError>;

    /// The table that an owner's request id created, if any.
    async fn find_by_request(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError>;

    /// One page of the tables that pass the filter, newest first. A page may be short or even empty and still
    /// have a next one.
    async fn list_tables(&self, filter: LogFilter, page: PageRequest) -> Result<TablePage, LogError>;

    /// The items of an owner's feed after number `after`, at most [`limits::MAX_FEED_PAGE_ITEMS`].
    async fn read_owner_feed(&self, owner: &OwnerId, after: u64) -> Result<Vec<FeedItem>, LogError>;

    /// Follows an owner's feed after number `after`: stored items first, then each new one when it is
    /// durable.
    async fn follow_owner_feed(&self, owner: &OwnerId, after: u64)
    -> Result<LogFollower<FeedItem>, LogError>;

    /// The tables and tournaments in play, and those that their clock will wake: everything a server must
    /// load when it starts.
    async fn load_startup_state(&self) -> Result<StartupState, LogError>;

    /// The games of all listings, each once, in alphabetical order. Does not read the tables one by one.
    async fn listed_games(&self) -> Result<Vec<String>, LogError>;

    /// Removes a table in any place, with its log, its record and its request id.
    async fn delete(&self, delete: Delete) -> Result<(), LogError>;

    /// Removes the tables and tournaments finished before this time, and the feed items posted before it.
    /// Logs at rest are never removed, however old.
    async fn apply_retention(&self, since: Millis) -> Result<RetentionCounts, LogError>;

    /// Writes everything queued, refuses new calls, and leaves the store closed in order. Dropping a log does
    /// the same without saying when it is done. Idempotent.
    async fn close(&self) {}
}
