//! The border: what arrives over gRPC is checked and handed on, what comes back is put into messages, and whatever goes
//! wrong becomes a status. Nothing behind it knows of gRPC.

mod agent;
mod catalogue;
mod ear;
mod error;
mod framed;
mod heard;
pub mod layer;
mod method;
mod peer;
mod play;
mod reasons;
mod record;
mod speech;
mod table;
mod tournament;

pub use agent::Agents;
pub use catalogue::Catalogue;
pub use error::Failure;
pub use framed::put_in_place;
pub use method::Method;
pub use peer::Peer;
pub use play::Play;
pub use reasons::{DOMAIN, code, name};
pub use record::Records;
pub use table::Tables;
pub use tournament::Tournaments;

use crate::config::Settings;
use crate::host::Host;
use crate::identity::ServerKey;

/// What the services have in common.
#[derive(Debug)]
pub struct Parlour {
    /// All tables.
    pub host: Host,
    /// All tournaments.
    pub tournaments: crate::tournament::Tournaments,
    /// What tokens are signed with.
    pub server_key: ServerKey,
    /// Defaults and limits.
    pub settings: Settings,
}
