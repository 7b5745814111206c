//! Damage to the file is reported with its location and the remedy. It never gives wrong data or a panic.

use std::collections::BTreeMap;

use super::*;
use crate::{Listing, LogKind, StoreReport};

/// Everything readable of one table.
type TableContents = (Vec<Entry>, TableRow, Option<Bytes>);

/// Everything readable of a store.
#[derive(PartialEq, Debug, Default)]
struct Contents {
    tables: BTreeMap<TableId, Result<TableContents, LogError>>,
    listed: Option<Vec<TableId>>,
    feed: Option<Vec<FeedItem>>,
    start: Option<StartupState>,
}

const TABLES: u64 = 12;

async fn one_table(log: &SqliteLog, id: TableId) -> Result<TableContents, LogError> {
    Ok((log.read(id, 0).await?, log.find(id).await?, log.record(id).await?))
}

async fn contents(log: &SqliteLog) -> Contents {
    let mut contents = Contents::default();
    for number in 0..TABLES {
        contents.tables.insert(table(number), one_table(log, table(number)).await);
    }
    let all = PageRequest { after: None, size: 100 };
    let listed = log.list_tables(LogFilter::default(), all).await.ok();
    contents.listed = listed.map(|page| page.tables.into_iter().map(|row| row.id).collect());
    contents.feed = log.read_owner_feed(&owner("ann"), 0).await.ok();
    contents.start = log.load_startup_state().await.ok();
    contents
}

/// A closed store with every kind of content, and its contents.
async fn build_store(folder: &StoreDir) -> (Vec<u8>, Contents) {
    let log = folder.open_with(short_journal(3000));
    for number in 0..TABLES {
        let mut append = create(table(number), &["dealt"]);
        append.feed = posts("ann", &["created"]);
        append.request = Some(format!("request {number}"));
        append.listing = Some(Listing {
            kind: if number == 10 { LogKind::Tournament } else { LogKind::Table },
            tags: if number % 3 == 0 { vec!["t".into()] } else { Vec::new() },
            ..listing("ann")
        });
        log.append(append).await.unwrap();
    }
    for turn in 1..8 {
        for number in 0..TABLES {
            let text = format!("needle {turn} of {number}");
            log.append(add(table(number), turn, &[&text])).await.unwrap();
        }
    }
    for number in 0..4 {
        log.append(put(table(number), 8, REST)).await.unwrap();
        log.append(put(table(4 + number), 8, finished(b"needle in the record"))).await.unwrap();
    }
    log.append(add(table(8), 8, &["needle in the journal"])).await.unwrap();
    let truth = contents(&log).await;
    assert!(truth.tables.values().all(Result::is_ok));
    drop(log);
    assert!(check(&folder.file("store.db")).unwrap().is_sound());
    (std::fs::read(folder.file("store.db")).unwrap(), truth)
}

/// Outcome of opening a damaged store.
enum OpenOutcome {
    Refused(LogError),
    Read(Contents),
}

async fn open_damaged(folder: &StoreDir, bytes: &[u8]) -> (Result<StoreReport, LogError>, OpenOutcome) {
    let file = folder.file("damaged.db");
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(schema::with_suffix(&file, suffix));
    }
    std::fs::write(&file, bytes).unwrap();
    let report = check(&file);
    let found = match open(&file) {
        Err(error) => OpenOutcome::Refused(error),
        Ok(log) => OpenOutcome::Read(contents(&log).await),
    };
    (report, found)
}

/// Asserts that everything readable is right, and that missing data is reported as damage.
fn assert_no_wrong_data(
    truth: &Contents,
    report: &Result<StoreReport, LogError>,
    found: OpenOutcome,
    place: &str,
) {
    let OpenOutcome::Read(found) = found else {
        assert!(!report.as_ref().is_ok_and(StoreReport::is_sound), "{place}: refused, and yet sound");
        return;
    };
    for (id, read) in &found.tables {
        if let Ok(read) = read {
            assert_eq!(Some(read), truth.tables[id].as_ref().ok(), "{place}: wrong data of {id}");
        }
    }
    if found != *truth {
        assert!(!report.as_ref().is_ok_and(StoreReport::is_sound), "{place}: damaged, and yet sound");
    }
}

#[tokio::test]
async fn flipped_bit_never_gives_wrong_data() {
    let folder = StoreDir::new();
    let (bytes, truth) = build_store(&folder).await;
    let mut rng = parlor_testkit::rng_with_stream(0);
    let anywhere = (0..250).map(|_| (below(&mut rng, bytes.len()), below(&mut rng, 8)));
    let mut places: Vec<(usize, usize)> = anywhere.collect();
    // The header of a page describes its contents and their size.
    for page in (0..bytes.len()).step_by(4096) {
        places.extend((0..3).map(|_| (page + below(&mut rng, 12), below(&mut rng, 8))));
    }
    let (mut refused, mut noticed) = (0, 0);
    for (place, bit) in places {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << bit;
        let (report, found) = open_damaged(&folder, &damaged).await;
        noticed += u32::from(!report.as_ref().is_ok_and(StoreReport::is_sound));
        refused += u32::from(matches!(found, OpenOutcome::Refused(_)));
        assert_no_wrong_data(&truth, &report, found, &format!("byte {place}, bit {bit}"));
    }
    // Most of the file is table data, so most flips affect one table; too few of either outcome means that
    // nothing was tested.
    assert!(noticed >= 20 && refused >= 3, "{noticed} noticed, {refused} refused");
}

