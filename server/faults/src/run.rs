//! Shared state of all clients of a run: seats with their ledgers, tables, counts, and the server's address.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Result, bail};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use tokio::sync::{Notify, mpsc, oneshot};

use crate::counts::Counts;
use crate::latency::AnswerLatencies;
use crate::ledger::SeatLedger;
use crate::server_address::{ServerAddress, within_timeout};

/// A seat played by a client.
pub(crate) struct Seat {
    pub(crate) token: String,
    pub(crate) ledger: SeatLedger,
    /// Number of the stream that plays it.
    pub(crate) stream: usize,
}

/// A table, with a notification of its end.
struct Table {
    id: String,
    seats: Vec<usize>,
    left: usize,
    ended: Option<oneshot::Sender<()>>,
}

/// State of all clients.
#[derive(Default)]
pub(crate) struct RunState {
    pub(crate) seats: Vec<Seat>,
    tables: Vec<Table>,
    pub(crate) counts: Counts,
    pub(crate) open_streams: usize,
    /// Latencies of answers, if the seats answer at leisure.
    pub(crate) latencies: Option<AnswerLatencies>,
    /// Error that ended the run.
    error: Option<String>,
}

impl RunState {
    /// Seat and decision of each answer that was sent and is not acknowledged.
    pub(crate) fn in_flight(&self) -> BTreeSet<(usize, u32)> {
        let playing = self.seats.iter().enumerate().filter(|(_, seat)| !seat.ledger.is_done());
        playing.filter_map(|(number, seat)| Some((number, seat.ledger.in_flight()?))).collect()
    }

    /// Numbers and ids of the tables in play.
    pub(crate) fn playing(&self) -> Vec<(usize, String)> {
        let playing = self.tables.iter().enumerate().filter(|(_, table)| table.left > 0);
        playing.map(|(number, table)| (number, table.id.clone())).collect()
    }

    /// True if no seat of the table plays any more.
    pub(crate) fn is_over(&self, table: usize) -> bool {
        self.tables[table].left == 0
    }

    /// Number of acknowledged answers at a table.
    pub(crate) fn acknowledged_at(&self, table: usize) -> usize {
        self.tables[table].seats.iter().map(|seat| self.seats[*seat].ledger.acknowledged()).sum()
    }

    /// Handles a seat that is finished or failed. With a failed seat the whole table is abandoned.
    pub(crate) fn leave(&mut self, seat: usize) {
        let table = self.seats[seat].ledger.table;
        if self.seats[seat].ledger.failed {
            for other in self.tables[table].seats.clone() {
                self.seats[other].ledger.failed = true;
            }
        }
        let seats = self.tables[table].seats.iter();
        self.tables[table].left = seats.filter(|seat| !self.seats[**seat].ledger.is_done()).count();
        if self.tables[table].left == 0
            && let Some(ended) = self.tables[table].ended.take()
        {
            // The receiver may be gone.
            let _ = ended.send(());
        }
    }
}

/// Shared state of all clients of a run.
pub(crate) struct Run {
    pub(crate) seed: u64,
    pub(crate) server: ServerAddress,
    state: Mutex<RunState>,
    changed: Notify,
    streams: Vec<mpsc::Sender<usize>>,
}

impl Run {
    /// A run with this number of streams. The receivers give the seats that each stream plays.
    pub(crate) fn new(seed: u64, streams: usize, at_leisure: bool) -> (Run, Vec<mpsc::Receiver<usize>>) {
        let (streams, receivers) = (0..streams).map(|_| mpsc::channel(64)).unzip();
        let run = Run {
            seed,
            server: ServerAddress::new(),
            state: Mutex::new(RunState {
                latencies: at_leisure.then(AnswerLatencies::default),
                ..RunState::default()
            }),
            changed: Notify::new(),
            streams,
        };
        (run, receivers)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes all tasks in [`Run::until`].
    pub(crate) fn changed(&self) {
        self.changed.notify_waiters();
    }

    /// Ends the run with an error that is neither a loss nor a duplicate.
    pub(crate) fn fail(&self, error: String) {
        self.state().error.get_or_insert(error);
        self.changed();
    }

    /// Waits until the condition holds. Fails on a timeout, or if the run ended with an error.
    pub(crate) async fn until(&self, what: &str, mut holds: impl FnMut(&RunState) -> bool) -> Result<()> {
        let waiting = async {
            loop {
                let changed = self.changed.notified();
                let mut changed = std::pin::pin!(changed);
                changed.as_mut().enable();
                {
                    let state = self.state();
                    if let Some(error) = &state.error {
                        bail!("{error}");
                    }
                    if holds(&state) {
                        return Ok(());
                    }
                }
                changed.await;
            }
        };
        within_timeout(what, waiting).await?
    }

    /// Waits until `more` further answers are acknowledged, or a violation is found.
    pub(crate) async fn until_more(&self, more: u64) -> Result<()> {
        let enough = self.state().counts.acknowledged + more;
        let is_reached = |state: &RunState| state.counts.acknowledged >= enough || !state.counts.is_clean();
        self.until("answers are acknowledged", is_reached).await
    }

    /// Adds a table with these seat tokens and assigns its seats to streams. The receiver is notified when it
    /// is over.
    pub(crate) async fn add_table(&self, id: String, tokens: Vec<String>) -> oneshot::Receiver<()> {
        let (ended, over) = oneshot::channel();
        let mut opened = Vec::new();
        {
            let mut state = self.state();
            let number = state.tables.len();
            for (place, token) in tokens.into_iter().enumerate() {
                let ledger = SeatLedger::new(number, format!("table {id} seat {place}"));
                let stream = (number + place) % self.streams.len();
                opened.push((state.seats.len(), stream));
                state.seats.push(Seat { token, ledger, stream });
            }
            let seats: Vec<usize> = opened.iter().map(|(seat, _)| *seat).collect();
            state.tables.push(Table { id, left: seats.len(), seats, ended: Some(ended) });
        }
        for (seat, stream) in opened {
            // The stream ends with the run.
            let _ = self.streams[stream].send(seat).await;
        }
        over
    }
}

/// A random number generator for one purpose and number: draws for one purpose do not shift another's.
pub(crate) fn rng_for(seed: u64, purpose: &str, number: usize) -> ChaCha8Rng {
    let mut start = [0; 32];
    start[..8].copy_from_slice(&seed.to_le_bytes());
    start[8..16].copy_from_slice(&(number as u64).to_le_bytes());
    for (place, byte) in purpose.bytes().take(16).enumerate() {
        start[16 + place] = byte;
    }
    ChaCha8Rng::from_seed(start)
}
