//! Partitions that come and go: adopting the tables in play of another writer, and handing over one's own.

use std::collections::BTreeMap;

use parlor_fair::Partition;
use tokio_postgres::Client;

use super::adopt::{ADOPT_STEP, JournalRead, read_index_of};
use super::committer::{Failure, Lane, failure};
use super::membership::WriterId;
use super::prefetch::Wanted;
use super::write::write;
use super::writer_connection::WriterConnection;
use crate::journal::batch::CommitBatch;
use crate::journal::errors::StoreErrors;
use crate::journal::index::JournalIndex;
use crate::{LogError, TableId};

impl Lane {
    /// Takes over the tables in play of partitions that are assigned to this writer: those of a sealed writer with what its
    /// journal has of them, those that were released from their rows alone.
    pub(super) async fn try_adopt(&mut self, partitions: &[Partition]) -> Result<(), Failure> {
        let shared = self.shared.clone();
        let errors = StoreErrors(shared.address.name());
        self.ensure_connected().await?;
        let numbers: Vec<i16> = partitions.iter().map(|partition| i16::from(partition.number())).collect();
        let (assigned, sources) = {
            let client = &self.connected()?.db.client;
            let assigned = assigned(client, self.writer, &numbers).await;
            let assigned = assigned.map_err(|error| failure(&error, errors))?;
            let sources = sources(client, &assigned).await.map_err(|error| failure(&error, errors))?;
            (assigned, sources)
        };
        for (writer, journal) in sources {
            let client = &self.connected()?.db.client;
            let tables = read_index_of(client, writer, Some(&assigned), journal, errors).await;
            let tables = tables.map_err(retried)?;
            if writer == self.writer {
                // Released before, and never adopted by anybody: all of them are in their rows.
                let mut index = shared.index_mut();
                for (id, table) in &tables.tables {
                    if !index.tables.contains_key(id) {
                        index.put(*id, table.stored, table.stored_bytes, table.journal_from);
                    }
                }
                continue;
            }
            let ids: Vec<TableId> = tables.tables.keys().copied().collect();
            for ids in ids.chunks(ADOPT_STEP) {
                self.take_over(&tables, ids, errors).await?;
            }
        }
        for number in assigned {
            if let Ok(number) = u8::try_from(number) {
                shared.ownership.set(Partition::new(number), true);
            }
        }
        let client = &self.connected()?.db.client;
        forget_drained(client).await.map_err(|error| failure(&error, errors))
    }

    /// Writes tables of another writer out, which makes them this writer's, in one commit.
    async fn take_over(
        &mut self,
        old: &JournalIndex,
        ids: &[TableId],
        errors: StoreErrors<'_>,
    ) -> Result<(), Failure> {
        let wanted = Wanted { tables: ids.iter().copied().collect(), ..Wanted::default() };
        let seq = self.seq + 1;
        let plan = {
            let rows = self.begin(&wanted, errors).await?;
            let mut batch = CommitBatch::new(&rows, old, seq, errors, ids.len());
            for id in ids {
                batch.write_out(*id).map_err(Failure::Refused)?;
            }
            batch.plan(u64::MAX)
        };
        let connection = self.connected()?;
        let written = write(&plan, self.writer, false, &connection.db.client, &connection.write).await;
        self.commit_written(plan, written, errors).await
    }

    /// Hands a partition over to another writer. Returns false, and keeps it, if that writer is gone.
    pub(super) async fn try_release(&mut self, partition: Partition, to: WriterId) -> Result<bool, Failure> {
        let shared = self.shared.clone();
        let errors = StoreErrors(shared.address.name());
        if !shared.ownership.has(partition) {
            return Ok(true);
        }
        self.ensure_connected().await?;
        // From here on nothing is read from memory: the new owner may commit before this one hears that it has.
        shared.ownership.set(partition, false);
        let released = self.release(partition, to, errors).await;
        match &released {
            Ok(true) => {
                let mut index = shared.index_mut();
                let ids: Vec<TableId> =
                    index.tables.keys().copied().filter(|id| id.partition() == partition).collect();
                ids.iter().for_each(|id| index.remove(id));
            }
            Ok(false) | Err(_) => shared.ownership.set(partition, true),
        }
        released
    }

