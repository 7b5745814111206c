//! Encoding and decoding of stored data with the messages of package `parlor.store.v1`: entries of table, agent and
//! tournament logs, records, and items of owner feeds.
//!
//! Decoding validates: corrupt or foreign bytes yield an error that names the field, never an impossible table. Unknown
//! fields, of a newer version, are ignored; an unknown value of a required field is an error.

mod agent;
pub(crate) mod codec;
mod codes;
mod entry;
mod owner_feed;
mod record;
mod setup;
mod summary;
mod tournament;

use parlor_fields::InvalidField;
use prost::Message;

pub use agent::{decode_agent_entry, encode_agent_entry};
pub use codec::{Codec, PayloadCodec};
pub use entry::{EntryReader, decode_entry, encode_entry};
pub use owner_feed::{decode_feed_item, encode_feed_item};
pub use record::{decode_record, encode_record};
pub use tournament::{
    decode_tournament_entry, decode_tournament_record, encode_tournament_entry, encode_tournament_record,
};

/// Stored bytes that the server did not write.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a stored {kind} cannot be read: {cause}")]
pub struct CorruptData {
    /// Kind of the stored data, such as `entry`.
    pub kind: &'static str,
    /// The invalid field.
    pub cause: InvalidField,
}

/// Decodes a message and converts it.
fn decode<M: Message + Default, T>(
    kind: &'static str,
    bytes: &[u8],
    convert: impl FnOnce(M) -> Result<T, InvalidField>,
) -> Result<T, CorruptData> {
    let message = M::decode(bytes).map_err(|error| InvalidField::new(error.to_string()));
    message.and_then(convert).map_err(|cause| CorruptData { kind, cause })
}

/// Milliseconds from creation to `at`; exact for any two times.
const fn offset_from_creation(created: u64, at: u64) -> i64 {
    at.wrapping_sub(created) as i64
}

/// The time `offset` milliseconds after creation: the inverse of [`offset_from_creation`].
const fn time_from_offset(created: u64, offset: i64) -> u64 {
    created.wrapping_add_signed(offset)
}
