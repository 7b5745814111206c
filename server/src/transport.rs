//! Server start and graceful shutdown.
//!
//! [`Server::start`] listens on the addresses of the settings; [`Server::start_on`] accepts connections from
//! any source, such as the simulated network of a test. The caller supplies the clock and the log.
//! [`RunningServer::stop`] shuts down.

mod coalesce;
mod connection;
mod connection_limit;
mod cors;
mod health;
mod links;
mod listen;
mod services;
mod timed_io;
mod tls;
mod tonic_server;

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};

use futures_util::{Stream, StreamExt, future, stream};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, info_span};

use parlor_host::clock::Clock;
use parlor_host::tournaments::Tournaments;
use parlor_host::{Codecs, Host, HostError, HostSettings};
use parlor_store::Log;

use crate::{
    cluster::{Cluster, ClusterNode, remote_deals::DealKnowledge},
    config::{HostNames, Settings},
    grpc::{
        AppState, Guests, Peer,
        convert::{ApiCodec, ApiItemEncoder},
    },
    identity::{ApiKeys, ServerKey, SigningKeys},
    telemetry::{metrics_server, recorder},
};

use connection::{Connection, CutOff};
use connection_limit::{ConnectionLimit, max_open_files};
use health::Health;
pub use listen::{AcceptedConnection, incoming};
use timed_io::IoTimeouts;
pub use tls::{TlsError, check as check_tls};

/// Maximum wait for the tasks of cut-off connections to end.
const CUT_OFF_TIMEOUT: Duration = Duration::from_secs(5);

/// Dependencies of a server besides its settings.
pub struct ServerDependencies {
    /// The source of time.
    pub clock: Arc<dyn Clock>,
    /// Storage of tables and tournaments.
    pub log: Arc<dyn Log>,
    /// The API keys in force. They can be replaced while the server runs.
    pub keys: Arc<ApiKeys>,
    /// Signs seat tokens and spectator tokens.
    pub server_key: ServerKey,
    /// Sign records.
    pub signing_keys: Arc<SigningKeys>,
}

/// The server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Binding a listen address failed.
    #[error(
        "{setting} = {address} cannot be used ({why}): choose another address, or stop what uses this one"
    )]
    Listen {
        /// The setting with the address.
        setting: &'static str,
        /// The address.
        address: SocketAddr,
        /// The system error.
        why: io::Error,
    },
    /// The certificate, its private key or the client CA is unusable.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The certificates of links are unusable.
    #[error(
        "links cannot use TLS ({why}): give a certificate in PEM, its private key, and the authority of all nodes"
    )]
    LinkTls {
        /// The error of the TLS library.
        why: String,
    },
    /// The stored state cannot be resumed.
    #[error(transparent)]
    Host(#[from] HostError),
}

/// Rules by which connections and callers are admitted.
struct Admission {
    /// Names under which the server may be called while it has no API keys; `None` allows all.
    host_names: Option<HostNames>,
    limit: ConnectionLimit,
}

/// Starts servers.
#[derive(Debug)]
pub struct Server;

impl Server {
    /// Starts a server that listens on the addresses of the settings. Port 0 selects a free port.
    pub async fn start(
        settings: &Settings,
        dependencies: ServerDependencies,
    ) -> Result<RunningServer, StartError> {
        Server::start_with(settings, dependencies, None).await
    }

    async fn start_with(
        settings: &Settings,
        dependencies: ServerDependencies,
        node: Option<ClusterNode>,
    ) -> Result<RunningServer, StartError> {
        let (listener, address) = listen::bind("listen", settings.listen).await?;
        let metrics = match settings.metrics {
            // Installed before the server starts: earlier measurements would be lost.
            Some(address) => Some((listen::bind("metrics", address).await?, recorder())),
            None => None,
        };
        let incoming = listen::incoming(listener, &settings.connections);
        let is_local = address.ip().to_canonical().is_loopback();
        let admission = Admission {
            host_names: is_local.then(|| settings.connections.host_names.clone()),
            limit: ConnectionLimit::new(&settings.connections, max_open_files()),
        };
        let mut running = Server::start_admitting(settings, dependencies, incoming, admission, node).await?;
        running.address = Some(address);
        if let Some(((listener, address), recorder)) = metrics {
            running.metrics_address = Some(address);
            let server = metrics_server::serve(listener, recorder, running.readiness.clone());
            running.metrics_task = Some(tokio::spawn(server.instrument(info_span!("page"))));
        }
        Ok(running)
    }

    /// Starts a server that is a node of a cluster: it listens on the addresses of the settings, and on the node's own
    /// port for links.
    pub async fn start_node(
        settings: &Settings,
        dependencies: ServerDependencies,
        node: ClusterNode,
    ) -> Result<RunningServer, StartError> {
        Server::start_with(settings, dependencies, Some(node)).await
    }

