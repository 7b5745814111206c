//! Acknowledged appends survive a crash; uncommitted ones are not visible.

use super::*;

#[tokio::test]
async fn store_survives_close_and_reopen() {
    let folder = StoreDir::new();
    {
        let log = folder.open();
        log.append(create(table(1), &["a", "b"])).await.unwrap();
        log.append(create(table(2), &["a"])).await.unwrap();
        log.append(put(table(2), 1, REST)).await.unwrap();
        let mut last = create(table(3), &["a"]);
        last.place = Some(finished(b"record"));
        last.feed = posts("ann", &["over"]);
        last.request = Some("r".into());
        log.append(last).await.unwrap();
    }
    let log = folder.open();
    assert_log(&log, table(1), &["a", "b"]).await;
    assert_log(&log, table(2), &["a"]).await;
    assert_eq!(log.record(table(3)).await, Ok(Some(Bytes::from_static(b"record"))));
    assert_eq!(log.find_by_request(&owner("ann"), "r").await, Ok(Some(table(3))));
    assert_eq!(log.read_owner_feed(&owner("ann"), 0).await.unwrap().len(), 1);
    assert_eq!(log.load_startup_state().await.unwrap().in_play, [table(1)]);
    log.append(add(table(1), 2, &["c"])).await.unwrap();
    assert_log(&log, table(1), &["a", "b", "c"]).await;
}

#[tokio::test]
async fn acknowledged_appends_survive_a_crash() {
    let folder = StoreDir::new();
    let log = folder.open_with(short_journal(2000));
    let mut copies = Vec::new();
    for turn in 0..40 {
        let mut append = match turn {
            0 => create(table(1), &["x"]),
            _ => add(table(1), turn, &["x"]),
        };
        append.place = match turn % 9 {
            0 => Some(NewPlace::InPlay),
            6 => Some(REST),
            _ => None,
        };
        log.append(append).await.unwrap();
        log.append(create(table(100 + turn), &["y"])).await.unwrap();
        copies.push((turn, folder.crash(&format!("crash {turn}"))));
    }
    drop(log);
    for (turn, copy) in copies {
        assert!(check(&copy).unwrap().is_sound());
        let log = open(&copy).unwrap();
        assert_log(&log, table(1), &vec!["x"; turn as usize + 1]).await;
        assert_log(&log, table(100 + turn), &["y"]).await;
    }
}

#[tokio::test]
async fn truncated_wal_is_reported_as_reader_ahead() {
    let folder = StoreDir::new();
    let log = folder.open();
    for turn in 0..30 {
        let append = match turn {
            0 => create(table(1), &["x"]),
            _ => add(table(1), turn, &["x"]),
        };
        log.append(append).await.unwrap();
    }
    let copy = folder.crash("copy");
    drop(log);
    let wal = schema::with_suffix(&copy, "-wal");
    let length = std::fs::metadata(&wal).unwrap().len();
    let mut lengths = Vec::new();
    for tenth in (6..10).rev() {
        // SQLite drops the tail of a WAL that is cut off or damaged.
        let file = std::fs::OpenOptions::new().write(true).open(&wal).unwrap();
        file.set_len(length * tenth / 10).unwrap();
        let again = folder.file(&format!("cut {tenth}"));
        std::fs::copy(&copy, &again).unwrap();
        std::fs::copy(&wal, schema::with_suffix(&again, "-wal")).unwrap();
        let log = match open(&again) {
            Ok(log) => log,
            Err(error) => panic!("cut to {tenth} tenths: {error}"),
        };
        let read = log.read(table(1), 0).await.unwrap().len() as u64;
        let ahead = LogError::ReaderAhead { table: table(1), length: read };
        assert_eq!(log.read(table(1), 30).await, Err(ahead.clone()));
        assert_eq!(log.follow(table(1), 30).await.map(drop), Err(ahead));
        lengths.push(read);
    }
    assert!(lengths.is_sorted_by(|longer, shorter| longer > shorter), "{lengths:?}");
    assert!(lengths[0] < 30);
}

