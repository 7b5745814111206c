//! Thread pool of the house bots, so that no request waits for their computation.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use parlor_bots::{BotError, HouseBot};
use parlor_engine::{AnyAction, AnyView, Seat};

use crate::settings::BotSettings;
use crate::table::DecisionId;
use parlor_fair::Secret;

use crate::TableId;

/// A decision for a house bot: the view of its seat, the legal actions, and the seed of its randomness.
pub(crate) struct BotJob {
    pub(crate) table: TableId,
    pub(crate) seat: Seat,
    pub(crate) decision: DecisionId,
    pub(crate) bot: String,
    pub(crate) view: AnyView,
    pub(crate) legal: Vec<AnyAction>,
    pub(crate) seed: Secret<[u8; 32]>,
}

/// A house bot's decision.
pub(crate) struct BotMove {
    pub(crate) table: TableId,
    pub(crate) seat: Seat,
    pub(crate) decision: DecisionId,
    pub(crate) chosen: Result<usize, BotError>,
}

impl BotJob {
    fn think(self) -> BotMove {
        let BotJob { table, seat, decision, bot, view, legal, seed } = self;
        let think = || HouseBot::by_name(&bot)?.decide(&view, &legal, *seed.reveal());
        // A panic fails only this decision: the bot has no shared mutable state.
        let chosen = std::panic::catch_unwind(std::panic::AssertUnwindSafe(think));
        BotMove { table, seat, decision, chosen: chosen.unwrap_or(Err(BotError::Panicked)) }
    }
}

/// Thread pool of house bots. The threads end when the last clone of the pool is dropped.
#[derive(Clone)]
pub(crate) struct BotPool {
    queue: SyncSender<BotJob>,
}

impl BotPool {
    /// Starts the threads. `done` receives each move and may block.
    pub(crate) fn start(
        settings: &BotSettings,
        done: impl Fn(BotMove) + Send + Sync + 'static,
    ) -> std::io::Result<BotPool> {
        let (queue, jobs) = sync_channel(settings.queue);
        let (jobs, done) = (Arc::new(Mutex::new(jobs)), Arc::new(done));
        for number in 0..settings.thread_count().get() {
            let (jobs, done) = (jobs.clone(), done.clone());
            std::thread::Builder::new().name(format!("bot-{number}")).spawn(move || {
                while let Some(job) = next(&jobs) {
                    done(job.think());
                }
            })?;
        }
        Ok(BotPool { queue })
    }

    /// Queues a decision. Returns false if the queue is full.
    pub(crate) fn submit(&self, job: BotJob) -> bool {
        self.queue.try_send(job).is_ok()
    }
}

fn next(jobs: &Mutex<Receiver<BotJob>>) -> Option<BotJob> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}
