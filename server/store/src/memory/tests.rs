//! Simulated crashes: acknowledged appends survive, pending ones are lost.

use std::sync::Arc;

use super::*;
use crate::contract::{add, assert_log, create, delete, owner, posts, table};

/// Starts an append in a task, and yields until it waits.
async fn spawn_append(
    log: &Arc<MemoryLog>,
    append: Append,
) -> tokio::task::JoinHandle<Result<Appended, LogError>> {
    let task = {
        let log = log.clone();
        tokio::spawn(async move { log.append(append).await })
    };
    tokio::task::yield_now().await;
    task
}

#[tokio::test]
async fn append_is_acknowledged_and_visible_only_after_sync() {
    let log = Arc::new(MemoryLog::simulated());
    let first = spawn_append(&log, create(table(1), &["a"])).await;
    assert!(log.read(table(1), 0).await.is_err());
    assert_eq!(log.sync(), 1);
    assert_eq!(first.await.unwrap().unwrap().length, 1);

    let mut follow = log.follow(table(1), 1).await.unwrap();
    let mut append = add(table(1), 1, &["b"]);
    append.feed = posts("ann", &["played"]);
    let second = spawn_append(&log, append).await;
    assert!(!second.is_finished());
    assert_log(&*log, table(1), &["a"]).await;
    assert_eq!(log.read_owner_feed(&owner("ann"), 0).await, Ok(vec![]));
    let timeout = std::time::Duration::from_millis(1);
    assert!(tokio::time::timeout(timeout, follow.next()).await.is_err());
    assert_eq!(log.sync(), 1);
    second.await.unwrap().unwrap();
    assert_eq!(follow.next().await.unwrap().unwrap().index, 1);
    assert_eq!(log.sync(), 0);
}

#[tokio::test]
async fn crash_loses_unsynced_appends_only() {
    let log = Arc::new(MemoryLog::simulated());
    let created = spawn_append(&log, create(table(1), &["a"])).await;
    log.sync();
    created.await.unwrap().unwrap();
    let mut follow = log.follow(table(1), 1).await.unwrap();
    let lost = spawn_append(&log, add(table(1), 1, &["b"])).await;
    let new = spawn_append(&log, create(table(2), &["a"])).await;

    let after = Arc::new(log.crash());
    for append in [lost, new] {
        assert_eq!(append.await.unwrap(), Err(LogError::Closed));
    }
    assert_eq!(follow.next().await, Err(LogError::Closed));
    assert_eq!(log.read(table(1), 0).await, Err(LogError::Closed));
    assert_eq!(log.append(add(table(1), 1, &["c"])).await, Err(LogError::Closed));
    assert_eq!(log.delete(delete(table(1))).await, Err(LogError::Closed));
    assert_eq!(log.apply_retention(Millis(1)).await, Err(LogError::Closed));

    assert_log(&*after, table(1), &["a"]).await;
    assert!(after.find(table(2)).await.is_err());
    // The log after a crash is simulated too.
    let next = spawn_append(&after, add(table(1), 1, &["c"])).await;
    assert!(!next.is_finished());
    after.sync();
    next.await.unwrap().unwrap();
    assert_log(&*after, table(1), &["a", "c"]).await;
}

#[tokio::test]
async fn full_queue_is_refused_as_busy() {
    let log = Arc::new(MemoryLog::simulated());
    let mut pending = Vec::new();
    for number in 0..MAX_PENDING as u64 {
        pending.push(spawn_append(&log, create(table(number), &["a"])).await);
    }
    assert_eq!(log.append(create(table(1 << 20), &["a"])).await, Err(LogError::QueueFull));
    assert_eq!(log.sync(), MAX_PENDING);
    for append in pending {
        append.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn appends_commit_at_once_without_simulation() {
    let log = MemoryLog::new();
    log.append(create(table(1), &["a"])).await.unwrap();
    assert_eq!(log.sync(), 0);
    assert_log(&log.crash(), table(1), &["a"]).await;
}
