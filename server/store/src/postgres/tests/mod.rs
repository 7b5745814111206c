//! Tests of the PostgreSQL log beyond the contract: restarts, the fence, commits in doubt, damage.

mod cluster;
mod damage;
mod doubt;
mod fence;

use parlor_testkit::PostgresCluster;
use tokio_postgres::Client;

use super::*;
use crate::contract::memory_equivalence::{Reopen, check_equivalence};
use crate::contract::{REST, add, assert_log, create, finished, listing, owner, posts, put, table};

/// Action of a test in the next commit, when everything is validated and nothing is written.
pub(crate) type CommitHook = Box<dyn FnOnce() + Send>;

impl Shared {
    pub(super) fn run_hook(&self) {
        let hook = self.hook.lock().unwrap().take();
        if let Some(run) = hook {
            run();
        }
    }
}

/// A database, and connections to it.
struct Database {
    address: PgAddress,
}

impl Database {
    fn new() -> Database {
        Database::on(PostgresCluster::shared())
    }

    fn on(cluster: &PostgresCluster) -> Database {
        Database {
            address: PgAddress::new(&PgUrl::parse(&cluster.create_database()).unwrap(), None, &[]).unwrap(),
        }
    }

    async fn open(&self) -> PgLog {
        self.open_with(PgOptions::default()).await
    }

    async fn open_with(&self, options: PgOptions) -> PgLog {
        PgLog::open(self.address.clone(), "test", options).await.unwrap()
    }

    /// A connection of an operator.
    async fn operator(&self) -> Client {
        self.address.connect().await.unwrap().client
    }

    /// Runs statements as an operator, from a thread that is not the test's.
    fn execute_blocking(&self, sql: &'static str) {
        let address = self.address.clone();
        let run = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                address.connect().await.unwrap().client.batch_execute(sql).await.unwrap();
            });
        };
        std::thread::spawn(run).join().unwrap();
    }
}

impl Reopen for Database {
    async fn open(&self, journal_limit: u64) -> Arc<dyn Log> {
        Arc::new(self.open_with(PgOptions { journal_limit, ..PgOptions::default() }).await)
    }
}

#[tokio::test]
async fn postgres_log_behaves_like_memory_log() {
    check_equivalence(&Database::new(), 200).await;
}

#[tokio::test]
async fn store_survives_close_and_reopen() {
    let database = Database::new();
    {
        let log = database.open().await;
        log.append(create(table(1), &["a", "b"])).await.unwrap();
        log.append(create(table(2), &["a"])).await.unwrap();
        log.append(put(table(2), 1, REST)).await.unwrap();
        let mut last = create(table(3), &["a"]);
        last.place = Some(finished(b"record"));
        last.feed = posts("ann", &["over"]);
        log.append(last).await.unwrap();
        log.close().await;
        assert_eq!(log.append(add(table(1), 2, &["c"])).await, Err(LogError::Closed));
    }
    let log = database.open().await;
    assert_log(&log, table(1), &["a", "b"]).await;
    assert_log(&log, table(2), &["a"]).await;
    assert_eq!(log.record(table(3)).await, Ok(Some(Bytes::from_static(b"record"))));
    assert_eq!(log.read_owner_feed(&owner("ann"), 0).await.unwrap().len(), 1);
    assert_eq!(log.load_startup_state().await.unwrap().in_play, [table(1)]);
    log.append(add(table(1), 2, &["c"])).await.unwrap();
    assert_log(&log, table(1), &["a", "b", "c"]).await;
}

#[tokio::test]
async fn large_logs_and_records_are_stored_in_parts() {
    let database = Database::new();
    let log = database.open().await;
    let text = "0123456789abcdef".repeat(40_000);
    let record = Bytes::from("r".repeat(3 << 20));
    log.append(create(table(1), &[&text])).await.unwrap();
    log.append(add(table(1), 1, &[&text, &text])).await.unwrap();
    let mut last = add(table(1), 3, &[&text]);
    last.place = Some(crate::NewPlace::Finished { record: record.clone() });
    log.append(last).await.unwrap();
    assert_log(&log, table(1), &[text.as_str(); 4]).await;
    assert_eq!(log.record(table(1)).await, Ok(Some(record)));
    let longest = "SELECT max(length(body)) FROM (SELECT body FROM log_parts UNION ALL SELECT body FROM record_parts \
         UNION ALL SELECT body FROM journal) AS parts";
    let longest: i32 = database.operator().await.query_one(longest, &[]).await.unwrap().get(0);
    assert!(longest <= 256 << 10, "{longest} bytes");
    // Another node reads the parts of a journal row, too.
    log.append(create(table(2), &[&text, &text])).await.unwrap();
    let other = database.open().await;
    assert_log(&other, table(2), &[text.as_str(); 2]).await;
}

#[tokio::test]
async fn newer_schema_is_refused_unchanged() {
    let database = Database::new();
    drop(database.open().await);
    database.operator().await.batch_execute("UPDATE parlor_schema SET version = 99").await.unwrap();
    let refused = PgLog::open(database.address.clone(), "test", PgOptions::default()).await.map(drop);
    let file = database.address.name().to_owned();
    assert_eq!(refused, Err(LogError::NewerSchema { file, found: 99, known: 1 }));
}

#[tokio::test]
async fn nodes_that_start_together_migrate_once() {
    let database = Database::new();
    let opens = (0..6).map(|_| PgLog::open(database.address.clone(), "test", PgOptions::default()));
    let opened = futures_util::future::join_all(opens).await;
    // Each takes over from those before it; all but the last may be fenced on the way.
    assert!(
        opened.iter().any(Result::is_ok),
        "{:?}",
        opened.iter().map(|log| log.as_ref().err()).collect::<Vec<_>>()
    );
    for error in opened.iter().filter_map(|log| log.as_ref().err()) {
        assert_eq!(*error, LogError::Fenced);
    }
    database.open().await.append(create(table(1), &["a"])).await.unwrap();
}

#[test]
fn address_shows_neither_user_nor_password() {
    let address = "postgres://ann:secret@db1:5433,db2/parlor?sslmode=disable";
    let address = PgAddress::new(&PgUrl::parse(address).unwrap(), Some("other"), &[]).unwrap();
    assert_eq!(address.name().to_str(), Some("postgres://db1:5433,db2:5432/parlor"));
    for wrong in ["postgres://ann@db/parlor?nonsense=1", "sqlite:parlor.db", ""] {
        assert!(matches!(PgUrl::parse(wrong), Err(LogError::Invalid { .. })), "{wrong}");
    }
    let refused = PgAddress::new(
        &PgUrl::parse("postgres://db/parlor").unwrap(),
        None,
        b"-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----\n",
    );
    assert!(matches!(refused.map(drop), Err(LogError::Invalid { .. })));
}
