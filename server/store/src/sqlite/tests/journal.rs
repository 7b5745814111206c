//! The journal stays bounded, and start-up does not read tables at rest.

use super::*;

/// Number of journal rows, and their bytes.
fn journal(folder: &StoreDir) -> (u64, u64) {
    let db = rusqlite::Connection::open(folder.file("store.db")).unwrap();
    db.query_row("SELECT count(*), ifnull(sum(length(body)), 0) FROM journal", [], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
    .unwrap()
}

#[tokio::test]
async fn dropped_store_is_one_file() {
    let folder = StoreDir::new();
    let log = folder.open();
    log.append(create(table(1), &["a"])).await.unwrap();
    log.append(put(table(1), 1, REST)).await.unwrap();
    log.find(table(1)).await.unwrap();
    drop(log);
    assert!(!schema::with_suffix(&folder.file("store.db"), "-wal").exists());
    std::fs::copy(folder.file("store.db"), folder.file("copy")).unwrap();
    assert_log(&open(&folder.file("copy")).unwrap(), table(1), &["a"]).await;
}

#[tokio::test]
async fn table_at_rest_or_finished_leaves_the_journal() {
    let folder = StoreDir::new();
    let log = folder.open();
    for number in 0..10 {
        log.append(create(table(number), &["a"])).await.unwrap();
    }
    assert_eq!(journal(&folder).0, 10);
    for number in 0..10 {
        let place = if number % 2 == 0 { REST } else { finished(b"") };
        log.append(put(table(number), 1, place)).await.unwrap();
        // Rows are deleted from the oldest on.
        assert_eq!(journal(&folder).0, 9 - number);
    }
    assert_eq!(log.shared.index().bytes(), 0);
    assert!(log.shared.index().tables.is_empty());
}

#[tokio::test]
async fn appends_of_one_commit_share_one_journal_row() {
    let folder = StoreDir::new();
    let log = Arc::new(folder.open());
    let mut paused = PausedCommit::before_next_commit(&log);
    let append = |number| {
        let log = log.clone();
        tokio::spawn(async move { log.append(create(table(number), &["a"])).await })
    };
    let mut appends = vec![append(0)];
    paused.reached().await;
    appends.extend((1..50).map(append));
    while log.writer.queued() < 49 {
        tokio::task::yield_now().await;
    }
    drop(paused);
    for append in appends {
        append.await.unwrap().unwrap();
    }
    assert_eq!(journal(&folder).0, 2);
    drop(log);
    let log = folder.open();
    for number in 0..50 {
        assert_log(&log, table(number), &["a"]).await;
    }
}

#[tokio::test]
async fn slow_table_does_not_hold_the_journal_back() {
    let folder = StoreDir::new();
    let limit = 20_000;
    let log = folder.open_with(short_journal(limit));
    log.append(create(table(0), &["slow"])).await.unwrap();
    let mut longest = 0;
    for number in 1..200 {
        log.append(create(table(number), &["a"])).await.unwrap();
        for turn in 1..5 {
            log.append(add(table(number), turn, &["some more of it"])).await.unwrap();
        }
        log.append(put(table(number), 5, finished(b"r"))).await.unwrap();
        assert!(log.shared.index().bytes() <= limit + 1000);
        let (rows, bytes) = journal(&folder);
        assert!(bytes <= limit);
        longest = longest.max(rows);
    }
    assert!(longest > 20, "{longest} rows: it is not written out too early either");
    assert_eq!(log.find(table(0)).await.unwrap().place, Place::InPlay);
    log.append(add(table(0), 1, &["at last"])).await.unwrap();
    assert_log(&log, table(0), &["slow", "at last"]).await;
    drop(log);
    let log = folder.open();
    assert_log(&log, table(0), &["slow", "at last"]).await;
    assert_eq!(log.load_startup_state().await.unwrap().in_play, [table(0)]);
}

#[tokio::test]
async fn journal_is_bounded_with_many_slow_tables() {
    let folder = StoreDir::new();
    let limit = 5_000;
    let log = folder.open_with(short_journal(limit));
    for turn in 0..6 {
        for number in 0..100 {
            let append = match turn {
                0 => create(table(number), &["x"]),
                _ => add(table(number), turn, &["x"]),
            };
            log.append(append).await.unwrap();
            assert!(log.shared.index().bytes() <= limit + 1000);
        }
    }
    let memory: usize = log.shared.index().tables.values().map(|table| table.tail.len()).sum();
    assert!(memory as u64 <= limit);
    for number in 0..100 {
        assert_log(&log, table(number), &["x"; 6]).await;
    }
}

/// Cost of a log that stays in play for days, as documented in `log`.
#[tokio::test]
async fn long_log_in_play_is_rarely_written_out() {
    let folder = StoreDir::new();
    let limit = 50_000;
    let log = folder.open_with(short_journal(limit));
    log.append(create(table(0), &["made"])).await.unwrap();
    let (mut journalled, mut written_out, mut known) = (0, 0, 0);
    for turn in 1..1500 {
        log.append(create(table(turn), &["a table of it"])).await.unwrap();
        log.append(put(table(turn), 1, finished(b"r"))).await.unwrap();
        log.append(add(table(0), turn, &["a table is over"])).await.unwrap();
        let index = log.shared.index();
        assert!(index.bytes() <= limit + 1000);
        // Minimum cost of two commits.
        journalled += 2 * 256;
        let stored = index.tables[&table(0)].stored.length;
        written_out += u64::from(stored != known);
        known = stored;
    }
    assert!((1..=journalled / limit + 10).contains(&written_out), "written out {written_out} times");
    drop(log);
    let log = folder.open();
    assert_eq!(log.read(table(0), 0).await.unwrap().len(), 1500);
}

#[tokio::test]
async fn start_up_does_not_read_tables_at_rest() {
    let folder = StoreDir::new();
    let file = folder.file("store.db");
    {
        let log = folder.open();
        for number in 0..20 {
            log.append(create(table(number), &["a"])).await.unwrap();
            log.append(put(table(number), 1, REST)).await.unwrap();
        }
        log.append(create(table(20), &["a"])).await.unwrap();
    }
    // Reading them would detect this.
    let db = rusqlite::Connection::open(&file).unwrap();
    db.execute("UPDATE tables SET state = 7, log = x'00' WHERE place = 1", []).unwrap();
    drop(db);
    let log = folder.open();
    assert_eq!(log.load_startup_state().await.unwrap().in_play, [table(20)]);
    assert!(matches!(log.read(table(3), 0).await, Err(LogError::Damaged { .. })));
    drop(log);
    assert_eq!(check(&file).unwrap().problems.len(), 20);
}
