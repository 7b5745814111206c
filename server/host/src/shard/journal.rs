//! Packed log entries of one table in memory, from which the table can be replayed.

use std::sync::Arc;

use bytes::Bytes;
use prost::encoding::{decode_varint, encode_varint, encoded_len_varint};

use crate::persistence::{CorruptData, EntryReader, PayloadCodec};
use crate::table::{Entry, InvalidEntry, Record, Setup, Table};
use parlor_store::reserve_tightly;

/// The encoded entries of one table after the first, length-prefixed. The first entry is the setup, which the
/// table itself holds.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    /// The first entry has been pushed.
    has_first: bool,
    packed: Vec<u8>,
    /// Length of the durable prefix of `packed`; `None` while the first entry is not durable.
    durable_len: Option<usize>,
}

/// The entries of a table cannot be decoded or replayed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum CorruptJournal {
    #[error(transparent)]
    Stored(#[from] CorruptData),
    #[error(transparent)]
    InvalidEntry(#[from] InvalidEntry),
}

impl Journal {
    /// Adds an encoded entry whose append is pending.
    pub(crate) fn push(&mut self, entry: &Bytes) {
        if !std::mem::replace(&mut self.has_first, true) {
            return;
        }
        reserve_tightly(&mut self.packed, encoded_len_varint(entry.len() as u64) + entry.len());
        encode_varint(entry.len() as u64, &mut self.packed);
        self.packed.extend_from_slice(entry);
    }

    /// Marks all entries as durable.
    pub(crate) fn mark_durable(&mut self) {
        self.durable_len = self.has_first.then_some(self.packed.len());
    }

    /// Removes the pending entries, whose append has failed.
    pub(crate) fn discard_pending(&mut self) {
        self.has_first = self.durable_len.is_some();
        self.packed.truncate(self.durable_len.unwrap_or_default());
    }

    /// Returns whether no entry is durable.
    pub(crate) fn is_empty(&self) -> bool {
        self.durable_len.is_none()
    }

    /// Replays the durable entries on a table with this setup.
    pub(crate) fn fold(&self, setup: &Arc<Setup>, codec: &dyn PayloadCodec) -> Result<Table, CorruptJournal> {
        let mut table = Table::new(setup.clone());
        for (at, entry) in decode_entries(self.durable_entries(), setup, codec)? {
            table.fold(at, &entry)?;
        }
        Ok(table)
    }

    /// Record of the durable entries.
    pub(crate) fn record(
        &self,
        setup: &Arc<Setup>,
        codec: &dyn PayloadCodec,
    ) -> Result<Record, CorruptJournal> {
        record(self.durable_entries(), setup, codec)
    }

    /// Record of all entries, pending ones included.
    pub(crate) fn record_with_pending(
        &self,
        setup: &Arc<Setup>,
        codec: &dyn PayloadCodec,
    ) -> Result<Record, CorruptJournal> {
        record(&self.packed, setup, codec)
    }

    fn durable_entries(&self) -> &[u8] {
        &self.packed[..self.durable_len.unwrap_or_default()]
    }
}

/// Decodes packed entries, each with its time in milliseconds since 1970.
fn decode_entries(
    mut packed: &[u8],
    setup: &Setup,
    codec: &dyn PayloadCodec,
) -> Result<Vec<(u64, Entry)>, CorruptData> {
    let stored = std::iter::from_fn(|| {
        let length = decode_varint(&mut packed).ok()?;
        let (entry, rest) = packed.split_at_checked(length as usize)?;
        packed = rest;
        Some(entry)
    });
    EntryReader::after_creation(setup.created).read_all(stored, codec)
}

fn record(packed: &[u8], setup: &Arc<Setup>, codec: &dyn PayloadCodec) -> Result<Record, CorruptJournal> {
    let entries = decode_entries(packed, setup, codec)?;
    #[cfg(feature = "test-hooks")]
    let setup = &crate::test_hooks::ground_setup(setup, &entries);
    Ok(Record::from_table(Table::new(setup.clone()), &entries)?)
}
