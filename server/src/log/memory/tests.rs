//! Crashes: what was acknowledged is there, what was not is gone.

use std::sync::Arc;

use super::*;
use crate::log::contract::{add, assert_log, create, delete, owner, posts, table};

/// Appends in a task of its own, and lets it come as far as it can.
async fn begin(log: &Arc<MemoryLog>, append: Append) -> tokio::task::JoinHandle<Result<Appended, LogError>> {
    let task = {
        let log = log.clone();
        tokio::spawn(async move { log.append(append).await })
    };
    tokio::task::yield_now().await;
    task
}

#[tokio::test]
async fn an_append_is_answered_and_seen_after_the_sync_and_not_before() {
    let log = Arc::new(MemoryLog::simulated());
    let first = begin(&log, create(table(1), &["a"])).await;
    assert!(log.read(table(1), 0).await.is_err());
    assert_eq!(log.sync(), 1);
    assert_eq!(first.await.unwrap().unwrap().length, 1);

    let mut follow = log.follow(table(1), 1).await.unwrap();
    let mut append = add(table(1), 1, &["b"]);
    append.feed = posts("ann", &["played"]);
    let second = begin(&log, append).await;
    assert!(!second.is_finished());
    assert_log(&*log, table(1), &["a"]).await;
    assert_eq!(log.owner_feed(&owner("ann"), 0).await, Ok(vec![]));
    let waiting = std::time::Duration::from_millis(1);
    assert!(tokio::time::timeout(waiting, follow.next()).await.is_err());
    assert_eq!(log.sync(), 1);
    second.await.unwrap().unwrap();
    assert_eq!(follow.next().await.unwrap().unwrap().index, 1);
    assert_eq!(log.sync(), 0);
}

#[tokio::test]
async fn a_crash_loses_what_waits_and_nothing_else() {
    let log = Arc::new(MemoryLog::simulated());
    let created = begin(&log, create(table(1), &["a"])).await;
    log.sync();
    created.await.unwrap().unwrap();
    let mut follow = log.follow(table(1), 1).await.unwrap();
    let lost = begin(&log, add(table(1), 1, &["b"])).await;
    let new = begin(&log, create(table(2), &["a"])).await;

    let after = Arc::new(log.crash());
    for append in [lost, new] {
        assert_eq!(append.await.unwrap(), Err(LogError::Closed));
    }
    assert_eq!(follow.next().await, Err(LogError::Closed));
    assert_eq!(log.read(table(1), 0).await, Err(LogError::Closed));
    assert_eq!(log.append(add(table(1), 1, &["c"])).await, Err(LogError::Closed));
    assert_eq!(log.delete(delete(table(1))).await, Err(LogError::Closed));
    assert_eq!(log.retain(Millis(1)).await, Err(LogError::Closed));

    assert_log(&*after, table(1), &["a"]).await;
    assert!(after.find(table(2)).await.is_err());
    // It is simulated again.
    let next = begin(&after, add(table(1), 1, &["c"])).await;
    assert!(!next.is_finished());
    after.sync();
    next.await.unwrap().unwrap();
    assert_log(&*after, table(1), &["a", "c"]).await;
}

#[tokio::test]
async fn too_much_that_waits_is_refused() {
    let log = Arc::new(MemoryLog::simulated());
    let mut waiting = Vec::new();
    for number in 0..QUEUE as u64 {
        waiting.push(begin(&log, create(table(number), &["a"])).await);
    }
    assert_eq!(log.append(create(table(1 << 20), &["a"])).await, Err(LogError::Busy));
    assert_eq!(log.sync(), QUEUE);
    for append in waiting {
        append.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn without_simulation_nothing_waits() {
    let log = MemoryLog::new();
    log.append(create(table(1), &["a"])).await.unwrap();
    assert_eq!(log.sync(), 0);
    assert_log(&log.crash(), table(1), &["a"]).await;
}
