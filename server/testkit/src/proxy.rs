//! TCP proxy between client and server whose connections can be cut, stalled or routed to another server.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;

use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio::sync::watch;

/// A TCP proxy with an address of its own. Dropping it ends it and cuts its connections.
pub struct Proxy {
    address: SocketAddr,
    upstream: Arc<Mutex<SocketAddr>>,
    cut: watch::Sender<u64>,
    stall: watch::Sender<u64>,
}

impl Proxy {
    /// Starts a proxy in front of a server, on the current runtime.
    ///
    /// # Panics
    /// If no port is free, or outside of a runtime.
    pub fn start(server: SocketAddr) -> Proxy {
        let (proxy, listener, connections) = Proxy::bind(server);
        tokio::spawn(connections.forward_all(listener));
        proxy
    }

    /// Starts a proxy in front of a server, on a thread with a runtime of its own, for blocking tests.
    ///
    /// # Panics
    /// If no port is free.
    pub fn start_on_thread(server: SocketAddr) -> Proxy {
        let (proxy, listener, connections) = Proxy::bind(server);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(connections.forward_all(listener));
        });
        proxy
    }

    fn bind(server: SocketAddr) -> (Proxy, TcpListener, Connections) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        listener.set_nonblocking(true).expect("a non-blocking socket");
        let address = listener.local_addr().expect("the address of a bound listener");
        let upstream = Arc::new(Mutex::new(server));
        let ((cut, cuts), (stall, stalls)) = (watch::channel(0), watch::channel(0));
        let connections = Connections { upstream: Arc::clone(&upstream), cuts, stalls };
        (Proxy { address, upstream, cut, stall }, listener, connections)
    }

    /// URL for clients.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Routes new connections to another server.
    pub fn set_upstream(&self, server: SocketAddr) {
        *self.upstream.lock().expect("an unpoisoned lock") = server;
    }

    /// Cuts all connections.
    pub fn cut(&self) {
        self.cut.send_modify(|cuts| *cuts += 1);
    }

    /// Stalls all connections: they stay open on both sides, without traffic.
    pub fn stall(&self) {
        self.stall.send_modify(|stalls| *stalls += 1);
    }
}

/// The accepting side of a proxy.
struct Connections {
    upstream: Arc<Mutex<SocketAddr>>,
    cuts: watch::Receiver<u64>,
    stalls: watch::Receiver<u64>,
}

impl Connections {
    /// Accepts and forwards connections until the proxy is dropped.
    async fn forward_all(self, listener: TcpListener) {
        let listener = tokio::net::TcpListener::from_std(listener).expect("a non-blocking listener");
        let mut cuts = self.cuts.clone();
        let dropped = async { while cuts.changed().await.is_ok() {} };
        tokio::select! {
            () = dropped => {}
            () = self.accept_all(&listener) => {}
        }
    }

    async fn accept_all(&self, listener: &tokio::net::TcpListener) {
        loop {
            let Ok((mut client, _)) = listener.accept().await else { continue };
            let server = *self.upstream.lock().expect("an unpoisoned lock");
            let (mut cuts, mut stalls) = (self.cuts.clone(), self.stalls.clone());
            cuts.mark_unchanged();
            stalls.mark_unchanged();
            tokio::spawn(async move {
                // If the server is down, the client's connection is closed at once.
                let Ok(mut server) = TcpStream::connect(server).await else { return };
                tokio::select! {
                    _ = copy_bidirectional(&mut client, &mut server) => {}
                    _ = cuts.changed() => {}
                    _ = stalls.changed() => { let _ = cuts.changed().await; }
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::wait::with_timeout;

    /// A server that sends this byte on every connection, and keeps it open.
    async fn byte_server(byte: u8) -> SocketAddr {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(async move {
            let mut connections = Vec::new();
            loop {
                let (mut connection, _) = listener.accept().await.expect("a connection");
                connection.write_all(&[byte]).await.expect("an open connection");
                connections.push(connection);
            }
        });
        address
    }

    async fn connect(proxy: &Proxy) -> TcpStream {
        with_timeout(TcpStream::connect(proxy.address)).await.expect("a connection")
    }

    #[tokio::test]
    async fn cut_closes_connections_and_new_ones_reach_the_new_upstream() {
        let (first, second) = (byte_server(1).await, byte_server(2).await);
        for proxy in [Proxy::start(first), Proxy::start_on_thread(first)] {
            let mut client = connect(&proxy).await;
            assert_eq!(with_timeout(client.read_u8()).await.expect("a byte"), 1);
            proxy.set_upstream(second);
            proxy.cut();
            with_timeout(client.read_u8()).await.expect_err("a closed connection");
            let mut client = connect(&proxy).await;
            assert_eq!(with_timeout(client.read_u8()).await.expect("a byte"), 2);
            drop(proxy);
            with_timeout(client.read_u8()).await.expect_err("a closed connection");
        }
    }
}
