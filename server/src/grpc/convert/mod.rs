//! Conversions between the types of the host and the messages of `parlor.v1`.
//!
//! Encoding is total: every host value has a message. Decoding validates every field before the host sees it,
//! and errors name the field by its path. Conversions destructure their input, so that a new field that is
//! not converted does not compile. Nothing here does I/O.

mod agent;
mod answer;
mod api_codec;
mod attach;
mod clock;
mod create_table;
pub(crate) mod enums;
mod game_choice;
mod house_bot;
mod id;
mod invite;
mod list;
mod owner_feed;
#[cfg(test)]
pub(crate) mod persistence_tests;
mod record;
mod replay;
mod result;
mod reveal;
pub(crate) mod shuffle;
mod signature;
pub(crate) mod standings;
mod stream_item;
mod table;
mod table_event;
mod table_requests;
#[cfg(test)]
mod tests;
pub(crate) mod texts;
pub(crate) mod tournament;
mod tournament_setup;
pub(crate) mod tournament_table;
mod validate;

use parlor_fields::InvalidField;

pub use agent::{
    AgentPage, agent, connect_items, hello, list_agents, set_aside, tournament_entropy, welcome,
};
pub use answer::{ActStep, act, answer, answered, invalid_answer};
pub use api_codec::ApiCodec;
pub use attach::{AttachParams, FollowParams, MAX_ITEMS_PER_MESSAGE, attach, follow_channels, play_items};
pub use create_table::create_table;
pub use invite::{create_invite, invite, list_invites, revoke_invite};
pub use list::{TablePage, list_tables, page_token};
pub use owner_feed::{table_news, turn_change};
pub use record::{
    GetRecordParams, export_records, get_record, list_records, prove_deal, record, record_summary,
};
pub use replay::{ReplayParams, replay, replay_step};
pub use reveal::{entropy_reveal, invalid_reveal, reveal_entropy, revealed};
pub use shuffle::{entropy_commitment, revealed_entropy};
pub use signature::{ManifestBuilder, sign_record, signing_keys};
pub use stream_item::{ApiItemEncoder, closed, encoded_item, stream_ending};
pub use table::table;
pub use table_requests::{
    ReissueSeatTokenParams, RematchParams, ReplaceSeatParams, ResignSeatParams, TableCredential,
    cancel_table, create_spectator_token, delete_table, get_table, join_table, reissue_seat_token, rematch,
    replace_seat, resign_seat,
};
pub use tournament::{page_size as tournament_page_size, reason as tournament_reason, tournament_id};
pub use tournament_setup::create_tournament;
pub use tournament_table::parse_table_cursor;

/// Conversion of a host type to its message. Every value has one.
pub(crate) trait ToMessage<M> {
    /// The message.
    fn to_message(&self) -> M;
}

/// Validating conversion of a message to a host type.
pub(crate) trait FromMessage<M>: Sized {
    /// The value, or an error that names the invalid field.
    fn from_message(message: M) -> Result<Self, InvalidField>;
}

/// Decodes a message field that must be set.
pub(crate) fn required<M, T: FromMessage<M>>(message: Option<M>, field: &str) -> Result<T, InvalidField> {
    let message = message.ok_or_else(|| InvalidField::at(field, "must be set"))?;
    T::from_message(message).map_err(|wrong| wrong.within(field))
}

/// Decodes a message field that may be unset.
pub(crate) fn optional<M, T: FromMessage<M>>(
    message: Option<M>,
    field: &str,
) -> Result<Option<T>, InvalidField> {
    message.map(|message| required(Some(message), field)).transpose()
}

/// Encodes a host value as its message without building the message.
pub(crate) struct AsMessage<'a, T: ?Sized>(pub(crate) &'a T);

/// Converts a number, a count or a time to its 32 bits on the wire; the largest value stands for more too. A
/// table would have to be played for years to have so many updates.
fn saturating_u32(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
