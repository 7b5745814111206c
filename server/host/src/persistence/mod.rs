//! What is on disk, as bytes: the entries of a table's log, its record, and the items of an owner's feed. The messages
//! are those of package `parlor.store.v1`.
//!
//! Whatever the host writes can be read again. What is read is checked: damaged or foreign bytes give an error that
//! names what is wrong, and never a table that cannot be. Fields of a newer version are passed over; what a newer
//! version put in the place of something needed is an error.

mod agent;
pub(crate) mod codec;
mod codes;
mod entry;
mod owner_feed;
mod record;
mod setup;
mod summary;
mod tournament;

use parlor_fields::WrongField;
use prost::Message;

pub use agent::{decode_agent, encode_agent};
pub use codec::{Codec, PayloadCodec};
pub use entry::{Reader, decode_entry, encode_entry};
pub use owner_feed::{decode_news, encode_news};
pub use record::{decode_record, encode_record};
pub use tournament::{
    decode_tournament_entry, decode_tournament_record, encode_tournament_entry, encode_tournament_record,
};

/// Stored bytes that are not what the server writes.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a stored {what} cannot be read: {wrong}")]
pub struct CorruptData {
    /// What it should be.
    pub what: &'static str,
    /// What is wrong with it.
    pub wrong: WrongField,
}

/// Reads a message, and makes of it what it stands for.
fn decode<M: Message + Default, T>(
    what: &'static str,
    bytes: &[u8],
    read: impl FnOnce(M) -> Result<T, WrongField>,
) -> Result<T, CorruptData> {
    let message = M::decode(bytes).map_err(|error| WrongField::new(error.to_string()));
    message.and_then(read).map_err(|wrong| CorruptData { what, wrong })
}

/// How long after the table was created, in milliseconds; exact for any two times.
const fn after(created: u64, at: u64) -> i64 {
    at.wrapping_sub(created) as i64
}

/// The time so long after the table was created.
const fn moment(created: u64, after: i64) -> u64 {
    created.wrapping_add_signed(after)
}
