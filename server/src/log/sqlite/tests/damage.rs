//! Damage to the file is refused, with what is damaged and what to do. It never gives wrong data, and never a panic.

use std::collections::BTreeMap;

use super::*;
use crate::log::{Kind, Listing, Report};

/// All that can be learned from one table.
type One = (Vec<Entry>, TableRow, Option<Bytes>);

/// All that can be learned from a store.
#[derive(PartialEq, Debug, Default)]
struct Contents {
    tables: BTreeMap<TableId, Result<One, LogError>>,
    listed: Option<Vec<TableId>>,
    feed: Option<Vec<FeedItem>>,
    start: Option<StartUp>,
}

const TABLES: u64 = 12;

async fn one_table(log: &SqliteLog, id: TableId) -> Result<One, LogError> {
    Ok((log.read(id, 0).await?, log.find(id).await?, log.record(id).await?))
}

async fn contents(log: &SqliteLog) -> Contents {
    let mut contents = Contents::default();
    for number in 0..TABLES {
        contents.tables.insert(table(number), one_table(log, table(number)).await);
    }
    let all = Page { after: None, size: 100 };
    let listed = log.tables(Filter::default(), all).await.ok();
    contents.listed = listed.map(|page| page.tables.into_iter().map(|row| row.id).collect());
    contents.feed = log.owner_feed(&owner("ann"), 0).await.ok();
    contents.start = log.start_up().await.ok();
    contents
}

/// A store with something of everything, closed, and what is in it.
async fn store(folder: &Folder) -> (Vec<u8>, Contents) {
    let log = folder.open_with(short_journal(3000));
    for number in 0..TABLES {
        let mut append = create(table(number), &["dealt"]);
        append.feed = posts("ann", &["created"]);
        append.request = Some(format!("request {number}"));
        append.listing = Some(Listing {
            kind: if number == 10 { Kind::Tournament } else { Kind::Table },
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

/// What came of opening a damaged store.
enum Found {
    Refused(LogError),
    Read(Contents),
}

async fn look(folder: &Folder, bytes: &[u8]) -> (Result<Report, LogError>, Found) {
    let file = folder.file("damaged.db");
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(schema::beside(&file, suffix));
    }
    std::fs::write(&file, bytes).unwrap();
    let report = check(&file);
    let found = match open(&file) {
        Err(error) => Found::Refused(error),
        Ok(log) => Found::Read(contents(&log).await),
    };
    (report, found)
}

/// Whatever is read is true, and whatever is not all there is known to be damaged.
fn assert_honest(truth: &Contents, report: &Result<Report, LogError>, found: Found, place: &str) {
    let Found::Read(found) = found else {
        assert!(!report.as_ref().is_ok_and(Report::is_sound), "{place}: refused, and yet sound");
        return;
    };
    for (id, read) in &found.tables {
        if let Ok(read) = read {
            assert_eq!(Some(read), truth.tables[id].as_ref().ok(), "{place}: wrong data of {id}");
        }
    }
    if found != *truth {
        assert!(!report.as_ref().is_ok_and(Report::is_sound), "{place}: damaged, and yet sound");
    }
}

#[tokio::test]
async fn a_flipped_bit_anywhere_never_gives_wrong_data() {
    let folder = Folder::new();
    let (bytes, truth) = store(&folder).await;
    let mut rng = rng("a_flipped_bit_anywhere");
    let anywhere = (0..250).map(|_| (below(&mut rng, bytes.len()), below(&mut rng, 8)));
    let mut places: Vec<(usize, usize)> = anywhere.collect();
    // The header of each page says what is in it and how much of it.
    for page in (0..bytes.len()).step_by(4096) {
        places.extend((0..3).map(|_| (page + below(&mut rng, 12), below(&mut rng, 8))));
    }
    let (mut refused, mut noticed) = (0, 0);
    for (place, bit) in places {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << bit;
        let (report, found) = look(&folder, &damaged).await;
        noticed += u32::from(!report.as_ref().is_ok_and(Report::is_sound));
        refused += u32::from(matches!(found, Found::Refused(_)));
        assert_honest(&truth, &report, found, &format!("byte {place}, bit {bit}"));
    }
    // Most of the file is what tables hold, so most flips cost one table; too few of either kind, and nothing was tested.
    assert!(noticed >= 20 && refused >= 3, "{noticed} noticed, {refused} refused");
}

#[tokio::test]
async fn a_lost_or_overwritten_page_never_gives_wrong_data() {
    let folder = Folder::new();
    let (bytes, truth) = store(&folder).await;
    for page in 0..bytes.len() / 4096 {
        for fill in [0u8, 0xff] {
            let mut damaged = bytes.clone();
            damaged[page * 4096..(page + 1) * 4096].fill(fill);
            let (report, found) = look(&folder, &damaged).await;
            assert_honest(&truth, &report, found, &format!("page {page} full of {fill}"));
        }
        if page > 0 {
            let (report, found) = look(&folder, &bytes[..page * 4096]).await;
            assert_honest(&truth, &report, found, &format!("cut off at page {page}"));
        }
    }
}

/// Flips a bit in a text of the file.
fn spoil(bytes: &mut [u8], text: &str) {
    let found = bytes.windows(text.len()).position(|window| window == text.as_bytes());
    bytes[found.unwrap()] ^= 4;
}

#[tokio::test]
async fn damage_is_told_with_the_file_the_table_the_entry_and_what_to_do() {
    let folder = Folder::new();
    let (bytes, _) = store(&folder).await;

    // In the journal: the store is not opened.
    let mut damaged = bytes.clone();
    spoil(&mut damaged, "needle in the journal");
    let (_, found) = look(&folder, &damaged).await;
    let Found::Refused(error) = found else {
        panic!("opened though the journal is damaged");
    };
    assert_told(&error, Some(table(8)), Some(8));

    // In the row of a table: that table is not read, the others are.
    let mut damaged = bytes.clone();
    spoil(&mut damaged, "needle 3 of 2");
    let (report, found) = look(&folder, &damaged).await;
    let Found::Read(contents) = found else {
        panic!("refused though only a table at rest is damaged");
    };
    for (id, read) in &contents.tables {
        assert_eq!(read.is_err(), *id == table(2), "{id}");
        if let Err(error) = read {
            assert_told(error, Some(table(2)), Some(3));
        }
    }
    assert_eq!(report.unwrap().problems.len(), 1);

    // In a record.
    let mut damaged = bytes.clone();
    spoil(&mut damaged, "needle in the record");
    let (_, found) = look(&folder, &damaged).await;
    let Found::Read(contents) = found else {
        panic!("refused though only a record is damaged");
    };
    let broken: Vec<_> = contents.tables.values().filter_map(|read| read.as_ref().err()).collect();
    assert_eq!(broken.len(), 1);
    assert_told(broken[0], None, None);
}

fn assert_told(error: &LogError, id: Option<TableId>, at: Option<u64>) {
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
async fn rows_that_are_gone_or_swapped_are_noticed() {
    let folder = Folder::new();
    let (bytes, truth) = store(&folder).await;
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
        let (report, found) = look(&folder, &bytes).await;
        // An index that is missing makes things slow, not wrong.
        let slow = sql.starts_with("DROP INDEX");
        assert_eq!(report.as_ref().is_ok_and(Report::is_sound), slow, "{sql}: {report:?}");
        assert_honest(&truth, &report, found, sql);
    }
}
