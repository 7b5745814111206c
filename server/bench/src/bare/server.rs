//! The server of the baseline.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use parlor_server::config::Settings;
use parlor_server::serve;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tonic::{Request, Response, Status, Streaming, transport::Server};

use super::wire::bare_server::{Bare, BareServer};
use super::wire::{Move, Told};
use super::{PLAYERS, Sizes};

/// How many messages wait for a player.
const QUEUE: usize = 16;

/// Who is told the number of each move.
type Player = mpsc::Sender<u32>;

#[derive(Default)]
struct Table {
    players: [Option<Player>; PLAYERS],
    number: u32,
}

#[derive(Clone)]
struct Tables {
    tables: Arc<Vec<Mutex<Table>>>,
    view: Bytes,
    events: Bytes,
    /// Where moves wait for their turn, if there are turns.
    turns: Option<mpsc::Sender<Move>>,
}

impl Tables {
    fn table(&self, said: &Move) -> Result<MutexGuard<'_, Table>, Status> {
        let table = self.tables.get(said.table as usize);
        let table = table.ok_or_else(|| Status::not_found("no such table"))?;
        Ok(table.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A player is there. The game begins with the last one.
    fn sit_down(&self, said: &Move, player: Player) -> Result<(), Status> {
        let mut table = self.table(said)?;
        let seat = table.players.get_mut(said.seat as usize);
        *seat.ok_or_else(|| Status::not_found("no such seat"))? = Some(player);
        if table.players.iter().all(Option::is_some) {
            self.tell(&mut table)?;
        }
        Ok(())
    }

    /// Both players are told of a move.
    fn tell(&self, table: &mut Table) -> Result<(), Status> {
        table.number += 1;
        for player in table.players.iter().flatten() {
            player.try_send(table.number).map_err(|_| Status::resource_exhausted("too slow"))?;
        }
        Ok(())
    }

    async fn listen(self, mut said: Streaming<Move>, player: Player) -> Result<(), Status> {
        if let Some(first) = said.message().await? {
            self.sit_down(&first, player)?;
        }
        while let Some(next) = said.message().await? {
            match &self.turns {
                Some(turns) => {
                    turns.send(next).await.map_err(|_| Status::internal("there are no more turns"))?;
                }
                None => self.tell(&mut *self.table(&next)?)?,
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
                self.tell(&mut *self.table(&next)?)?;
            }
        }
        Ok(())
    }
}

/// What a player is told: of each move, the view and the events.
struct Telling {
    moves: mpsc::Receiver<u32>,
    view: Bytes,
    events: Bytes,
}

impl Stream for Telling {
    type Item = Result<Told, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.moves.poll_recv(cx));
        Poll::Ready(next.map(|number| {
            let (view, events) = (self.view.clone(), self.events.clone());
            Ok(Told { number, turn: number % PLAYERS as u32, events, view })
        }))
    }
}

#[tonic::async_trait]
impl Bare for Tables {
    type PlayStream = Telling;

    async fn play(&self, request: Request<Streaming<Move>>) -> Result<Response<Self::PlayStream>, Status> {
        let (player, moves) = mpsc::channel(QUEUE);
        tokio::spawn(self.clone().listen(request.into_inner(), player));
        Ok(Response::new(Telling { moves, view: self.view.clone(), events: self.events.clone() }))
    }
}

/// Bytes that are there until the end, so that nobody counts how many use them: all cores would do so at once.
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
        tables: Arc::new((0..tables).map(|_| Mutex::default()).collect()),
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
    let incoming = serve::incoming(listener, connections);
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
