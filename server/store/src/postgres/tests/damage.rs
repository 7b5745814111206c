//! Damage in the database is found, and fails nothing but what it concerns.

use super::*;

async fn damaged_by(sql: &str) -> (Database, PgLog) {
    let database = Database::new();
    let log = database.open().await;
    for number in [1, 2] {
        let mut append = create(table(number), &["a", "b"]);
        append.place = Some(finished(b"record"));
        log.append(append).await.unwrap();
    }
    for number in [3, 4] {
        let mut append = create(table(number), &["a"]);
        append.place = Some(REST);
        append.feed = posts("ann", &["x"]);
        log.append(append).await.unwrap();
    }
    database.operator().await.batch_execute(sql).await.unwrap();
    (database, log)
}

fn is_damaged<T: std::fmt::Debug>(result: Result<T, LogError>) {
    assert!(matches!(result, Err(LogError::Damaged { .. })), "{result:?}");
}

#[tokio::test]
async fn changed_bytes_are_found() {
    let first = "WHERE id = (SELECT id FROM tables ORDER BY id LIMIT 1)";
    let (_database, log) =
        damaged_by(&format!("UPDATE log_parts SET body = set_byte(body, 1, 66) {first}")).await;
    is_damaged(log.read(table(1), 0).await);
    assert_log(&log, table(2), &["a", "b"]).await;
    let (_database, log) = damaged_by(&format!("DELETE FROM log_parts {first}")).await;
    is_damaged(log.read(table(1), 0).await);
    let (_database, log) = damaged_by(&format!("UPDATE record_parts SET body = 'other' {first}")).await;
    is_damaged(log.record(table(1)).await);
    assert!(log.record(table(2)).await.is_ok());
    let (_database, log) = damaged_by(&format!("DELETE FROM record_parts {first}")).await;
    is_damaged(log.record(table(1)).await);
    let (_database, log) = damaged_by(&format!("UPDATE tables SET state = 7 {first}")).await;
    is_damaged(log.find(table(1)).await);
    let (_database, log) = damaged_by("UPDATE feed SET payload = 'y' WHERE number = 1").await;
    is_damaged(log.read_owner_feed(&owner("ann"), 0).await);
    assert_eq!(log.read_owner_feed(&owner("ann"), 1).await.map(|items| items.len()), Ok(1));
}

#[tokio::test]
async fn damaged_row_does_not_fail_others_in_the_same_commit() {
    let third = "WHERE id = (SELECT id FROM tables ORDER BY id OFFSET 2 LIMIT 1)";
    let (_database, log) = damaged_by(&format!("UPDATE tables SET state = 7 {third}")).await;
    let answers = log.append_all(vec![add(table(3), 1, &["b"]), add(table(4), 1, &["b"])]).await;
    is_damaged(answers[0].clone());
    assert_eq!(answers[1].as_ref().map(|appended| appended.length), Ok(2));
}

#[tokio::test]
async fn damaged_journal_is_refused_at_start() {
    for sql in [
        "UPDATE journal SET body = set_byte(body, 40, 0)",
        "UPDATE journal SET sum = set_byte(sum, 0, (get_byte(sum, 0) + 1) % 256)",
        "DELETE FROM journal WHERE seq = (SELECT max(seq) - 1 FROM journal)",
    ] {
        let database = Database::new();
        let log = database.open().await;
        log.append(create(table(1), &["a"])).await.unwrap();
        log.append(add(table(1), 1, &["b"])).await.unwrap();
        log.append(add(table(1), 2, &["c"])).await.unwrap();
        database.operator().await.batch_execute(sql).await.unwrap();
        let opened = PgLog::open(database.address.clone(), "test", PgOptions::default()).await;
        is_damaged(opened.map(drop));
    }
}
