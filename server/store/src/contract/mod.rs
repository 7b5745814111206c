//! Contract test suite: every test runs on each implementation of [`Log`], in several configurations.

mod append;
mod feed;
mod follow;
mod listing;
pub(super) mod memory_equivalence;
mod place;

use std::sync::Arc;

use bytes::Bytes;
use parlor_testkit::PostgresCluster;
use tempfile::TempDir;
use tokio::task::JoinHandle;

use super::*;

/// A log under test, with the resources it needs.
pub(super) struct Fixture {
    pub(super) log: Arc<dyn Log>,
    _folder: Option<TempDir>,
    syncing: Option<JoinHandle<()>>,
}

impl Drop for Fixture {
    fn drop(&mut self) {
        if let Some(task) = &self.syncing {
            task.abort();
        }
    }
}

async fn memory() -> Fixture {
    Fixture { log: Arc::new(MemoryLog::new()), _folder: None, syncing: None }
}

/// A simulated memory log with a task that syncs continuously.
async fn simulated() -> Fixture {
    let log = Arc::new(MemoryLog::simulated());
    let syncing = {
        let log = log.clone();
        tokio::spawn(async move {
            loop {
                log.sync();
                tokio::task::yield_now().await;
            }
        })
    };
    Fixture { log, _folder: None, syncing: Some(syncing) }
}

fn sqlite_with(options: SqliteOptions) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let log = SqliteLog::open(&folder.path().join("store.db"), options).unwrap();
    Fixture { log: Arc::new(log), _folder: Some(folder), syncing: None }
}

async fn sqlite() -> Fixture {
    sqlite_with(SqliteOptions::default())
}

/// A SQLite log that writes tables out of the journal all the time.
async fn sqlite_short_journal() -> Fixture {
    sqlite_with(SqliteOptions { journal_limit: 600, ..SqliteOptions::default() })
}

async fn postgres_with(options: PgOptions) -> Fixture {
    let database = PostgresCluster::shared().create_database();
    let address = PgAddress::new(&PgUrl::parse(&database).unwrap(), None, &[]).unwrap();
    let log = PgLog::open(address, "test", options).await.unwrap();
    Fixture { log: Arc::new(log), _folder: None, syncing: None }
}

async fn postgres() -> Fixture {
    postgres_with(PgOptions::default()).await
}

/// A PostgreSQL log that writes tables out of the journal all the time.
async fn postgres_short_journal() -> Fixture {
    postgres_with(PgOptions { journal_limit: 600, ..PgOptions::default() }).await
}

/// A PostgreSQL log of a node that has joined, and has adopted every partition.
async fn postgres_node() -> Fixture {
    let database = PostgresCluster::shared().create_database();
    let address = PgAddress::new(&PgUrl::parse(&database).unwrap(), None, &[]).unwrap();
    let node = NewNode {
        name: "node".into(),
        address: "127.0.0.1:1".into(),
        version: "1".into(),
        shared_settings: Default::default(),
        lease: std::time::Duration::from_secs(3600),
    };
    let clock = MonotonicClock::new(std::time::Duration::default);
    let (log, mut membership) = PgLog::join(address, node, clock, PgOptions::default()).await.unwrap();
    let (_, duties) = membership.renew().await.unwrap();
    log.adopt(duties.adopt).await.unwrap();
    Fixture { log: Arc::new(log), _folder: None, syncing: None }
}

/// Generates each test for every kind of log.
macro_rules! on_every_log {
    ($($test:ident),+ $(,)?) => {
        on_every_log!(@kinds [memory, simulated, sqlite, sqlite_short_journal, postgres, postgres_short_journal, postgres_node] ($($test),+));
    };
    (@kinds [$($kind:ident),+] $tests:tt) => {
        $(mod $kind { $crate::contract::on_every_log!(@tests $kind $tests); })+
    };
    (@tests $kind:ident ($($test:ident),+)) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $test() {
            let fixture = $crate::contract::$kind().await;
            super::$test(fixture.log.clone()).await;
        })+
    };
}
use on_every_log;

pub(super) fn table(number: u64) -> TableId {
    TableId::new(number, [7; 10])
}

pub(super) fn owner(name: &str) -> OwnerId {
    OwnerId::new(name).unwrap()
}

pub(super) fn payloads(texts: &[&str]) -> Vec<Bytes> {
    texts.iter().map(|text| Bytes::copy_from_slice(text.as_bytes())).collect()
}

pub(super) fn listing(name: &str) -> Listing {
    Listing {
        kind: LogKind::Table,
        owner: owner(name),
        game: "gap".into(),
        state: 0,
        visibility: 0,
        tags: Vec::new(),
    }
}

/// An append that creates a table of Ann's in play.
pub(super) fn create(table: TableId, texts: &[&str]) -> Append {
    Append { listing: Some(listing("ann")), place: Some(NewPlace::InPlay), ..add(table, 0, texts) }
}

pub(super) fn add(table: TableId, expected: u64, texts: &[&str]) -> Append {
    Append::new(table, expected, Millis(1000 + expected), payloads(texts))
}

/// An append without entries that moves a table.
pub(super) fn put(table: TableId, expected: u64, place: NewPlace) -> Append {
    Append { place: Some(place), ..add(table, expected, &[]) }
}

pub(super) const REST: NewPlace = NewPlace::AtRest { wakes_at: None };

pub(super) fn finished(record: &'static [u8]) -> NewPlace {
    NewPlace::Finished { record: Bytes::from_static(record) }
}

pub(super) fn posts(name: &str, texts: &[&str]) -> Vec<NewFeedItem> {
    let post = |payload| NewFeedItem { owner: owner(name), payload };
    payloads(texts).into_iter().map(post).collect()
}

pub(super) fn delete(table: TableId) -> Delete {
    Delete { table, at: Millis(5000), feed: Vec::new() }
}

/// Asserts the entries of a table, read from every index.
pub(super) async fn assert_log(log: &dyn Log, table: TableId, texts: &[&str]) {
    let mut chain = chain::HashChain::new(&table);
    let expected: Vec<Entry> = payloads(texts).into_iter().map(|payload| chain.append(payload)).collect();
    for from in 0..=expected.len() {
        let read = log.read(table, from as u64).await.unwrap();
        assert_eq!(read, expected[from..], "from {from}");
    }
    let length = expected.len() as u64;
    for beyond in [length + 1, u64::MAX] {
        let ahead = LogError::ReaderAhead { table, length };
        assert_eq!(log.read(table, beyond).await, Err(ahead.clone()));
        assert_eq!(log.follow(table, beyond).await.map(drop), Err(ahead));
    }
}
