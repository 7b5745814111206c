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
