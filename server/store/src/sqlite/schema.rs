//! The store's file: opening, locking, schema and migrations.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::file_errors::io_error;
use super::private_file;
use crate::LogError;
use crate::journal::errors::StoreErrors;

/// SQLite application id of a Parlor store: "Parl".
const APPLICATION_ID: i64 = 0x5061_726c;

/// Migrations from an empty file to the current schema. A released migration never changes; a new version
/// adds one.
pub(super) const MIGRATIONS: &[&str] = &[
    "
    -- One row per commit: the entries of all tables in play.
    CREATE TABLE journal (
        seq INTEGER PRIMARY KEY,
        sum BLOB NOT NULL,
        body BLOB NOT NULL
    ) STRICT;

    -- One row per table, with its log up to `length`. Later entries of a table in play are in the journal, in
    -- the rows from `journal_from` on. `sum` covers all columns but the two large ones, which have hashes of
    -- their own.
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

    -- Owner feeds, and the kept range of numbers of each.
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

    -- Single row: the last commit and the expected row counts, so that a missing row is detected.
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
    -- LogKind of a table, and its tags separated by spaces. The columns follow the large ones, but a table
    -- without tags stores NULL there, so nothing is read in vain.
    ALTER TABLE tables ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tables ADD COLUMN tags TEXT;

    -- TablePage by tag. Tournaments and agents also have a tag of their kind.
    CREATE TABLE tags (
        tag TEXT NOT NULL,
        id BLOB NOT NULL,
        finished INTEGER NOT NULL,
        PRIMARY KEY (tag, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tags_unfinished ON tags (tag, id) WHERE finished = 0;
",
    "
    -- The games that have tables, without reading these.
    CREATE INDEX tables_by_game ON tables (game);
    -- Tables in a state for a caller who also sees private ones.
    CREATE INDEX tables_in_state ON tables (state, id);
",
];

/// Lock that excludes other processes while the store is open.
pub(crate) struct StoreLock {
    _file: File,
}

impl StoreLock {
    pub(super) fn acquire(store: &Path) -> Result<StoreLock, LogError> {
        let path = with_suffix(store, ".lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(private_file::PRIVATE)
            .open(&path)
            .map_err(|error| io_error(&path, error))?;
        // A lock needs no more than read access.
        private_file::restrict(&path).map_err(|error| io_error(&path, error))?;
        match file.try_lock() {
            Ok(()) => Ok(StoreLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(LogError::InUse { file: store.into() }),
            Err(TryLockError::Error(error)) => Err(io_error(&path, error)),
        }
    }
}

/// The store's path with a suffix added.
pub(super) fn with_suffix(store: &Path, suffix: &str) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Opens the writer's connection, creating or migrating the store, which no other user can access from then on.
pub(super) fn open_writer(file: &Path) -> Result<Connection, LogError> {
    let errors = StoreErrors(file);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    private_file::create(file)?;
    let mut connection = connect(file, flags)?;
    version(&connection, file)?;
    private_file::restrict_store(file)?;
    let set = |name, value: &str| connection.pragma_update(None, name, value);
    errors.wrap(set("journal_mode", "WAL"))?;
    // An acknowledged entry survives a power cut: every commit waits for the disk.
    errors.wrap(set("synchronous", "FULL"))?;
    errors.wrap(set("wal_autocheckpoint", "2000"))?;
    errors.wrap(set("journal_size_limit", "67108864"))?;
    migrate(&mut connection, file, MIGRATIONS)?;
    Ok(connection)
}

/// Opens a read-only connection. The store must exist and have the current schema.
pub(super) fn open_reader(file: &Path) -> Result<Connection, LogError> {
    let (connection, version) = open_any_version(file)?;
    if version < MIGRATIONS.len() {
        return Err(LogError::OlderSchema { file: file.into() });
    }
    // Rows are rarely read twice, and the page cache of the system has the file anyway. In KiB.
    StoreErrors(file).wrap(connection.pragma_update(None, "cache_size", -512))?;
    Ok(connection)
}

/// Opens a read-only connection to a store of any known schema version, and returns that version.
fn open_any_version(file: &Path) -> Result<(Connection, usize), LogError> {
    let connection = connect(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    match version(&connection, file)? {
        0 => Err(LogError::NotAStore { file: file.into() }),
        version => Ok((connection, version)),
    }
}

/// Copies a consistent snapshot of a store to a file that must not exist, and migrates the copy.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), LogError> {
    let (db, _) = open_any_version(from)?;
    let name =
        to.to_str().ok_or_else(|| LogError::Io { file: to.into(), why: "the name must be UTF-8".into() })?;
    // VACUUM INTO fills an empty file.
    private_file::create(to)?;
    StoreErrors(from).wrap(db.execute("VACUUM INTO ?1", [name]))?;
    let mut copy = connect(to, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    migrate(&mut copy, to, MIGRATIONS)
}

fn connect(file: &Path, flags: OpenFlags) -> Result<Connection, LogError> {
    let errors = StoreErrors(file);
    let connection =
        errors.wrap(Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX))?;
    connection.set_prepared_statement_cache_capacity(64);
    errors.wrap(connection.pragma_update(None, "cell_size_check", "ON"))?;
    errors.wrap(connection.pragma_update(None, "trusted_schema", "OFF"))?;
    Ok(connection)
}

/// Schema version; 0 for an empty file.
fn version(connection: &Connection, file: &Path) -> Result<usize, LogError> {
    let errors = StoreErrors(file);
    let number = |name| errors.wrap(connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)));
    let (application, version) = (number("application_id")?, number("user_version")?);
    let objects: i64 =
        errors.wrap(connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)))?;
    match (application, version) {
        (0, 0) if objects == 0 => Ok(0),
        (APPLICATION_ID, version) if version > MIGRATIONS.len() as i64 => {
            Err(LogError::NewerSchema { file: file.into(), found: version, known: MIGRATIONS.len() as i64 })
        }
        (APPLICATION_ID, version) if version > 0 => Ok(version as usize),
        _ => Err(LogError::NotAStore { file: file.into() }),
    }
}

