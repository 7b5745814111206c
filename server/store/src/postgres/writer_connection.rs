//! Connection of a writer: the fence, and the reads of a commit.

use std::collections::HashSet;

use futures_util::future::try_join5;
use tokio_postgres::{Error, Statement};

use super::connect::{PgAddress, PgConnection};
use super::prefetch::{FetchedRows, Wanted};
use super::rows::{COLUMNS, bigint};
use super::write::WriteStatements;
use crate::LogError;
use crate::journal::errors::StoreErrors;

/// A connection with the statements of a writer.
pub(super) struct WriterConnection {
    pub(super) db: PgConnection,
    pub(super) write: WriteStatements,
    fence: Statement,
    check: Statement,
    rows: Statement,
    requests: Statement,
    ranges: Statement,
}

impl WriterConnection {
    pub(super) async fn open(address: &PgAddress) -> Result<WriterConnection, LogError> {
        let db = address.connect().await?;
        StoreErrors(address.name()).pg(WriterConnection::prepare(db).await)
    }

    async fn prepare(db: PgConnection) -> Result<WriterConnection, Error> {
        let client = &db.client;
        let fence = "UPDATE writers SET seq = seq + 1 WHERE id = $1 AND seq = $2 AND NOT sealed";
        let check = "UPDATE writers SET checked = checked + 1 WHERE id = $1 RETURNING seq, sealed";
        let rows = format!("SELECT {COLUMNS} FROM tables WHERE id = ANY($1::BYTEA[])");
        let requests = "SELECT owner, request, id FROM tables WHERE (owner, request) IN \
             (SELECT * FROM UNNEST($1::TEXT[], $2::TEXT[]))";
        // In one order, so that two writers do not wait for each other's owners.
        let ranges = "SELECT owner, first, last, sum FROM owners WHERE owner = ANY($1::TEXT[]) ORDER BY owner FOR UPDATE";
        Ok(WriterConnection {
            write: WriteStatements::prepare(client).await?,
            fence: client.prepare(fence).await?,
            check: client.prepare(check).await?,
            rows: client.prepare(&rows).await?,
            requests: client.prepare(requests).await?,
            ranges: client.prepare(ranges).await?,
            db,
        })
    }

    /// Begins a transaction, takes the fence and reads, all in one round trip. `None` if the fence is closed.
    pub(super) async fn begin(
        &self,
        writer: i64,
        seq: u64,
        wanted: &Wanted<'_>,
    ) -> Result<Option<FetchedRows>, Error> {
        let client = &self.db.client;
        let (owners, requests): (Vec<&str>, Vec<&str>) = wanted.requests.iter().copied().unzip();
        let ids: Vec<&[u8]> = wanted.tables.iter().map(|id| id.as_bytes().as_slice()).collect();
        let feeds: Vec<&str> = wanted.feeds.iter().copied().collect();
        let seq = bigint(seq);
        // The first poll of each future sends its statement, in this order.
        let ((), taken, rows, requests, ranges) = try_join5(
            client.batch_execute("BEGIN"),
            client.execute(&self.fence, &[&writer, &seq]),
            async { if ids.is_empty() { Ok(Vec::new()) } else { client.query(&self.rows, &[&ids]).await } },
            async {
                if owners.is_empty() {
                    Ok(Vec::new())
                } else {
                    client.query(&self.requests, &[&owners, &requests]).await
                }
            },
            async {
                if feeds.is_empty() { Ok(Vec::new()) } else { client.query(&self.ranges, &[&feeds]).await }
            },
        )
        .await?;
        let asked: HashSet<_> = wanted.tables.iter().copied().collect();
        Ok((taken == 1).then_some(FetchedRows { asked, rows, requests, ranges }))
    }

    /// Reads rows of tables within the transaction.
    pub(super) async fn more_rows(&self, ids: &[&[u8]]) -> Result<Vec<tokio_postgres::Row>, Error> {
        self.db.client.query(&self.rows, &[&ids]).await
    }

    /// Ends the transaction without a change. If that fails, the connection is broken, and the next commit finds it.
    pub(super) async fn roll_back(&self) {
        let _ = self.db.client.batch_execute("ROLLBACK").await;
    }

    /// Sequence number of a writer, and whether it is sealed, read by a write. `None` if the writer is gone.
    pub(super) async fn check_writer(&self, writer: i64) -> Result<Option<(u64, bool)>, Error> {
        let row = self.db.client.query_opt(&self.check, &[&writer]).await?;
        Ok(row.map(|row| (u64::try_from(row.get::<_, i64>(0)).unwrap_or(0), row.get(1))))
    }
}
