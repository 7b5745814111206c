//! Baseline server.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use parlor_server::config::Settings;
use parlor_server::transport;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tonic::{Request, Response, Status, Streaming, transport::Server};

use super::wire::bare_server::{Bare, BareServer};
use super::wire::{Move, Update};
use super::{PLAYERS, Sizes};

/// A table: number of moves, and wakers of the players that wait for the next one. All updates have the same
/// contents, so none are queued.
#[derive(Default)]
struct Table {
    moves: u32,
    players: usize,
    waiting: [Option<Waker>; PLAYERS],
}

impl Table {
    /// Adds a player. The game begins with the last one.
    fn join(&mut self) {
        self.players += 1;
        if self.players == PLAYERS {
            self.add_move();
        }
    }

    /// Counts a move and wakes both players.
    fn add_move(&mut self) {
        self.moves += 1;
        self.waiting.iter_mut().filter_map(Option::take).for_each(Waker::wake);
    }
}

/// All tables. They are leaked, so that no reference count is contended by all cores.
#[derive(Clone)]
struct Tables {
    tables: &'static [Mutex<Table>],
    view: Bytes,
    events: Bytes,
    /// Queue of moves with delayed updates, if updates are delayed.
    delayed: Option<mpsc::Sender<Move>>,
}

fn locked(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tables {
    fn table(&self, request: &Move) -> Result<&'static Mutex<Table>, Status> {
        self.tables.get(request.table as usize).ok_or_else(|| Status::not_found("no such table"))
    }

    async fn listen(self, mut requests: Streaming<Move>) -> Result<(), Status> {
        while let Some(next) = requests.message().await? {
            match &self.delayed {
                Some(queue) => {
                    queue.send(next).await.map_err(|_| Status::internal("the delay queue has ended"))?;
                }
                None => locked(self.table(&next)?).add_move(),
            }
        }
        Ok(())
    }

    /// Takes all queued moves, waits, and sends their updates: as if they were committed in between.
    async fn delay_moves(self, mut moves: mpsc::Receiver<Move>, delay: Duration) -> Result<(), Status> {
        let mut batch = Vec::new();
        while moves.recv_many(&mut batch, moves.max_capacity()).await > 0 {
            tokio::time::sleep(delay).await;
            for next in batch.drain(..) {
                locked(self.table(&next)?).add_move();
            }
        }
        Ok(())
    }
}

/// Response stream of a player: one update per move.
struct UpdateStream {
    table: &'static Mutex<Table>,
    seat: usize,
    /// Number of updates sent.
    sent: u32,
    view: Bytes,
    events: Bytes,
}

impl Stream for UpdateStream {
    type Item = Result<Update, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut table = locked(self.table);
        if table.moves == self.sent {
            table.waiting[self.seat] = Some(cx.waker().clone());
            return Poll::Pending;
        }
        drop(table);
        self.sent += 1;
        let (view, events) = (self.view.clone(), self.events.clone());
        let update = Update { number: self.sent, turn: self.sent % PLAYERS as u32, events, view };
        Poll::Ready(Some(Ok(update)))
    }
}

#[tonic::async_trait]
impl Bare for Tables {
    type PlayStream = UpdateStream;

    async fn play(&self, request: Request<Streaming<Move>>) -> Result<Response<Self::PlayStream>, Status> {
        let mut requests = request.into_inner();
        let first = requests
            .message()
            .await?
            .ok_or_else(|| Status::invalid_argument("the stream has no messages"))?;
        let (table, seat) = (self.table(&first)?, first.seat as usize);
        if seat >= PLAYERS {
            return Err(Status::not_found("no such seat"));
        }
        locked(table).join();
        tokio::spawn(self.clone().listen(requests));
        let (view, events) = (self.view.clone(), self.events.clone());
        Ok(Response::new(UpdateStream { table, seat, sent: 0, view, events }))
    }
}

/// Leaked bytes, without a reference count.
fn leaked(bytes: Vec<u8>) -> Bytes {
    Bytes::from_static(bytes.leak())
}

/// Serves until it is killed, with delayed updates if a delay is given.
pub(crate) async fn serve(
    tables: usize,
    sizes: Sizes,
    delay: Option<Duration>,
    settings: &Settings,
) -> Result<()> {
    // A table has at most one queued move.
    let (queue, moves) = mpsc::channel(tables.max(1));
    let service = Tables {
        tables: (0..tables).map(|_| Mutex::default()).collect::<Vec<_>>().leak(),
        view: leaked(vec![1; sizes.view]),
        events: leaked(vec![2; sizes.events]),
        delayed: delay.map(|_| queue),
    };
    if let Some(delay) = delay {
        tokio::spawn(service.clone().delay_moves(moves, delay));
    }
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
    println!("the baseline listens on {} (bare tonic)", listener.local_addr()?);
    let connections = &settings.connections;
    let incoming = transport::incoming(listener, connections);
    let incoming = incoming.map(|accepted| Ok::<_, std::io::Error>(accepted.io));
    // HTTP settings of Parlor.
    let server = Server::builder()
        .accept_http1(true)
        .http2_keepalive_interval(Some(connections.keepalive_interval.get()))
        .http2_keepalive_timeout(Some(connections.keepalive_timeout.get()))
        .max_concurrent_streams(settings.limits.streams_per_connection.get());
    // Without tonic's router, which would wrap the body of every stream twice.
    server.serve_with_incoming(BareServer::new(service), incoming).await?;
    Ok(())
}
