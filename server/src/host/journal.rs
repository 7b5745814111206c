//! The durable entries of one table in memory, packed: the table can be folded anew from them at any time.

use bytes::Bytes;

use crate::stored::{BadStored, Reader};
use crate::table::{Entry, Misfit, Record, Table};

/// The durable entries of one table, as they are stored, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal {
    bytes: Vec<u8>,
}

/// The entries of a table make no sense.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum BadJournal {
    #[error(transparent)]
    Stored(#[from] BadStored),
    #[error(transparent)]
    Misfit(#[from] Misfit),
}

impl Journal {
    /// Adds an entry, as it is stored. Only when it is durable.
    pub(super) fn push(&mut self, entry: &Bytes) {
        // There are many tables, and most of what a doubled capacity adds would stay empty.
        if self.bytes.capacity() - self.bytes.len() < 4 + entry.len() {
            self.bytes.reserve_exact(4 + entry.len() + self.bytes.len() / 4);
        }
        // The log takes no entry of 4 GiB.
        self.bytes.extend_from_slice(&(entry.len() as u32).to_le_bytes());
        self.bytes.extend_from_slice(entry);
    }

    /// Whether there is no entry.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The entries, as they are stored.
    fn stored(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || {
            let (length, after) = rest.split_first_chunk::<4>()?;
            let (entry, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            rest = after;
            Some(entry)
        })
    }

    /// All entries, each with the time at which it happened.
    pub(super) fn entries(&self) -> Result<Vec<(u64, Entry)>, BadStored> {
        Reader::new().read_all(self.stored())
    }

    /// The table.
    pub(super) fn fold(&self) -> Result<Table, BadJournal> {
        let entries = self.entries()?;
        let Some(((_, first), rest)) = entries.split_first() else {
            return Err(Misfit { index: 0, why: "the log is empty".to_owned() }.into());
        };
        let mut table = Table::open(first)?;
        for (at, entry) in rest {
            table.fold(*at, entry)?;
        }
        Ok(table)
    }

    /// What was told to whom.
    pub(super) fn record(&self) -> Result<Record, BadJournal> {
        Ok(Record::of(&self.entries()?)?)
    }
}
