//! Reading and writing a whole database at once, for copies and checks.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tokio_postgres::Client;

use super::adopt::{create_writer, read_index};
use super::connect::{PgAddress, PgConnection};
use super::rows::{COLUMNS, PgRow, bigint, decode_range};
use super::schema;
use super::write::{WriteStatements, Written, write};
use crate::journal::errors::StoreErrors;
use crate::journal::feed::{FeedRange, verify_item};
use crate::journal::index::JournalIndex;
use crate::journal::plan::CommitPlan;
use crate::journal::row::StoredRow;
use crate::journal::table_change::{PendingTable, RowWrite, TableChange};
use crate::{FastMap, FeedItem, Hash, LogError, Millis, OwnerId, TableId};

/// Rows that one query reads.
const PAGE_ROWS: i64 = 256;
/// Bytes of logs and records that one page reads, except for its last table.
const PAGE_BYTES: u64 = 8 << 20;

/// Begins a read-only transaction that sees one snapshot.
pub(crate) async fn begin_snapshot(address: &PgAddress) -> Result<Client, LogError> {
    let errors = StoreErrors(address.name());
    let PgConnection { client, .. } = address.connect().await?;
    schema::check_current(&client, errors).await?;
    errors.pg(client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await)?;
    Ok(client)
}

/// The tables in play of every writer, with what the journals have of them.
pub(crate) async fn read_journals(
    client: &Client,
    errors: StoreErrors<'_>,
) -> Result<HashMap<i64, JournalIndex>, LogError> {
    let mut journals = HashMap::new();
    let writers = "SELECT DISTINCT writer FROM tables WHERE place = 0";
    for row in errors.pg(client.query(writers, &[]).await)? {
        let writer: i64 = row.get(0);
        journals.insert(writer, read_index(client, writer, errors).await?);
    }
    Ok(journals)
}

/// Rows of the journals.
pub(crate) async fn journal_rows(client: &Client, errors: StoreErrors<'_>) -> Result<u64, LogError> {
    let count = "SELECT count(*) FROM journal WHERE part = 0";
    Ok(errors.pg(client.query_one(count, &[]).await)?.get::<_, i64>(0).unsigned_abs())
}

/// All stored of a table outside the journals; the log and the record are unverified.
pub(crate) struct TableRows {
    pub(crate) row: StoredRow,
    /// The writer that has the table's journal, if the table is in play.
    pub(crate) writer: i64,
    pub(crate) log: Vec<u8>,
    pub(crate) record: Option<Vec<u8>>,
}

/// The next tables after an id, in order: each with its rows, or its damage.
pub(crate) async fn tables_after(
    client: &Client,
    after: Option<TableId>,
    errors: StoreErrors<'_>,
) -> Result<Vec<(TableId, Result<TableRows, LogError>)>, LogError> {
    let after = after.map_or_else(Vec::new, |id| id.as_bytes().to_vec());
    let select = format!("SELECT {COLUMNS}, writer FROM tables WHERE id > $1 ORDER BY id LIMIT $2");
    let mut rows = errors.pg(client.query(&select, &[&after, &PAGE_ROWS]).await)?;
    let ids: Vec<Vec<u8>> = rows.iter().map(|row| row.get(0)).collect();
    let mut sizes = PartSizes::read(client, &ids, errors).await?;
    let fit = sizes.rows_that_fit(&ids);
    rows.truncate(fit);
    let ids = &ids[..fit];
    let mut logs = parts(client, "log_parts", ids, errors).await?;
    let mut records = parts(client, "record_parts", ids, errors).await?;
    let mut tables = Vec::with_capacity(fit);
    for (row, key) in rows.iter().zip(ids) {
        let id = <[u8; 16]>::try_from(key.as_slice()).map(TableId::from_bytes);
        let id = id.map_err(|_| errors.damaged(None, None, "a table has no valid id"))?;
        let read = PgRow::decode(row, errors).and_then(|PgRow { row: stored, log_bytes }| {
            let log = logs.remove(key).unwrap_or_default();
            if log.len() as u64 != log_bytes {
                return Err(errors.damaged_table(id));
            }
            Ok(TableRows { row: stored, writer: row.get("writer"), log, record: records.remove(key) })
        });
        tables.push((id, read));
    }
    Ok(tables)
}

