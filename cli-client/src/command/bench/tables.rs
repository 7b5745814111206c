//! Tables of `parlor bench`: created, played by all their seats at once, replaced when they finish, cancelled
//! at the end.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::try_join_all;
use futures_util::{StreamExt, stream};
use parlor_cli::load::{LatencyMeter, RateLimiter, now};
use parlor_sdk::{Client, Decision, Error, Event, NewTable, Seat, Session, wire};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::Instant;

use super::{Args, MAX_CONCURRENT_CALLS};

/// Ids of the open tables, one slot per table, so that they can be cancelled at the end.
#[derive(Clone)]
pub(super) struct OpenTables {
    ids: Arc<Mutex<Vec<Option<String>>>>,
    creating: Arc<Semaphore>,
}

impl OpenTables {
    pub(super) fn new(tables: usize) -> OpenTables {
        let ids = Arc::new(Mutex::new(vec![None; tables]));
        OpenTables { ids, creating: Arc::new(Semaphore::new(MAX_CONCURRENT_CALLS)) }
    }

    fn set(&self, table: usize, id: Option<String>) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)[table] = id;
    }

    /// Creates a table and stores its id. Runs in a task of its own, so that the id is stored even if the
    /// caller is cancelled after the server has created the table.
    async fn create(&self, table: usize, client: Client, new: NewTable) -> Result<CreatedTable, Error> {
        let permit = self.creating.clone().acquire_owned().await.expect("the semaphore is never closed");
        let open_tables = self.clone();
        let creating = tokio::spawn(async move {
            let created = client.create_table(new).await?;
            open_tables.set(table, Some(created.table_id.clone()));
            Ok((created, permit))
        });
        creating.await.expect("creating a table does not panic")
    }

    /// Cancels all open tables, ignoring errors.
    pub(super) async fn cancel_all(&self, client: &Client) {
        // Holding all permits means that no table is being created and none will be.
        let _all = self.creating.acquire_many(MAX_CONCURRENT_CALLS as u32).await;
        let open_tables = std::mem::take(&mut *self.ids.lock().unwrap_or_else(PoisonError::into_inner));
        let cancelling = stream::iter(open_tables.into_iter().flatten()).for_each_concurrent(
            MAX_CONCURRENT_CALLS,
            |id| async move {
                // A table that has just finished is gone; the clocks of an unreachable server end its tables.
                let _ = client.cancel_table(id, "parlor bench").await;
            },
        );
        cancelling.await;
    }
}

/// A created table, with the permit that is held until its seats are joined.
type CreatedTable = (wire::Table, OwnedSemaphorePermit);

/// State shared by all tables of the run.
pub(super) struct LoadGenerator {
    new: NewTable,
    players: u32,
    wants: wire::Wants,
    connections: Vec<Client>,
    sessions: Vec<Session>,
    open_tables: OpenTables,
    rate_limiter: RateLimiter,
    finished: AtomicU64,
    /// Latencies of the moves.
    pub(super) meter: LatencyMeter,
}

impl LoadGenerator {
    pub(super) fn new(
        new: NewTable,
        players: u32,
        connections: Vec<Client>,
        sessions: Vec<Session>,
        open_tables: OpenTables,
        args: &Args,
    ) -> LoadGenerator {
        let full =
            wire::Wants { update_views: Some(true), decision_views: Some(false), ..wire::Wants::default() };
        let bare = wire::Wants {
            events: Some(false),
            decision_views: Some(false),
            legal_actions: Some(false),
            ..wire::Wants::default()
        };
        LoadGenerator {
            new,
            players,
            wants: if args.bare { bare } else { full },
            connections,
            sessions,
            open_tables,
            rate_limiter: RateLimiter::new(args.rate.map(f64::from)),
            finished: AtomicU64::new(0),
            meter: LatencyMeter::default(),
        }
    }

    /// Number of tables played to the end.
    pub(super) fn finished(&self) -> u64 {
        self.finished.load(Ordering::Relaxed)
    }

