//! TCP proxy between client and server whose connections can be cut or stalled.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// TCP proxy; connections can be cut or stalled.
pub(crate) struct Proxy {
    address: SocketAddr,
    upstream: Arc<Mutex<SocketAddr>>,
    cut: watch::Sender<u64>,
    stall: watch::Sender<u64>,
    task: JoinHandle<()>,
}

impl Proxy {
    /// Starts a proxy in front of a server.
    pub(crate) async fn start(server: SocketAddr) -> Arc<Proxy> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let upstream = Arc::new(Mutex::new(server));
        let to = Arc::clone(&upstream);
        let ((cut, cuts), (stall, stalls)) = (watch::channel(0), watch::channel(0));
        let task = tokio::spawn(async move {
            loop {
                let Ok((mut client, _)) = listener.accept().await else { continue };
                let server = *to.lock().unwrap();
                let (mut cuts, mut stalls) = (cuts.clone(), stalls.clone());
                cuts.mark_unchanged();
                stalls.mark_unchanged();
                tokio::spawn(async move {
                    let Ok(mut server) = TcpStream::connect(server).await else { return };
                    tokio::select! {
                        _ = copy_bidirectional(&mut client, &mut server) => {}
                        _ = cuts.changed() => {}
                        // Open on both sides, without traffic.
                        _ = stalls.changed() => { let _ = cuts.changed().await; }
                    }
                });
            }
        });
        Arc::new(Proxy { address, upstream, cut, stall, task })
    }

    /// Address for clients.
    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Cuts all connections.
    pub(crate) fn cut(&self) {
        self.cut.send_modify(|cuts| *cuts += 1);
    }
}

/// Used by one of the two test suites only.
#[allow(dead_code, reason = "each suite uses one of them")]
impl Proxy {
    /// Stalls all connections without breaking them.
    pub(crate) fn stall(&self) {
        self.stall.send_modify(|stalls| *stalls += 1);
    }

    /// Routes new connections to another server.
    pub(crate) fn set_upstream(&self, server: SocketAddr) {
        *self.upstream.lock().unwrap() = server;
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}