/// Bytes of the logs and records of some tables.
struct PartSizes(HashMap<Vec<u8>, u64>);

impl PartSizes {
    async fn read(client: &Client, ids: &[Vec<u8>], errors: StoreErrors<'_>) -> Result<PartSizes, LogError> {
        let mut sizes = HashMap::new();
        for table in ["log_parts", "record_parts"] {
            let select = format!(
                "SELECT id, CAST(sum(length(body)) AS BIGINT) FROM {table} WHERE id = ANY($1::BYTEA[]) GROUP BY id"
            );
            for row in errors.pg(client.query(&select, &[&ids]).await)? {
                *sizes.entry(row.get(0)).or_default() += row.get::<_, i64>(1).unsigned_abs();
            }
        }
        Ok(PartSizes(sizes))
    }

    /// Number of tables, from the first on, that one page has.
    fn rows_that_fit(&mut self, ids: &[Vec<u8>]) -> usize {
        let mut bytes = 0;
        let fit = ids.iter().take_while(|id| {
            let begins = bytes <= PAGE_BYTES;
            bytes += self.0.get(*id).copied().unwrap_or(0);
            begins
        });
        fit.count()
    }
}

/// The joined parts of some tables. One that has a gap is cut off there.
async fn parts(
    client: &Client,
    table: &str,
    ids: &[Vec<u8>],
    errors: StoreErrors<'_>,
) -> Result<HashMap<Vec<u8>, Vec<u8>>, LogError> {
    let select = format!("SELECT id, at, body FROM {table} WHERE id = ANY($1::BYTEA[]) ORDER BY id, at");
    let mut joined: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    for row in errors.pg(client.query(&select, &[&ids]).await)? {
        let bytes = joined.entry(row.get(0)).or_default();
        if row.get::<_, i64>(1) == bigint(bytes.len() as u64) {
            bytes.extend_from_slice(row.get(2));
        }
    }
    Ok(joined)
}

/// The next feeds after an owner, in order.
pub(crate) async fn owners_after(
    client: &Client,
    after: Option<&OwnerId>,
    errors: StoreErrors<'_>,
) -> Result<Vec<(OwnerId, FeedRange)>, LogError> {
    let select = "SELECT owner, first, last, sum FROM owners WHERE owner > $1 ORDER BY owner LIMIT $2";
    let after = after.map_or("", OwnerId::as_str);
    let rows = errors.pg(client.query(select, &[&after, &PAGE_ROWS]).await)?;
    rows.iter().map(|row| decode_range(row, errors)).collect()
}

/// Items of a feed from a number on, at most a page of them.
pub(crate) async fn feed_items(
    client: &Client,
    owner: &OwnerId,
    first: u64,
    range: FeedRange,
    errors: StoreErrors<'_>,
) -> Result<Vec<FeedItem>, LogError> {
    let last = range.page_end(first);
    let select = "SELECT number, at, sum, payload FROM feed WHERE owner = $1 AND number >= $2 AND number <= $3 \
         ORDER BY number";
    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 3] =
        [&owner.as_str(), &bigint(first), &bigint(last)];
    let rows = errors.pg(client.query(select, &values).await)?;
    let mut items = rows.iter();
    let decode = |row: &tokio_postgres::Row| {
        let item = FeedItem {
            number: row.get::<_, i64>(0).unsigned_abs(),
            at: Millis(row.get::<_, i64>(1).unsigned_abs()),
            payload: row.get::<_, Vec<u8>>(3).into(),
        };
        Hash::try_from(row.get::<_, &[u8]>(2)).ok().map(|sum| (item, sum))
    };
    (first..=last).map(|number| verify_item(owner, number, items.next().and_then(decode), errors)).collect()
}

/// Rows of tags and of feed items.
pub(crate) async fn row_counts(client: &Client, errors: StoreErrors<'_>) -> Result<(u64, u64), LogError> {
    let counts = "SELECT (SELECT count(*) FROM tags), (SELECT count(*) FROM feed)";
    let row = errors.pg(client.query_one(counts, &[]).await)?;
    Ok((row.get::<_, i64>(0).unsigned_abs(), row.get::<_, i64>(1).unsigned_abs()))
}

