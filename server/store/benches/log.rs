//! Append throughput of the SQLite log with 64 concurrent tables, compared with a store of one row per entry; and of the
//! PostgreSQL log with a synchronous standby with 1,000 concurrent tables, compared with the SQLite log.
//!
//! Both of a pair write to files in the same folder, in turns, with the same group commit, hashes and fsyncs; the
//! median of the turns is reported. On a slow disk both mostly wait, and CPU time shows the difference.
//! `PARLOR_BENCH_DIR` sets the folder; the default is a temporary one.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parlor_store::{
    Append, Listing, Log, LogKind, Millis, NewPlace, OwnerId, PgAddress, PgLog, PgOptions, PgUrl, SqliteLog,
    SqliteOptions, TableId,
};
use parlor_testkit::PostgresCluster;
use rusqlite::{Connection, params};
use sha2::{Digest, Sha256};
use tokio::sync::{mpsc, oneshot};

const TABLES: u64 = 64;
/// Concurrent tables of the comparison with PostgreSQL: a commit there takes longer, and carries more.
const MANY_TABLES: u64 = 1000;
/// Entries of a finished table.
const ENTRIES_PER_GAME: u64 = 150;
const GAMES: u64 = 6;
const TURNS: usize = 5;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("the machine can start threads");
    let folder = match std::env::var_os("PARLOR_BENCH_DIR") {
        Some(folder) => tempfile::tempdir_in(folder),
        None => tempfile::tempdir(),
    };
    let folder = folder.expect("the folder can be written");
    let (mut journal, mut rows) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        let file = |name| folder.path().join(format!("{name} {turn}"));
        journal.push(runtime.block_on(measure(Journal::open(&file("journal")), TABLES, GAMES)));
        rows.push(runtime.block_on(measure(RowPerEntry::open(&file("rows")), TABLES, GAMES)));
    }
    let (journal, rows) = (Rate::median(&journal), Rate::median(&rows));
    let cluster = PostgresCluster::start(&[]);
    let _standby = cluster.start_synchronous_standby(&[]);
    let (mut sqlite, mut postgres) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        let file = folder.path().join(format!("many {turn}"));
        sqlite.push(runtime.block_on(measure(Journal::open(&file), MANY_TABLES, 1)));
        postgres.push(
            runtime.block_on(async { measure(Journal::connect(&cluster).await, MANY_TABLES, 1).await }),
        );
    }
    println!("bench log_append {:.0} entries/s", journal.entries);
    println!("bench log_append_row_per_entry {:.0} entries/s", rows.entries);
    println!("bench log_append_vs_row_per_entry {:.2} x", journal.entries / rows.entries);
    println!("bench log_append_cpu {:.2} us/entry", journal.cpu);
    println!("bench log_append_row_per_entry_cpu {:.2} us/entry", rows.cpu);
    println!("bench log_append_cpu_vs_row_per_entry {:.2} x", rows.cpu / journal.cpu);
    let (sqlite, postgres) = (Rate::median(&sqlite), Rate::median(&postgres));
    println!("bench cluster_append_sqlite {:.0} entries/s", sqlite.entries);
    println!("bench cluster_append {:.0} entries/s", postgres.entries);
    println!("bench cluster_append_vs_sqlite {:.2} x", postgres.entries / sqlite.entries);
    println!("bench cluster_append_cpu {:.2} us/entry", postgres.cpu);
}

/// Measured rates.
#[derive(Clone, Copy)]
struct Rate {
    /// Entries per second.
    entries: f64,
    /// CPU microseconds per entry, of the whole process: tables and runtime included.
    cpu: f64,
}

impl Rate {
    fn median(rates: &[Rate]) -> Rate {
        let middle = |of: fn(&Rate) -> f64| {
            let mut numbers: Vec<f64> = rates.iter().map(of).collect();
            numbers.sort_by(f64::total_cmp);
            numbers[numbers.len() / 2]
        };
        Rate { entries: middle(|rate| rate.entries), cpu: middle(|rate| rate.cpu) }
    }
}

/// CPU time of this process in microseconds, from Linux's /proc; NaN elsewhere.
fn cpu_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Field 3 follows the process name, which may contain blanks; fields 14 and 15 are ticks of 10 ms.
    let fields: Vec<f64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .map(|field| field.parse().unwrap_or(f64::NAN))
        .collect();
    match fields.get(11..13) {
        Some(ticks) => ticks.iter().sum::<f64>() * 10_000.0,
        None => f64::NAN,
    }
}

/// A store of entries.
trait Store: Send + Sync + 'static {
    fn add(&self, table: TableId, index: u64) -> impl Future<Output = ()> + Send;
}

/// An entry of the size of a move.
fn entry(index: u64) -> Bytes {
    Bytes::from(format!("seat {} plays card {index:>8}", index % 4))
}

