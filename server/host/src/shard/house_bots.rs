//! The house bots think on threads of their own, so that no request waits for them.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use parlor_bots::{BotError, HouseBot};
use parlor_engine::{AnyAction, AnyView, Seat};

use crate::settings::BotSettings;
use crate::table::DecisionId;
use parlor_fair::Secret;

use crate::TableId;

/// A decision for a house bot: what a player on its seat would have, and the randomness that it may use.
pub(crate) struct BotJob {
    pub(crate) table: TableId,
    pub(crate) seat: Seat,
    pub(crate) decision: DecisionId,
    pub(crate) bot: String,
    pub(crate) view: AnyView,
    pub(crate) legal: Vec<AnyAction>,
    pub(crate) seed: Secret<[u8; 32]>,
}

/// What a house bot decided.
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
        // A bot that panics has failed, and nothing else has: it has only looked at what it was given.
        let chosen = std::panic::catch_unwind(std::panic::AssertUnwindSafe(think));
        BotMove { table, seat, decision, chosen: chosen.unwrap_or(Err(BotError::Panicked)) }
    }
}

/// The threads. They end when the pool is dropped.
#[derive(Clone)]
pub(crate) struct BotPool {
    queue: SyncSender<BotJob>,
}

impl BotPool {
    /// Starts the threads. Each decision is handed to `done`, which may block.
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

    /// Lets a bot think about it, unless too many wait. AgentProfile whether there was room.
    pub(crate) fn submit(&self, job: BotJob) -> bool {
        self.queue.try_send(job).is_ok()
    }
}

fn next(jobs: &Mutex<Receiver<BotJob>>) -> Option<BotJob> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}
