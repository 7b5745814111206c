//! TCP listeners and the stream of accepted connections.

use std::{net::SocketAddr, time::Duration};

use futures_util::{Stream, StreamExt, future};
use socket2::SockRef;
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
/// TCP keepalive covers HTTP/1 clients; HTTP/2 has its own keepalive. It pauses while sent bytes are unacknowledged, and
/// then the write timeout counts.
pub fn incoming(
    listener: TcpListener,
    settings: &Connections,
) -> impl Stream<Item = AcceptedConnection<TcpStream>> + Send + use<> {
    let write_timeout = settings.write_timeout.get();
    let incoming = TcpIncoming::from(listener)
        .with_nodelay(Some(true))
        .with_keepalive(Some(settings.keepalive_interval.get()))
        .with_keepalive_interval(Some(settings.keepalive_timeout.get() / KEEPALIVE_PROBES))
        .with_keepalive_retries(Some(KEEPALIVE_PROBES));
    let accepted = incoming.then(move |accepted| async move {
        match accepted {
            Ok(io) => {
                limit_unacknowledged_time(&io, write_timeout);
                Some(AcceptedConnection { address: io.peer_addr().ok(), io })
            }
            Err(error) => {
                tracing::warn!(%error, "accepting a connection failed");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                None
            }
        }
    });
    accepted.filter_map(future::ready)
}

/// Closes the connection when the machine of the client acknowledges nothing for this time, as after a broken network: the
/// buffer of the system takes small writes, such as heartbeats, for many minutes.
fn limit_unacknowledged_time(io: &TcpStream, timeout: Duration) {
    if let Err(error) = SockRef::from(io).set_tcp_user_timeout(Some(timeout)) {
        tracing::warn!(%error, "a connection has no timeout of unacknowledged bytes");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dead network cannot be had on loopback, where the system itself acknowledges everything.
    #[tokio::test]
    async fn accepted_connections_have_a_timeout_of_unacknowledged_bytes() {
        let (listener, address) = bind("listen", "127.0.0.1:0".parse().unwrap()).await.unwrap();
        let settings = Connections::default();
        let mut accepted = Box::pin(incoming(listener, &settings));
        let _client = TcpStream::connect(address).await.unwrap();
        let io = accepted.next().await.unwrap().io;
        let timeout = SockRef::from(&io).tcp_user_timeout().unwrap();
        assert_eq!(timeout, Some(settings.write_timeout.get()));
    }
}
