//! Schema of the database, in portable SQL, and its migrations.

use tokio_postgres::Client;

use crate::LogError;
use crate::journal::errors::StoreErrors;

/// Migrations from an empty database to the current schema. A released migration never changes; a new version
/// adds one.
const MIGRATIONS: &[&str] = &["
    -- One row per writer: a connection that commits the appends of some tables. Every commit increments `seq`, and
    -- none succeeds once the writer is sealed: this is the fence against a node that others believe dead.
    CREATE TABLE writers (
        id BIGINT PRIMARY KEY,
        node TEXT NOT NULL,
        seq BIGINT NOT NULL,
        checked BIGINT NOT NULL DEFAULT 0,
        sealed BOOLEAN NOT NULL DEFAULT FALSE
    );

    -- The nodes that are not retired, and the writer that each partition belongs to; 0 stands for none.
    CREATE TABLE nodes (
        id TEXT PRIMARY KEY,
        writer BIGINT NOT NULL,
        address TEXT NOT NULL,
        version TEXT NOT NULL,
        settings TEXT NOT NULL,
        lease_until TIMESTAMPTZ NOT NULL
    );
    CREATE TABLE partitions (
        number SMALLINT PRIMARY KEY,
        writer BIGINT NOT NULL
    );

    -- Values that all nodes share, such as keys. Each is written once, by the first node.
    CREATE TABLE shared_values (
        name TEXT PRIMARY KEY,
        value BYTEA NOT NULL
    );

    -- The entries of all tables in play that one commit brought, in parts of a bounded size.
    CREATE TABLE journal (
        writer BIGINT NOT NULL,
        seq BIGINT NOT NULL,
        part BIGINT NOT NULL,
        sum BYTEA NOT NULL,
        body BYTEA NOT NULL,
        PRIMARY KEY (writer, seq, part)
    );

    -- One row per table. `log_bytes` of its log are in log_parts; later entries of a table in play are in the journal of
    -- its writer, in the rows from `journal_from` on.
    CREATE TABLE tables (
        id BYTEA PRIMARY KEY,
        owner TEXT NOT NULL,
        game TEXT NOT NULL,
        state SMALLINT NOT NULL,
        visibility SMALLINT NOT NULL,
        created BIGINT NOT NULL,
        updated BIGINT NOT NULL,
        request TEXT,
        place SMALLINT NOT NULL,
        wakes_at BIGINT,
        journal_from BIGINT NOT NULL,
        length BIGINT NOT NULL,
        head BYTEA NOT NULL,
        record_hash BYTEA,
        sum BYTEA NOT NULL,
        kind SMALLINT NOT NULL,
        tags TEXT,
        writer BIGINT NOT NULL,
        log_bytes BIGINT NOT NULL,
        -- Number of the partition, which follows from the id.
        part SMALLINT NOT NULL
    );
    CREATE INDEX tables_of_owner ON tables (owner, id);
    CREATE INDEX tables_of_owner_by_state ON tables (owner, state, id);
    CREATE INDEX tables_by_state ON tables (visibility, state, id);
    CREATE INDEX tables_in_state ON tables (state, id);
    CREATE INDEX tables_by_game ON tables (game);
    CREATE UNIQUE INDEX tables_by_request ON tables (owner, request) WHERE request IS NOT NULL;
    CREATE INDEX tables_in_play ON tables (id) WHERE place = 0;
    CREATE INDEX tables_waking ON tables (wakes_at, id) WHERE wakes_at IS NOT NULL;
    CREATE INDEX tables_finished ON tables (updated) WHERE place = 2;

    -- Logs and records, in parts of a bounded size. `at` is the position of the part in bytes.
    CREATE TABLE log_parts (
        id BYTEA NOT NULL,
        at BIGINT NOT NULL,
        body BYTEA NOT NULL,
        PRIMARY KEY (id, at)
    );
    CREATE TABLE record_parts (
        id BYTEA NOT NULL,
        at BIGINT NOT NULL,
        body BYTEA NOT NULL,
        PRIMARY KEY (id, at)
    );

    CREATE TABLE tags (
        tag TEXT NOT NULL,
        id BYTEA NOT NULL,
        finished BOOLEAN NOT NULL,
        PRIMARY KEY (tag, id)
    );
    CREATE INDEX tags_unfinished ON tags (tag, id) WHERE NOT finished;

    CREATE TABLE feed (
        owner TEXT NOT NULL,
        number BIGINT NOT NULL,
        at BIGINT NOT NULL,
        sum BYTEA NOT NULL,
        payload BYTEA NOT NULL,
        PRIMARY KEY (owner, number)
    );
    CREATE TABLE owners (
        owner TEXT PRIMARY KEY,
        first BIGINT NOT NULL,
        last BIGINT NOT NULL,
        sum BYTEA NOT NULL
    );
"];

/// Creates or migrates the schema. Several nodes may do it at once: the row of the version is the lock.
pub(super) async fn migrate(client: &mut Client, errors: StoreErrors<'_>) -> Result<(), LogError> {
    let create = "CREATE TABLE IF NOT EXISTS parlor_schema (one SMALLINT PRIMARY KEY, version BIGINT NOT NULL, \
         writers BIGINT NOT NULL)";
    // Two nodes that create the table at the same moment: the second one fails, and finds it the next time.
    if let Err(first) = client.batch_execute(create).await {
        errors.pg(client.batch_execute(create).await.map_err(|_| first))?;
    }
    let first = "INSERT INTO parlor_schema (one, version, writers) VALUES (1, 0, 0) ON CONFLICT DO NOTHING";
    errors.pg(client.batch_execute(first).await)?;
    let transaction = errors.pg(client.transaction().await)?;
    let select = "SELECT version FROM parlor_schema WHERE one = 1 FOR UPDATE";
    let version: i64 = errors.pg(transaction.query_one(select, &[]).await)?.get(0);
    let known = MIGRATIONS.len() as i64;
    if version > known {
        return Err(LogError::NewerSchema { file: errors.0.to_owned(), found: version, known });
    }
    for step in MIGRATIONS.iter().skip(usize::try_from(version).unwrap_or(0)) {
        errors.pg(transaction.batch_execute(step).await)?;
    }
    let update = "UPDATE parlor_schema SET version = $1 WHERE one = 1";
    errors.pg(transaction.execute(update, &[&known]).await)?;
    errors.pg(transaction.commit().await)
}

/// Refuses a database without a store, or with one of another schema version.
pub(super) async fn check_current(client: &Client, errors: StoreErrors<'_>) -> Result<(), LogError> {
    let file = || errors.0.to_owned();
    let exists = "SELECT count(*) FROM information_schema.tables WHERE table_name = 'parlor_schema'";
    let count: i64 = errors.pg(client.query_one(exists, &[]).await)?.get(0);
    if count == 0 {
        return Err(LogError::NotAStore { file: file() });
    }
    let select = "SELECT version FROM parlor_schema WHERE one = 1";
    let found = errors.pg(client.query_opt(select, &[]).await)?.map_or(0, |row| row.get::<_, i64>(0));
    let known = MIGRATIONS.len() as i64;
    match found {
        0 => Err(LogError::NotAStore { file: file() }),
        found if found > known => Err(LogError::NewerSchema { file: file(), found, known }),
        found if found < known => Err(LogError::OlderSchema { file: file() }),
        _ => Ok(()),
    }
}