#[tokio::test(flavor = "multi_thread")]
async fn uncommitted_entry_is_not_visible() {
    let folder = StoreDir::new();
    let log = Arc::new(folder.open());
    log.append(create(table(1), &["a"])).await.unwrap();
    log.append(create(table(2), &["a"])).await.unwrap();
    let mut follow = log.follow(table(1), 1).await.unwrap();
    let mut feed = log.follow_owner_feed(&owner("ann"), 0).await.unwrap();
    let mut paused = PausedCommit::before_next_commit(&log);
    let appending = {
        let log = log.clone();
        tokio::spawn(async move {
            let mut append = add(table(1), 1, &["b"]);
            append.place = Some(REST);
            append.feed = posts("ann", &["rests"]);
            log.append(append).await
        })
    };
    paused.reached().await;
    // Everything is written, nothing is committed.
    assert_log(&*log, table(1), &["a"]).await;
    assert_eq!(log.find(table(1)).await.unwrap().place, Place::InPlay);
    assert_eq!(log.read_owner_feed(&owner("ann"), 0).await, Ok(vec![]));
    assert!(!appending.is_finished());
    let nothing = std::time::Duration::from_millis(20);
    assert!(tokio::time::timeout(nothing, follow.next()).await.is_err());
    assert!(tokio::time::timeout(nothing, feed.next()).await.is_err());
    drop(paused);
    assert_eq!(appending.await.unwrap().unwrap().length, 2);
    assert_eq!(follow.next().await.unwrap().unwrap().index, 1);
    assert_eq!(feed.next().await.unwrap().unwrap().number, 1);
    assert_log(&*log, table(1), &["a", "b"]).await;
}

/// State read from the file must not be missing in the next read from memory.
#[tokio::test(flavor = "multi_thread")]
async fn committed_row_is_not_readable_before_the_index_has_it() {
    let folder = StoreDir::new();
    let log = Arc::new(folder.open());
    log.append(create(table(1), &["a"])).await.unwrap();
    let mut paused = PausedCommit::at(&log, CommitPhase::Committed);
    let appending = {
        let log = log.clone();
        tokio::spawn(async move {
            let mut append = add(table(1), 1, &["b"]);
            append.place = Some(REST);
            log.append(append).await
        })
    };
    paused.reached().await;
    // The commit is readable from the file, but not yet in the index.
    let mut finding = {
        let log = log.clone();
        tokio::spawn(async move { log.find(table(1)).await })
    };
    let nothing = std::time::Duration::from_millis(50);
    assert!(tokio::time::timeout(nothing, &mut finding).await.is_err());
    assert!(log.read(table(1), 2).await.is_err());
    assert!(!appending.is_finished());
    drop(paused);
    assert_eq!(finding.await.unwrap().unwrap().place, Place::AtRest { wakes_at: None });
    assert_eq!(log.read(table(1), 2).await, Ok(vec![]));
    appending.await.unwrap().unwrap();
}

#[tokio::test]
async fn second_process_is_locked_out() {
    let folder = StoreDir::new();
    let log = folder.open();
    let file = folder.file("store.db");
    let in_use = LogError::InUse { file: file.clone() };
    assert_eq!(open(&file).map(drop), Err(in_use.clone()));
    assert_eq!(check(&file), Err(in_use.clone()));
    assert_eq!(restore(&file, &file, true), Err(in_use));
    drop(log);
    assert!(open(&file).is_ok());
}

#[tokio::test]
async fn closed_log_is_one_file_and_refuses_appends() {
    let folder = StoreDir::new();
    let log = folder.open();
    log.append(create(table(1), &["dealt"])).await.unwrap();
    assert!(folder.file("store.db-wal").exists());
    log.close().await;
    assert!(!folder.file("store.db-wal").exists());
    assert_eq!(log.append(add(table(1), 1, &["played"])).await, Err(LogError::Closed));
    log.close().await;
    drop(log);
    assert_log(&folder.open(), table(1), &["dealt"]).await;
}
