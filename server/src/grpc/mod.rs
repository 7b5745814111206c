//! The border: what arrives over gRPC is checked and handed on, what comes back is put into messages, and whatever goes
//! wrong becomes a status. Nothing behind it knows of gRPC.

mod agent;
mod catalogue;
pub mod convert;
mod error;
mod error_code;
mod inbound;
pub mod layer;
mod method;
mod outbound;
mod peer;
mod play;
mod record;
pub(crate) mod routes;
mod table;
mod tournament;

pub use agent::Agents;
pub use catalogue::Catalogue;
pub use error::Failure;
pub use error_code::{DOMAIN, code, name};
pub use method::Method;
pub use peer::Peer;
pub use play::Play;
pub use record::Records;
pub use table::Tables;
pub use tournament::Tournaments;

use crate::config::Settings;
use crate::identity::ServerKey;
use parlor_host::Host;

/// What the services have in common.
#[derive(Debug)]
pub struct AppState {
    /// All tables.
    pub host: Host,
    /// All tournaments.
    pub tournaments: parlor_host::tournaments::Tournaments,
    /// What tokens are signed with.
    pub server_key: ServerKey,
    /// Defaults and limits.
    pub settings: Settings,
}
