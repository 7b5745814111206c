//! Parlor's host: tables, who may do what, fair shuffles, time, limits and settings. Nothing in here knows of gRPC.

pub mod clock;
pub mod config;
pub mod fair;
pub mod identity;
pub mod limits;
mod random;
mod secret;
pub mod table;
mod table_id;

pub use random::{NoRandomness, fresh_bytes};
pub use secret::Secret;
pub use table_id::TableId;
