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
    /// The job, without legal actions if it is to fail: no bot can choose one.
    #[cfg(feature = "test-hooks")]
    fn failing(self, fails: bool) -> BotJob {
        if fails { BotJob { legal: Vec::new(), ..self } } else { self }
    }

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
    /// While set, every decision fails.
    #[cfg(feature = "test-hooks")]
    pub(crate) failing: Arc<std::sync::atomic::AtomicBool>,
}

impl BotPool {
    /// Starts the threads. `done` receives each move and may block.
    pub(crate) fn start(
        settings: &BotSettings,
        done: impl Fn(BotMove) + Send + Sync + 'static,
    ) -> std::io::Result<BotPool> {
        let (queue, jobs) = sync_channel(settings.queue);
        let (jobs, done) = (Arc::new(Mutex::new(jobs)), Arc::new(done));
        #[cfg(feature = "test-hooks")]
        let failing = Arc::new(std::sync::atomic::AtomicBool::new(false));
        for number in 0..settings.thread_count().get() {
            let (jobs, done) = (jobs.clone(), done.clone());
            #[cfg(feature = "test-hooks")]
            let failing = failing.clone();
            std::thread::Builder::new().name(format!("bot-{number}")).spawn(move || {
                while let Some(job) = next(&jobs) {
                    #[cfg(feature = "test-hooks")]
                    let job = job.failing(failing.load(std::sync::atomic::Ordering::Relaxed));
                    done(job.think());
                }
            })?;
        }
        Ok(BotPool {
            queue,
            #[cfg(feature = "test-hooks")]
            failing,
        })
    }

    /// Queues a decision. Returns false if the queue is full.
    pub(crate) fn submit(&self, job: BotJob) -> bool {
        self.queue.try_send(job).is_ok()
    }
}

fn next(jobs: &Mutex<Receiver<BotJob>>) -> Option<BotJob> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}
