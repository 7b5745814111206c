//! Full disk and full writer queue.

use super::*;

async fn limit_pages(log: &SqliteLog, pages: u32) {
    log.writer.submit(WriterCommand::Pages(pages)).await.unwrap();
}

#[tokio::test]
async fn full_disk_loses_nothing_and_appends_resume_with_space() {
    let folder = StoreDir::new();
    let log = folder.open();
    log.append(create(table(1), &["start"])).await.unwrap();
    limit_pages(&log, 40).await;
    let large = "x".repeat(10_000);
    let mut acknowledged = vec!["start"];
    let mut follow = log.follow(table(1), 0).await.unwrap();
    let full = loop {
        let mut append = add(table(1), acknowledged.len() as u64, &[&large]);
        append.feed = posts("ann", &["played"]);
        match log.append(append).await {
            Ok(_) => acknowledged.push(&large),
            Err(error) => break error,
        }
    };
    assert!(matches!(full, LogError::NoSpace { .. }), "{full}");
    assert!(full.to_string().contains("store.db"), "{full}");
    let length = acknowledged.len();
    assert!(length > 3);
    // Reads continue, and a repeated append changes nothing.
    for _ in 0..3 {
        let again = log.append(add(table(1), length as u64, &[&large])).await;
        assert_eq!(again, Err(full.clone()));
        assert_log(&log, table(1), &acknowledged).await;
    }
    assert_eq!(log.read_owner_feed(&owner("ann"), 0).await.unwrap().len(), length - 1);
    let crash = folder.crash("crash");
    let copy = open(&crash).unwrap();
    assert_log(&copy, table(1), &acknowledged).await;

    limit_pages(&log, 4000).await;
    let mut append = add(table(1), length as u64, &[&large]);
    append.feed = posts("ann", &["played"]);
    let number = log.append(append).await.unwrap().feed;
    assert_eq!(number, [length as u64]);
    acknowledged.push(&large);
    assert_log(&log, table(1), &acknowledged).await;
    for index in 0..acknowledged.len() as u64 {
        assert_eq!(follow.next().await.unwrap().unwrap().index, index);
    }
    drop(log);
    assert!(check(&folder.file("store.db")).unwrap().is_sound());
}

#[tokio::test(flavor = "multi_thread")]
async fn full_writer_queue_is_busy_at_once() {
    let folder = StoreDir::new();
    let log =
        Arc::new(folder.open_with(SqliteOptions { queue: 2, queue_bytes: 1000, ..SqliteOptions::default() }));
    let too_large = Append { entries: vec![Bytes::from(vec![0; 1001])], ..create(table(9), &[]) };
    assert_eq!(log.append(too_large).await, Err(LogError::QueueFull));
    log.append(create(table(0), &["a"])).await.unwrap();

    let mut paused = PausedCommit::before_next_commit(&log);
    let append = |number| {
        let log = log.clone();
        tokio::spawn(async move { log.append(create(table(number), &["a"])).await })
    };
    let mut appends = vec![append(1)];
    paused.reached().await;
    appends.extend([append(2), append(3)]);
    while log.writer.queued() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(log.append(create(table(4), &["a"])).await, Err(LogError::QueueFull));
    drop(paused);
    for append in appends {
        append.await.unwrap().unwrap();
    }
    // Refused appends have released their space in the queue.
    for number in 5..20 {
        let entry = Append { entries: vec![Bytes::from(vec![0; 900])], ..create(table(number), &[]) };
        log.append(entry).await.unwrap();
    }
}

#[tokio::test]
async fn damaged_table_does_not_fail_others_in_the_same_commit() {
    let folder = StoreDir::new();
    let log = Arc::new(folder.open());
    for number in 0..3 {
        log.append(create(table(number), &["a"])).await.unwrap();
    }
    let db = rusqlite::Connection::open(folder.file("store.db")).unwrap();
    db.execute("DELETE FROM tables WHERE id = ?1", [table(1).as_bytes()]).unwrap();
    let appends: Vec<_> = (0..3)
        .map(|number| {
            let log = log.clone();
            tokio::spawn(async move { log.append(put(table(number), 1, REST)).await })
        })
        .collect();
    for (number, append) in appends.into_iter().enumerate() {
        let answer = append.await.unwrap();
        assert_eq!(answer.is_err(), number == 1, "{answer:?}");
        if let Err(error) = answer {
            assert!(matches!(error, LogError::Damaged { table: Some(id), .. } if id == table(1)));
        }
    }
}
