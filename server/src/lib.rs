//! Parlor's host: fair shuffles, time and limits. Nothing in here knows of gRPC.

pub mod clock;
pub mod fair;
pub mod limits;
mod random;
mod secret;
mod table_id;

pub use random::{NoRandomness, fresh_bytes};
pub use secret::Secret;
pub use table_id::TableId;
