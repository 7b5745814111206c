//! Hash chain of a log, and the encoding of its entries on disk.
//!
//! The hash of an entry is the SHA-256 of the previous hash, the entry's index and its payload; the chain
//! starts with a hash of the table id. On disk an entry is the length of its payload, the payload, and a
//! prefix of its hash, enough to locate a damaged entry. The full hash of the last entry is stored beside
//! them and covers them all.

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::TableId;

/// A SHA-256 hash.
pub type Hash = [u8; 32];

/// Bytes of its hash that an entry carries on disk.
const HASH_PREFIX_BYTES: usize = 4;

/// One entry of a table's log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Index: 0, 1, 2, ...
    pub index: u64,
    /// The encoded event.
    pub payload: Bytes,
    /// Hash, which covers the whole log up to this entry.
    pub hash: Hash,
}

/// End of a log: its length and last hash, enough to append an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct HashChain {
    pub(super) length: u64,
    pub(super) head: Hash,
}

impl HashChain {
    /// The chain of an empty log.
    pub(super) fn new(table: &TableId) -> HashChain {
        let mut hash = Sha256::new();
        hash.update(b"parlor table log 1\0");
        hash.update(table.as_bytes());
        HashChain { length: 0, head: hash.finalize().into() }
    }

    /// Advances over one entry.
    fn advance(&mut self, payload: &[u8]) {
        let mut hash = Sha256::new();
        hash.update(self.head);
        hash.update(self.length.to_be_bytes());
        hash.update(payload);
        self.head = hash.finalize().into();
        self.length += 1;
    }

    /// Appends an entry.
    pub(super) fn append(&mut self, payload: Bytes) -> Entry {
        let index = self.length;
        self.advance(&payload);
        Entry { index, payload, hash: self.head }
    }

    /// Appends an entry in its encoding on disk.
    pub(super) fn append_encoded(&mut self, payload: &[u8], out: &mut Vec<u8>) {
        self.advance(payload);
        put_varint(payload.len() as u64, out);
        out.extend_from_slice(payload);
        out.extend_from_slice(&self.head[..HASH_PREFIX_BYTES]);
    }

    /// Decodes all entries in `bytes`, which must continue this chain, and verifies their hashes. Pushes
    /// those from index `from` on to `out`.
    pub(super) fn decode(
        &mut self,
        bytes: &Bytes,
        from: u64,
        out: &mut Vec<Entry>,
    ) -> Result<(), BrokenEntry> {
        let mut reader = ByteReader::new(bytes);
        while !reader.is_empty() {
            let broken = BrokenEntry { index: self.length };
            let length = reader.varint_length().ok_or(broken)?;
            let start = reader.at;
            reader.take(length).ok_or(broken)?;
            let payload = bytes.slice(start..reader.at);
            let hash_prefix = reader.take(HASH_PREFIX_BYTES).ok_or(broken)?;
            let entry = self.append(payload);
            if entry.hash[..HASH_PREFIX_BYTES] != *hash_prefix {
                return Err(broken);
            }
            if entry.index >= from {
                out.push(entry);
            }
        }
        Ok(())
    }
}

/// An entry whose bytes or hash are wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BrokenEntry {
    pub(super) index: u64,
}

/// Upper bound of the encoded size of these payloads, in bytes.
pub(super) fn encoded_length(payloads: &[Bytes]) -> u64 {
    let overhead = HASH_PREFIX_BYTES + 4;
    payloads.iter().map(|payload| (payload.len() + overhead) as u64).sum()
}

/// Writes a number as a LEB128 varint: groups of seven bits, lowest first, the eighth bit set on all but the
/// last.
pub(super) fn put_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Cursor over encoded bytes. Methods return `None` on truncated or malformed input.
pub(super) struct ByteReader<'a> {
    bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> ByteReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> ByteReader<'a> {
        ByteReader { bytes, at: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(length)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn varint_length(&mut self) -> Option<usize> {
        usize::try_from(self.varint()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn encode(table: &TableId, payloads: &[Vec<u8>]) -> (Vec<Entry>, Vec<u8>, HashChain) {
        let (mut appended, mut chain) = (HashChain::new(table), HashChain::new(table));
        let mut bytes = Vec::new();
        payloads.iter().for_each(|payload| chain.append_encoded(payload, &mut bytes));
        let entries =
            payloads.iter().map(|payload| appended.append(Bytes::copy_from_slice(payload))).collect();
        assert_eq!(appended, chain);
        (entries, bytes, chain)
    }

    proptest! {
        #[test]
        fn varint_round_trips(number: u64) {
            let mut bytes = Vec::new();
            put_varint(number, &mut bytes);
            let mut reader = ByteReader::new(&bytes);
            prop_assert_eq!(reader.varint(), Some(number));
            prop_assert!(reader.is_empty());
        }

        #[test]
        fn encoded_entries_round_trip(payloads: Vec<Vec<u8>>, from in 0u64..8) {
            let table = TableId::from_bytes([3; 16]);
            let (entries, bytes, end) = encode(&table, &payloads);
            let (mut chain, mut read) = (HashChain::new(&table), Vec::new());
            prop_assert_eq!(chain.decode(&bytes.into(), from, &mut read), Ok(()));
            prop_assert_eq!(chain, end);
            prop_assert_eq!(read, entries.into_iter().skip(from as usize).collect::<Vec<_>>());
        }

        #[test]
        fn decoding_arbitrary_bytes_never_panics(bytes: Vec<u8>) {
            let _ = HashChain::new(&TableId::from_bytes([3; 16])).decode(&bytes.into(), 0, &mut Vec::new());
        }

        #[test]
        fn flipped_bit_is_detected(payloads in prop::collection::vec(any::<Vec<u8>>(), 1..8), place: prop::sample::Index, bit in 0..8u8) {
            let table = TableId::from_bytes([3; 16]);
            let (_, mut bytes, end) = encode(&table, &payloads);
            let place = place.index(bytes.len());
            bytes[place] ^= 1 << bit;
            let mut chain = HashChain::new(&table);
            let read = chain.decode(&bytes.into(), 0, &mut Vec::new());
            prop_assert!(read.is_err() || chain != end);
        }
    }

    #[test]
    fn hash_chain_is_pinned() {
        let mut chain = HashChain::new(&TableId::from_bytes([0; 16]));
        chain.append(Bytes::from_static(b"dealt"));
        let hash = chain.append(Bytes::from_static(b"played")).hash;
        let text: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(text, "714746779a0fc1da");
    }

    #[test]
    fn equal_entries_of_two_tables_have_different_hashes() {
        let [a, b] =
            [1, 2].map(|id| HashChain::new(&TableId::from_bytes([id; 16])).append(Bytes::new()).hash);
        assert_ne!(a, b);
    }

    #[test]
    fn varint_overflow_is_refused() {
        assert_eq!(ByteReader::new(&[0xff; 10]).varint(), None);
        assert_eq!(
            ByteReader::new(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]).varint(),
            Some(u64::MAX)
        );
        assert_eq!(ByteReader::new(&[0x80]).varint(), None);
    }
}
