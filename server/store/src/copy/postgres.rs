//! PostgreSQL databases as sources and targets of copies, and their full check.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use tokio_postgres::Client;

use super::{CopiedTable, CopySource, CopyTarget, RowCounts, TablesPage, summarize};
use crate::journal::errors::StoreErrors;
use crate::journal::feed::FeedRange;
use crate::journal::index::JournalIndex;
use crate::postgres::whole::{self, EmptyDatabase};
use crate::{FeedItem, LogError, OwnerId, PgAddress, StoreReport, TableId};

/// Checks a whole database on one snapshot. Servers may be running on it. Damage goes into the report.
///
/// # Errors
/// The database cannot be reached, or has no store.
pub async fn check(address: &PgAddress) -> Result<StoreReport, LogError> {
    let mut source = PgSource::open(address).await?;
    let journal_rows = whole::journal_rows(&source.client, StoreErrors(&source.name)).await?;
    let mut report = summarize(&mut source, None).await?.report;
    report.journal_rows = journal_rows;
    Ok(report)
}

/// A snapshot of a database.
pub(super) struct PgSource {
    client: Client,
    name: PathBuf,
    /// The tables in play of each writer.
    journals: HashMap<i64, JournalIndex>,
}

impl PgSource {
    pub(super) async fn open(address: &PgAddress) -> Result<PgSource, LogError> {
        let client = whole::begin_snapshot(address).await?;
        let journals = whole::read_journals(&client, StoreErrors(address.name())).await?;
        Ok(PgSource { client, name: address.name().to_owned(), journals })
    }
}

#[async_trait]
impl CopySource for PgSource {
    async fn tables(&mut self, after: Option<TableId>) -> Result<TablesPage, LogError> {
        tables(&self.client, &self.journals, after, &self.name).await
    }

    async fn feeds(&mut self, after: Option<&OwnerId>) -> Result<Vec<(OwnerId, FeedRange)>, LogError> {
        whole::owners_after(&self.client, after, StoreErrors(&self.name)).await
    }

    async fn feed_items(
        &mut self,
        owner: &OwnerId,
        first: u64,
        range: FeedRange,
    ) -> Result<Vec<FeedItem>, LogError> {
        whole::feed_items(&self.client, owner, first, range, StoreErrors(&self.name)).await
    }

    async fn row_counts(&mut self) -> Result<RowCounts, LogError> {
        let (tags, feed_items) = whole::row_counts(&self.client, StoreErrors(&self.name)).await?;
        Ok(RowCounts { tags, feed_items })
    }
}

async fn tables(
    client: &Client,
    journals: &HashMap<i64, JournalIndex>,
    after: Option<TableId>,
    name: &Path,
) -> Result<TablesPage, LogError> {
    let errors = StoreErrors(name);
    let mut page = Vec::new();
    for (id, read) in whole::tables_after(client, after, errors).await? {
        let table = read.and_then(|whole::TableRows { row, writer, mut log, record }| {
            let mut end = row.stored;
            if let Some(table) = journals.get(&writer).and_then(|index| index.tables.get(&id)) {
                log.extend_from_slice(&table.tail);
                end = table.chain;
            }
            // An empty record has no part.
            let record = record.or_else(|| row.record_hash.map(|_| Vec::new()));
            CopiedTable::new(row, log, end, record, errors)
        });
        page.push((id, table));
    }
    Ok(page)
}

/// An empty database, filled in one transaction.
pub(super) struct PgTarget(EmptyDatabase);

impl PgTarget {
    pub(super) async fn create(address: &PgAddress) -> Result<PgTarget, LogError> {
        Ok(PgTarget(EmptyDatabase::begin(address).await?))
    }
}

#[async_trait]
impl CopyTarget for PgTarget {
    async fn put_tables(&mut self, tables: Vec<CopiedTable>) -> Result<(), LogError> {
        let tables = tables.into_iter().map(|CopiedTable { row, log, record }| (row, log, record));
        self.0.put_tables(tables).await
    }

    async fn put_feed(&mut self, owner: &OwnerId, range: FeedRange) -> Result<(), LogError> {
        self.0.put_feed(owner, range).await
    }

    async fn put_items(&mut self, owner: &OwnerId, items: Vec<FeedItem>) -> Result<(), LogError> {
        self.0.put_items(owner, items).await
    }

    async fn reader(&mut self) -> Result<Box<dyn CopySource + '_>, LogError> {
        Ok(Box::new(WrittenSource(&self.0)))
    }

    async fn complete(self: Box<Self>) -> Result<(), LogError> {
        self.0.commit().await
    }

    async fn discard(self: Box<Self>) {
        self.0.roll_back().await;
    }
}

/// The rows that the transaction of a target has written. Nothing of them is in a journal.
struct WrittenSource<'a>(&'a EmptyDatabase);

#[async_trait]
impl CopySource for WrittenSource<'_> {
    async fn tables(&mut self, after: Option<TableId>) -> Result<TablesPage, LogError> {
        tables(self.0.client(), &HashMap::new(), after, self.0.name()).await
    }

    async fn feeds(&mut self, after: Option<&OwnerId>) -> Result<Vec<(OwnerId, FeedRange)>, LogError> {
        whole::owners_after(self.0.client(), after, StoreErrors(self.0.name())).await
    }

    async fn feed_items(
        &mut self,
        owner: &OwnerId,
        first: u64,
        range: FeedRange,
    ) -> Result<Vec<FeedItem>, LogError> {
        whole::feed_items(self.0.client(), owner, first, range, StoreErrors(self.0.name())).await
    }

    async fn row_counts(&mut self) -> Result<RowCounts, LogError> {
        let (tags, feed_items) = whole::row_counts(self.0.client(), StoreErrors(self.0.name())).await?;
        Ok(RowCounts { tags, feed_items })
    }
}
