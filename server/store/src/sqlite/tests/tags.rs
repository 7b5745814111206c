//! Tags: migration of a store without them, and the indexes that listings use.

use super::*;
use crate::{Listing, LogKind, Millis, OwnerId};

fn tagged(number: u64) -> Append {
    let listing = Listing { tags: vec!["agent:ann".into()], ..listing("ann") };
    Append { listing: Some(listing), ..create(table(number), &["a"]) }
}

fn with_tag(finished: Option<bool>) -> LogFilter {
    LogFilter { tag: Some("agent:ann".into()), finished, ..LogFilter::default() }
}

/// Downgrades a store to the first schema version.
fn make_first_version(file: &Path) {
    let db = rusqlite::Connection::open(file).unwrap();
    db.execute_batch(
        "DROP INDEX tables_by_game; DROP INDEX tables_in_state; DROP TABLE tags; ALTER TABLE tables DROP COLUMN kind; ALTER TABLE tables DROP COLUMN tags; \
         PRAGMA user_version = 1",
    )
    .unwrap();
}

#[tokio::test]
async fn second_schema_version_is_migrated() {
    let folder = StoreDir::new();
    {
        let log = folder.open();
        log.append(tagged(1)).await.unwrap();
    }
    let file = folder.file("store.db");
    let db = rusqlite::Connection::open(&file).unwrap();
    db.execute_batch("DROP INDEX tables_in_state; DROP INDEX tables_by_game; PRAGMA user_version = 2")
        .unwrap();
    drop(db);
    assert_eq!(check(&file), Err(LogError::OlderSchema { file: file.clone() }));
    let log = folder.open();
    let state = Some(listing("ann").state);
    let in_state = LogFilter { state, ..LogFilter::default() };
    let found = log.list_tables(in_state, PageRequest { after: None, size: 9 }).await.unwrap();
    assert_eq!(found.tables.iter().map(|row| row.id).collect::<Vec<_>>(), [table(1)]);
    drop(log);
    assert!(check(&file).unwrap().is_sound());
}

#[tokio::test]
async fn first_schema_version_is_migrated() {
    let folder = StoreDir::new();
    let file = folder.file("store.db");
    {
        let log = folder.open();
        log.append(create(table(1), &["a", "b"])).await.unwrap();
        log.append(create(table(2), &["a"])).await.unwrap();
        log.append(put(table(2), 1, finished(b"record"))).await.unwrap();
    }
    make_first_version(&file);
    // A check does not migrate. A backup migrates the copy; only opening the store migrates the store.
    assert_eq!(check(&file), Err(LogError::OlderSchema { file: file.clone() }));
    let copy = folder.file("copy");
    assert!(backup(&file, &copy).unwrap().is_sound());
    assert_eq!(check(&file), Err(LogError::OlderSchema { file: file.clone() }));
    assert_log(&open(&copy).unwrap(), table(1), &["a", "b"]).await;
    std::fs::copy(&file, folder.file("old backup")).unwrap();
    assert!(restore(&folder.file("old backup"), &folder.file("restored"), false).unwrap().is_sound());
    assert_log(&open(&folder.file("restored")).unwrap(), table(1), &["a", "b"]).await;

    let log = folder.open();
    assert_log(&log, table(1), &["a", "b"]).await;
    assert_eq!(log.record(table(2)).await, Ok(Some(Bytes::from_static(b"record"))));
    assert_eq!(log.find(table(2)).await.unwrap().listing, listing("ann"));
    assert_eq!(log.load_startup_state().await.unwrap().in_play, [table(1)]);
    log.append(add(table(1), 2, &["c"])).await.unwrap();
    log.append(tagged(3)).await.unwrap();
    log.append(put(table(1), 3, finished(b"r"))).await.unwrap();
    let found = log.list_tables(with_tag(None), PageRequest { after: None, size: 9 }).await.unwrap();
    assert_eq!(found.tables.iter().map(|row| row.id).collect::<Vec<_>>(), [table(3)]);
    let backup = folder.file("backup");
    assert!(log.backup(&backup).await.unwrap().is_sound());
    drop(log);
    assert!(check(&file).unwrap().is_sound());
    assert_log(&folder.open(), table(1), &["a", "b", "c"]).await;
}

