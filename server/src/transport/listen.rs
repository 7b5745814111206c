//! Listening: connections over TCP, for as long as the server runs.

use std::{net::SocketAddr, time::Duration};

use futures_util::{Stream, StreamExt, future};
use tokio::net::{TcpListener, TcpStream};
use tonic::transport::server::TcpIncoming;

use super::StartError;
use crate::config::Connections;

/// How long to wait when no connection can be taken, such as when the process has no file descriptors left.
const AGAIN: Duration = Duration::from_millis(100);
/// After how many questions without an answer a client is gone.
const RETRIES: u32 = 3;

/// A connection that was taken.
#[derive(Debug)]
pub struct Accepted<IO> {
    /// What it is read from and written to.
    pub io: IO,
    /// Where it comes from, if the network says so.
    pub address: Option<SocketAddr>,
}

/// Listens on an address; gives the one that it is, if any port would do.
pub(super) async fn bind(
    setting: &'static str,
    address: SocketAddr,
) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |why| StartError::Listen { setting, address, why };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    Ok((listener, bound))
}

/// Takes connections. It never ends: what goes wrong with one of them, or for a while, is said in the log.
///
/// HTTP/2 has its own way to ask whether a client is still there. Browsers that speak HTTP/1 are asked by TCP.
pub fn incoming(
    listener: TcpListener,
    settings: &Connections,
) -> impl Stream<Item = Accepted<TcpStream>> + Send + use<> {
    let incoming = TcpIncoming::from(listener)
        .with_nodelay(Some(true))
        .with_keepalive(Some(settings.keepalive_interval.get()))
        .with_keepalive_interval(Some(settings.keepalive_timeout.get() / RETRIES))
        .with_keepalive_retries(Some(RETRIES));
    let accepted = incoming.then(|accepted| async {
        match accepted {
            Ok(io) => Some(Accepted { address: io.peer_addr().ok(), io }),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(AGAIN).await;
                None
            }
        }
    });
    accepted.filter_map(future::ready)
}