/// A database that no server has used, in the transaction that fills it.
pub(crate) struct EmptyDatabase {
    connection: PgConnection,
    name: PathBuf,
    statements: WriteStatements,
    /// A sealed writer of the tables in play: the first server takes over from it.
    writer: i64,
}

impl EmptyDatabase {
    /// Begins the transaction. It holds the row that a server needs to start, so that none starts meanwhile.
    pub(crate) async fn begin(address: &PgAddress) -> Result<EmptyDatabase, LogError> {
        let name = address.name().to_owned();
        let errors = StoreErrors(&name);
        let mut connection = address.connect().await?;
        schema::migrate(&mut connection.client, errors).await?;
        let client = &connection.client;
        let statements = errors.pg(WriteStatements::prepare(client).await)?;
        errors.pg(client.batch_execute("BEGIN").await)?;
        let writer = create_writer(client, "copy-store", errors).await?;
        let used = "SELECT EXISTS (SELECT 1 FROM tables) OR EXISTS (SELECT 1 FROM owners) \
             OR EXISTS (SELECT 1 FROM writers WHERE id <> $1)";
        if errors.pg(client.query_one(used, &[&writer]).await)?.get(0) {
            return Err(LogError::NotEmpty { file: name });
        }
        errors.pg(client.execute("UPDATE writers SET sealed = TRUE WHERE id = $1", &[&writer]).await)?;
        Ok(EmptyDatabase { connection, name, statements, writer })
    }

    pub(crate) fn client(&self) -> &Client {
        &self.connection.client
    }

    pub(crate) fn name(&self) -> &Path {
        &self.name
    }

    /// Inserts tables, all of whose logs are in their rows.
    pub(crate) async fn put_tables(
        &mut self,
        tables: impl Iterator<Item = (StoredRow, Vec<u8>, Option<Vec<u8>>)>,
    ) -> Result<(), LogError> {
        let change = |(row, log, record): (StoredRow, Vec<u8>, Option<Vec<u8>>)| {
            let id = row.id;
            let mut pending = PendingTable::at_rest(&row, log.len() as u64);
            pending.record = record.map(bytes::Bytes::from);
            pending.row = Some(Box::new(row));
            pending.row_write = RowWrite::InsertLog(log);
            (id, TableChange { pending: Some(pending), stored: false, deleted: false })
        };
        let plan = CommitPlan { tables: tables.map(change).collect(), ..empty_plan() };
        self.write(&plan).await
    }

    pub(crate) async fn put_feed(&mut self, owner: &OwnerId, range: FeedRange) -> Result<(), LogError> {
        let plan = CommitPlan { owners: HashMap::from([(owner.clone(), range)]), ..empty_plan() };
        self.write(&plan).await
    }

    pub(crate) async fn put_items(&mut self, owner: &OwnerId, items: Vec<FeedItem>) -> Result<(), LogError> {
        let posted = items.into_iter().map(|item| (owner.clone(), item)).collect();
        self.write(&CommitPlan { posted, ..empty_plan() }).await
    }

    async fn write(&self, plan: &CommitPlan) -> Result<(), LogError> {
        let errors = StoreErrors(&self.name);
        let client = &self.connection.client;
        match errors.pg(write(plan, self.writer, false, client, &self.statements).await)? {
            Written::All => Ok(()),
            Written::Partly => Err(LogError::NotEmpty { file: self.name.clone() }),
        }
    }

    pub(crate) async fn commit(self) -> Result<(), LogError> {
        let errors = StoreErrors(&self.name);
        errors.pg(self.connection.client.batch_execute("COMMIT").await)
    }

    pub(crate) async fn roll_back(self) {
        // Dropping the connection does the same.
        let _ = self.connection.client.batch_execute("ROLLBACK").await;
    }
}

fn empty_plan() -> CommitPlan {
    CommitPlan {
        seq: 0,
        tables: FastMap::default(),
        posted: Vec::new(),
        owners: HashMap::new(),
        body: Vec::new(),
        keep_from: 0,
    }
}
