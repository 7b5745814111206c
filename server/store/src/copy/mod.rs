//! Copying a whole store to an empty one of any kind, with everything compared afterwards.
//!
//! A source is read on one snapshot, and every row, entry, record and feed item is verified on the way. The target is
//! read back before the copy is completed, and must have the same counts and the same digest. A copy that fails leaves
//! the target empty.

mod postgres;
mod sqlite;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use sha2::{Digest, Sha256};

use crate::chain::HashChain;
use crate::journal::errors::StoreErrors;
use crate::journal::feed::{FeedRange, item_checksum};
use crate::journal::row::StoredRow;
use crate::{FeedItem, Hash, LogError, OwnerId, PgAddress, StoreReport, TableId};

pub use postgres::check;

/// Bytes of logs and records of one page of tables, except for the last table of it.
const PAGE_BYTES: u64 = 8 << 20;
/// Tables of one page.
const PAGE_TABLES: usize = 256;

/// A store that is copied or copied to.
#[derive(Clone)]
pub enum CopyStore {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL database.
    Postgres(Box<PgAddress>),
}

impl CopyStore {
    fn name(&self) -> &Path {
        match self {
            CopyStore::Sqlite(file) => file,
            CopyStore::Postgres(address) => address.name(),
        }
    }
}

/// Copies a store to one that is empty: a file that does not exist, or a database that no server has used.
///
/// A SQLite source must not be in use. A PostgreSQL source may be: what is committed after the copy has begun is not
/// copied.
///
/// # Errors
/// The source is damaged or in use, the target is not empty, or either cannot be used.
pub async fn copy_store(from: &CopyStore, to: &CopyStore) -> Result<StoreReport, LogError> {
    let mut source: Box<dyn CopySource> = match from {
        CopyStore::Sqlite(file) => Box::new(sqlite::SqliteSource::open(file)?),
        CopyStore::Postgres(address) => Box::new(postgres::PgSource::open(address).await?),
    };
    let mut target: Box<dyn CopyTarget> = match to {
        CopyStore::Sqlite(file) => Box::new(sqlite::SqliteTarget::create(file)?),
        CopyStore::Postgres(address) => Box::new(postgres::PgTarget::create(address).await?),
    };
    let copied = copy(from, source.as_mut(), to, target.as_mut()).await;
    match &copied {
        Ok(_) => target.complete().await?,
        Err(_) => target.discard().await,
    }
    copied
}

async fn copy(
    from: &CopyStore,
    source: &mut dyn CopySource,
    to: &CopyStore,
    target: &mut dyn CopyTarget,
) -> Result<StoreReport, LogError> {
    let original = summarize(source, Some(target)).await?;
    original.ensure_sound(from.name())?;
    let copy = summarize(target.reader().await?.as_mut(), None).await?;
    copy.ensure_sound(to.name())?;
    if copy.digest != original.digest || copy.report != original.report {
        let what = format!("the copy has {}, and the original {}", copy.report, original.report);
        return Err(StoreErrors(to.name()).damaged(None, None, &what.replace('\n', "; ")));
    }
    Ok(original.report)
}

/// A table with its whole log.
pub(crate) struct CopiedTable {
    /// The row. It covers the whole log, also that of a table in play, and `journal_from` is 0.
    pub(crate) row: StoredRow,
    pub(crate) log: Vec<u8>,
    pub(crate) record: Option<Vec<u8>>,
}

impl CopiedTable {
    /// A table from its verified row, the bytes of its whole log and where that must end.
    fn new(
        mut row: StoredRow,
        log: Vec<u8>,
        end: HashChain,
        record: Option<Vec<u8>>,
        errors: StoreErrors<'_>,
    ) -> Result<CopiedTable, LogError> {
        row.stored = end;
        row.journal_from = 0;
        let table = CopiedTable { row, log, record };
        table.row.decode_log(table.log.clone(), u64::MAX, &mut Vec::new(), errors)?;
        table.row.verify_record(table.record.clone(), errors)?;
        Ok(table)
    }
}

/// Tables of a page: each with its id, and the table or its damage.
pub(crate) type TablesPage = Vec<(TableId, Result<CopiedTable, LogError>)>;

/// A store that is read on one snapshot.
#[async_trait]
pub(crate) trait CopySource: Send {
    /// The next tables after an id, in the order of their ids; none at the end.
    async fn tables(&mut self, after: Option<TableId>) -> Result<TablesPage, LogError>;

