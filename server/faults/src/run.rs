//! What all clients of a run share: the seats and their accounts, the tables, the sums, and where the server is.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use tokio::sync::{Notify, mpsc, oneshot};

use crate::book::Book;
use crate::dial::{Dial, soon};
use crate::tally::Tally;

/// A seat that a client plays.
pub(crate) struct Seat {
    pub(crate) token: String,
    pub(crate) book: Book,
    /// The stream that plays it.
    pub(crate) stream: usize,
}

/// A table, and who waits for its end.
struct Table {
    id: String,
    seats: Vec<usize>,
    left: usize,
    ended: Option<oneshot::Sender<()>>,
}

/// What the clients know.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) seats: Vec<Seat>,
    tables: Vec<Table>,
    pub(crate) tally: Tally,
    /// How many streams are open.
    pub(crate) open_streams: usize,
    /// What ended the run, if something did.
    trouble: Option<String>,
}

impl State {
    /// The answers that were sent and are not acknowledged: the seat and the decision of each.
    pub(crate) fn in_flight(&self) -> BTreeSet<(usize, u32)> {
        let playing = self.seats.iter().enumerate().filter(|(_, seat)| !seat.book.is_done());
        playing.filter_map(|(number, seat)| Some((number, seat.book.in_flight()?))).collect()
    }

    /// The ids of the tables that are being played.
    pub(crate) fn playing(&self) -> Vec<(usize, String)> {
        let playing = self.tables.iter().enumerate().filter(|(_, table)| table.left > 0);
        playing.map(|(number, table)| (number, table.id.clone())).collect()
    }

    /// Whether nothing more is played at a table.
    pub(crate) fn is_over(&self, table: usize) -> bool {
        self.tables[table].left == 0
    }

    /// How many answers were acknowledged at a table.
    pub(crate) fn acknowledged_at(&self, table: usize) -> usize {
        self.tables[table].seats.iter().map(|seat| self.seats[*seat].book.acknowledged()).sum()
    }

    /// A seat is done, or wrong: then its whole table is left alone.
    pub(crate) fn leave(&mut self, seat: usize) {
        let table = self.seats[seat].book.table;
        if self.seats[seat].book.spoilt {
            for other in self.tables[table].seats.clone() {
                self.seats[other].book.spoilt = true;
            }
        }
        let seats = self.tables[table].seats.iter();
        self.tables[table].left = seats.filter(|seat| !self.seats[**seat].book.is_done()).count();
        if self.tables[table].left == 0
            && let Some(ended) = self.tables[table].ended.take()
        {
            // Nobody may be waiting any more.
            let _ = ended.send(());
        }
    }
}

/// What all clients of a run share.
pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) dial: Dial,
    state: Mutex<State>,
    changed: Notify,
    streams: Vec<mpsc::Sender<usize>>,
}

impl World {
    /// A world with so many streams; what each is to play comes out of its receiver.
    pub(crate) fn new(seed: u64, streams: usize) -> (World, Vec<mpsc::Receiver<usize>>) {
        let (streams, receivers) = (0..streams).map(|_| mpsc::channel(64)).unzip();
        let world =
            World { seed, dial: Dial::new(), state: Mutex::default(), changed: Notify::new(), streams };
        (world, receivers)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks whether what somebody waits for has come.
    pub(crate) fn changed(&self) {
        self.changed.notify_waiters();
    }

    /// Ends the run: something happened that is not about losing or doubling.
    pub(crate) fn trouble(&self, what: String) {
        self.state().trouble.get_or_insert(what);
        self.changed();
    }

    /// Waits until something holds.
    pub(crate) async fn until(&self, what: &str, mut holds: impl FnMut(&State) -> bool) -> Result<()> {
        let waiting = async {
            loop {
                let changed = self.changed.notified();
                let mut changed = std::pin::pin!(changed);
                changed.as_mut().enable();
                {
                    let state = self.state();
                    if let Some(trouble) = &state.trouble {
                        bail!("{trouble}");
                    }
                    if holds(&state) {
                        return Ok(());
                    }
                }
                changed.await;
            }
        };
        soon(what, waiting).await?
    }

    /// Waits until so many more answers are acknowledged.
    pub(crate) async fn until_more(&self, more: u64) -> Result<()> {
        let enough = self.state().tally.acknowledged + more;
        let enough_is_there = |state: &State| state.tally.acknowledged >= enough || !state.tally.is_clean();
        self.until("answers are acknowledged", enough_is_there).await
    }

    /// A new table with these seat tokens, given to the streams to be played. Tells when it is over.
    pub(crate) async fn open(&self, id: String, tokens: Vec<String>) -> oneshot::Receiver<()> {
        let (ended, over) = oneshot::channel();
        let mut opened = Vec::new();
        {
            let mut state = self.state();
            let number = state.tables.len();
            for (place, token) in tokens.into_iter().enumerate() {
                let book = Book::new(number, format!("table {id} seat {place}"));
                let stream = (number + place) % self.streams.len();
                opened.push((state.seats.len(), stream));
                state.seats.push(Seat { token, book, stream });
            }
            let seats: Vec<usize> = opened.iter().map(|(seat, _)| *seat).collect();
            state.tables.push(Table { id, left: seats.len(), seats, ended: Some(ended) });
        }
        for (seat, stream) in opened {
            // A stream ends with the run.
            let _ = self.streams[stream].send(seat).await;
        }
        over
    }
}

/// A generator of its own for each purpose, so that more of one thing does not move the other.
pub(crate) fn generator(seed: u64, purpose: &str, number: usize) -> ChaCha8Rng {
    let mut start = [0; 32];
    start[..8].copy_from_slice(&seed.to_le_bytes());
    start[8..16].copy_from_slice(&(number as u64).to_le_bytes());
    for (place, byte) in purpose.bytes().take(16).enumerate() {
        start[16 + place] = byte;
    }
    ChaCha8Rng::from_seed(start)
}
