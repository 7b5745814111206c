//! The client: typed calls for everything but playing, which [`Session`](crate::Session) does.

mod act;
mod agents;
mod call;
mod catalogue;
mod news;
mod pages;
mod records;
mod requests;
mod tables;
mod tournaments;

use std::fmt;

use parlor_proto::v1::agent_service_client::AgentServiceClient;
use parlor_proto::v1::catalogue_service_client::CatalogueServiceClient;
use parlor_proto::v1::play_service_client::PlayServiceClient;
use parlor_proto::v1::record_service_client::RecordServiceClient;
use parlor_proto::v1::table_service_client::TableServiceClient;
use parlor_proto::v1::tournament_service_client::TournamentServiceClient;

use crate::Error;
use crate::connect::{ClientBuilder, Transport};
use crate::session::{Session, SessionSettings};
pub use agents::AgentFilter;
use call::Limits;
pub use news::FollowedTables;
pub use records::ExportedRecords;
pub(crate) use requests::unknown_game;
pub use requests::{JoinTable, Joined, NewTable, Resigning, TableFilter};
pub use tournaments::FollowedTournament;

/// A connection to a server, and all that can be asked of it. Clones share the connection, and cost nothing.
///
/// Calls are made again by themselves when the connection breaks or the server says so, for as long as the deadline
/// allows: reads always, and writes because each carries a request id, which makes a repeat harmless. The connection is
/// made again by itself too.
///
/// ```no_run
/// use parlor_sdk::{Client, NewTable};
///
/// # async fn example() -> Result<(), parlor_sdk::Error> {
/// let client = Client::connect("http://localhost:7766").await?;
/// let table = client.create_table(NewTable::of("gap")?.house_bot("greedy").open_seat()).await?;
/// println!("table {} waits for one player", table.table_id);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    pub(crate) catalogue: CatalogueServiceClient<Transport>,
    pub(crate) tables: TableServiceClient<Transport>,
    pub(crate) play: PlayServiceClient<Transport>,
    pub(crate) agents: AgentServiceClient<Transport>,
    pub(crate) records: RecordServiceClient<Transport>,
    pub(crate) tournaments: TournamentServiceClient<Transport>,
    pub(crate) limits: Limits,
}

impl Client {
    /// Connects to a server, such as `http://localhost:7766`, without a key. Fails if it cannot be reached.
    pub async fn connect(address: impl Into<String>) -> Result<Client, Error> {
        Client::builder(address).connect().await
    }

    /// Says how to connect before doing it: key, certificates, deadlines.
    pub fn builder(address: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(address)
    }

    pub(crate) fn over(transport: Transport, settings: &ClientBuilder) -> Client {
        Client {
            catalogue: CatalogueServiceClient::new(transport.clone()),
            tables: TableServiceClient::new(transport.clone()),
            play: PlayServiceClient::new(transport.clone()),
            agents: AgentServiceClient::new(transport.clone()),
            records: RecordServiceClient::new(transport.clone()).max_decoding_message_size(records::LARGEST),
            tournaments: TournamentServiceClient::new(transport),
            limits: Limits { deadline: settings.deadline, attempt: settings.attempt },
        }
    }

    /// Opens a session: one stream for any number of seats and spectators. Must be called on a Tokio runtime.
    #[must_use]
    pub fn session(&self) -> Session {
        self.session_with(SessionSettings::default())
    }

    /// The same, with settings.
    #[must_use]
    pub fn session_with(&self, settings: SessionSettings) -> Session {
        Session::open(self, settings)
    }
}

/// Shows no key.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("limits", &self.limits).finish_non_exhaustive()
    }
}
