//! The entries of one table in memory, packed: the table can be folded anew from those that are durable at any time.

use std::sync::Arc;

use bytes::Bytes;
use prost::encoding::{decode_varint, encode_varint, encoded_len_varint};

use crate::persistence::{CorruptData, PayloadCodec, Reader};
use crate::table::{Entry, InvalidEntry, Record, Setup, Table};
use parlor_store::reserve_tightly;

/// The entries of one table after the first, as they are stored, one after the other. The first says how the table was set
/// up, which the table itself knows.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    /// Whether there is a first one.
    is_begun: bool,
    later: Vec<u8>,
    /// How much of them is durable; `None` while the first is not.
    durable: Option<usize>,
}

/// The entries of a table make no sense.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum CorruptJournal {
    #[error(transparent)]
    Stored(#[from] CorruptData),
    #[error(transparent)]
    InvalidEntry(#[from] InvalidEntry),
}

impl Journal {
    /// Adds an entry, as it is stored, which is on its way to the log.
    pub(crate) fn push(&mut self, entry: &Bytes) {
        if !std::mem::replace(&mut self.is_begun, true) {
            return;
        }
        reserve_tightly(&mut self.later, encoded_len_varint(entry.len() as u64) + entry.len());
        encode_varint(entry.len() as u64, &mut self.later);
        self.later.extend_from_slice(entry);
    }

    /// What was on its way is durable.
    pub(crate) fn keep(&mut self) {
        self.durable = self.is_begun.then_some(self.later.len());
    }

    /// What was on its way will never be in the log.
    pub(crate) fn take_back(&mut self) {
        self.is_begun = self.durable.is_some();
        self.later.truncate(self.durable.unwrap_or_default());
    }

    /// Whether nothing is durable.
    pub(crate) fn is_empty(&self) -> bool {
        self.durable.is_none()
    }

    /// The table that was so set up, by what is durable.
    pub(crate) fn fold(&self, setup: &Arc<Setup>, codec: &dyn PayloadCodec) -> Result<Table, CorruptJournal> {
        let mut table = Table::set_up(setup.clone());
        for (at, entry) in read(self.durable(), setup, codec)? {
            table.fold(at, &entry)?;
        }
        Ok(table)
    }

    /// What was told to whom at the table that was so set up, by what is durable.
    pub(crate) fn record(
        &self,
        setup: &Arc<Setup>,
        codec: &dyn PayloadCodec,
    ) -> Result<Record, CorruptJournal> {
        record(self.durable(), setup, codec)
    }

    /// What will have been told to whom when all that is on its way is durable.
    pub(crate) fn record_to_be(
        &self,
        setup: &Arc<Setup>,
        codec: &dyn PayloadCodec,
    ) -> Result<Record, CorruptJournal> {
        record(&self.later, setup, codec)
    }

    fn durable(&self) -> &[u8] {
        &self.later[..self.durable.unwrap_or_default()]
    }
}

/// The entries after the first, each with the time at which it happened.
fn read(
    mut packed: &[u8],
    setup: &Setup,
    codec: &dyn PayloadCodec,
) -> Result<Vec<(u64, Entry)>, CorruptData> {
    let stored = std::iter::from_fn(|| {
        let length = decode_varint(&mut packed).ok()?;
        let (entry, after) = packed.split_at_checked(length as usize)?;
        packed = after;
        Some(entry)
    });
    Reader::after(setup.created).read_all(stored, codec)
}

fn record(packed: &[u8], setup: &Arc<Setup>, codec: &dyn PayloadCodec) -> Result<Record, CorruptJournal> {
    Ok(Record::after(Table::set_up(setup.clone()), &read(packed, setup, codec)?)?)
}
