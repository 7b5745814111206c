//! Backups during writes, and restoring them.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn backup_is_a_consistent_snapshot() {
    let folder = StoreDir::new();
    let log = Arc::new(folder.open());
    log.append(create(table(1), &["0"])).await.unwrap();
    let writer = {
        let log = log.clone();
        tokio::spawn(async move {
            for turn in 1..300u64 {
                log.append(add(table(1), turn, &[&turn.to_string()])).await.unwrap();
                log.append(create(table(1000 + turn), &["x"])).await.unwrap();
            }
        })
    };
    let mut known = 0;
    for number in 0..3 {
        let before = log.read(table(1), 0).await.unwrap().len() as u64;
        let to = folder.file(&format!("backup {number}"));
        let report = log.backup(&to).await.unwrap();
        assert!(report.is_sound());
        let copy = open(&to).unwrap();
        let entries = copy.read(table(1), 0).await.unwrap();
        let length = entries.len() as u64;
        assert!(length >= before.max(known));
        assert_eq!(entries, log.read(table(1), 0).await.unwrap()[..length as usize]);
        // Each turn commits an entry, then a table: the snapshot has at most one of the two more.
        let others = copy.load_startup_state().await.unwrap().in_play.len() as u64 - 1;
        assert!(others + 1 == length || others + 2 == length, "{others} and {length}");
        known = length;
    }
    writer.await.unwrap();
}

#[tokio::test]
async fn backup_never_overwrites_a_file() {
    let folder = StoreDir::new();
    let log = folder.open();
    let to = folder.file("backup");
    std::fs::write(&to, "precious").unwrap();
    let exists = LogError::FileExists { file: to.clone() };
    assert_eq!(log.backup(&to).await, Err(exists));
    assert_eq!(std::fs::read(&to).unwrap(), b"precious");
    let nowhere = folder.file("no/such/folder");
    assert!(log.backup(&nowhere).await.is_err());
}

#[test]
fn check_of_a_missing_store_creates_no_files() {
    let folder = StoreDir::new();
    let checked = check(&folder.file("missing"));
    assert!(matches!(checked, Err(LogError::Io { .. })), "{checked:?}");
    assert_eq!(std::fs::read_dir(folder.folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn restore_replaces_the_store() {
    let folder = StoreDir::new();
    let (store, backup) = (folder.file("store.db"), folder.file("backup"));
    {
        let log = folder.open();
        log.append(create(table(1), &["a"])).await.unwrap();
        log.backup(&backup).await.unwrap();
        log.append(add(table(1), 1, &["b"])).await.unwrap();
        // Files as a crashed server leaves them.
        folder.crash("crashed");
    }
    let exists = LogError::FileExists { file: store.clone() };
    assert_eq!(restore(&backup, &store, false), Err(exists));
    assert_log(&folder.open(), table(1), &["a", "b"]).await;

    assert!(restore(&backup, &store, true).unwrap().is_sound());
    let log = folder.open();
    assert_log(&log, table(1), &["a"]).await;
    assert_eq!(log.read(table(1), 2).await, Err(LogError::ReaderAhead { table: table(1), length: 1 }));
    let crashed = folder.file("crashed");
    assert!(schema::with_suffix(&crashed, "-wal").exists());
    restore(&backup, &crashed, true).unwrap();
    assert_log(&open(&crashed).unwrap(), table(1), &["a"]).await;

    let new = folder.file("new");
    restore(&backup, &new, false).unwrap();
    assert_log(&open(&new).unwrap(), table(1), &["a"]).await;
}

#[tokio::test]
async fn damaged_backup_is_not_restored() {
    let folder = StoreDir::new();
    let (store, backup) = (folder.file("store.db"), folder.file("backup"));
    {
        let log = folder.open();
        log.append(create(table(1), &["a", "needle"])).await.unwrap();
        log.backup(&backup).await.unwrap();
    }
    let mut bytes = std::fs::read(&backup).unwrap();
    let place = bytes.windows(6).position(|window| window == b"needle").unwrap();
    bytes[place] ^= 1;
    std::fs::write(&backup, bytes).unwrap();
    let refused = restore(&backup, &store, true);
    assert!(matches!(refused, Err(LogError::Damaged { .. })), "{refused:?}");
    let junk = folder.file("junk");
    std::fs::write(&junk, [7; 10_000]).unwrap();
    assert!(restore(&junk, &store, true).is_err());
    assert!(restore(&folder.file("missing"), &store, true).is_err());
    assert_log(&folder.open(), table(1), &["a", "needle"]).await;
}