    /// Starts a server on a stream of accepted connections. It has no metrics port, and may be called under any name.
    pub async fn start_on<IO>(
        settings: &Settings,
        dependencies: ServerDependencies,
        incoming: impl Stream<Item = AcceptedConnection<IO>> + Send + 'static,
    ) -> Result<RunningServer, StartError>
    where
        IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let limit = ConnectionLimit::new(&settings.connections, None);
        let admission = Admission { host_names: None, limit };
        Server::start_admitting(settings, dependencies, incoming, admission, None).await
    }

    async fn start_admitting<IO>(
        settings: &Settings,
        dependencies: ServerDependencies,
        incoming: impl Stream<Item = AcceptedConnection<IO>> + Send + 'static,
        admission: Admission,
        node: Option<ClusterNode>,
    ) -> Result<RunningServer, StartError>
    where
        IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let health = Health::default();
        let codecs = Codecs { items: &ApiItemEncoder, payloads: &ApiCodec };
        let host_settings = HostSettings::from(settings);
        let host =
            Host::start(dependencies.log.clone(), dependencies.clock.clone(), &host_settings, codecs).await?;
        let tournaments = Tournaments::start(
            host.clone(),
            dependencies.log.clone(),
            dependencies.clock.clone(),
            settings.limits.tables_per_key.get(),
        )
        .await;
        let cluster = node.as_ref().map(|ClusterNode { node, placement, tls, listener: _ }| {
            let (clock, key) = (dependencies.clock.clone(), &dependencies.server_key);
            Cluster::new(node.clone(), placement.clone(), clock, key, tls.as_ref())
        });
        let state = Arc::new(AppState {
            host: host.clone(),
            tournaments,
            server_key: dependencies.server_key.clone(),
            signing_keys: dependencies.signing_keys.clone(),
            guests: Guests::new(&settings.web, &settings.limits, dependencies.clock.clone()),
            settings: settings.clone(),
            cluster: cluster.clone(),
        });
        let mut routes = services::routes(&state, &health).await;
        let (stop, close, cut_off) = (CancellationToken::new(), CancellationToken::new(), CutOff::default());
        let timeouts = IoTimeouts::from(&settings.connections);
        if let Some((node, cluster)) = node.zip(cluster) {
            cluster.set_local(&routes);
            let ending = links::Ending { close: close.clone(), cut_off: cut_off.clone() };
            host.deals().set_remote(Arc::new(DealKnowledge::new(cluster.clone())));
            let served = (routes.own_only(cluster.clone()), cluster.clone(), host.deals().clone());
            links::serve(node, settings, &dependencies, served, ending)?;
            routes = routes.forwarding(cluster);
        }
        let service = tonic_server::service(settings, &dependencies, admission.host_names, routes);
        let server = tonic_server::server(settings)?;
        let connections = incoming.zip(stream::iter(1..)).filter_map({
            let cut_off = cut_off.clone();
            move |(AcceptedConnection { io, address }, number)| {
                let peer = Peer { connection: number, address };
                let admitted = admission.limit.admit(peer);
                let admitted =
                    admitted.map(|permit| Connection::new(io, peer, permit, timeouts, cut_off.clone()));
                future::ready(admitted.map(Ok::<_, Infallible>))
            }
        });
        let readiness = metrics_server::Readiness::default();
        let task = ServerTask {
            stop: stop.clone(),
            close: close.clone(),
            cut_off,
            grace: settings.shutdown_grace.get(),
            host,
            health,
            readiness: readiness.clone(),
        };
        let serving = server.serve_with_incoming_shutdown(service, connections, close.cancelled_owned());
        let task = tokio::spawn(task.run(serving).instrument(info_span!("serving")));
        readiness.set(true);
        Ok(RunningServer {
            address: None,
            metrics_address: None,
            stop,
            readiness,
            task: Some(task),
            metrics_task: None,
        })
    }
}

/// The task that serves connections and carries out the shutdown.
struct ServerTask {
    /// Requests the shutdown.
    stop: CancellationToken,
    /// Stops accepting connections and closes open ones gracefully (HTTP/2 GOAWAY).
    close: CancellationToken,
    /// Aborts the connections that are still open after the grace period.
    cut_off: CutOff,
    /// Grace period of the shutdown.
    grace: Duration,
    host: Host,
    health: Health,
    readiness: metrics_server::Readiness,
}

impl ServerTask {
    async fn run(self, serving: impl Future<Output = Result<(), tonic::transport::Error>>) {
        let mut serving = std::pin::pin!(serving);
        tokio::select! {
            _ = &mut serving => {
                // Unreachable with `incoming`, whose stream never ends.
                self.readiness.set(false);
                tracing::error!("the server no longer accepts connections");
            }
            () = self.stop.cancelled() => {
                self.readiness.set(false);
                self.health.shut_down().await;
                self.host.stop().await;
                self.close.cancel();
                if tokio::time::timeout(self.grace, &mut serving).await.is_err() {
                    tracing::info!(grace = ?self.grace, "grace period over: open connections are cut off");
                    self.cut_off.cut();
                    // The tasks of aborted connections end with their next poll.
                    let _ended = tokio::time::timeout(CUT_OFF_TIMEOUT, serving).await;
                }
            }
        }
    }
}

/// Handle of a running server. Dropping it stops the server without waiting for the shutdown.
#[derive(Debug)]
pub struct RunningServer {
    address: Option<SocketAddr>,
    metrics_address: Option<SocketAddr>,
    stop: CancellationToken,
    readiness: metrics_server::Readiness,
    task: Option<JoinHandle<()>>,
    metrics_task: Option<JoinHandle<()>>,
}

impl RunningServer {
    /// The listen address; `None` with [`Server::start_on`].
    #[must_use]
    pub const fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// The address of the metrics and readiness pages, if they are enabled.
    #[must_use]
    pub const fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics_address
    }

    /// Waits for the server task to end. Without a [`stop`](RunningServer::stop) it ends only if accepting
    /// connections fails.
    pub async fn ended(&mut self) {
        if let Some(task) = &mut self.task {
            // A panic ends the task too.
            let _ended = task.await;
            self.task = None;
        }
    }

    /// Shuts down: refuses new connections, ends streams with a request to reconnect, and aborts connections
    /// that are still open after the grace period.
    pub async fn stop(mut self) {
        self.stop.cancel();
        self.ended().await;
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(task) = &self.metrics_task {
            task.abort();
        }
    }
}
