//! Commits whose end is in doubt: nobody is answered before it is known.

use super::fence::wait_for;
use super::*;

/// A backend that waits for a standby at the end of its commit.
const WAITS_FOR_STANDBY: &str = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'parlor-server'";

/// Sets the standby that commits wait for; none of that name exists.
async fn wait_for_standby(database: &Database, name: &str) {
    let operator = database.operator().await;
    operator.batch_execute("SET synchronous_commit = local").await.unwrap();
    operator.batch_execute(&format!("ALTER SYSTEM SET synchronous_standby_names = '{name}'")).await.unwrap();
    operator.batch_execute("SELECT pg_reload_conf()").await.unwrap();
    let shown = format!(
        "SELECT count(*) FROM pg_settings WHERE name = 'synchronous_standby_names' AND setting = '{name}'"
    );
    // A session sees the new setting with its next statement.
    wait_for(database, &shown).await;
}

/// Ends or interrupts the commit of an append while it waits for a standby, and checks that the append is answered when
/// the standby is no longer waited for, and not before.
async fn check_interrupted_commit(interrupt: &str) {
    let cluster = PostgresCluster::start(&[]);
    let database = Database::on(&cluster);
    let log = Arc::new(database.open().await);
    log.append(create(table(1), &["a"])).await.unwrap();
    wait_for_standby(&database, "ghost").await;
    let append = {
        let log = log.clone();
        tokio::spawn(async move { log.append(add(table(1), 1, &["b"])).await })
    };
    wait_for(&database, WAITS_FOR_STANDBY).await;
    let operator = database.operator().await;
    let waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    let first: i32 = operator.query_one(waiting, &[]).await.unwrap().get(0);
    operator.batch_execute(&format!("SELECT {interrupt}({first})")).await.unwrap();
    // The commit is on this machine, and may be nowhere else: its check waits for the standby again.
    wait_for(
        &database,
        &format!("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE 'UPDATE writers%' AND pid <> {first}"),
    )
    .await;
    assert!(!append.is_finished(), "the append is answered although its commit is in doubt");
    wait_for_standby(&database, "").await;
    assert_eq!(append.await.unwrap().unwrap().length, 2);
    log.append(add(table(1), 2, &["c"])).await.unwrap();
    assert_log(&*log, table(1), &["a", "b", "c"]).await;
    let again = database.open().await;
    assert_log(&again, table(1), &["a", "b", "c"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connection_lost_during_the_commit_is_settled() {
    check_interrupted_commit("pg_terminate_backend").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_wait_for_the_standby_counts_as_doubt() {
    check_interrupted_commit("pg_cancel_backend").await;
}

#[tokio::test]
async fn connection_lost_before_the_commit_is_tried_again() {
    let database = Database::new();
    let log = database.open().await;
    log.append(create(table(1), &["a"])).await.unwrap();
    let other = Database { address: database.address.clone() };
    let run = Box::new(move || {
        other.execute_blocking(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = current_database() AND state = 'idle in transaction'",
        );
    });
    *log.shared.hook.lock().unwrap() = Some(run);
    assert_eq!(log.append(add(table(1), 1, &["b"])).await.unwrap().length, 2);
    assert_log(&log, table(1), &["a", "b"]).await;
}

#[tokio::test]
async fn reads_survive_a_lost_connection() {
    let database = Database::new();
    let log = database.open().await;
    log.append(create(table(1), &["a"])).await.unwrap();
    for _ in 0..3 {
        assert!(log.find(table(1)).await.is_ok());
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = current_database() AND pid <> pg_backend_pid()";
        database.operator().await.batch_execute(end).await.unwrap();
    }
    assert!(log.find(table(1)).await.is_ok());
    log.append(add(table(1), 1, &["b"])).await.unwrap();
}
