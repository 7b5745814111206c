//! Rows of the journal: one per commit, with the new entries of all tables in play.
//!
//! The body of a row is a list of frames, one per table: the table id, the index of the first entry, the
//! length of the entries in bytes, the entries, and the hash of the last one.

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::errors::StoreErrors;
use crate::chain::{ByteReader, HashChain, put_varint};
use crate::{Hash, LogError, TableId};

/// The entries of one table in one commit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct JournalFrame {
    pub(crate) table: TableId,
    pub(crate) first: u64,
    pub(crate) entries: Bytes,
    pub(crate) head: Hash,
}

/// Typical bytes of a frame beside its entries: the table id, two varints and the head.
pub(crate) const FRAME_OVERHEAD_BYTES: usize = 16 + 4 + 2 + 32;

/// Appends a frame to the body of a row.
pub(crate) fn put_frame(body: &mut Vec<u8>, table: &TableId, first: u64, entries: &[u8], head: &Hash) {
    body.extend_from_slice(table.as_bytes());
    put_varint(first, body);
    put_varint(entries.len() as u64, body);
    body.extend_from_slice(entries);
    body.extend_from_slice(head);
}

/// Decodes the frames of a row; `None` if the body is malformed.
pub(crate) fn decode_frames(body: &Bytes) -> Option<Vec<JournalFrame>> {
    let mut reader = ByteReader::new(body);
    let mut frames = Vec::new();
    while !reader.is_empty() {
        let table = TableId::from_bytes(reader.array()?);
        let first = reader.varint()?;
        let length = reader.varint_length()?;
        let start = reader.at;
        reader.take(length)?;
        let entries = body.slice(start..reader.at);
        let head = reader.array()?;
        frames.push(JournalFrame { table, first, entries, head });
    }
    Some(frames)
}

/// Checksum of a row. Without it, damage to a table id would look like an entry of another table.
pub(crate) fn row_checksum(seq: u64, body: &[u8]) -> Hash {
    let mut hash = Sha256::new();
    hash.update(b"parlor journal row 1\0");
    hash.update(seq.to_be_bytes());
    hash.update(body);
    hash.finalize().into()
}

/// Applies a frame to a chain, verifying that it continues the chain.
pub(crate) fn apply_frame(
    chain: &mut HashChain,
    frame: &JournalFrame,
    errors: StoreErrors<'_>,
) -> Result<(), LogError> {
    if frame.first != chain.length {
        let entry = chain.length.min(frame.first);
        let what = format!("entry {entry} of table {} is missing from the journal", frame.table);
        return Err(errors.damaged(Some(frame.table), Some(entry), &what));
    }
    let before = chain.length;
    let read = chain.decode(&frame.entries, u64::MAX, &mut Vec::new());
    if let Err(broken) = read {
        return Err(errors.damaged_entry(frame.table, broken.index));
    }
    if chain.head != frame.head {
        let entry = chain.length.saturating_sub(1).max(before);
        return Err(errors.damaged_entry(frame.table, entry));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn journal_frames_round_trip(written: Vec<([u8; 16], u64, Vec<u8>, [u8; 32])>) {
            let mut body = Vec::new();
            for (table, first, entries, head) in &written {
                put_frame(&mut body, &TableId::from_bytes(*table), *first, entries, head);
            }
            let read = decode_frames(&body.into()).map(|frames| {
                frames
                    .into_iter()
                    .map(|frame| (*frame.table.as_bytes(), frame.first, frame.entries.to_vec(), frame.head))
                    .collect::<Vec<_>>()
            });
            prop_assert_eq!(read, Some(written));
        }

        #[test]
        fn decoding_arbitrary_frames_never_panics(body: Vec<u8>) {
            let _ = decode_frames(&body.into());
        }
    }
}