#[tokio::test]
async fn lost_or_overwritten_page_never_gives_wrong_data() {
    let folder = StoreDir::new();
    let (bytes, truth) = build_store(&folder).await;
    for page in 0..bytes.len() / 4096 {
        for fill in [0u8, 0xff] {
            let mut damaged = bytes.clone();
            damaged[page * 4096..(page + 1) * 4096].fill(fill);
            let (report, found) = open_damaged(&folder, &damaged).await;
            assert_no_wrong_data(&truth, &report, found, &format!("page {page} full of {fill}"));
        }
        if page > 0 {
            let (report, found) = open_damaged(&folder, &bytes[..page * 4096]).await;
            assert_no_wrong_data(&truth, &report, found, &format!("cut off at page {page}"));
        }
    }
}

/// Flips a bit in the first occurrence of a text in the file.
fn flip_bit_in(bytes: &mut [u8], text: &str) {
    let found = bytes.windows(text.len()).position(|window| window == text.as_bytes());
    bytes[found.unwrap()] ^= 4;
}

#[tokio::test]
async fn damage_error_names_file_table_entry_and_remedy() {
    let folder = StoreDir::new();
    let (bytes, _) = build_store(&folder).await;

    // Damage in the journal: the store is not opened.
    let mut damaged = bytes.clone();
    flip_bit_in(&mut damaged, "needle in the journal");
    let (_, found) = open_damaged(&folder, &damaged).await;
    let OpenOutcome::Refused(error) = found else {
        panic!("opened though the journal is damaged");
    };
    assert_damage_error(&error, Some(table(8)), Some(8));

    // Damage in the row of a table: only that table is unreadable.
    let mut damaged = bytes.clone();
    flip_bit_in(&mut damaged, "needle 3 of 2");
    let (report, found) = open_damaged(&folder, &damaged).await;
    let OpenOutcome::Read(contents) = found else {
        panic!("refused though only a table at rest is damaged");
    };
    for (id, read) in &contents.tables {
        assert_eq!(read.is_err(), *id == table(2), "{id}");
        if let Err(error) = read {
            assert_damage_error(error, Some(table(2)), Some(3));
        }
    }
    assert_eq!(report.unwrap().problems.len(), 1);

    // Damage in a record.
    let mut damaged = bytes.clone();
    flip_bit_in(&mut damaged, "needle in the record");
    let (_, found) = open_damaged(&folder, &damaged).await;
    let OpenOutcome::Read(contents) = found else {
        panic!("refused though only a record is damaged");
    };
    let broken: Vec<_> = contents.tables.values().filter_map(|read| read.as_ref().err()).collect();
    assert_eq!(broken.len(), 1);
    assert_damage_error(broken[0], None, None);
}

fn assert_damage_error(error: &LogError, id: Option<TableId>, at: Option<u64>) {
    let LogError::Damaged { file, table, entry, .. } = error else {
        panic!("{error:?}");
    };
    assert!(file.ends_with("damaged.db"));
    assert!(id.is_none() || (*table, *entry) == (id, at), "{error}");
    let text = error.to_string();
    assert!(text.contains("damaged.db") && text.contains("backup") && text.contains("check-store"), "{text}");
    if let (Some(id), Some(at)) = (id, at) {
        assert!(text.contains(&id.to_string()) && text.contains(&format!("entry {at}")), "{text}");
    }
}

#[tokio::test]
async fn deleted_or_altered_rows_are_detected() {
    let folder = StoreDir::new();
    let (bytes, truth) = build_store(&folder).await;
    let sabotage = [
        "DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal)",
        "DELETE FROM journal WHERE seq = (SELECT min(seq) FROM journal)",
        "DELETE FROM tables WHERE place = 0",
        "DELETE FROM tables WHERE rowid = 3",
        "DELETE FROM meta",
        "UPDATE meta SET seq = seq - 1",
        "DELETE FROM feed WHERE number = 5",
        "UPDATE feed SET number = number + 100 WHERE number = 12",
        "DELETE FROM owners",
        "UPDATE owners SET last = last - 1",
        "UPDATE tables SET owner = 'bob'",
        "UPDATE tables SET place = 1 WHERE place = 0",
        "UPDATE tables SET place = 0 WHERE place = 1",
        "UPDATE tables SET log = (SELECT log FROM tables WHERE rowid = 2), length = 8 WHERE rowid = 1",
        "UPDATE tables SET record = NULL WHERE rowid = 5",
        "UPDATE tables SET journal_from = journal_from + 1 WHERE place = 0",
        "DELETE FROM tags WHERE tag = 't'",
        "DELETE FROM tags WHERE tag = '.tournament'",
        "INSERT INTO tags VALUES ('u', x'00', 0)",
        "UPDATE tags SET finished = 1",
        "UPDATE tables SET kind = 0",
        "UPDATE tables SET tags = NULL",
        "DROP TABLE tags",
        "DROP TABLE feed",
        "DROP INDEX tables_by_request",
    ];
    for sql in sabotage {
        let file = folder.file("sabotage.db");
        std::fs::write(&file, &bytes).unwrap();
        rusqlite::Connection::open(&file).unwrap().execute_batch(sql).unwrap();
        let bytes = std::fs::read(&file).unwrap();
        let (report, found) = open_damaged(&folder, &bytes).await;
        // A missing index makes queries slow, not wrong.
        let slow = sql.starts_with("DROP INDEX");
        assert_eq!(report.as_ref().is_ok_and(StoreReport::is_sound), slow, "{sql}: {report:?}");
        assert_no_wrong_data(&truth, &report, found, sql);
    }
}
