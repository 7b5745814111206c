//! Copies between all kinds of stores.

use bytes::Bytes;
use parlor_testkit::PostgresCluster;
use tempfile::TempDir;

use super::*;
use crate::contract::{REST, add, assert_log, create, finished, listing, owner, posts, put, table};
use crate::{
    Append, Listing, Log, LogKind, Millis, NewPlace, PgLog, PgOptions, PgUrl, SqliteLog, SqliteOptions,
};

/// Stores of a test.
struct Stores(TempDir);

impl Stores {
    fn new() -> Stores {
        Stores(tempfile::tempdir().unwrap())
    }

    fn sqlite(&self, name: &str) -> CopyStore {
        CopyStore::Sqlite(self.0.path().join(name))
    }
}

fn postgres() -> CopyStore {
    let url = PgUrl::parse(&PostgresCluster::shared().create_database()).unwrap();
    CopyStore::Postgres(Box::new(PgAddress::new(&url, None, &[]).unwrap()))
}

async fn open(store: &CopyStore) -> Box<dyn Log> {
    match store {
        CopyStore::Sqlite(file) => Box::new(SqliteLog::open(file, SqliteOptions::default()).unwrap()),
        CopyStore::Postgres(address) => {
            Box::new(PgLog::open(PgAddress::clone(address), "test", PgOptions::default()).await.unwrap())
        }
    }
}

/// Fills a store with logs in every place and of every kind, large ones too, and feeds that were trimmed.
async fn fill(log: &dyn Log) {
    let large = "0123456789abcdef".repeat(40_000);
    log.append(create(table(1), &["a", "b"])).await.unwrap();
    log.append(add(table(1), 2, &["c", &large])).await.unwrap();
    log.append(create(table(2), &["a"])).await.unwrap();
    log.append(put(table(2), 1, REST)).await.unwrap();
    let asked = Append { request: Some("c:7".into()), ..create(table(3), &["a"]) };
    log.append(asked).await.unwrap();
    log.append(put(table(3), 1, NewPlace::AtRest { wakes_at: Some(Millis(77)) })).await.unwrap();
    for (number, record) in [(4, &b"a record"[..]), (5, b"")] {
        let tags = vec!["t".to_owned(), format!("u{number}")];
        let mut last = create(table(number), &["a", &large]);
        last.listing = Some(Listing { tags, ..listing("bob") });
        last.place = Some(NewPlace::Finished { record: Bytes::from_static(record) });
        last.feed = posts("bob", &["made", "over"]);
        log.append(last).await.unwrap();
    }
    for (number, kind) in [(6, LogKind::Tournament), (7, LogKind::Agent)] {
        let listing = Listing { kind, ..listing("ann") };
        log.append(Append { listing: Some(listing), ..create(table(number), &["x"]) }).await.unwrap();
    }
    let mut old = create(table(8), &["old"]);
    old.at = Millis(1);
    old.place = Some(finished(b"old"));
    old.feed = posts("ann", &["1", "2", "3"]);
    log.append(old).await.unwrap();
    let mut new = add(table(1), 4, &["d"]);
    new.feed = posts("ann", &["4", "5"]);
    log.append(new).await.unwrap();
    // Removes table 8 and the first items of Ann's feed.
    log.apply_retention(Millis(500)).await.unwrap();
}

/// Asserts what `fill` has left, and that the store can be used on.
async fn assert_filled(log: &dyn Log) {
    let large = "0123456789abcdef".repeat(40_000);
    assert_log(log, table(1), &["a", "b", "c", &large, "d"]).await;
    assert_log(log, table(5), &["a", &large]).await;
    assert_eq!(log.record(table(4)).await, Ok(Some(Bytes::from_static(b"a record"))));
    assert_eq!(log.record(table(5)).await, Ok(Some(Bytes::new())));
    assert_eq!(log.find_by_request(&owner("ann"), "c:7").await, Ok(Some(table(3))));
    let state = log.load_startup_state().await.unwrap();
    assert_eq!((state.in_play, state.waking), (vec![table(1)], vec![(Millis(77), table(3))]));
    assert_eq!(state.tournaments, [table(6)]);
    let feed = log.read_owner_feed(&owner("ann"), 3).await.unwrap();
    assert_eq!(feed.iter().map(|item| item.number).collect::<Vec<_>>(), [4, 5]);
    assert!(matches!(
        log.read_owner_feed(&owner("ann"), 0).await,
        Err(LogError::FeedTrimmed { first: 4, .. })
    ));
    let mut more = add(table(1), 5, &["e"]);
    more.feed = posts("ann", &["6"]);
    assert_eq!(log.append(more).await.unwrap().feed, [6]);
    log.append(add(table(2), 1, &["b"])).await.unwrap();
    assert_log(log, table(2), &["a", "b"]).await;
}

/// Checks a file that was just closed: a thread that read it may hold it for a moment.
async fn check_closed(file: &Path) -> StoreReport {
    loop {
        match crate::check(file) {
            Err(LogError::InUse { .. }) => tokio::time::sleep(std::time::Duration::from_millis(5)).await,
            report => return report.unwrap(),
        }
    }
}

