//! The durable entries of one table in memory, packed: the table can be folded anew from them at any time.

use std::sync::Arc;

use bytes::Bytes;
use prost::encoding::{decode_varint, encode_varint, encoded_len_varint};

use crate::stored::{BadStored, Reader};
use crate::table::{Entry, Misfit, Record, Setup, Table};

/// The durable entries of one table after the first, as they are stored, one after the other. The first says how the table
/// was set up, which the table itself knows.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal {
    /// Whether the first is durable.
    is_begun: bool,
    later: Vec<u8>,
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
        if !std::mem::replace(&mut self.is_begun, true) {
            return;
        }
        // There are many tables, and most of what a doubled capacity adds would stay empty.
        let length = encoded_len_varint(entry.len() as u64) + entry.len();
        if self.later.capacity() - self.later.len() < length {
            self.later.reserve_exact(length + self.later.len() / 16);
        }
        encode_varint(entry.len() as u64, &mut self.later);
        self.later.extend_from_slice(entry);
    }

    /// Whether there is no entry.
    pub(super) fn is_empty(&self) -> bool {
        !self.is_begun
    }

    /// The entries after the first, as they are stored.
    fn stored(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = self.later.as_slice();
        std::iter::from_fn(move || {
            let length = decode_varint(&mut rest).ok()?;
            let (entry, after) = rest.split_at_checked(length as usize)?;
            rest = after;
            Some(entry)
        })
    }

    /// The entries after the first, each with the time at which it happened.
    fn later(&self, setup: &Setup) -> Result<Vec<(u64, Entry)>, BadStored> {
        Reader::after(setup.created).read_all(self.stored())
    }

    /// The table that was so set up.
    pub(super) fn fold(&self, setup: &Arc<Setup>) -> Result<Table, BadJournal> {
        let mut table = Table::set_up(setup.clone());
        for (at, entry) in self.later(setup)? {
            table.fold(at, &entry)?;
        }
        Ok(table)
    }

    /// What was told to whom at the table that was so set up.
    pub(super) fn record(&self, setup: &Arc<Setup>) -> Result<Record, BadJournal> {
        Ok(Record::after(Table::set_up(setup.clone()), &self.later(setup)?)?)
    }
}
