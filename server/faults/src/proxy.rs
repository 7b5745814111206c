//! TCP proxy that cuts connections at any byte, on both sides at once.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

use crate::run::rng_for;

/// Maximum number of bytes forwarded at once.
const MAX_CHUNK_BYTES: u32 = 4096;

type OpenConnections = BTreeMap<usize, oneshot::Sender<()>>;

/// A proxy between the clients and the server. Dropping it ends it.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    server: watch::Sender<Option<SocketAddr>>,
    open: Arc<Mutex<OpenConnections>>,
    _tasks: JoinSet<()>,
}

impl Proxy {
    /// Starts the proxy. Connections are closed until the server's address is set.
    pub(crate) async fn start(seed: u64) -> Result<Proxy> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let open: Arc<Mutex<OpenConnections>> = Arc::default();
        let (server, server_is) = watch::channel(None);
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(seed, listener, server_is, open.clone()));
        Ok(Proxy { address, server, open, _tasks: tasks })
    }

    /// Sets the server's address, or `None` while it is down.
    pub(crate) fn set(&self, server: Option<SocketAddr>) {
        self.server.send_replace(server);
    }

    /// Cuts a random connection. Returns false if there was none.
    pub(crate) fn cut(&self, rng: &mut ChaCha8Rng) -> bool {
        let mut open = lock(&self.open);
        if open.is_empty() {
            return false;
        }
        let chosen = rng.next_u32() as usize % open.len();
        let key = open.keys().nth(chosen).copied();
        // A connection that has just ended by itself does not count.
        key.and_then(|key| open.remove(&key)).is_some_and(|cut| cut.send(()).is_ok())
    }
}

fn lock(open: &Mutex<OpenConnections>) -> MutexGuard<'_, OpenConnections> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(
    seed: u64,
    listener: TcpListener,
    server: watch::Receiver<Option<SocketAddr>>,
    open: Arc<Mutex<OpenConnections>>,
) {
    let mut connections = JoinSet::new();
    for number in 0.. {
        let Ok((client, _)) = listener.accept().await else { return };
        let Some(server) = *server.borrow() else { continue };
        let (cut, is_cut) = oneshot::channel();
        lock(&open).insert(number, cut);
        let open = open.clone();
        let rng = rng_for(seed, "proxy", number);
        connections.spawn(async move {
            tokio::select! {
                // Both sockets are dropped, with any half-forwarded data.
                _ = is_cut => {}
                _ = forward_connection(client, server, rng) => {}
            }
            lock(&open).remove(&number);
        });
        while connections.try_join_next().is_some() {}
    }
}

/// Forwards both directions until one side ends.
async fn forward_connection(
    client: TcpStream,
    server: SocketAddr,
    mut rng: ChaCha8Rng,
) -> std::io::Result<()> {
    let server = TcpStream::connect(server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let back = ChaCha8Rng::seed_from_u64(rng.next_u64());
    tokio::select! {
        ended = forward(from_client, to_server, rng) => ended,
        ended = forward(from_server, to_client, back) => ended,
    }
}

/// Forwards one direction in chunks of random sizes.
async fn forward(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut rng: ChaCha8Rng,
) -> std::io::Result<()> {
    let mut bytes = [0; MAX_CHUNK_BYTES as usize];
    loop {
        let most = (1 + rng.next_u32() % MAX_CHUNK_BYTES) as usize;
        match from.read(&mut bytes[..most]).await? {
            0 => return Ok(()),
            count => to.write_all(&bytes[..count]).await?,
        }
    }
}
