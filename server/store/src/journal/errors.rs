//! Errors that name the store they come from.

use std::path::Path;

use crate::{LogError, TableId};

/// Makes [`LogError`]s that name this store.
#[derive(Clone, Copy)]
pub(crate) struct StoreErrors<'a>(pub(crate) &'a Path);

impl StoreErrors<'_> {
    pub(crate) fn damaged(self, table: Option<TableId>, entry: Option<u64>, what: &str) -> LogError {
        LogError::Damaged { file: self.0.to_owned(), table, entry, what: what.into() }
    }

    /// Error for a corrupted entry.
    pub(crate) fn damaged_entry(self, table: TableId, entry: u64) -> LogError {
        let what = format!("entry {entry} of table {table} is corrupted");
        self.damaged(Some(table), Some(entry), &what)
    }

    /// Error for a corrupted row of a table.
    pub(crate) fn damaged_table(self, table: TableId) -> LogError {
        let what = format!("the row of table {table} is corrupted");
        self.damaged(Some(table), None, &what)
    }
}
