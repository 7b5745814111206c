//! The server of the baseline.

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
use super::wire::{Move, Told};
use super::{PLAYERS, Sizes};

/// A table: how many moves there were, and who waits for the next one. What is told of a move is the same each time, so nothing
/// is kept for those who have not heard of it yet.
#[derive(Default)]
struct Table {
    moves: u32,
    players: usize,
    waiting: [Option<Waker>; PLAYERS],
}

impl Table {
    /// A player is there. The game begins with the last one.
    fn sit_down(&mut self) {
        self.players += 1;
        if self.players == PLAYERS {
            self.tell();
        }
    }

    /// Both players are told of a move.
    fn tell(&mut self) {
        self.moves += 1;
        self.waiting.iter_mut().filter_map(Option::take).for_each(Waker::wake);
    }
}

/// All tables. They are there until the end, so that nobody counts how many use them: all cores would do so at once.
#[derive(Clone)]
struct Tables {
    tables: &'static [Mutex<Table>],
    view: Bytes,
    events: Bytes,
    /// Where moves wait for their turn, if there are turns.
    turns: Option<mpsc::Sender<Move>>,
}

fn locked(table: &Mutex<Table>) -> MutexGuard<'_, Table> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tables {
    fn table(&self, said: &Move) -> Result<&'static Mutex<Table>, Status> {
        self.tables.get(said.table as usize).ok_or_else(|| Status::not_found("no such table"))
    }

    async fn listen(self, mut said: Streaming<Move>) -> Result<(), Status> {
        while let Some(next) = said.message().await? {
            match &self.turns {
                Some(turns) => {
                    turns.send(next).await.map_err(|_| Status::internal("there are no more turns"))?;
                }
                None => locked(self.table(&next)?).tell(),
            }
        }
        Ok(())
    }

    /// Takes the moves that there are, waits for as long as a turn lasts, and tells of them: as if they were committed
    /// meanwhile.
    async fn take_turns(self, mut moves: mpsc::Receiver<Move>, lasting: Duration) -> Result<(), Status> {
        let mut heard = Vec::new();
        while moves.recv_many(&mut heard, moves.max_capacity()).await > 0 {
            tokio::time::sleep(lasting).await;
            for next in heard.drain(..) {
                locked(self.table(&next)?).tell();
            }
        }
        Ok(())
    }
}

/// What a player is told: of each move, the view and the events.
struct Telling {
    table: &'static Mutex<Table>,
    seat: usize,
    /// How many moves the player was told of.
    told: u32,
    view: Bytes,
    events: Bytes,
}

impl Stream for Telling {
    type Item = Result<Told, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut table = locked(self.table);
        if table.moves == self.told {
            table.waiting[self.seat] = Some(cx.waker().clone());
            return Poll::Pending;
        }
        drop(table);
        self.told += 1;
        let (view, events) = (self.view.clone(), self.events.clone());
        let told = Told { number: self.told, turn: self.told % PLAYERS as u32, events, view };
        Poll::Ready(Some(Ok(told)))
    }
}

#[tonic::async_trait]
impl Bare for Tables {
    type PlayStream = Telling;

    async fn play(&self, request: Request<Streaming<Move>>) -> Result<Response<Self::PlayStream>, Status> {
        let mut said = request.into_inner();
        let first = said.message().await?.ok_or_else(|| Status::invalid_argument("nobody is there"))?;
        let (table, seat) = (self.table(&first)?, first.seat as usize);
        if seat >= PLAYERS {
            return Err(Status::not_found("no such seat"));
        }
        locked(table).sit_down();
        tokio::spawn(self.clone().listen(said));
        let (view, events) = (self.view.clone(), self.events.clone());
        Ok(Response::new(Telling { table, seat, told: 0, view, events }))
    }
}

/// Bytes that are there until the end, as the tables are.
fn always(bytes: Vec<u8>) -> Bytes {
    Bytes::from_static(bytes.leak())
}

/// Serves until it is killed, in turns of this length if there are to be any.
pub(crate) async fn serve(
    tables: usize,
    sizes: Sizes,
    turn: Option<Duration>,
    settings: &Settings,
) -> Result<()> {
    // No table has more than one move at a time.
    let (turns, moves) = mpsc::channel(tables.max(1));
    let service = Tables {
        tables: (0..tables).map(|_| Mutex::default()).collect::<Vec<_>>().leak(),
        view: always(vec![1; sizes.view]),
        events: always(vec![2; sizes.events]),
        turns: turn.map(|_| turns),
    };
    if let Some(lasting) = turn {
        tokio::spawn(service.clone().take_turns(moves, lasting));
    }
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
    println!("the baseline listens on {} (bare tonic)", listener.local_addr()?);
    let connections = &settings.connections;
    let incoming = transport::incoming(listener, connections);
    let incoming = incoming.map(|accepted| Ok::<_, std::io::Error>(accepted.io));
    // As Parlor speaks HTTP.
    let server = Server::builder()
        .accept_http1(true)
        .http2_keepalive_interval(Some(connections.keepalive_interval.get()))
        .http2_keepalive_timeout(Some(connections.keepalive_timeout.get()))
        .max_concurrent_streams(settings.limits.streams_per_connection.get());
    // Without tonic's router, which would put two more bodies around those of every stream.
    server.serve_with_incoming(BareServer::new(service), incoming).await?;
    Ok(())
}
