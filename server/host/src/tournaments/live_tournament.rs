//! A tournament in memory: its view and its standings.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use parlor_tournament::plan::TableKey;
use parlor_tournament::stats::rating::RatingPoint;
use parlor_tournament::{StandingsAccumulator, TournamentState};
use tokio::sync::{Mutex, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::snapshot::{StandingsFrame, StandingsSnapshot, TournamentSnapshot, rating_history};
use super::standings::PlayRate;
use super::{FoldedTournament, TournamentCommand, TournamentError};
use crate::TableId;
use crate::clock::{Clock, Moment};

/// Computing standings pauses for this many times as long as it took, which bounds its share of a core.
pub(super) const MIN_IDLE_FACTOR: u32 = 5;
/// Number of groups that are accumulated per lock of the view.
const GROUP_BATCH: usize = 1000;

/// A command that waits for the runner, and the sender of its reply.
pub(super) struct PendingCommand {
    pub(super) command: TournamentCommand,
    pub(super) reply: oneshot::Sender<Result<(), TournamentError>>,
}

/// The visible state of a tournament. Only its runner changes it, after the change is durable.
pub(super) struct TournamentView {
    pub(super) folded: FoldedTournament,
    /// The running tables.
    pub(super) running: BTreeMap<TableKey, TableId>,
    /// The rate at which tables end.
    pub(super) rate: PlayRate,
    /// Set once the tournament is over, its last table has ended, and its record is durable.
    pub(super) closed: bool,
}

impl TournamentView {
    /// The state. A tournament is over once its end is stored: until then, while its last tables are being cancelled, it is
    /// in the state of before.
    pub(super) fn state(&self) -> TournamentState {
        let folded = &self.folded;
        if !folded.is_over() || self.closed {
            folded.plan.state()
        } else if folded.started.is_some() {
            TournamentState::Running
        } else if folded.collection.is_some() {
            TournamentState::Starting
        } else {
            TournamentState::Created
        }
    }

    /// The public snapshot.
    pub(super) fn tournament(&self) -> TournamentSnapshot {
        TournamentSnapshot::new(&self.folded, self.state(), self.closed)
    }
}

/// A tournament in memory.
pub(super) struct LiveTournament {
    view: RwLock<TournamentView>,
    /// Incremented with every change.
    pub(super) version: watch::Sender<u64>,
    pub(super) commands: mpsc::Sender<PendingCommand>,
    /// Standings of one version, shared by concurrent requests.
    cached_standings: Mutex<Option<(u64, Arc<StandingsSnapshot>)>>,
    /// The groups of the last standings, to which the next ones add. Locked only while standings are
    /// computed.
    accumulator: std::sync::Mutex<StandingsAccumulator>,
    /// The rating history that was computed last.
    history: Mutex<Option<RatingHistory>>,
    /// Cancelled when the runner has failed, though the tournament is not over.
    pub(super) failed: CancellationToken,
    pub(super) clock: Arc<dyn Clock>,
}

/// The rating history at one moment.
struct RatingHistory {
    /// Cache key: count of the groups that count, and the number of the last one.
    groups: (usize, Option<u32>),
    points: Vec<RatingPoint>,
    /// Not computed again before this, except for the final standings.
    not_before: Moment,
}

impl LiveTournament {
    pub(super) fn new(
        folded: FoldedTournament,
        clock: Arc<dyn Clock>,
    ) -> (Arc<LiveTournament>, mpsc::Receiver<PendingCommand>) {
        let (commands, receiver) = mpsc::channel(16);
        let rate = PlayRate::new(clock.now_ms(), folded.plan.progress().tables_over);
        let accumulator =
            StandingsAccumulator::new(folded.setup.terms.entrants.len(), folded.setup.terms.test.as_ref());
        let view = TournamentView { folded, running: BTreeMap::new(), rate, closed: false };
        let live = LiveTournament {
            view: RwLock::new(view),
            version: watch::Sender::new(0),
            commands,
            cached_standings: Mutex::new(None),
            accumulator: std::sync::Mutex::new(accumulator),
            history: Mutex::new(None),
            failed: CancellationToken::new(),
            clock,
        };
        (Arc::new(live), receiver)
    }

    pub(super) fn view(&self) -> RwLockReadGuard<'_, TournamentView> {
        // A panic within a change is a logged fault; the view has durable state only.
        self.view.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// For the runner only, which notifies followers with [`LiveTournament::notify_changed`].
    pub(super) fn view_mut(&self) -> RwLockWriteGuard<'_, TournamentView> {
        self.view.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies the followers.
    pub(super) fn notify_changed(&self) {
        self.version.send_modify(|version| *version += 1);
    }

    /// The current standings, with the rating history on request.
    pub(super) async fn standings(self: &Arc<LiveTournament>, history: bool) -> Arc<StandingsSnapshot> {
        let newest = self.current_standings().await;
        if !history {
            return newest;
        }
        let history = self.history(false).await;
        Arc::new(StandingsSnapshot { history, ..StandingsSnapshot::clone(&newest) })
    }

    /// The final standings, with the rating history. The tournament is over, and its last table has ended.
    pub(super) async fn final_standings(self: &Arc<LiveTournament>) -> StandingsSnapshot {
        let history = self.history(true).await;
        let live = self.clone();
        let computing = tokio::task::spawn_blocking(move || live.compute_standings(true));
        let computed = computing.await.unwrap_or_else(|_| self.empty_standings());
        StandingsSnapshot { history, ..computed }
    }

    async fn current_standings(self: &Arc<LiveTournament>) -> Arc<StandingsSnapshot> {
        let mut cached = self.cached_standings.lock().await;
        let version = *self.version.borrow();
        if let Some((_, standings)) = cached.as_ref().filter(|(of_version, _)| *of_version == version) {
            return standings.clone();
        }
        // The computation would block the executor.
        let live = self.clone();
        let computed = tokio::task::spawn_blocking(move || live.compute_standings(false)).await;
        let computed = Arc::new(computed.unwrap_or_else(|_| self.empty_standings()));
        *cached = Some((version, computed.clone()));
        computed
    }

    /// Standings without rows, used if computing them has panicked.
    fn empty_standings(&self) -> StandingsSnapshot {
        let view = self.view();
        StandingsFrame::new(&view.folded, view.state()).empty()
    }

    fn compute_standings(&self, is_final: bool) -> StandingsSnapshot {
        let mut accumulator = self.accumulator.lock().unwrap_or_else(PoisonError::into_inner);
        let (frame, running, time_left) = loop {
            // In batches, so that the runner does not wait long for the lock.
            let missing = {
                let view = self.view();
                let missing = accumulator.missing(view.folded.plan.counted());
                if missing.is_empty() {
                    let state = if is_final { view.folded.plan.state() } else { view.state() };
                    let time_left = view.rate.time_left(&view.folded, self.clock.now_ms());
                    break (StandingsFrame::new(&view.folded, state), view.running.len() as u32, time_left);
                }
                missing[..missing.len().min(GROUP_BATCH)].to_vec()
            };
            missing.iter().for_each(|group| accumulator.push(group));
        };
        StandingsSnapshot { tables_running: running, time_left, ..frame.standings(&accumulator) }
    }

    /// The rating history. It is expensive: while the tournament runs, a recent one is reused.
    async fn history(self: &Arc<LiveTournament>, is_final: bool) -> Vec<RatingPoint> {
        let mut history = self.history.lock().await;
        let groups = {
            let view = self.view();
            let counted = view.folded.plan.counted();
            (counted.len(), counted.last().map(|group| group.number))
        };
        let began = self.clock.now();
        if let Some(cached) = history.as_ref()
            && (cached.groups == groups || (!is_final && began < cached.not_before))
        {
            return cached.points.clone();
        }
        let live = self.clone();
        let computing = tokio::task::spawn_blocking(move || {
            let (entrants, groups) = {
                let view = live.view();
                let counted = view.folded.plan.counted();
                // A group may have been voided in the meantime.
                (view.folded.setup.terms.entrants.len(), counted[..groups.0.min(counted.len())].to_vec())
            };
            rating_history(entrants, &groups)
        });
        let points = computing.await.unwrap_or_default();
        let now = self.clock.now();
        *history = Some(RatingHistory {
            groups,
            points: points.clone(),
            not_before: now + now.since(began) * MIN_IDLE_FACTOR,
        });
        points
    }
}
