//! The fence: of two nodes that believe to own a table, one can commit.

use super::*;

#[tokio::test]
async fn node_that_was_taken_over_is_fenced() {
    let database = Database::new();
    let first = database.open().await;
    first.append(create(table(1), &["a"])).await.unwrap();
    first.append(create(table(2), &["a"])).await.unwrap();
    first.append(add(table(1), 1, &["b"])).await.unwrap();
    let second = database.open().await;
    for append in [add(table(1), 2, &["late"]), create(table(3), &["late"])] {
        assert_eq!(first.append(append).await, Err(LogError::Fenced));
    }
    assert_eq!(first.apply_retention(Millis(9)).await, Err(LogError::Fenced));
    assert_log(&second, table(1), &["a", "b"]).await;
    second.append(add(table(1), 2, &["c"])).await.unwrap();
    assert_log(&second, table(1), &["a", "b", "c"]).await;
    assert_eq!(second.find(table(3)).await, Err(LogError::NoSuchTable { table: table(3) }));
    // A third one takes over what the second one had taken over.
    let third = database.open().await;
    assert_log(&third, table(1), &["a", "b", "c"]).await;
    assert_log(&third, table(2), &["a"]).await;
    let rows = "SELECT (SELECT count(*) FROM writers), (SELECT count(*) FROM journal)";
    let row = database.operator().await.query_one(rows, &[]).await.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (1, 0), "what is taken over is removed");
}

#[tokio::test]
async fn seal_between_validation_and_commit_waits_for_the_commit() {
    let database = Database::new();
    let log = Arc::new(database.open().await);
    log.append(create(table(1), &["a"])).await.unwrap();
    let (planned, reached) = std::sync::mpsc::sync_channel(1);
    let (go_on, waiting) = std::sync::mpsc::sync_channel::<()>(1);
    let run = Box::new(move || {
        planned.send(()).unwrap();
        waiting.recv().unwrap();
    });
    *log.shared.hook.lock().unwrap() = Some(run);
    let append = {
        let log = log.clone();
        tokio::spawn(async move { log.append(add(table(1), 1, &["b"])).await })
    };
    tokio::task::spawn_blocking(move || reached.recv().unwrap()).await.unwrap();
    let takeover = {
        let address = database.address.clone();
        tokio::spawn(PgLog::open_owned(address))
    };
    // The seal waits for the row of the writer, which the open commit holds.
    wait_for(&database, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE writers%'").await;
    assert!(!takeover.is_finished());
    go_on.send(()).unwrap();
    assert_eq!(append.await.unwrap().unwrap().length, 2);
    let second = takeover.await.unwrap().unwrap();
    assert_log(&second, table(1), &["a", "b"]).await;
    assert_eq!(log.append(add(table(1), 2, &["c"])).await, Err(LogError::Fenced));
}

#[tokio::test]
async fn request_id_used_by_another_node_is_found() {
    let database = Arc::new(Database::new());
    let log = database.open().await;
    let other = Database { address: database.address.clone() };
    // What another node commits between the validation and the write.
    let run = Box::new(move || {
        other.execute_blocking(
            "INSERT INTO tables SELECT '\\x00000000000000000000000000000063', 'ann', 'gap', 0, 0, 0, 0, 'r', 1, NULL, 0, 0, \
             '', NULL, '', 0, NULL, 77, 0, 0",
        );
    });
    *log.shared.hook.lock().unwrap() = Some(run);
    let request =
        Append { request: Some("r".into()), listing: Some(listing("ann")), ..create(table(1), &["a"]) };
    let twin = create(table(2), &["a"]);
    let answers = log.append_all(vec![request, twin]).await;
    let mut made = [0; 16];
    made[15] = 0x63;
    assert_eq!(answers[0], Err(LogError::DuplicateRequest { table: TableId::from_bytes(made) }));
    assert_eq!(
        answers[1].as_ref().map(|appended| appended.length),
        Ok(1),
        "one repeat does not fail the others"
    );
}

impl PgLog {
    /// Opens a store in a task.
    async fn open_owned(address: PgAddress) -> Result<PgLog, LogError> {
        PgLog::open(address, "other", PgOptions::default()).await
    }
}

/// Waits until a count is no longer zero.
pub(super) async fn wait_for(database: &Database, count: &str) {
    let operator = database.operator().await;
    let poll = async {
        while operator.query_one(count, &[]).await.unwrap().get::<_, i64>(0) == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    let waited = tokio::time::timeout(std::time::Duration::from_secs(60), poll).await;
    assert!(waited.is_ok(), "this stays 0: {count}");
}