/// Runs the missing migrations in one transaction.
fn migrate(connection: &mut Connection, file: &Path, steps: &[&str]) -> Result<(), LogError> {
    let errors = StoreErrors(file);
    let done = version(connection, file)?;
    let Some(open) = steps.get(done..).filter(|open| !open.is_empty()) else {
        return Ok(());
    };
    let transaction = errors.wrap(connection.transaction_with_behavior(TransactionBehavior::Immediate))?;
    for step in open {
        errors.wrap(transaction.execute_batch(step))?;
    }
    errors.wrap(transaction.pragma_update(None, "application_id", APPLICATION_ID))?;
    errors.wrap(transaction.pragma_update(None, "user_version", steps.len() as i64))?;
    errors.wrap(transaction.commit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_run_once_and_atomically() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store");
        let mut connection = open_writer(&file).unwrap();
        assert_eq!(version(&connection, &file), Ok(3));
        migrate(&mut connection, &file, MIGRATIONS).unwrap();

        let more = ["CREATE TABLE more (a INTEGER) STRICT", "CREATE NONSENSE"];
        let broken = [MIGRATIONS, &more].concat();
        assert!(migrate(&mut connection, &file, &broken).is_err());
        assert!(connection.prepare("SELECT a FROM more").is_err());

        migrate(&mut connection, &file, &broken[..4]).unwrap();
        assert!(connection.prepare("SELECT a FROM more").is_ok());
        // The file now has a newer schema than this program.
        let newer = LogError::NewerSchema { file: file.clone(), found: 4, known: 3 };
        assert_eq!(version(&connection, &file), Err(newer.clone()));
        drop(connection);
        assert_eq!(open_writer(&file).map(drop), Err(newer.clone()));
        assert_eq!(open_reader(&file).map(drop), Err(newer));
    }

    #[test]
    fn foreign_database_is_refused_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("other");
        let other = Connection::open(&file).unwrap();
        other.execute_batch("CREATE TABLE accounts (name TEXT)").unwrap();
        drop(other);
        let before = std::fs::read(&file).unwrap();
        let refused = LogError::NotAStore { file: file.clone() };
        assert_eq!(open_writer(&file).map(drop), Err(refused.clone()));
        assert_eq!(open_reader(&file).map(drop), Err(refused));
        assert_eq!(std::fs::read(&file).unwrap(), before);
    }
}
