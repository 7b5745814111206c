//! SQLite files as sources and targets of copies.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use rusqlite::Connection;

use super::{CopiedTable, CopySource, CopyTarget, PAGE_BYTES, PAGE_TABLES, RowCounts, TablesPage};
use crate::journal::errors::StoreErrors;
use crate::journal::feed::FeedRange;
use crate::journal::index::JournalIndex;
use crate::sqlite::whole::{self, StoreFile, StoreLock};
use crate::{FeedItem, LogError, OwnerId, Place, TableId};

/// A file that no server uses.
pub(super) struct SqliteSource {
    file: PathBuf,
    db: Connection,
    index: JournalIndex,
    _lock: Option<StoreLock>,
}

impl SqliteSource {
    pub(super) fn open(file: &Path) -> Result<SqliteSource, LogError> {
        let lock = whole::lock_existing(file)?;
        SqliteSource::read(file, Some(lock))
    }

    fn read(file: &Path, lock: Option<StoreLock>) -> Result<SqliteSource, LogError> {
        let (db, index) = whole::open(file)?;
        Ok(SqliteSource { file: file.to_owned(), db, index, _lock: lock })
    }

    fn table(&self, id: TableId) -> Result<CopiedTable, LogError> {
        let errors = StoreErrors(&self.file);
        let whole::WholeRow { row, mut log, record } = whole::read_table(&self.db, id, errors)?;
        let mut end = row.stored;
        if let Some(table) = self.index.tables.get(&id) {
            log.extend_from_slice(&table.tail);
            end = table.chain;
        }
        CopiedTable::new(row, log, end, record, errors)
    }
}

#[async_trait]
impl CopySource for SqliteSource {
    async fn tables(&mut self, after: Option<TableId>) -> Result<TablesPage, LogError> {
        let mut page = Vec::new();
        let mut bytes = 0;
        for id in whole::ids_after(&self.db, after, PAGE_TABLES, StoreErrors(&self.file))? {
            let table = self.table(id);
            if let Ok(table) = &table {
                bytes += (table.log.len() + table.record.as_ref().map_or(0, Vec::len)) as u64;
            }
            page.push((id, table));
            if bytes > PAGE_BYTES {
                break;
            }
        }
        Ok(page)
    }

    async fn feeds(&mut self, after: Option<&OwnerId>) -> Result<Vec<(OwnerId, FeedRange)>, LogError> {
        whole::owners_after(&self.db, after, PAGE_TABLES, StoreErrors(&self.file))
    }

    async fn feed_items(
        &mut self,
        owner: &OwnerId,
        first: u64,
        range: FeedRange,
    ) -> Result<Vec<FeedItem>, LogError> {
        whole::feed_items(&self.db, owner, first, range, StoreErrors(&self.file))
    }

    async fn row_counts(&mut self) -> Result<RowCounts, LogError> {
        let (tags, feed_items) = whole::row_counts(&self.db, StoreErrors(&self.file))?;
        Ok(RowCounts { tags, feed_items })
    }
}

/// A new file. It gets its name when the copy is complete.
pub(super) struct SqliteTarget {
    file: StoreFile,
    tables: u64,
    in_play: u64,
}

impl SqliteTarget {
    pub(super) fn create(file: &Path) -> Result<SqliteTarget, LogError> {
        Ok(SqliteTarget { file: StoreFile::create(file)?, tables: 0, in_play: 0 })
    }
}

#[async_trait]
impl CopyTarget for SqliteTarget {
    async fn put_tables(&mut self, tables: Vec<CopiedTable>) -> Result<(), LogError> {
        for CopiedTable { mut row, log, record } in tables {
            row.journal_from = whole::FIRST_JOURNAL_ROW;
            self.tables += 1;
            self.in_play += u64::from(row.place == Place::InPlay);
            self.file.put_table(&row, &log, record.as_deref())?;
        }
        Ok(())
    }

    async fn put_feed(&mut self, owner: &OwnerId, range: FeedRange) -> Result<(), LogError> {
        self.file.put_feed(owner, range)
    }

    async fn put_items(&mut self, owner: &OwnerId, items: Vec<FeedItem>) -> Result<(), LogError> {
        self.file.put_items(owner, &items)
    }

    async fn reader(&mut self) -> Result<Box<dyn CopySource + '_>, LogError> {
        self.file.finish(self.tables, self.in_play)?;
        Ok(Box::new(SqliteSource::read(self.file.draft(), None)?))
    }

    async fn complete(self: Box<Self>) -> Result<(), LogError> {
        self.file.put_in_place()
    }

    async fn discard(self: Box<Self>) {
        self.file.remove();
    }
}
