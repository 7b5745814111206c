//! The log: what is on disk of every table, and what its owner is told of it.
//!
//! A table is its log. Whatever happens to it is an entry, appended with the length the writer believes the log to
//! have, so that of two writers one wins and the other hears of it. An append is answered, read and followed only
//! after it is durable. What must not be torn from it is part of the same commit: items of the owner's feed, how the
//! table is listed, and its place.
//!
//! The place says where the log is kept. A table *in play* shares the journal with all others in play and is read at
//! start-up; one *at rest* costs disk and nothing else, until somebody comes or its clock wakes it; a *finished* one
//! has a record and never changes again.
//!
//! Tournaments and the registrations of agents are logs, too, told apart by their [`Kind`]: whoever lists tables sees
//! none of them. A log that is added to for days should stay in play all the while. There an append costs what it
//! brings, however long the log is, and the journal is not held up: when it has grown to its limit, the whole log is
//! written out once. At rest every append writes the whole log again, so that is the place for what is seldom added to.
//!
//! The log takes no time of its own: it comes with each call.

mod append;
mod chain;
#[cfg(test)]
mod contract;
mod error;
mod follow;
mod id;
mod memory;
mod query;
mod sqlite;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::future::join_all;

pub use append::{Append, Appended, Delete, Kind, Listing, NewPlace, Post, limits};
pub use chain::{Entry, Hash};
pub use error::LogError;
pub use follow::Follow;
pub use id::{Millis, OwnerId};
pub use memory::MemoryLog;
pub use parlor_fair::{BadTableId, TableId};
pub use query::{FeedItem, Filter, Page, Place, Retained, StartUp, TableRow, Tables};
pub use sqlite::{Options, Report, SqliteLog, backup, check, restore};

/// Where the logs of all tables are kept.
///
/// A call that is given up (its future dropped) may still be carried out.
#[async_trait]
pub trait Log: Send + Sync + 'static {
    /// Adds entries to a table's log, and what belongs to the same commit. Answered when all of it is durable.
    ///
    /// Expected length 0 creates the table, and then needs a listing and a place.
    async fn append(&self, append: Append) -> Result<Appended, LogError>;

    /// Appends to the logs of several tables, each by itself: one that is refused is no trouble for the others. Answered
    /// when all of them are durable or refused, in their order.
    async fn append_all(&self, appends: Vec<Append>) -> Vec<Result<Appended, LogError>> {
        join_all(appends.into_iter().map(|append| self.append(append))).await
    }

    /// The entries from index `from` to the end, none if `from` is the length. Their hashes have been checked.
    async fn read(&self, table: TableId, from: u64) -> Result<Vec<Entry>, LogError>;

    /// The entries from index `from` on, and then each new one as soon as it is durable. Ends when the table is
    /// finished.
    async fn follow(&self, table: TableId, from: u64) -> Result<Follow<Entry>, LogError>;

    /// How a table is listed, and its place.
    async fn find(&self, table: TableId) -> Result<TableRow, LogError>;

    /// The record of a finished table; none while it is not finished.
    async fn record(&self, table: TableId) -> Result<Option<Bytes>, LogError>;

    /// The table that an owner's request made, if it did.
    async fn requested(&self, owner: &OwnerId, request: &str) -> Result<Option<TableId>, LogError>;

    /// One page of the tables that pass the filter, the newest first. A page may be short, even empty, and still have
    /// a next one.
    async fn tables(&self, filter: Filter, page: Page) -> Result<Tables, LogError>;

    /// The items of an owner's feed after number `after`, at most [`limits::FEED_PAGE`] of them.
    async fn owner_feed(&self, owner: &OwnerId, after: u64) -> Result<Vec<FeedItem>, LogError>;

    /// The items of an owner's feed after number `after`, and then each new one as soon as it is durable.
    async fn follow_owner(&self, owner: &OwnerId, after: u64) -> Result<Follow<FeedItem>, LogError>;

    /// The tables and tournaments in play and those whose clock will wake them: all that a server must know when it
    /// starts.
    async fn start_up(&self) -> Result<StartUp, LogError>;

    /// Removes a table, its log, its record and its request id, whatever its place.
    async fn delete(&self, delete: Delete) -> Result<(), LogError>;

    /// Removes the tables and tournaments that were finished before this time, and the feed items of before it. What is
    /// at rest is kept for ever, however old it is.
    async fn retain(&self, since: Millis) -> Result<Retained, LogError>;

    /// Writes what waits, takes nothing more, and leaves everything in order. A log that is dropped does so too, but then
    /// nobody knows when. Closing it again is harmless.
    async fn close(&self) {}
}