/// Plays games at all tables concurrently.
async fn measure(store: impl Store, tables: u64, games: u64) -> Rate {
    let store = Arc::new(store);
    let (started, cpu) = (now(), cpu_time());
    let playing: Vec<_> = (0..tables)
        .map(|table| {
            let store = store.clone();
            tokio::spawn(async move {
                for game in 0..games {
                    let id = TableId::new(game * tables + table, [1; 10]);
                    for index in 0..ENTRIES_PER_GAME {
                        store.add(id, index).await;
                    }
                }
            })
        })
        .collect();
    for table in playing {
        table.await.expect("a table plays to the end");
    }
    let entries = (tables * games * ENTRIES_PER_GAME) as f64;
    Rate { entries: entries / since(started).as_secs_f64(), cpu: (cpu_time() - cpu) / entries }
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn now() -> Instant {
    Instant::now()
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn since(started: Instant) -> Duration {
    started.elapsed()
}

/// The server's log.
struct Journal<L>(L);

impl Journal<SqliteLog> {
    fn open(file: &Path) -> Journal<SqliteLog> {
        Journal(SqliteLog::open(file, SqliteOptions::default()).expect("a new file can be opened"))
    }
}

impl Journal<PgLog> {
    async fn connect(cluster: &PostgresCluster) -> Journal<PgLog> {
        let url = PgUrl::parse(&cluster.create_database()).expect("an address");
        let address = PgAddress::new(&url, None, &[]).expect("an address");
        Journal(
            PgLog::open(address, "bench", PgOptions::default())
                .await
                .expect("an empty database can be opened"),
        )
    }
}

impl<L: Log> Store for Journal<L> {
    async fn add(&self, table: TableId, index: u64) {
        let mut append = Append::new(table, index, Millis(index), vec![entry(index)]);
        if index == 0 {
            append.place = Some(NewPlace::InPlay);
            append.listing = Some(Listing {
                kind: LogKind::Table,
                owner: OwnerId::new("bench").expect("a valid owner id"),
                game: "gap".into(),
                state: 0,
                visibility: 0,
                tags: Vec::new(),
            });
        }
        if index == ENTRIES_PER_GAME - 1 {
            append.place = Some(NewPlace::Finished { record: entry(index) });
        }
        self.0.append(append).await.expect("the append is accepted");
    }
}

/// The straightforward store: one row per entry, with one transaction for all waiting entries.
struct RowPerEntry {
    queue: mpsc::Sender<(TableId, u64, oneshot::Sender<()>)>,
}

impl RowPerEntry {
    fn open(file: &Path) -> RowPerEntry {
        let (queue, mut asked) = mpsc::channel::<(TableId, u64, oneshot::Sender<()>)>(8192);
        let mut db = Connection::open(file).expect("a new file can be opened");
        db.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 2000;
             CREATE TABLE entries (id BLOB, number INTEGER, hash BLOB, payload BLOB, PRIMARY KEY (id, number))
             WITHOUT ROWID",
        )
        .expect("the schema is right");
        std::thread::spawn(move || {
            let mut recent = [0; 2];
            while let Some(first) = asked.blocking_recv() {
                let mut batch = vec![first];
                // The same batching as the log, or its commits would be larger than these.
                for nap in 0..=8 {
                    let before = batch.len();
                    while let Ok(next) = asked.try_recv() {
                        batch.push(next);
                    }
                    if batch.len() >= recent[0].max(recent[1]) || (nap > 0 && batch.len() == before) {
                        break;
                    }
                    std::thread::park_timeout(Duration::from_micros(100));
                }
                recent = [recent[1], batch.len()];
                let mut answers = Vec::new();
                let transaction = db.transaction().expect("there is no other writer");
                for (id, index, answer) in batch {
                    insert(&transaction, &id, index).expect("there is room");
                    answers.push(answer);
                }
                transaction.commit().expect("there is room");
                for answer in answers {
                    answer.send(()).expect("tables wait for the answer");
                }
            }
        });
        RowPerEntry { queue }
    }
}

fn insert(db: &Connection, id: &TableId, index: u64) -> rusqlite::Result<()> {
    let before: Vec<u8> = match index {
        0 => vec![0; 32],
        _ => db
            .prepare_cached("SELECT hash FROM entries WHERE id = ?1 AND number = ?2")?
            .query_row(params![id.as_bytes(), index - 1], |row| row.get(0))?,
    };
    let payload = entry(index);
    let mut hash = Sha256::new();
    hash.update(before);
    hash.update(index.to_be_bytes());
    hash.update(&payload);
    db.prepare_cached("INSERT INTO entries (id, number, hash, payload) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![id.as_bytes(), index, &hash.finalize()[..], &payload[..]])?;
    Ok(())
}

impl Store for RowPerEntry {
    async fn add(&self, table: TableId, index: u64) {
        let (answer, answered) = oneshot::channel();
        let sent = self.queue.send((table, index, answer)).await;
        sent.expect("the writer runs");
        answered.await.expect("the writer answers");
    }
}
