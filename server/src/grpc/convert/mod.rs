//! The border between the host and the messages of `parlor.v1`: total in one direction, checked in the other.
//!
//! What the host says always has a form on the wire. What a client says is checked field by field, and an error names
//! the field by its path, before anything of the host sees it. Nothing here does I/O.

mod agent;
mod answer;
mod api_codec;
mod attach;
mod clock;
mod create_table;
pub(crate) mod enums;
mod error_text_de;
mod house_bot;
mod id;
mod list;
mod owner_feed;
#[cfg(test)]
pub(crate) mod persistence_tests;
mod record;
mod result;
pub(crate) mod shuffle;
pub(crate) mod standings;
mod stream_item;
mod table;
mod table_event;
mod table_requests;
#[cfg(test)]
mod tests;
pub(crate) mod tournament;
mod validate;

use parlor_fields::InvalidField;

pub use agent::{AgentPage, agent, connect_items, hello, list_agents, set_aside, welcome};
pub use answer::{act, answer, answered, unreadable};
pub use api_codec::ApiCodec;
pub use attach::{Attaching, MAX_ITEMS, attach, follow_channels, play_items};
pub use create_table::create_table;
pub use list::{Listing, list_tables};
pub use owner_feed::news;
pub use record::{export_records, get_record, list_records, prove_deal, record, record_summary};
pub use stream_item::{ApiItemEncoder, closed, encoded_item, stream_ending};
pub use table::table;
pub use table_requests::{
    Reissuing, Rematching, Replacing, Resigning, cancel_table, create_spectator_token, delete_table,
    get_table, join_table, reissue_seat_token, rematch, replace_seat, resign_seat,
};
pub use tournament::create_tournament;

/// Conversion of a host type to its message. Every value has one.
pub(crate) trait ToMessage<M> {
    /// The message.
    fn to_message(&self) -> M;
}

/// Checked conversion of a message to a host type.
pub(crate) trait FromMessage<M>: Sized {
    /// The value, or an error that names the wrong field.
    fn from_message(message: M) -> Result<Self, InvalidField>;
}

/// A message field that must be set.
pub(crate) fn required<M, T: FromMessage<M>>(message: Option<M>, field: &str) -> Result<T, InvalidField> {
    let message = message.ok_or_else(|| InvalidField::at(field, "must be set"))?;
    T::from_message(message).map_err(|wrong| wrong.within(field))
}

/// A message field that may be missing.
pub(crate) fn optional<M, T: FromMessage<M>>(
    message: Option<M>,
    field: &str,
) -> Result<Option<T>, InvalidField> {
    message.map(|message| required(Some(message), field)).transpose()
}

/// A message that writes the fields of a host type, without building the message first.
pub(crate) struct AsMessage<'a, T: ?Sized>(pub(crate) &'a T);

/// A number that counts something for one viewer. A table would have to be played for years to need more than the wire
/// has.
fn number(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
