//! A proxy that cuts connections: in the middle of whatever they carry, on both sides at once.

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

use crate::world::generator;

/// The most bytes that are passed on at once.
const PIECE: u32 = 4096;

type Open = BTreeMap<usize, oneshot::Sender<()>>;

/// A proxy between the clients and the server. It ends when it is dropped.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    server: watch::Sender<Option<SocketAddr>>,
    open: Arc<Mutex<Open>>,
    _tasks: JoinSet<()>,
}

impl Proxy {
    /// Whoever connects before it is said where the server is finds nobody.
    pub(crate) async fn start(seed: u64) -> Result<Proxy> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let open: Arc<Mutex<Open>> = Arc::default();
        let (server, server_is) = watch::channel(None);
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(seed, listener, server_is, open.clone()));
        Ok(Proxy { address, server, open, _tasks: tasks })
    }

    /// The server is here from now on, or nowhere.
    pub(crate) fn set(&self, server: Option<SocketAddr>) {
        self.server.send_replace(server);
    }

    /// Cuts one of the connections. Says whether there was one.
    pub(crate) fn cut(&self, rng: &mut ChaCha8Rng) -> bool {
        let mut open = held(&self.open);
        if open.is_empty() {
            return false;
        }
        let chosen = rng.next_u32() as usize % open.len();
        let key = open.keys().nth(chosen).copied();
        // One that has just ended by itself is none.
        key.and_then(|key| open.remove(&key)).is_some_and(|cut| cut.send(()).is_ok())
    }
}

fn held(open: &Mutex<Open>) -> MutexGuard<'_, Open> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(
    seed: u64,
    listener: TcpListener,
    server: watch::Receiver<Option<SocketAddr>>,
    open: Arc<Mutex<Open>>,
) {
    let mut connections = JoinSet::new();
    for number in 0.. {
        let Ok((client, _)) = listener.accept().await else { return };
        let Some(server) = *server.borrow() else { continue };
        let (cut, is_cut) = oneshot::channel();
        held(&open).insert(number, cut);
        let open = open.clone();
        let rng = generator(seed, "proxy", number);
        connections.spawn(async move {
            tokio::select! {
                // Both ends are dropped with whatever was half passed on.
                _ = is_cut => {}
                _ = carry(client, server, rng) => {}
            }
            held(&open).remove(&number);
        });
        while connections.try_join_next().is_some() {}
    }
}

/// Passes everything on, in both directions, until one side ends.
async fn carry(client: TcpStream, server: SocketAddr, mut rng: ChaCha8Rng) -> std::io::Result<()> {
    let server = TcpStream::connect(server).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let back = ChaCha8Rng::seed_from_u64(rng.next_u64());
    tokio::select! {
        ended = pass_on(from_client, to_server, rng) => ended,
        ended = pass_on(from_server, to_client, back) => ended,
    }
}

/// Passes on what comes, in pieces of all sizes.
async fn pass_on(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut rng: ChaCha8Rng,
) -> std::io::Result<()> {
    let mut bytes = [0; PIECE as usize];
    loop {
        let most = (1 + rng.next_u32() % PIECE) as usize;
        match from.read(&mut bytes[..most]).await? {
            0 => return Ok(()),
            count => to.write_all(&bytes[..count]).await?,
        }
    }
}