    /// The next feeds after an owner, in the order of their names; none at the end.
    async fn feeds(&mut self, after: Option<&OwnerId>) -> Result<Vec<(OwnerId, FeedRange)>, LogError>;

    /// Items of a feed from a number on, at most a page of them.
    async fn feed_items(
        &mut self,
        owner: &OwnerId,
        first: u64,
        range: FeedRange,
    ) -> Result<Vec<FeedItem>, LogError>;

    /// Rows of tags and of feed items, to find those that belong to nothing.
    async fn row_counts(&mut self) -> Result<RowCounts, LogError>;
}

/// Rows of a store beside the tables.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct RowCounts {
    pub(crate) tags: u64,
    pub(crate) feed_items: u64,
}

/// An empty store that is filled.
#[async_trait]
pub(crate) trait CopyTarget: Send {
    async fn put_tables(&mut self, tables: Vec<CopiedTable>) -> Result<(), LogError>;

    async fn put_feed(&mut self, owner: &OwnerId, range: FeedRange) -> Result<(), LogError>;

    async fn put_items(&mut self, owner: &OwnerId, items: Vec<FeedItem>) -> Result<(), LogError>;

    /// Reads what was put.
    async fn reader(&mut self) -> Result<Box<dyn CopySource + '_>, LogError>;

    /// Makes the copy durable and the store ready for a server.
    async fn complete(self: Box<Self>) -> Result<(), LogError>;

    /// Removes everything that was put.
    async fn discard(self: Box<Self>);
}

/// Contents of a store.
pub(crate) struct Summary {
    pub(crate) report: StoreReport,
    /// Digest of all tables and feeds.
    digest: Hash,
    first_problem: Option<LogError>,
}

impl Summary {
    fn ensure_sound(&self, store: &Path) -> Result<(), LogError> {
        match (&self.first_problem, self.report.problems.first()) {
            (Some(error), _) => Err(error.clone()),
            (None, Some(problem)) => Err(StoreErrors(store).damaged(None, None, problem)),
            (None, None) => Ok(()),
        }
    }
}

/// Reads and verifies a whole store, and puts everything into a target if there is one.
pub(crate) async fn summarize(
    source: &mut dyn CopySource,
    mut target: Option<&mut dyn CopyTarget>,
) -> Result<Summary, LogError> {
    let mut report = StoreReport::default();
    let mut first_problem = None;
    let mut digest = Sha256::new();
    let (mut last, mut counted) = (None, RowCounts::default());
    loop {
        let page = source.tables(last).await?;
        let Some((id, _)) = page.last() else { break };
        last = Some(*id);
        let mut tables = Vec::with_capacity(page.len());
        for (_, table) in page {
            match table {
                Ok(table) => {
                    report.count(&table.row);
                    counted.tags += crate::journal::tags::all_tags(&table.row).count() as u64;
                    digest.update(table.row.checksum());
                    tables.push(table);
                }
                Err(error) => {
                    report.problem(error.to_string());
                    first_problem.get_or_insert(error);
                }
            }
        }
        if let Some(target) = target.as_deref_mut().filter(|_| first_problem.is_none()) {
            target.put_tables(tables).await?;
        }
    }
    let mut last: Option<OwnerId> = None;
    loop {
        let owners = source.feeds(last.as_ref()).await?;
        let Some((owner, _)) = owners.last() else { break };
        last = Some(owner.clone());
        for (owner, range) in owners {
            digest.update(range.checksum(owner.as_str()));
            if let Some(target) = target.as_deref_mut() {
                target.put_feed(&owner, range).await?;
            }
            let mut next = range.first;
            while next <= range.last {
                let items = source.feed_items(&owner, next, range).await?;
                next += items.len() as u64;
                counted.feed_items += items.len() as u64;
                items.iter().for_each(|item| digest.update(item_checksum(&owner, item)));
                if let Some(target) = target.as_deref_mut() {
                    target.put_items(&owner, items).await?;
                }
            }
        }
    }
    report.feed_items = counted.feed_items;
    let rows = source.row_counts().await?;
    if rows.tags != counted.tags {
        report.problem(format!("there are {} tags, and should be {}", rows.tags, counted.tags));
    }
    if rows.feed_items != counted.feed_items {
        report.problem(format!(
            "there are {} feed items, and should be {}",
            rows.feed_items, counted.feed_items
        ));
    }
    Ok(Summary { report, digest: digest.finalize().into(), first_problem })
}