#[tokio::test]
async fn store_report_counts_each_kind() {
    let folder = StoreDir::new();
    {
        let log = folder.open();
        for (number, kind) in [
            LogKind::Table,
            LogKind::Agent,
            LogKind::Table,
            LogKind::Tournament,
            LogKind::Table,
            LogKind::Agent,
        ]
        .into_iter()
        .enumerate()
        {
            let listing = Listing { kind, ..listing("ann") };
            log.append(Append { listing: Some(listing), ..create(table(number as u64), &["a"]) })
                .await
                .unwrap();
        }
    }
    let report = check(&folder.file("store.db")).unwrap();
    assert!(report.is_sound(), "{report}");
    assert_eq!((report.tables, report.tournaments, report.agents, report.in_play), (3, 1, 2, 6));
    assert!(report.to_string().starts_with("3 tables, 1 tournaments, 2 agents (6 in play"), "{report}");
}

/// SQLite's query plan for a listing.
fn plan(folder: &StoreDir, filter: &LogFilter) -> String {
    let (sql, values) = reader::page_query(filter, None);
    let db = rusqlite::Connection::open(folder.file("store.db")).unwrap();
    let mut explain = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let lines = explain.query_map(rusqlite::params_from_iter(values), |row| row.get(3)).unwrap();
    lines.collect::<rusqlite::Result<Vec<String>>>().unwrap().join("; ")
}

#[tokio::test]
async fn tag_queries_use_an_index() {
    let folder = StoreDir::new();
    drop(folder.open());
    let all = plan(&folder, &with_tag(None));
    assert!(all.contains("SEARCH tags USING PRIMARY KEY (tag=? AND id>? AND id<?)"), "{all}");
    let unfinished = plan(&folder, &with_tag(Some(false)));
    assert!(unfinished.contains("SEARCH tags USING COVERING INDEX tags_unfinished"), "{unfinished}");
    let tournaments = LogFilter { kind: LogKind::Tournament, ..LogFilter::default() };
    let tournaments = plan(&folder, &tournaments);
    assert!(tournaments.contains("SEARCH tags USING PRIMARY KEY"), "{tournaments}");
    for plan in [all, unfinished, tournaments] {
        assert!(!plan.contains("SCAN") && !plan.contains("TEMP B-TREE"), "{plan}");
    }
}

#[tokio::test]
async fn filtered_listings_use_the_most_specific_index() {
    let folder = StoreDir::new();
    drop(folder.open());
    let owner = Some(OwnerId::new("ann").unwrap());
    let (state, visibility) = (Some(1), Some(1));
    let before = Some(Millis(7));
    for (filter, index) in [
        (
            LogFilter { owner: owner.clone(), state, ..LogFilter::default() },
            "tables_of_owner_by_state (owner=? AND state=?",
        ),
        (
            LogFilter { owner: owner.clone(), state, visibility, before, ..LogFilter::default() },
            "tables_of_owner_by_state (owner=? AND state=?",
        ),
        (LogFilter { owner, ..LogFilter::default() }, "tables_of_owner (owner=?"),
        (
            LogFilter { state, visibility, ..LogFilter::default() },
            "tables_by_state (visibility=? AND state=?",
        ),
        (LogFilter { state, ..LogFilter::default() }, "tables_in_state (state=?"),
        (LogFilter::default(), "sqlite_autoindex_tables_1 ("),
    ] {
        let plan = plan(&folder, &filter);
        let expected = format!("SEARCH tables USING INDEX {index}");
        assert!(plan.starts_with(&expected) && plan.contains("id>? AND id<?)"), "{plan}, and not {expected}");
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }
}
