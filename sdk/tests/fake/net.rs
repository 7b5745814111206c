//! The network between client and server: connections that can be cut, or fall silent.

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
    silence: watch::Sender<u64>,
    task: JoinHandle<()>,
}

impl Network {
    /// A network in front of a server.
    pub(crate) async fn before(server: SocketAddr) -> Arc<Network> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let upstream = Arc::new(Mutex::new(server));
        let to = Arc::clone(&upstream);
        let ((cut, cuts), (silence, silences)) = (watch::channel(0), watch::channel(0));
        let task = tokio::spawn(async move {
            loop {
                let Ok((mut client, _)) = listener.accept().await else { continue };
                let server = *to.lock().unwrap();
                let (mut cuts, mut silences) = (cuts.clone(), silences.clone());
                cuts.mark_unchanged();
                silences.mark_unchanged();
                tokio::spawn(async move {
                    let Ok(mut server) = TcpStream::connect(server).await else { return };
                    tokio::select! {
                        _ = copy_bidirectional(&mut client, &mut server) => {}
                        _ = cuts.changed() => {}
                        // Open on both sides, and nothing gets through any more.
                        _ = silences.changed() => { let _ = cuts.changed().await; }
                    }
                });
            }
        });
        Arc::new(Network { address, upstream, cut, silence, task })
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

/// What one of the two suites needs.
#[allow(dead_code, reason = "the other one does not")]
impl Network {
    /// Lets every connection there is fall silent, without breaking.
    pub(crate) fn fall_silent(&self) {
        self.silence.send_modify(|silences| *silences += 1);
    }

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
