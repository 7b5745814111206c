//! Tests of the SQLite log beyond the contract: durability, bounded size, damage, full disk.

mod backup;
mod corruption;
mod durability;
mod full;
mod journal;
mod tags;

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use tempfile::TempDir;

use super::*;
use crate::contract::memory_equivalence::{Reopen, check_equivalence};
use crate::contract::{REST, add, assert_log, create, finished, listing, owner, posts, put, table};
use crate::{NewPlace, Place};

/// A temporary folder with a store.
struct StoreDir {
    folder: TempDir,
}

impl StoreDir {
    fn new() -> StoreDir {
        StoreDir { folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn open(&self) -> SqliteLog {
        self.open_with(SqliteOptions::default())
    }

    fn open_with(&self, options: SqliteOptions) -> SqliteLog {
        SqliteLog::open(&self.file("store.db"), options).unwrap()
    }

    /// Copies the store as a crash would leave it: with its WAL.
    fn crash(&self, name: &str) -> PathBuf {
        let copy = self.file(name);
        for suffix in ["", "-wal"] {
            let from = schema::with_suffix(&self.file("store.db"), suffix);
            std::fs::copy(from, schema::with_suffix(&copy, suffix)).unwrap();
        }
        copy
    }
}

/// A phase of a commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CommitPhase {
    /// Everything is written, nothing is committed.
    Written,
    /// The transaction is committed, the index not yet updated.
    Committed,
}

/// Action of a test at a phase of a commit.
pub(super) struct CommitHook {
    at: CommitPhase,
    run: Box<dyn FnMut() + Send>,
}

impl Shared {
    pub(super) fn run_hook(&self, phase: CommitPhase) {
        let hook = self.hook.lock().unwrap().take_if(|hook| hook.at == phase);
        if let Some(mut hook) = hook {
            (hook.run)();
        }
    }
}

/// A commit paused midway. It continues when this is dropped, so that a failing test ends too.
struct PausedCommit {
    reached: Option<Receiver<()>>,
    _standing: SyncSender<()>,
}

impl PausedCommit {
    /// Pauses the next commit after writing and before committing.
    fn before_next_commit(log: &SqliteLog) -> PausedCommit {
        PausedCommit::at(log, CommitPhase::Written)
    }

    /// Pauses the next commit at this phase.
    fn at(log: &SqliteLog, at: CommitPhase) -> PausedCommit {
        let (reach, reached) = sync_channel(1);
        let (standing, go_on) = sync_channel(1);
        let run = Box::new(move || {
            let _ = reach.send(());
            let _: Result<(), _> = go_on.recv();
        });
        *log.shared.hook.lock().unwrap() = Some(CommitHook { at, run });
        PausedCommit { reached: Some(reached), _standing: standing }
    }

    /// Waits until the writer is paused.
    async fn reached(&mut self) {
        let reached = self.reached.take().unwrap();
        tokio::task::spawn_blocking(move || reached.recv()).await.unwrap().unwrap();
    }
}

fn open(file: &Path) -> Result<SqliteLog, LogError> {
    SqliteLog::open(file, SqliteOptions::default())
}

fn short_journal(limit: u64) -> SqliteOptions {
    SqliteOptions { journal_limit: limit, ..SqliteOptions::default() }
}

fn below(rng: &mut rand_chacha::ChaCha8Rng, bound: usize) -> usize {
    (rand_core::Rng::next_u64(rng) % bound as u64) as usize
}

impl Reopen for StoreDir {
    async fn open(&self, journal_limit: u64) -> Arc<dyn Log> {
        let file = self.file("store.db");
        if file.exists() {
            let report = check(&file).unwrap();
            assert!(report.is_sound(), "{report}");
        }
        Arc::new(self.open_with(short_journal(journal_limit)))
    }
}

#[tokio::test]
async fn sqlite_log_behaves_like_memory_log() {
    check_equivalence(&StoreDir::new(), 400).await;
}
