//! TCP listeners and the stream of accepted connections.

use std::{net::SocketAddr, time::Duration};

use futures_util::{Stream, StreamExt, future};
use tokio::net::{TcpListener, TcpStream};
use tonic::transport::server::TcpIncoming;

use super::StartError;
use crate::config::Connections;

/// Pause after a failed accept, for example without free file descriptors.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);
/// Unanswered TCP keepalive probes after which a connection is closed.
const KEEPALIVE_PROBES: u32 = 3;

/// An accepted connection.
#[derive(Debug)]
pub struct AcceptedConnection<IO> {
    /// The byte stream.
    pub io: IO,
    /// The address of the peer, if the network has addresses.
    pub address: Option<SocketAddr>,
}

/// Binds a listener; returns it with its actual address, which differs from `address` for port 0.
pub(super) async fn bind(
    setting: &'static str,
    address: SocketAddr,
) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |why| StartError::Listen { setting, address, why };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    Ok((listener, bound))
}

/// The accepted connections of a listener. The stream never ends: accept errors are logged and retried.
///
/// TCP keepalive covers HTTP/1 clients; HTTP/2 has its own keepalive.
pub fn incoming(
    listener: TcpListener,
    settings: &Connections,
) -> impl Stream<Item = AcceptedConnection<TcpStream>> + Send + use<> {
    let incoming = TcpIncoming::from(listener)
        .with_nodelay(Some(true))
        .with_keepalive(Some(settings.keepalive_interval.get()))
        .with_keepalive_interval(Some(settings.keepalive_timeout.get() / KEEPALIVE_PROBES))
        .with_keepalive_retries(Some(KEEPALIVE_PROBES));
    let accepted = incoming.then(|accepted| async {
        match accepted {
            Ok(io) => Some(AcceptedConnection { address: io.peer_addr().ok(), io }),
            Err(error) => {
                tracing::warn!(%error, "accepting a connection failed");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                None
            }
        }
    });
    accepted.filter_map(future::ready)
}
