//! The border between the host and the messages of `parlor.v1`: total in one direction, checked in the other.
//!
//! What the host says always has a form on the wire. What a client says is checked field by field, and an error names
//! the field by its path, before anything of the host sees it. Nothing here does I/O.

mod agent;
mod answer;
mod ask;
mod attach;
mod clock;
mod create;
mod event;
mod german;
mod house;
mod id;
mod item;
pub(crate) mod kind;
mod list;
mod news;
mod record;
mod result;
pub(crate) mod shuffle;
pub(crate) mod standings;
mod table;
#[cfg(test)]
mod tests;
mod text;
pub(crate) mod tournament;

pub use agent::{AgentPage, agent, connect_items, hello, list_agents, set_aside, welcome};
pub use answer::{Answering, act, answer, answered, unreadable};
pub use ask::{
    Reissuing, Rematching, Replacing, Resigning, cancel_table, create_spectator_token, delete_table,
    get_table, join_table, reissue_seat_token, rematch, replace_seat, resign_seat,
};
pub use attach::{Attaching, MAX_ITEMS, attach, follow_channels, play_items};
pub use create::create_table;
pub use item::{closed, stream_ending};
pub use list::{Listing, list_tables};
pub use news::news;
pub use record::{export_records, get_record, list_records, prove_deal, record, record_summary};
pub use table::table;
pub use tournament::create_tournament;

/// A number that counts something for one viewer. A table would have to be played for years to need more than the wire
/// has.
fn number(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
