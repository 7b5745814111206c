//! Parlor's server: tables and their durable logs, who may do what, fair shuffles, time, limits and settings; and around
//! them the border to the network ([`grpc`], [`serve`]) and what those who run it are told ([`telemetry`]).

pub mod agents;
pub mod clock;
pub mod config;
pub mod grpc;
pub mod host;
pub mod identity;
pub mod limits;
pub mod log;
pub mod program;
mod random;
pub mod serve;
pub mod stored;
pub mod table;
pub mod telemetry;
pub mod tournament;
pub mod wire;

pub use parlor_fair as fair;
pub use parlor_fair::{Secret, TableId};
pub use random::{NoRandomness, fresh_bytes};

/// A map that every move looks into.
type QuickMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

/// Makes room for so many more bytes of a table that goes on. There are many tables, and most of what a doubled capacity
/// adds would stay empty; but a long log that grew by little would be copied again and again.
fn make_room(bytes: &mut Vec<u8>, more: usize) {
    const LONG: usize = 1024;
    if bytes.capacity() - bytes.len() < more {
        bytes.reserve_exact(more + bytes.len() / if bytes.len() < LONG { 8 } else { 2 });
    }
}
