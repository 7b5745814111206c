//! What the log in a file must do beyond the contract: last, stay small, notice damage, survive a full disk.

mod copies;
mod damage;
mod durable;
mod journal;
mod model;
mod space;
mod tags;

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use tempfile::TempDir;

use super::*;
use crate::log::contract::{
    REST, add, assert_log, create, delete, finished, listing, owner, posts, put, table,
};
use crate::log::{NewPlace, Place};

/// A folder with a file for a store.
struct Folder {
    folder: TempDir,
}

impl Folder {
    fn new() -> Folder {
        Folder { folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn open(&self) -> SqliteLog {
        self.open_with(Options::default())
    }

    fn open_with(&self, options: Options) -> SqliteLog {
        SqliteLog::open(&self.file("store.db"), options).unwrap()
    }

    /// Copies the store as a crash would leave it: with what is in the WAL, and nothing tidied up.
    fn crash(&self, name: &str) -> PathBuf {
        let copy = self.file(name);
        for suffix in ["", "-wal"] {
            let from = schema::beside(&self.file("store.db"), suffix);
            std::fs::copy(from, schema::beside(&copy, suffix)).unwrap();
        }
        copy
    }
}

/// A moment of a commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Moment {
    /// Everything is written and nothing committed.
    Written,
    /// It is committed, and nobody knows.
    Committed,
}

/// What a test does at a moment.
pub(super) struct Hook {
    at: Moment,
    run: Box<dyn FnMut() + Send>,
}

impl Shared {
    pub(super) fn reach(&self, moment: Moment) {
        let hook = self.hook.lock().unwrap().take_if(|hook| hook.at == moment);
        if let Some(mut hook) = hook {
            (hook.run)();
        }
    }
}

/// A writer that stands still in the middle of a commit. It goes on when this is dropped, so that a test that fails
/// ends, too.
struct Standstill {
    reached: Option<Receiver<()>>,
    _standing: SyncSender<()>,
}

impl Standstill {
    /// Stops the next commit of the log when everything is written and nothing committed.
    fn of_next_commit(log: &SqliteLog) -> Standstill {
        Standstill::at(log, Moment::Written)
    }

    /// Stops the next commit of the log at this moment.
    fn at(log: &SqliteLog, at: Moment) -> Standstill {
        let (reach, reached) = sync_channel(1);
        let (standing, go_on) = sync_channel(1);
        let run = Box::new(move || {
            let _ = reach.send(());
            let _: Result<(), _> = go_on.recv();
        });
        *log.shared.hook.lock().unwrap() = Some(Hook { at, run });
        Standstill { reached: Some(reached), _standing: standing }
    }

    /// Waits until the writer stands.
    async fn reached(&mut self) {
        let reached = self.reached.take().unwrap();
        tokio::task::spawn_blocking(move || reached.recv()).await.unwrap().unwrap();
    }
}

fn open(file: &Path) -> Result<SqliteLog, LogError> {
    SqliteLog::open(file, Options::default())
}

fn short_journal(limit: u64) -> Options {
    Options { journal_limit: limit, ..Options::default() }
}

/// A generator for one test, from `PARLOR_TEST_SEED`; the seed is printed, and shown when the test fails.
fn rng(test: &str) -> rand_chacha::ChaCha8Rng {
    let seed = std::env::var("PARLOR_TEST_SEED").map_or(1, |seed| seed.parse().unwrap());
    println!("{test}: PARLOR_TEST_SEED={seed}");
    rand_core::SeedableRng::seed_from_u64(seed)
}

fn below(rng: &mut rand_chacha::ChaCha8Rng, bound: usize) -> usize {
    (rand_core::Rng::next_u64(rng) % bound as u64) as usize
}
