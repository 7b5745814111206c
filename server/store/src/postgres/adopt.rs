//! Taking over the tables in play of other writers.
//!
//! A writer is sealed first: from then on it cannot commit, whatever its node believes. Then its journal is read, and each
//! of its tables in play is written out and changes over to the new writer. A node that dies on the way leaves tables of
//! both writers, and the next one takes over from both.

use std::sync::Arc;

use bytes::Bytes;
use tokio_postgres::Client;

use super::Shared;
use super::ownership::Ownership;
use super::prefetch::Wanted;
use super::rows::{COLUMNS, PgRow};
use super::schema;
use super::write::{Written, write};
use super::writer_connection::WriterConnection;
use crate::journal::batch::CommitBatch;
use crate::journal::errors::StoreErrors;
use crate::journal::index::JournalIndex;
use crate::{Hash, LogError, TableId};

/// Tables that one commit takes over.
pub(super) const ADOPT_STEP: usize = 256;
/// Rows of a journal that one query reads.
const JOURNAL_PAGE: i64 = 64;

/// A writer that has just been made.
pub(super) struct NewWriter {
    pub(super) connection: WriterConnection,
    pub(super) id: i64,
    pub(super) seq: u64,
    pub(super) index: JournalIndex,
}

/// Makes a writer for this node, and takes over everything that other writers have in play.
pub(super) async fn adopt_all(shared: &Shared, node: &str) -> Result<NewWriter, LogError> {
    let errors = StoreErrors(shared.address.name());
    let mut first = shared.address.connect().await?;
    schema::migrate(&mut first.client, errors).await?;
    drop(first);
    let connection = WriterConnection::open(&shared.address).await?;
    let client = &connection.db.client;
    let id = create_writer(client, node, errors).await?;
    errors
        .pg(client.execute("UPDATE writers SET sealed = TRUE WHERE id <> $1 AND NOT sealed", &[&id]).await)?;
    let others =
        errors.pg(client.query("SELECT id FROM writers WHERE id <> $1 ORDER BY id", &[&id]).await)?;
    let mut writer = NewWriter { id, seq: 0, index: JournalIndex::default(), connection };
    for other in others {
        let other: i64 = other.get(0);
        let old = read_index(&writer.connection.db.client, other, errors).await?;
        writer.take_over(old, &shared.ownership, errors).await?;
        forget_writer(&writer.connection.db.client, other, errors).await?;
    }
    Ok(writer)
}

/// Adds the row of a new writer, whose id no other writer ever had.
pub(super) async fn create_writer(
    client: &Client,
    node: &str,
    errors: StoreErrors<'_>,
) -> Result<i64, LogError> {
    let count = "UPDATE parlor_schema SET writers = writers + 1 WHERE one = 1 RETURNING writers";
    let id: i64 = errors.pg(client.query_one(count, &[]).await)?.get(0);
    let insert = "INSERT INTO writers (id, node, seq) VALUES ($1, $2, 0)";
    errors.pg(client.execute(insert, &[&id, &node]).await)?;
    Ok(id)
}

/// Part of a writer's journal that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JournalRead {
    /// All of it.
    Whole,
    /// Nothing: the tables are known to be in their rows.
    Skip,
}

/// Reads the tables in play of a writer that commits to them no more, and its journal.
pub(super) async fn read_index(
    client: &Client,
    writer: i64,
    errors: StoreErrors<'_>,
) -> Result<JournalIndex, LogError> {
    read_index_of(client, writer, None, JournalRead::Whole, errors).await
}

/// The same for the tables of some partitions.
pub(super) async fn read_index_of(
    client: &Client,
    writer: i64,
    partitions: Option<&[i16]>,
    journal: JournalRead,
    errors: StoreErrors<'_>,
) -> Result<JournalIndex, LogError> {
    let mut index = JournalIndex::default();
    let select = format!(
        "SELECT {COLUMNS} FROM tables WHERE place = 0 AND writer = $1 \
         AND ($2::SMALLINT[] IS NULL OR part = ANY($2::SMALLINT[]))"
    );
    for row in errors.pg(client.query(&select, &[&writer, &partitions]).await)? {
        let PgRow { row, log_bytes, .. } = PgRow::decode(&row, errors)?;
        index.put(row.id, row.stored, log_bytes, row.journal_from);
    }
    if index.tables.is_empty() || journal == JournalRead::Skip {
        return Ok(index);
    }
    let page = "SELECT seq, part, sum, body FROM journal WHERE writer = $1 AND (seq, part) > ($2, $3) \
         ORDER BY seq, part LIMIT $4";
    let mut after = (-1_i64, -1_i64);
    // The parts of a row follow each other.
    let mut open: Option<(u64, Hash, Vec<u8>)> = None;
    loop {
        let rows = errors.pg(client.query(page, &[&writer, &after.0, &after.1, &JOURNAL_PAGE]).await)?;
        for row in &rows {
            after = (row.get(0), row.get(1));
            let seq = after.0.unsigned_abs();
            let sum = Hash::try_from(row.get::<_, &[u8]>(2));
            let sum = sum
                .map_err(|_| errors.damaged(None, None, &format!("row {seq} of the journal is corrupted")))?;
            match &mut open {
                Some((current, _, body)) if *current == seq => body.extend_from_slice(row.get(3)),
                _ => {
                    if let Some((seq, sum, body)) = open.replace((seq, sum, row.get(3))) {
                        index.replay_row(seq, &sum, &Bytes::from(body), errors)?;
                    }
                }
            }
        }
        if rows.is_empty() {
            break;
        }
    }
    if let Some((seq, sum, body)) = open {
        index.replay_row(seq, &sum, &Bytes::from(body), errors)?;
    }
    Ok(index)
}

/// Removes a sealed writer that has no tables in play any more, and its journal.
async fn forget_writer(client: &Client, writer: i64, errors: StoreErrors<'_>) -> Result<(), LogError> {
    errors.pg(client.execute("DELETE FROM journal WHERE writer = $1", &[&writer]).await)?;
    errors.pg(client.execute("DELETE FROM writers WHERE id = $1 AND sealed", &[&writer]).await)?;
    Ok(())
}

impl NewWriter {
    /// Takes over the tables in play of a sealed writer.
    async fn take_over(
        &mut self,
        old: JournalIndex,
        ownership: &Arc<Ownership>,
        errors: StoreErrors<'_>,
    ) -> Result<(), LogError> {
        let ids: Vec<TableId> = old.tables.keys().copied().collect();
        for ids in ids.chunks(ADOPT_STEP) {
            let wanted = Wanted { tables: ids.iter().copied().collect(), ..Wanted::default() };
            let fetched = errors.pg(self.connection.begin(self.id, self.seq, &wanted).await)?;
            let rows = fetched.ok_or(LogError::Fenced)?.decode(ownership, errors)?;
            let mut batch = CommitBatch::new(&rows, &old, self.seq + 1, errors, ids.len());
            for id in ids {
                batch.write_out(*id)?;
            }
            let plan = batch.plan(u64::MAX);
            let client = &self.connection.db.client;
            if errors.pg(write(&plan, self.id, false, client, &self.connection.write).await)? != Written::All
            {
                return Err(LogError::Fenced);
            }
            // A failure here ends the start: the next one takes over from this writer, too.
            errors.pg(client.batch_execute("COMMIT").await)?;
            self.seq = plan.seq;
            plan.apply(&mut self.index);
        }
        Ok(())
    }
}
