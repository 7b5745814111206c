//! The client: typed calls for everything except playing over a stream, which [`Session`](crate::Session)
//! does.

mod agents;
mod call;
mod catalogue;
mod invites;
mod join_table;
mod new_table;
mod pages;
mod play;
mod records;
mod replay;
mod requests;
mod table_feed;
mod tables;
mod tournaments;

use std::fmt;
use std::sync::Arc;

use parlor_proto::v1::agent_service_client::AgentServiceClient;
use parlor_proto::v1::catalogue_service_client::CatalogueServiceClient;
use parlor_proto::v1::play_service_client::PlayServiceClient;
use parlor_proto::v1::record_service_client::RecordServiceClient;
use parlor_proto::v1::table_service_client::TableServiceClient;
use parlor_proto::v1::tournament_service_client::TournamentServiceClient;

use crate::Error;
use crate::connect::{ClientBuilder, Transport};
use crate::entropy::{KeptEntropy, SeatCommitments};
use crate::session::{Session, SessionSettings};
pub use agents::AgentFilter;
use call::CallLimits;
pub use invites::{CreatedInvite, NewInvite};
pub use join_table::{JoinTable, JoinedSeat};
pub use new_table::NewTable;
pub(crate) use new_table::unknown_game;
pub use records::RecordExport;
pub use replay::GameReplay;
pub use requests::{ResignTarget, TableFilter};
pub use table_feed::TableFeed;
pub use tournaments::TournamentFeed;

/// A connection to a server, with one method per call of the API. Clones share the connection and are cheap.
///
/// Calls are retried with exponential backoff, within their deadline, when the connection breaks or the
/// server asks for it. Reads are always safe to repeat; writes are too, because each carries a request id.
/// The connection is re-established automatically.
///
/// ```no_run
/// use parlor_sdk::{Client, NewTable};
///
/// # async fn example() -> Result<(), parlor_sdk::Error> {
/// let client = Client::connect("http://localhost:7766").await?;
/// let table = client.create_table(NewTable::new("gap").house_bot("greedy").open_seat()).await?;
/// println!("table {} has one open seat", table.table_id);
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
    pub(crate) limits: CallLimits,
    /// Entropy of joined seats, until it is revealed.
    pub(crate) entropy: Arc<KeptEntropy>,
}

impl Client {
    /// Connects to a server, such as `http://localhost:7766`, without an API key.
    ///
    /// # Errors
    ///
    /// [`Reason::Settings`](crate::Reason::Settings) for a malformed address,
    /// [`Reason::Unreachable`](crate::Reason::Unreachable) if the server cannot be reached.
    pub async fn connect(address: impl Into<String>) -> Result<Client, Error> {
        Client::builder(address).connect().await
    }

    /// Configures a client before it connects: API key, certificates, deadlines.
    pub fn builder(address: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(address)
    }

    pub(crate) fn from_transport(transport: Transport, settings: &ClientBuilder) -> Client {
        Client {
            catalogue: CatalogueServiceClient::new(transport.clone()),
            tables: TableServiceClient::new(transport.clone()),
            play: PlayServiceClient::new(transport.clone()),
            agents: AgentServiceClient::new(transport.clone()),
            records: RecordServiceClient::new(transport.clone())
                .max_decoding_message_size(records::MAX_MESSAGE_BYTES),
            tournaments: TournamentServiceClient::new(transport),
            limits: CallLimits { deadline: settings.deadline, attempt: settings.attempt },
            entropy: Arc::default(),
        }
    }

    /// Calls a function with what tables show to the seats that this client joins, and with their entropy: when a seat has
    /// joined, and again, before it reveals, with the commitments of all seats. Whoever keeps that can tell later whether
    /// the record is of the same game. One function for all clones; further ones are ignored. It must not block.
    pub fn on_commitments(&self, on_commitments: impl Fn(&SeatCommitments) + Send + Sync + 'static) {
        self.entropy.set_on_commitments(Box::new(on_commitments));
    }

    /// Opens a session: one stream for any number of seats and spectators. Must be called on a Tokio runtime.
    #[must_use]
    pub fn session(&self) -> Session {
        self.session_with(SessionSettings::default())
    }

    /// [`session`](Client::session) with settings.
    #[must_use]
    pub fn session_with(&self, settings: SessionSettings) -> Session {
        Session::open(self, settings)
    }
}

/// Omits the API key.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("limits", &self.limits).finish_non_exhaustive()
    }
}
