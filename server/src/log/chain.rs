//! The chain of hashes through a log, and the bytes that entries have on disk.
//!
//! The hash of an entry is the SHA-256 of the hash before it, its index and its payload; before the first entry stands
//! the hash of the table's name. On disk an entry is the length of its payload, the payload, and the first bytes of
//! its hash: enough to say which entry is damaged. The whole hash of the last entry stands beside them and holds all
//! of them together.

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::TableId;

/// A SHA-256.
pub type Hash = [u8; 32];

/// How many bytes of its hash an entry carries on disk.
const MARK: usize = 4;

/// One entry of a table's log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its index: 0, 1, 2, ...
    pub index: u64,
    /// What happened.
    pub payload: Bytes,
    /// Its hash, which stands for the whole log up to here.
    pub hash: Hash,
}

/// The end of a log: what is needed to add an entry to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chain {
    pub(super) length: u64,
    pub(super) head: Hash,
}

impl Chain {
    /// The chain of an empty log.
    pub(super) fn of(table: &TableId) -> Chain {
        let mut hash = Sha256::new();
        hash.update(b"parlor table log 1\0");
        hash.update(table.as_bytes());
        Chain { length: 0, head: hash.finalize().into() }
    }

    /// Goes on to the next entry.
    fn follow(&mut self, payload: &[u8]) {
        let mut hash = Sha256::new();
        hash.update(self.head);
        hash.update(self.length.to_be_bytes());
        hash.update(payload);
        self.head = hash.finalize().into();
        self.length += 1;
    }

    /// Adds an entry.
    pub(super) fn link(&mut self, payload: Bytes) -> Entry {
        let index = self.length;
        self.follow(&payload);
        Entry { index, payload, hash: self.head }
    }

    /// Adds an entry, and writes it as it is on disk.
    pub(super) fn write(&mut self, payload: &[u8], out: &mut Vec<u8>) {
        self.follow(payload);
        put_number(payload.len() as u64, out);
        out.extend_from_slice(payload);
        out.extend_from_slice(&self.head[..MARK]);
    }

    /// Reads entries that follow on this chain, all that the bytes hold, and checks their hashes. Those from index
    /// `from` on go to `out`.
    pub(super) fn decode(&mut self, bytes: &Bytes, from: u64, out: &mut Vec<Entry>) -> Result<(), Broken> {
        let mut reader = Reader::new(bytes);
        while !reader.is_empty() {
            let broken = Broken { index: self.length };
            let length = reader.length().ok_or(broken)?;
            let start = reader.at;
            reader.take(length).ok_or(broken)?;
            let payload = bytes.slice(start..reader.at);
            let mark = reader.take(MARK).ok_or(broken)?;
            let entry = self.link(payload);
            if entry.hash[..MARK] != *mark {
                return Err(broken);
            }
            if entry.index >= from {
                out.push(entry);
            }
        }
        Ok(())
    }
}

/// The entry that is not what was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Broken {
    pub(super) index: u64,
}

/// How many bytes these payloads have on disk, at the most.
pub(super) fn encoded_length(payloads: &[Bytes]) -> u64 {
    let overhead = MARK + 4;
    payloads.iter().map(|payload| (payload.len() + overhead) as u64).sum()
}

/// Writes a number in groups of seven bits, the lowest first; all but the last have the eighth bit set.
pub(super) fn put_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads what was written, and gives `None` where it ends too early or makes no sense.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
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

    pub(super) fn number(&mut self) -> Option<u64> {
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

    pub(super) fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(table: &TableId, payloads: &[Vec<u8>]) -> (Vec<Entry>, Vec<u8>, Chain) {
        let (mut linked, mut chain) = (Chain::of(table), Chain::of(table));
        let mut bytes = Vec::new();
        payloads.iter().for_each(|payload| chain.write(payload, &mut bytes));
        let entries = payloads.iter().map(|payload| linked.link(Bytes::copy_from_slice(payload))).collect();
        assert_eq!(linked, chain);
        (entries, bytes, chain)
    }

    proptest! {
        #[test]
        fn numbers_read_back(number: u64) {
            let mut bytes = Vec::new();
            put_number(number, &mut bytes);
            let mut reader = Reader::new(&bytes);
            prop_assert_eq!(reader.number(), Some(number));
            prop_assert!(reader.is_empty());
        }

        #[test]
        fn entries_read_back(payloads: Vec<Vec<u8>>, from in 0u64..8) {
            let table = TableId::from_bytes([3; 16]);
            let (entries, bytes, end) = written(&table, &payloads);
            let (mut chain, mut read) = (Chain::of(&table), Vec::new());
            prop_assert_eq!(chain.decode(&bytes.into(), from, &mut read), Ok(()));
            prop_assert_eq!(chain, end);
            prop_assert_eq!(read, entries.into_iter().skip(from as usize).collect::<Vec<_>>());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = Chain::of(&TableId::from_bytes([3; 16])).decode(&bytes.into(), 0, &mut Vec::new());
        }

        #[test]
        fn a_flipped_bit_is_found(payloads in prop::collection::vec(any::<Vec<u8>>(), 1..8), place: prop::sample::Index, bit in 0..8u8) {
            let table = TableId::from_bytes([3; 16]);
            let (_, mut bytes, end) = written(&table, &payloads);
            let place = place.index(bytes.len());
            bytes[place] ^= 1 << bit;
            let mut chain = Chain::of(&table);
            let read = chain.decode(&bytes.into(), 0, &mut Vec::new());
            prop_assert!(read.is_err() || chain != end);
        }
    }

    #[test]
    fn the_chain_is_pinned() {
        let mut chain = Chain::of(&TableId::from_bytes([0; 16]));
        chain.link(Bytes::from_static(b"dealt"));
        let hash = chain.link(Bytes::from_static(b"played")).hash;
        let text: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(text, "714746779a0fc1da");
    }

    #[test]
    fn two_tables_with_equal_entries_have_different_hashes() {
        let [a, b] = [1, 2].map(|id| Chain::of(&TableId::from_bytes([id; 16])).link(Bytes::new()).hash);
        assert_ne!(a, b);
    }

    #[test]
    fn a_number_that_is_too_large_is_refused() {
        assert_eq!(Reader::new(&[0xff; 10]).number(), None);
        assert_eq!(
            Reader::new(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]).number(),
            Some(u64::MAX)
        );
        assert_eq!(Reader::new(&[0x80]).number(), None);
    }
}
