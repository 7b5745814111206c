//! Entry points for fuzz targets (feature `test-hooks`): decoders of stored bytes that are otherwise private.

use bytes::Bytes;

pub use crate::sqlite::arbitrary_rows::{dump_rows, read_rows};

use crate::chain::HashChain;
use crate::{Entry, TableId};

/// Decodes the encoded log of a table, as a row or the journal holds it, up to the first entry that is damaged.
#[must_use]
pub fn decode_log(table: TableId, log: &Bytes) -> Vec<Entry> {
    let mut entries = Vec::new();
    // What was read before the damage is the result.
    let _ = HashChain::new(&table).decode(log, 0, &mut entries);
    entries
}

/// Encodes payloads as the log of a table.
#[must_use]
pub fn encode_log(table: TableId, payloads: &[Bytes]) -> Vec<u8> {
    let (mut chain, mut log) = (HashChain::new(&table), Vec::new());
    payloads.iter().for_each(|payload| chain.append_encoded(payload, &mut log));
    log
}