    /// Plays tables one after another, and signals when the first one is ready. Returns only with an error.
    pub(super) async fn run_table(
        self: Arc<Self>,
        table: usize,
        ready: mpsc::Sender<()>,
    ) -> Result<(), Error> {
        let mut ready = Some(ready);
        loop {
            let seats = self.create(table).await?;
            if let Some(ready) = ready.take() {
                // A dropped receiver means that the run was aborted.
                let _ = ready.send(()).await;
            }
            let pending = Mutex::new(PendingMoves::default());
            try_join_all(
                seats.into_iter().enumerate().map(|(place, seat)| self.play(table, place, seat, &pending)),
            )
            .await?;
            self.open_tables.set(table, None);
            self.finished.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Creates a table and joins all its seats.
    async fn create(&self, table: usize) -> Result<Vec<Seat>, Error> {
        let client = &self.connections[table % self.connections.len()];
        let (created, _permit) = self.open_tables.create(table, client.clone(), self.new.clone()).await?;
        let mut seats = Vec::with_capacity(self.players as usize);
        for place in 0..self.players as usize {
            let joined = client.join_table(&created).await?;
            // Seats of one table are on different streams, as different players would be.
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
        pending: &Mutex<PendingMoves>,
    ) -> Result<(), Error> {
        while let Some(event) = seat.next().await? {
            match event {
                Event::Update(_) => lock(pending).update_seen(place, self.players, |begun| {
                    self.meter.count(table, now() - begun);
                }),
                Event::Decision(decision) => {
                    self.rate_limiter.wait().await;
                    lock(pending).move_sent(place);
                    decision.choose_index(choice(table, &decision)).await?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Pseudo-random legal action, the same in every run.
fn choice(table: usize, decision: &Decision) -> usize {
    let mixed = (table as u64 ^ u64::from(decision.id()) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 33) as usize % decision.legal_count().max(1)
}

fn lock(pending: &Mutex<PendingMoves>) -> MutexGuard<'_, PendingMoves> {
    pending.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Moves of a table that not every seat has received yet, oldest first.
#[derive(Default)]
struct PendingMoves(Vec<PendingMove>);

struct PendingMove {
    by: usize,
    begun: Instant,
    /// Bit set of the seats that have received the update.
    seen: u32,
}

impl PendingMoves {
    /// Records that a seat sent an answer. Older moves already received by their own seat are dropped: they
    /// were secret, and the other seats never receive them.
    fn move_sent(&mut self, place: usize) {
        self.0.retain(|open| open.seen & 1 << open.by == 0);
        self.0.push(PendingMove { by: place, begun: now(), seen: 0 });
    }

    /// Records an update at a seat: it belongs to the oldest move that the seat has not received. Calls
    /// `done` with the start of the move when all seats have it.
    fn update_seen(&mut self, place: usize, players: u32, done: impl FnOnce(Instant)) {
        let Some(at) = self.0.iter().position(|open| open.seen & 1 << place == 0) else { return };
        self.0[at].seen |= 1 << place;
        if self.0[at].seen.count_ones() == players {
            done(self.0.remove(at).begun);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn move_completes_when_every_seat_has_its_update() {
        let mut pending = PendingMoves::default();
        let mut done = 0;
        pending.update_seen(0, 2, |_| done += 1);
        pending.move_sent(0);
        pending.update_seen(1, 2, |_| done += 1);
        assert_eq!(done, 0);
        pending.update_seen(0, 2, |_| done += 1);
        assert_eq!(done, 1);
        // Both at once, as in a hiding phase.
        pending.move_sent(0);
        pending.move_sent(1);
        for place in [0, 1, 1, 0] {
            pending.update_seen(place, 2, |_| done += 1);
        }
        assert_eq!(done, 3);
        // A secret move that the other seat never receives is dropped.
        pending.move_sent(0);
        pending.update_seen(0, 2, |_| done += 1);
        pending.move_sent(1);
        for place in [0, 1] {
            pending.update_seen(place, 2, |_| done += 1);
        }
        assert_eq!((done, pending.0.len()), (4, 0));
    }
}
