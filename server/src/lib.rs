//! Parlor's host: tables, their durable logs, who may do what, fair shuffles, time, limits and settings. Nothing in here knows of gRPC.

pub mod clock;
pub mod config;
pub mod fair;
pub mod host;
pub mod identity;
pub mod limits;
pub mod log;
mod random;
mod secret;
pub mod stored;
pub mod table;
pub mod wire;

pub use log::TableId;
pub use random::{NoRandomness, fresh_bytes};
pub use secret::Secret;