    async fn release(
        &mut self,
        partition: Partition,
        to: WriterId,
        errors: StoreErrors<'_>,
    ) -> Result<bool, Failure> {
        let shared = self.shared.clone();
        let tables: Vec<TableId> = {
            let index = shared.index();
            index.tables.keys().copied().filter(|id| id.partition() == partition).collect()
        };
        let wanted = Wanted { tables: tables.iter().copied().collect(), ..Wanted::default() };
        let seq = self.seq + 1;
        let rows = self.begin(&wanted, errors).await?;
        let (plan, truncates) = {
            let index = shared.index();
            let mut batch = CommitBatch::new(&rows, &index, seq, errors, tables.len());
            for id in &tables {
                batch.write_out(*id).map_err(Failure::Refused)?;
            }
            let plan = batch.plan(u64::MAX);
            let truncates = index.rows_before(plan.keep_from) > 0;
            (plan, truncates)
        };
        let connection = self.connected()?;
        let client = &connection.db.client;
        let hand_over = "UPDATE partitions SET writer = $3 WHERE number = $1 AND writer = $2 \
             AND EXISTS (SELECT 1 FROM writers WHERE id = $3 AND NOT sealed)";
        let number = i16::from(partition.number());
        let handed = client.execute(hand_over, &[&number, &self.writer, &to.0]).await;
        if handed.map_err(|error| failure(&error, errors))? == 0 {
            connection.roll_back().await;
            return Ok(false);
        }
        let written = write(&plan, self.writer, truncates, client, &connection.write).await;
        self.commit_written(plan, written, errors).await?;
        Ok(true)
    }

    fn connected(&self) -> Result<&WriterConnection, Failure> {
        self.connection.as_ref().ok_or(Failure::Refused(LogError::Closed))
    }
}

/// An error of reading another writer's tables: what is damaged stays so, anything else is worth another try.
fn retried(error: LogError) -> Failure {
    match error {
        LogError::Damaged { .. } => Failure::Refused(error),
        _ => Failure::Unreachable(error),
    }
}

/// Those of the partitions that are assigned to a writer.
async fn assigned(client: &Client, writer: i64, numbers: &[i16]) -> Result<Vec<i16>, tokio_postgres::Error> {
    let select = "SELECT number FROM partitions WHERE number = ANY($1::SMALLINT[]) AND writer = $2";
    Ok(client.query(select, &[&numbers, &writer]).await?.iter().map(|row| row.get(0)).collect())
}

/// The writers that have tables in play in these partitions, and whether their journals have a part of them.
async fn sources(
    client: &Client,
    numbers: &[i16],
) -> Result<BTreeMap<i64, JournalRead>, tokio_postgres::Error> {
    let select = "SELECT DISTINCT writer, EXISTS (SELECT 1 FROM writers WHERE id = tables.writer AND NOT sealed) \
         FROM tables WHERE place = 0 AND part = ANY($1::SMALLINT[])";
    let rows = client.query(select, &[&numbers]).await?;
    let journal = |open: bool| if open { JournalRead::Skip } else { JournalRead::Whole };
    Ok(rows.iter().map(|row| (row.get(0), journal(row.get(1)))).collect())
}

/// Removes the sealed writers that nobody needs any more, and their journals.
async fn forget_drained(client: &Client) -> Result<(), tokio_postgres::Error> {
    let drained = "SELECT id FROM writers WHERE sealed \
         AND NOT EXISTS (SELECT 1 FROM tables WHERE place = 0 AND tables.writer = writers.id) \
         AND NOT EXISTS (SELECT 1 FROM partitions WHERE partitions.writer = writers.id)";
    for row in client.query(drained, &[]).await? {
        let writer: i64 = row.get(0);
        client.execute("DELETE FROM journal WHERE writer = $1", &[&writer]).await?;
        client.execute("DELETE FROM writers WHERE id = $1 AND sealed", &[&writer]).await?;
    }
    Ok(())
}
