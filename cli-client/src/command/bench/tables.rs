//! The tables of `parlor bench`: made, played by all their seats at once, made anew when they end, cancelled at the end.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::try_join_all;
use futures_util::{StreamExt, stream};
use parlor_cli::load::{Meter, Pace, now};
use parlor_sdk::{Client, Decision, Error, Event, NewTable, Seat, Session, wire};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::Instant;

use super::{AT_ONCE, Args};

/// The tables that are being played, which are cancelled at the end.
#[derive(Clone)]
pub(super) struct Held {
    ids: Arc<Mutex<Vec<Option<String>>>>,
    making: Arc<Semaphore>,
}

impl Held {
    pub(super) fn new(tables: usize) -> Held {
        let ids = Arc::new(Mutex::new(vec![None; tables]));
        Held { ids, making: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    fn set(&self, table: usize, id: Option<String>) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)[table] = id;
    }

    /// Makes a table, and holds it even if nobody waits for it any more: the server may have made it already.
    async fn make(&self, table: usize, client: Client, new: NewTable) -> Result<Made, Error> {
        let permit = self.making.clone().acquire_owned().await.expect("it is never closed");
        let held = self.clone();
        let making = tokio::spawn(async move {
            let made = client.create_table(new).await?;
            held.set(table, Some(made.table_id.clone()));
            Ok((made, permit))
        });
        making.await.expect("making a table does not panic")
    }

    /// Cancels them all, as far as that can be done.
    pub(super) async fn cancel_all(&self, client: &Client) {
        // Whoever has all permits knows that no table is being made, and lets none be made.
        let _all = self.making.acquire_many(AT_ONCE as u32).await;
        let held = std::mem::take(&mut *self.ids.lock().unwrap_or_else(PoisonError::into_inner));
        let cancelling =
            stream::iter(held.into_iter().flatten()).for_each_concurrent(AT_ONCE, |id| async move {
                // One that has just ended is gone, and a server that is away has its clocks.
                let _ = client.cancel_table(id, "parlor bench").await;
            });
        cancelling.await;
    }
}

/// A table, and the permit to make it ready.
type Made = (wire::Table, OwnedSemaphorePermit);

/// What all tables share.
pub(super) struct Ground {
    new: NewTable,
    players: u32,
    wants: wire::Wants,
    connections: Vec<Client>,
    sessions: Vec<Session>,
    held: Held,
    pace: Pace,
    finished: AtomicU64,
    /// Counts the moves.
    pub(super) meter: Meter,
}

impl Ground {
    pub(super) fn new(
        new: NewTable,
        players: u32,
        connections: Vec<Client>,
        sessions: Vec<Session>,
        held: Held,
        args: &Args,
    ) -> Ground {
        let full =
            wire::Wants { events: true, update_views: true, legal_actions: true, ..wire::Wants::default() };
        Ground {
            new,
            players,
            wants: if args.bare { wire::Wants::default() } else { full },
            connections,
            sessions,
            held,
            pace: Pace::new(args.rate.map(f64::from)),
            finished: AtomicU64::new(0),
            meter: Meter::default(),
        }
    }

    /// How many tables were played to their end.
    pub(super) fn finished(&self) -> u64 {
        self.finished.load(Ordering::Relaxed)
    }

    /// Plays table after table, and says when the first one is ready. Ends only with an error.
    pub(super) async fn play_on(self: Arc<Self>, table: usize, ready: mpsc::Sender<()>) -> Result<(), Error> {
        let mut ready = Some(ready);
        loop {
            let seats = self.make(table).await?;
            if let Some(ready) = ready.take() {
                // Whoever does not wait any more has given up.
                let _ = ready.send(()).await;
            }
            let board = Mutex::new(Board::default());
            try_join_all(
                seats.into_iter().enumerate().map(|(place, seat)| self.play(table, place, seat, &board)),
            )
            .await?;
            self.held.set(table, None);
            self.finished.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Makes a table, and takes all its seats.
    async fn make(&self, table: usize) -> Result<Vec<Seat>, Error> {
        let client = &self.connections[table % self.connections.len()];
        let (made, _few) = self.held.make(table, client.clone(), self.new.clone()).await?;
        let mut seats = Vec::with_capacity(self.players as usize);
        for place in 0..self.players as usize {
            let joined = client.join_table(&made).await?;
            // The seats of a table are on different streams, as the players of a table are different programs.
            let session = &self.sessions[(table * self.players as usize + place) % self.sessions.len()];
            seats.push(session.seat(joined.token).wants(self.wants).await?);
        }
        Ok(seats)
    }

    async fn play(
        &self,
        table: usize,
        place: usize,
        mut seat: Seat,
        board: &Mutex<Board>,
    ) -> Result<(), Error> {
        while let Some(event) = seat.next().await? {
            match event {
                Event::Update(_) => lock(board).told(place, self.players, |begun| {
                    self.meter.count(table, now() - begun);
                }),
                Event::Decision(decision) => {
                    self.pace.wait().await;
                    lock(board).answered(place);
                    decision.choose_index(choice(table, &decision)).await?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// One of the legal actions: as good as random, and the same in every run.
fn choice(table: usize, decision: &Decision) -> usize {
    let mixed = (table as u64 ^ u64::from(decision.id()) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 33) as usize % decision.legal_count().max(1)
}

fn lock(board: &Mutex<Board>) -> MutexGuard<'_, Board> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The moves of a table that not every player has been told of.
#[derive(Default)]
struct Board(Vec<Open>);

struct Open {
    by: usize,
    begun: Instant,
    /// The seats that were told, as bits.
    told: u32,
}

impl Board {
    /// A seat answers. Whoever has not been told of the moves before will not be: they were secret.
    fn answered(&mut self, place: usize) {
        self.0.retain(|open| open.told & 1 << open.by == 0);
        self.0.push(Open { by: place, begun: now(), told: 0 });
    }

    /// A seat is told of the oldest move that it has not been told of.
    fn told(&mut self, place: usize, players: u32, done: impl FnOnce(Instant)) {
        let Some(at) = self.0.iter().position(|open| open.told & 1 << place == 0) else { return };
        self.0[at].told |= 1 << place;
        if self.0[at].told.count_ones() == players {
            done(self.0.remove(at).begun);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_is_done_when_everyone_was_told() {
        let mut board = Board::default();
        let mut done = 0;
        board.told(0, 2, |_| done += 1);
        board.answered(0);
        board.told(1, 2, |_| done += 1);
        assert_eq!(done, 0);
        board.told(0, 2, |_| done += 1);
        assert_eq!(done, 1);
        // Both at once, as when all hide a card.
        board.answered(0);
        board.answered(1);
        for place in [0, 1, 1, 0] {
            board.told(place, 2, |_| done += 1);
        }
        assert_eq!(done, 3);
        // One that the other is never told of is left out.
        board.answered(0);
        board.told(0, 2, |_| done += 1);
        board.answered(1);
        for place in [0, 1] {
            board.told(place, 2, |_| done += 1);
        }
        assert_eq!((done, board.0.len()), (4, 0));
    }
}