#[tokio::test]
async fn copies_in_every_direction_have_everything() {
    let stores = Stores::new();
    let first = stores.sqlite("first.db");
    {
        let log = open(&first).await;
        fill(log.as_ref()).await;
        log.close().await;
    }
    let chain = [first, postgres(), postgres(), stores.sqlite("a.db"), stores.sqlite("b.db"), postgres()];
    let mut reports = Vec::new();
    for pair in chain.windows(2) {
        let report = copy_store(&pair[0], &pair[1]).await.unwrap();
        assert_eq!((report.tables, report.tournaments, report.agents), (5, 1, 1), "{report}");
        assert_eq!((report.in_play, report.finished, report.feed_items), (3, 2, 6), "{report}");
        reports.push(report);
    }
    assert!(reports.windows(2).all(|pair| pair[0] == pair[1]));
    for store in &chain {
        // A copy of a copy that was used in between has the rest, too.
        let log = open(store).await;
        assert_filled(log.as_ref()).await;
        log.close().await;
        drop(log);
        match store {
            CopyStore::Sqlite(file) => assert!(check_closed(file).await.is_sound()),
            CopyStore::Postgres(address) => {
                let report = check(address).await.unwrap();
                assert!(report.is_sound(), "{report}");
            }
        }
    }
}

#[tokio::test]
async fn target_that_is_not_empty_is_refused_unchanged() {
    let stores = Stores::new();
    let source = stores.sqlite("source.db");
    {
        let log = open(&source).await;
        log.append(create(table(1), &["a"])).await.unwrap();
        log.close().await;
    }
    for target in [stores.sqlite("target.db"), postgres()] {
        drop(open(&target).await);
        let refused = copy_store(&source, &target).await;
        assert_eq!(refused, Err(LogError::NotEmpty { file: target.name().to_owned() }));
        let log = open(&target).await;
        assert_eq!(log.find(table(1)).await, Err(LogError::NoSuchTable { table: table(1) }));
    }
}

#[tokio::test]
async fn running_source_is_refused_or_copied_as_it_was() {
    let stores = Stores::new();
    let file = stores.sqlite("source.db");
    let running = open(&file).await;
    running.append(create(table(1), &["a"])).await.unwrap();
    let refused = copy_store(&file, &postgres()).await;
    assert!(matches!(refused, Err(LogError::InUse { .. })), "{refused:?}");
    drop(running);

    let database = postgres();
    let running = open(&database).await;
    running.append(create(table(1), &["a"])).await.unwrap();
    let target = stores.sqlite("target.db");
    assert_eq!(copy_store(&database, &target).await.unwrap().entries, 1);
    running.append(add(table(1), 1, &["b"])).await.unwrap();
    assert_log(open(&target).await.as_ref(), table(1), &["a"]).await;
    assert_log(running.as_ref(), table(1), &["a", "b"]).await;
}

#[tokio::test]
async fn missing_and_foreign_sources_are_refused() {
    let stores = Stores::new();
    let missing = copy_store(&stores.sqlite("none.db"), &postgres()).await;
    assert!(matches!(missing, Err(LogError::Io { .. })), "{missing:?}");
    let target = stores.sqlite("target.db");
    let foreign = copy_store(&postgres(), &target).await;
    assert!(matches!(foreign, Err(LogError::NotAStore { .. })), "{foreign:?}");
    assert!(!target.name().exists());
}

#[tokio::test]
async fn damaged_source_leaves_the_target_empty() {
    let stores = Stores::new();
    let source = postgres();
    let CopyStore::Postgres(address) = &source else { unreachable!() };
    {
        let log = open(&source).await;
        fill(log.as_ref()).await;
        log.close().await;
    }
    let damages = [
        "UPDATE log_parts SET body = 'x' WHERE at = (SELECT max(at) FROM log_parts) ",
        "UPDATE tables SET owner = 'eve' WHERE place = 2",
        "DELETE FROM tags WHERE tag = 't'",
        "DELETE FROM feed WHERE number = 5",
    ];
    for damage in damages {
        let damaged = postgres();
        let CopyStore::Postgres(broken) = &damaged else { unreachable!() };
        copy_store(&source, &damaged).await.unwrap();
        broken.connect().await.unwrap().client.batch_execute(damage).await.unwrap();
        for target in [stores.sqlite("target.db"), postgres()] {
            let refused = copy_store(&damaged, &target).await;
            assert!(matches!(refused, Err(LogError::Damaged { .. })), "{damage}: {refused:?}");
            // The same target is still empty.
            let copied = copy_store(&source, &target).await;
            assert!(copied.is_ok(), "{damage}: {copied:?}");
            if let CopyStore::Sqlite(file) = target {
                std::fs::remove_file(file).unwrap();
            }
        }
        match check(broken).await {
            Ok(report) => assert!(!report.is_sound(), "{damage}: {report}"),
            Err(error) => assert!(matches!(error, LogError::Damaged { .. }), "{damage}: {error}"),
        }
    }
    assert!(check(address).await.unwrap().is_sound());
}
