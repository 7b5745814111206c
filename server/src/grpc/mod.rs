//! The gRPC API: handlers validate requests, call the host, and convert results to messages and errors to
//! statuses. The host does not know gRPC or protobuf.

mod agent;
mod catalogue;
pub mod convert;
mod error;
mod error_code;
mod follow_tables;
mod guests;
mod heartbeat;
mod inbound;
mod invites;
pub mod layer;
mod method;
mod outbound;
mod peer;
mod play;
mod record;
mod replay;
mod revocation;
pub(crate) mod routes;
mod table;
mod tournament;

pub use agent::Agents;
pub use catalogue::{Catalogue, OfferedGames};
pub use error::Failure;
pub use error_code::{ERROR_DOMAIN, reason_name, status_code};
pub use guests::Guests;
pub use method::Method;
pub use peer::Peer;
pub use play::Play;
pub use record::Records;
pub use table::Tables;
pub use tournament::Tournaments;

use std::sync::Arc;

use parlor_host::Host;

use crate::cluster::Cluster;
use crate::config::Settings;
use crate::identity::{ServerKey, SigningKeys};

/// The result of a unary handler, or the start of a response stream.
type RpcResult<T> = Result<tonic::Response<T>, tonic::Status>;

/// Shared state of the services.
#[derive(Debug)]
pub struct AppState {
    /// The host of all tables.
    pub host: Host,
    /// All tournaments.
    pub tournaments: parlor_host::tournaments::Tournaments,
    /// Signs and verifies tokens.
    pub server_key: ServerKey,
    /// Sign records.
    pub signing_keys: Arc<SigningKeys>,
    /// Rates of guests.
    pub guests: Guests,
    /// Defaults and limits.
    pub settings: Settings,
    /// The other nodes, if there are any.
    pub(crate) cluster: Option<Arc<Cluster>>,
}

impl AppState {
    /// The games that the settings offer.
    pub(crate) fn games(&self) -> OfferedGames {
        OfferedGames { test_games: self.settings.testing.games }
    }
}
