//! Follows: each entry once, in order, only when durable.

use super::*;

on_every_log!(
    follower_gets_each_entry_once_in_order,
    followed_entry_is_readable,
    follow_ends_when_the_table_is_finished_or_deleted,
    lagging_follower_resumes_from_its_cursor,
);

async fn follower_gets_each_entry_once_in_order(log: Arc<dyn Log>) {
    log.append(create(table(1), &["0"])).await.unwrap();
    log.append(create(table(2), &["other"])).await.unwrap();
    let writer = {
        let log = log.clone();
        tokio::spawn(async move {
            for turn in 1..100u64 {
                let mut append = add(table(1), turn, &[&turn.to_string()]);
                append.place = match turn % 7 {
                    0 => Some(REST),
                    2 => Some(NewPlace::InPlay),
                    _ => None,
                };
                log.append(append).await.unwrap();
                log.append(add(table(2), turn, &["other"])).await.unwrap();
            }
            log.append(put(table(1), 100, finished(b""))).await.unwrap();
        })
    };
    // Some followers start at the beginning, some midway.
    let followers = (0..8u64).map(|from| {
        let log = log.clone();
        tokio::spawn(async move {
            while from * 10 > log.read(table(1), 0).await.unwrap().len() as u64 {
                tokio::task::yield_now().await;
            }
            let from = from * 10;
            let mut follow = log.follow(table(1), from).await.unwrap();
            let mut next = from;
            loop {
                match follow.next().await {
                    Ok(Some(entry)) => {
                        assert_eq!(entry.index, next);
                        assert_eq!(entry.payload, next.to_string());
                        next += 1;
                    }
                    Ok(None) => break,
                    Err(LogError::FollowerLagged { next: cursor }) => {
                        assert_eq!(cursor, next);
                        follow = log.follow(table(1), cursor).await.unwrap();
                    }
                    Err(error) => panic!("{error}"),
                }
            }
            assert_eq!(next, 100);
        })
    });
    for follower in followers.collect::<Vec<_>>() {
        follower.await.unwrap();
    }
    writer.await.unwrap();
}

async fn followed_entry_is_readable(log: Arc<dyn Log>) {
    log.append(create(table(1), &["0"])).await.unwrap();
    let mut follow = log.follow(table(1), 1).await.unwrap();
    for turn in 1..50 {
        let append = tokio::spawn({
            let log = log.clone();
            async move { log.append(add(table(1), turn, &["x"])).await }
        });
        let entry = follow.next().await.unwrap().unwrap();
        assert_eq!(entry.index, turn);
        // An entry that a follower has received is readable.
        assert_eq!(log.read(table(1), turn).await.unwrap(), [entry]);
        append.await.unwrap().unwrap();
    }
}

async fn follow_ends_when_the_table_is_finished_or_deleted(log: Arc<dyn Log>) {
    log.append(create(table(1), &["a"])).await.unwrap();
    log.append(create(table(2), &["a"])).await.unwrap();
    let mut first = log.follow(table(1), 0).await.unwrap();
    let mut second = log.follow(table(2), 1).await.unwrap();
    let mut last = add(table(1), 1, &["b"]);
    last.place = Some(finished(b""));
    log.append(last).await.unwrap();
    log.delete(delete(table(2))).await.unwrap();
    for index in 0..2 {
        assert_eq!(first.next().await.unwrap().unwrap().index, index);
    }
    assert_eq!(first.next().await, Ok(None));
    assert_eq!(first.next().await, Ok(None));
    assert_eq!(second.next().await, Err(LogError::NoSuchTable { table: table(2) }));
    // A follow of a finished table ends after its stored entries.
    let mut late = log.follow(table(1), 1).await.unwrap();
    assert_eq!(late.next().await.unwrap().unwrap().index, 1);
    assert_eq!(late.next().await, Ok(None));
}

async fn lagging_follower_resumes_from_its_cursor(log: Arc<dyn Log>) {
    log.append(create(table(1), &["a"])).await.unwrap();
    let mut slow = log.follow(table(1), 0).await.unwrap();
    let count = super::super::follow::MAX_QUEUED_COMMITS as u64 + 10;
    for turn in 1..count {
        log.append(add(table(1), turn, &["x"])).await.unwrap();
    }
    assert_eq!(slow.next().await.unwrap().unwrap().index, 0);
    assert_eq!(slow.next().await, Err(LogError::FollowerLagged { next: 1 }));
    let mut again = log.follow(table(1), slow.cursor()).await.unwrap();
    for index in 1..count {
        assert_eq!(again.next().await.unwrap().unwrap().index, index);
    }
}
