//! The border: what arrives over gRPC is checked and handed on, what comes back is put into messages, and whatever goes
//! wrong becomes a status. Nothing behind it knows of gRPC.

mod catalogue;
mod error;
pub mod layer;
mod method;
mod peer;
mod reasons;

pub use catalogue::Catalogue;
pub use error::Failure;
pub use method::Method;
pub use peer::Peer;
pub use reasons::{DOMAIN, code, name};
