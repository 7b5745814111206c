//! The network between client and server: connections that can be cut.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Passes every connection on, until it is told to cut them.
pub(crate) struct Network {
    address: SocketAddr,
    upstream: Arc<Mutex<SocketAddr>>,
    cut: watch::Sender<u64>,
    task: JoinHandle<()>,
}

impl Network {
    /// A network in front of a server.
    pub(crate) async fn before(server: SocketAddr) -> Arc<Network> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let upstream = Arc::new(Mutex::new(server));
        let to = Arc::clone(&upstream);
        let (cut, cuts) = watch::channel(0);
        let task = tokio::spawn(async move {
            loop {
                let Ok((mut client, _)) = listener.accept().await else { continue };
                let (server, mut cuts) = (*to.lock().unwrap(), cuts.clone());
                cuts.mark_unchanged();
                tokio::spawn(async move {
                    let Ok(mut server) = TcpStream::connect(server).await else { return };
                    tokio::select! {
                        _ = copy_bidirectional(&mut client, &mut server) => {}
                        _ = cuts.changed() => {}
                    }
                });
            }
        });
        Arc::new(Network { address, upstream, cut, task })
    }

    /// Where clients connect.
    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Breaks every connection there is.
    pub(crate) fn cut(&self) {
        self.cut.send_modify(|cuts| *cuts += 1);
    }
}

/// For the suite against the real server.
#[allow(dead_code, reason = "the fake is never restarted")]
impl Network {
    /// Leads new connections to another server.
    pub(crate) fn lead_to(&self, server: SocketAddr) {
        *self.upstream.lock().unwrap() = server;
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.task.abort();
    }
}
