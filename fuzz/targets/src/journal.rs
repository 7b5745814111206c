//! Logs on disk: the entries of a table as the journal holds them, and the rows of a store.

use bytes::Bytes;
use parlor_fair::TableId;
use parlor_store::test_hooks;

/// The table that the logs are of. It is part of the hashes.
pub(crate) const TABLE: TableId = TableId::from_bytes([3; 16]);

/// Decodes an encoded log.
pub(crate) fn run(input: &[u8]) {
    let entries = test_hooks::decode_log(TABLE, &Bytes::copy_from_slice(input));
    let payloads: Vec<Bytes> = entries.iter().map(|entry| entry.payload.clone()).collect();
    let log = test_hooks::encode_log(TABLE, &payloads);
    assert_eq!(test_hooks::decode_log(TABLE, &Bytes::from(log)), entries);
}

/// Reads rows with valid checksums, as described by `parlor_store::test_hooks`.
pub(crate) fn run_rows(input: &[u8]) {
    test_hooks::read_rows(input);
}
