//! Serving: from settings and parts to a server that takes calls, and from there to one that has stopped in good order.
//!
//! [`Server::start`] listens where the settings say; [`Server::start_on`] takes connections from anywhere, such as the
//! simulated network of a test. Either way the clock and the log come from the caller, and what runs ends with
//! [`Running::stop`].

mod coalesce;
mod connection;
mod cors;
mod health;
mod listen;
mod services;
mod tls;
mod tonic_server;

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};

use futures_util::{Stream, StreamExt, stream};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, info_span};

use crate::{
    config::Settings,
    grpc::{
        AppState,
        convert::{ApiCodec, ApiItemEncoder},
    },
    identity::{ApiKeys, ServerKey},
    telemetry::{metrics_server, recorder},
};
use parlor_host::clock::Clock;
use parlor_host::tournaments::Tournaments;
use parlor_host::{Codecs, Host, HostError, HostSettings};
use parlor_store::Log;

use connection::{Connection, CutOff};
use health::Health;
pub use listen::{Accepted, incoming};
pub use tls::{TlsError, check as check_tls};

/// Time for the tasks of connections that were cut off to end.
const CUT_OFF_TIMEOUT: Duration = Duration::from_secs(5);

/// What a server is made of, beside its settings.
pub struct Parts {
    /// Where time comes from.
    pub clock: Arc<dyn Clock>,
    /// Where tables are kept.
    pub log: Arc<dyn Log>,
    /// The API keys in force. Whoever keeps them can exchange them while the server runs.
    pub keys: Arc<ApiKeys>,
    /// What seat tokens and spectator tokens are signed with.
    pub server_key: ServerKey,
}

/// The server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// An address cannot be listened on.
    #[error(
        "{setting} = {address} cannot be used ({why}): choose another address, or stop what uses this one"
    )]
    Listen {
        /// The key of the settings.
        setting: &'static str,
        /// The address.
        address: SocketAddr,
        /// What the system says.
        why: io::Error,
    },
    /// The certificate, its key or the clients' authority cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// What is stored cannot be gone on with.
    #[error(transparent)]
    Host(#[from] HostError),
}

/// Starts servers.
#[derive(Debug)]
pub struct Server;

impl Server {
    /// Starts a server that listens on the addresses of the settings. Port 0 is any that is free.
    pub async fn start(settings: &Settings, parts: Parts) -> Result<Running, StartError> {
        let (listener, address) = listen::bind("listen", settings.listen).await?;
        let page = match settings.metrics {
            // The recorder comes first: what counts before there is one is never counted.
            Some(address) => Some((listen::bind("metrics", address).await?, recorder())),
            None => None,
        };
        let incoming = listen::incoming(listener, &settings.connections);
        let mut running = Server::start_on(settings, parts, incoming).await?;
        running.address = Some(address);
        if let Some(((listener, address), recorder)) = page {
            running.metrics_address = Some(address);
            let page = metrics_server::serve(listener, recorder, running.readiness.clone());
            running.page = Some(tokio::spawn(page.instrument(info_span!("page"))));
        }
        Ok(running)
    }

    /// Starts a server that takes its connections from here. It has no metrics port.
    pub async fn start_on<IO>(
        settings: &Settings,
        parts: Parts,
        incoming: impl Stream<Item = Accepted<IO>> + Send + 'static,
    ) -> Result<Running, StartError>
    where
        IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let health = Health::default();
        let codecs = Codecs { items: &ApiItemEncoder, payloads: &ApiCodec };
        let host_settings = HostSettings::from(settings);
        let host = Host::start(parts.log.clone(), parts.clock.clone(), &host_settings, codecs).await?;
        let tournaments = Tournaments::start(
            host.clone(),
            parts.log.clone(),
            parts.clock.clone(),
            settings.limits.tables_per_key.get(),
        )
        .await;
        let state = Arc::new(AppState {
            host: host.clone(),
            tournaments,
            server_key: parts.server_key.clone(),
            settings: settings.clone(),
        });
        let routes = services::all(&state, &health).await;
        let service = tonic_server::layered(settings, &parts, routes);
        let server = tonic_server::server(settings)?;
        let (stop, closing, cut_off) =
            (CancellationToken::new(), CancellationToken::new(), CutOff::default());
        let connections = incoming.zip(stream::iter(1..)).map({
            let cut_off = cut_off.clone();
            move |(accepted, number)| Ok::<_, Infallible>(Connection::new(accepted, number, cut_off.clone()))
        });
        let readiness = metrics_server::Readiness::default();
        let serving = Serving {
            stop: stop.clone(),
            closing: closing.clone(),
            cut_off,
            grace: settings.shutdown_grace.get(),
            host,
            health,
            readiness: readiness.clone(),
        };
        let served = server.serve_with_incoming_shutdown(service, connections, closing.cancelled_owned());
        let task = tokio::spawn(serving.run(served).instrument(info_span!("serving")));
        readiness.set(true);
        Ok(Running { address: None, metrics_address: None, stop, readiness, task: Some(task), page: None })
    }
}

/// A server that is being served, as its task sees it.
struct Serving {
    /// Whoever started it wants it to stop.
    stop: CancellationToken,
    /// No connection is accepted any more, and those that are open are asked to end.
    closing: CancellationToken,
    /// Cuts off the connections that are still open after the grace.
    cut_off: CutOff,
    grace: Duration,
    host: Host,
    health: Health,
    readiness: metrics_server::Readiness,
}

impl Serving {
    async fn run(self, served: impl Future<Output = Result<(), tonic::transport::Error>>) {
        let mut served = std::pin::pin!(served);
        tokio::select! {
            _ = &mut served => {
                // The listener is gone, which `incoming` never lets happen.
                self.readiness.set(false);
                tracing::error!("the server accepts no connections any more");
            }
            () = self.stop.cancelled() => {
                self.readiness.set(false);
                self.health.stopping().await;
                self.host.stop().await;
                self.closing.cancel();
                if tokio::time::timeout(self.grace, &mut served).await.is_err() {
                    tracing::info!(grace = ?self.grace, "connections that are still open are cut off");
                    self.cut_off.cut();
                    // Their tasks end as soon as they run.
                    let _ended = tokio::time::timeout(CUT_OFF_TIMEOUT, served).await;
                }
            }
        }
    }
}

/// A server that runs. Dropping it stops the server too, without waiting for that.
#[derive(Debug)]
pub struct Running {
    address: Option<SocketAddr>,
    metrics_address: Option<SocketAddr>,
    stop: CancellationToken,
    readiness: metrics_server::Readiness,
    task: Option<JoinHandle<()>>,
    page: Option<JoinHandle<()>>,
}

impl Running {
    /// Where clients connect; none if the connections come from elsewhere.
    #[must_use]
    pub const fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Where metrics and the readiness page are, if anywhere.
    #[must_use]
    pub const fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics_address
    }

    /// Waits until the server has ended by itself, which it does only if it can no longer listen.
    pub async fn ended(&mut self) {
        if let Some(task) = &mut self.task {
            // A task that panicked has ended too.
            let _ended = task.await;
            self.task = None;
        }
    }

    /// Stops: no new connections, streams are asked to come back, and whatever has not ended within the grace is cut
    /// off.
    pub async fn stop(mut self) {
        self.stop.cancel();
        self.ended().await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(page) = &self.page {
            page.abort();
        }
    }
}
