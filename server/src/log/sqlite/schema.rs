//! The file of the store: how it is opened, who may open it, its tables and their versions.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::failure::{Failing, io_error};
use crate::log::LogError;

/// Marks a SQLite file as a store of Parlor: "Parl".
const APPLICATION: i64 = 0x5061_726c;

/// The steps from an empty file to the store of today. A step that was released is never changed: what is to be
/// different comes as a new one.
pub(super) const MIGRATIONS: &[&str] = &["
    -- One row a commit: the entries of all tables in play.
    CREATE TABLE journal (
        seq INTEGER PRIMARY KEY,
        sum BLOB NOT NULL,
        body BLOB NOT NULL
    ) STRICT;

    -- One row a table. Its log up to `length` is in it; what a table in play has beyond that is in the journal, in
    -- the rows from `journal_from` on. `sum` covers all columns but the two large ones, which have their own hashes.
    CREATE TABLE tables (
        id BLOB NOT NULL PRIMARY KEY,
        owner TEXT NOT NULL,
        game TEXT NOT NULL,
        state INTEGER NOT NULL,
        visibility INTEGER NOT NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        request TEXT,
        place INTEGER NOT NULL,
        wakes_at INTEGER,
        journal_from INTEGER NOT NULL,
        length INTEGER NOT NULL,
        head BLOB NOT NULL,
        record_hash BLOB,
        sum BLOB NOT NULL,
        log BLOB NOT NULL,
        record BLOB
    ) STRICT;
    CREATE INDEX tables_of_owner ON tables (owner, id);
    CREATE INDEX tables_of_owner_by_state ON tables (owner, state, id);
    CREATE INDEX tables_by_state ON tables (visibility, state, id);
    CREATE UNIQUE INDEX tables_by_request ON tables (owner, request) WHERE request IS NOT NULL;
    CREATE INDEX tables_in_play ON tables (id) WHERE place = 0;
    CREATE INDEX tables_waking ON tables (wakes_at, id) WHERE wakes_at IS NOT NULL;
    CREATE INDEX tables_finished ON tables (updated) WHERE place = 2;

    -- What owners are told, and which numbers of it are kept.
    CREATE TABLE feed (
        owner TEXT NOT NULL,
        number INTEGER NOT NULL,
        at INTEGER NOT NULL,
        sum BLOB NOT NULL,
        payload BLOB NOT NULL,
        PRIMARY KEY (owner, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE owners (
        owner TEXT NOT NULL PRIMARY KEY,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL,
        sum BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- One row: the last commit, and how many rows there must be, so that a missing one is noticed.
    CREATE TABLE meta (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        seq INTEGER NOT NULL,
        journal_rows INTEGER NOT NULL,
        tables INTEGER NOT NULL,
        in_play INTEGER NOT NULL,
        sum BLOB NOT NULL
    ) STRICT;
",
    "
    -- What a table is, and its tags with a space between them. They come last, after what is large; but a table without
    -- tags has nothing there, and nothing of it is read in vain.
    ALTER TABLE tables ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tables ADD COLUMN tags TEXT;

    -- The tables of each tag, and under a tag of their own all tournaments and all agents.
    CREATE TABLE tags (
        tag TEXT NOT NULL,
        id BLOB NOT NULL,
        finished INTEGER NOT NULL,
        PRIMARY KEY (tag, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tags_unfinished ON tags (tag, id) WHERE finished = 0;
"];

/// The lock that keeps other processes out, held as long as the store is open.
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    pub(super) fn take(store: &Path) -> Result<Lock, LogError> {
        let path = beside(store, ".lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|error| io_error(&path, error))?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(LogError::InUse { file: store.into() }),
            Err(TryLockError::Error(error)) => Err(io_error(&path, error)),
        }
    }
}

/// The file whose name is the store's with something added.
pub(super) fn beside(store: &Path, suffix: &str) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Opens the connection that writes, creates or migrates what is to be.
pub(super) fn open_to_write(file: &Path) -> Result<Connection, LogError> {
    let failing = Failing(file);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut connection = connect(file, flags)?;
    version(&connection, file)?;
    let set = |name, value: &str| connection.pragma_update(None, name, value);
    failing.at(set("journal_mode", "WAL"))?;
    // An acknowledged entry survives a power cut: every commit waits for the disk.
    failing.at(set("synchronous", "FULL"))?;
    failing.at(set("wal_autocheckpoint", "2000"))?;
    failing.at(set("journal_size_limit", "67108864"))?;
    migrate(&mut connection, file, MIGRATIONS)?;
    Ok(connection)
}

/// Opens a connection that only reads. The store must be there.
pub(super) fn open_to_read(file: &Path) -> Result<Connection, LogError> {
    let (connection, version) = open_any_version(file)?;
    if version < MIGRATIONS.len() {
        return Err(LogError::Older { file: file.into() });
    }
    // What is read is seldom read again, and the system keeps the file's pages anyway. In KiB.
    Failing(file).at(connection.pragma_update(None, "cache_size", -512))?;
    Ok(connection)
}

/// Opens a connection that only reads, and says which version the store has, which may be an older one.
fn open_any_version(file: &Path) -> Result<(Connection, usize), LogError> {
    let connection = connect(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    match version(&connection, file)? {
        0 => Err(LogError::NotAStore { file: file.into() }),
        version => Ok((connection, version)),
    }
}

/// Copies a store, as it is at one moment, to a file that is not there. The copy is brought up to date.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), LogError> {
    let (db, _) = open_any_version(from)?;
    let name =
        to.to_str().ok_or_else(|| LogError::Io { file: to.into(), why: "the name must be UTF-8".into() })?;
    Failing(from).at(db.execute("VACUUM INTO ?1", [name]))?;
    let mut copy = connect(to, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    migrate(&mut copy, to, MIGRATIONS)
}

fn connect(file: &Path, flags: OpenFlags) -> Result<Connection, LogError> {
    let failing = Failing(file);
    let connection =
        failing.at(Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX))?;
    connection.set_prepared_statement_cache_capacity(64);
    failing.at(connection.pragma_update(None, "cell_size_check", "ON"))?;
    failing.at(connection.pragma_update(None, "trusted_schema", "OFF"))?;
    Ok(connection)
}

/// The version of the schema: 0 for an empty file.
fn version(connection: &Connection, file: &Path) -> Result<usize, LogError> {
    let failing = Failing(file);
    let number = |name| failing.at(connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)));
    let (application, version) = (number("application_id")?, number("user_version")?);
    let objects: i64 =
        failing.at(connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)))?;
    match (application, version) {
        (0, 0) if objects == 0 => Ok(0),
        (APPLICATION, version) if version > MIGRATIONS.len() as i64 => {
            Err(LogError::Newer { file: file.into(), found: version, known: MIGRATIONS.len() as i64 })
        }
        (APPLICATION, version) if version > 0 => Ok(version as usize),
        _ => Err(LogError::NotAStore { file: file.into() }),
    }
}

/// Takes the steps that the file has not taken yet, all of them or none.
fn migrate(connection: &mut Connection, file: &Path, steps: &[&str]) -> Result<(), LogError> {
    let failing = Failing(file);
    let done = version(connection, file)?;
    let Some(open) = steps.get(done..).filter(|open| !open.is_empty()) else {
        return Ok(());
    };
    let transaction = failing.at(connection.transaction_with_behavior(TransactionBehavior::Immediate))?;
    for step in open {
        failing.at(transaction.execute_batch(step))?;
    }
    failing.at(transaction.pragma_update(None, "application_id", APPLICATION))?;
    failing.at(transaction.pragma_update(None, "user_version", steps.len() as i64))?;
    failing.at(transaction.commit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_taken_once_each_and_all_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store");
        let mut connection = open_to_write(&file).unwrap();
        assert_eq!(version(&connection, &file), Ok(2));
        migrate(&mut connection, &file, MIGRATIONS).unwrap();

        let broken =
            [MIGRATIONS[0], MIGRATIONS[1], "CREATE TABLE more (a INTEGER) STRICT", "CREATE NONSENSE"];
        assert!(migrate(&mut connection, &file, &broken).is_err());
        assert!(connection.prepare("SELECT a FROM more").is_err());

        migrate(&mut connection, &file, &broken[..3]).unwrap();
        assert!(connection.prepare("SELECT a FROM more").is_ok());
        // Now the file is newer than this program.
        let newer = LogError::Newer { file: file.clone(), found: 3, known: 2 };
        assert_eq!(version(&connection, &file), Err(newer.clone()));
        drop(connection);
        assert_eq!(open_to_write(&file).map(drop), Err(newer.clone()));
        assert_eq!(open_to_read(&file).map(drop), Err(newer));
    }

    #[test]
    fn another_database_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("other");
        let other = Connection::open(&file).unwrap();
        other.execute_batch("CREATE TABLE accounts (name TEXT)").unwrap();
        drop(other);
        let before = std::fs::read(&file).unwrap();
        let refused = LogError::NotAStore { file: file.clone() };
        assert_eq!(open_to_write(&file).map(drop), Err(refused.clone()));
        assert_eq!(open_to_read(&file).map(drop), Err(refused));
        assert_eq!(std::fs::read(&file).unwrap(), before);
    }
}
