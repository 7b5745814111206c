//! A tournament in memory, as those see it who look at it and those who follow it.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use parlor_tournament::plan::TableKey;
use parlor_tournament::stats::rating::RatingPoint;
use parlor_tournament::{StandingsAccumulator, TournamentState};
use tokio::sync::{Mutex, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::snapshot::{StandingsFrame, StandingsSnapshot, TournamentSnapshot, rating_history};
use super::standings::Pace;
use super::{Command, FoldedTournament, TournamentError};
use crate::TableId;
use crate::clock::{Clock, Moment};

/// Those who follow hear of changes at most so often.
const EVERY: Duration = Duration::from_millis(250);
/// Making standings takes at most this part of the time of one core, as long as anybody follows.
const SHARE: u32 = 5;

/// How many groups are taken in at once.
const AT_ONCE: usize = 1000;

/// Something that the organiser wants done, and who is told that it is.
pub(super) struct PendingCommand {
    pub(super) command: Command,
    pub(super) to: oneshot::Sender<Result<(), TournamentError>>,
}

/// What there is to see of a tournament. Only its runner changes it, after what it shows is durable.
pub(super) struct TournamentView {
    pub(super) course: FoldedTournament,
    /// The tables that run.
    pub(super) running: BTreeMap<TableKey, TableId>,
    /// How quickly it goes.
    pub(super) pace: Pace,
    /// Whether it is over, its last table has ended, and all of that is durable.
    pub(super) closed: bool,
}

impl TournamentView {
    /// Where it is in its life. While its last tables are being ended, it is not over yet.
    pub(super) fn state(&self) -> TournamentState {
        if self.course.is_over() && !self.closed {
            TournamentState::Running
        } else {
            self.course.plan.state()
        }
    }

    /// The tournament, as everyone may see it.
    pub(super) fn tournament(&self) -> TournamentSnapshot {
        TournamentSnapshot::new(&self.course, self.state(), self.closed)
    }
}

/// A tournament in memory.
pub(super) struct LiveTournament {
    shown: RwLock<TournamentView>,
    /// Grows with every change.
    version: watch::Sender<u64>,
    pub(super) commands: mpsc::Sender<PendingCommand>,
    /// The standings of some version, so that many who ask at once cost no more than one.
    newest: Mutex<Option<(u64, Arc<StandingsSnapshot>)>>,
    /// The groups that these took in: the next ones take in what came since. Held only while they are made.
    tally: std::sync::Mutex<StandingsAccumulator>,
    /// The curve of the ratings, as it was made last.
    history: Mutex<Option<History>>,
    /// Nobody runs it any more, though it is not over.
    pub(super) broken: CancellationToken,
    clock: Arc<dyn Clock>,
}

/// The curve of the ratings at some moment.
struct History {
    /// How many groups counted, and the number of the last: while these are the same, so is the curve.
    of: (usize, Option<u32>),
    points: Vec<RatingPoint>,
    /// It is not made anew before this, unless it is the last.
    not_before: Moment,
}

impl LiveTournament {
    pub(super) fn new(
        course: FoldedTournament,
        clock: Arc<dyn Clock>,
    ) -> (Arc<LiveTournament>, mpsc::Receiver<PendingCommand>) {
        let (commands, asked) = mpsc::channel(16);
        let pace = Pace::new(clock.now_ms(), course.plan.progress().tables_over);
        let tally =
            StandingsAccumulator::new(course.setup.terms.entrants.len(), course.setup.terms.test.as_ref());
        let shown = TournamentView { course, running: BTreeMap::new(), pace, closed: false };
        let live = LiveTournament {
            shown: RwLock::new(shown),
            version: watch::Sender::new(0),
            commands,
            newest: Mutex::new(None),
            tally: std::sync::Mutex::new(tally),
            history: Mutex::new(None),
            broken: CancellationToken::new(),
            clock,
        };
        (Arc::new(live), asked)
    }

    pub(super) fn shown(&self) -> RwLockReadGuard<'_, TournamentView> {
        // A change that panicked half way is a fault that was logged; what is shown is what is durable.
        self.shown.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// For the runner alone, which tells those who follow with [`LiveTournament::changed`].
    pub(super) fn shown_mut(&self) -> RwLockWriteGuard<'_, TournamentView> {
        self.shown.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells those who follow.
    pub(super) fn changed(&self) {
        self.version.send_modify(|version| *version += 1);
    }

    /// The standings as they are now, with the curve of the ratings if that is wanted.
    pub(super) async fn standings(self: &Arc<LiveTournament>, history: bool) -> Arc<StandingsSnapshot> {
        let newest = self.newest().await;
        if !history {
            return newest;
        }
        let history = self.history(false).await;
        Arc::new(StandingsSnapshot { history, ..StandingsSnapshot::clone(&newest) })
    }

    /// The standings for good, with the curve of the ratings: the tournament is over, and its last table has ended.
    pub(super) async fn last_standings(self: &Arc<LiveTournament>) -> StandingsSnapshot {
        let history = self.history(true).await;
        let live = self.clone();
        let making = tokio::task::spawn_blocking(move || live.make_standings(true));
        let made = making.await.unwrap_or_else(|_| self.empty_standings());
        StandingsSnapshot { history, ..made }
    }

    async fn newest(self: &Arc<LiveTournament>) -> Arc<StandingsSnapshot> {
        let mut newest = self.newest.lock().await;
        let version = *self.version.borrow();
        if let Some((_, standings)) = newest.as_ref().filter(|(known, _)| *known == version) {
            return standings.clone();
        }
        // On a thread of its own: it takes a while, and nobody should wait for it.
        let live = self.clone();
        let made = tokio::task::spawn_blocking(move || live.make_standings(false)).await;
        let made = Arc::new(made.unwrap_or_else(|_| self.empty_standings()));
        *newest = Some((version, made.clone()));
        made
    }

    /// Standings without rows, for when making them has panicked.
    fn empty_standings(&self) -> StandingsSnapshot {
        let shown = self.shown();
        StandingsFrame::new(&shown.course, shown.state()).empty()
    }

    fn make_standings(&self, is_last: bool) -> StandingsSnapshot {
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        let (frame, running, left) = loop {
            // Some at a time: whoever plays on does not wait for all of them.
            let missing = {
                let shown = self.shown();
                let missing = tally.missing(shown.course.plan.counted());
                if missing.is_empty() {
                    let state = if is_last { shown.course.plan.state() } else { shown.state() };
                    let left = shown.pace.left(&shown.course, self.clock.now_ms());
                    break (StandingsFrame::new(&shown.course, state), shown.running.len() as u32, left);
                }
                missing[..missing.len().min(AT_ONCE)].to_vec()
            };
            missing.iter().for_each(|group| tally.push(group));
        };
        StandingsSnapshot { tables_running: running, time_left: left, ..frame.standings(&tally) }
    }

    /// The curve of the ratings. It takes long to make: while the tournament runs, one that was made shortly before will do.
    async fn history(self: &Arc<LiveTournament>, is_last: bool) -> Vec<RatingPoint> {
        let mut history = self.history.lock().await;
        let of = {
            let shown = self.shown();
            let counted = shown.course.plan.counted();
            (counted.len(), counted.last().map(|group| group.number))
        };
        let began = self.clock.now();
        if let Some(made) = history.as_ref()
            && (made.of == of || (!is_last && began < made.not_before))
        {
            return made.points.clone();
        }
        let live = self.clone();
        let making = tokio::task::spawn_blocking(move || {
            let (entrants, groups) = {
                let shown = live.shown();
                let counted = shown.course.plan.counted();
                // A group may have been voided meanwhile.
                (shown.course.setup.terms.entrants.len(), counted[..of.0.min(counted.len())].to_vec())
            };
            rating_history(entrants, &groups)
        });
        let points = making.await.unwrap_or_default();
        let now = self.clock.now();
        *history = Some(History { of, points: points.clone(), not_before: now + now.since(began) * SHARE });
        points
    }
}

/// Following a tournament: how things stand now and whenever that has changed. Whoever reads slowly gets the newest.
#[must_use]
pub struct TournamentFollower {
    live: Arc<LiveTournament>,
    changed: watch::Receiver<u64>,
    /// What was last told of the tournament itself.
    told: Option<TournamentSnapshot>,
    /// Nothing but the end is told before this.
    not_before: Moment,
    over: bool,
}

impl std::fmt::Debug for TournamentFollower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TournamentFollower")
    }
}

impl TournamentFollower {
    pub(super) fn new(live: Arc<LiveTournament>) -> TournamentFollower {
        let mut changed = live.version.subscribe();
        changed.mark_changed();
        TournamentFollower { live, changed, told: None, not_before: Moment::START, over: false }
    }

    /// BlockedOn until the tournament cannot be gone on with, which it is otherwise: then nothing more will be told.
    pub fn broken(&self) -> impl Future<Output = ()> + Send + 'static {
        self.live.broken.clone().cancelled_owned()
    }

    /// BlockedOn until something may be told again.
    async fn wait(&mut self) {
        let clock = self.live.clock.clone();
        while !self.live.shown().closed {
            tokio::select! {
                () = clock.sleep_until(self.not_before) => return,
                changed = self.changed.changed() => {
                    if changed.is_err() {
                        return;
                    }
                }
            }
        }
    }

    /// How things stand, when that has changed: the tournament, if it has, and the standings. Nothing after the end.
    pub async fn next(&mut self) -> Option<(Option<TournamentSnapshot>, Arc<StandingsSnapshot>)> {
        if self.over {
            return None;
        }
        // It lives as long as this does.
        self.changed.changed().await.ok()?;
        self.wait().await;
        self.changed.mark_unchanged();
        let clock = self.live.clock.clone();
        let began = clock.now();
        let standings = self.live.standings(false).await;
        let now = clock.now();
        self.not_before = now + EVERY.max(now.since(began) * SHARE);
        let (tournament, closed) = {
            let shown = self.live.shown();
            (shown.tournament(), shown.closed)
        };
        // The standings may be of a moment before the end: then there is one more to tell.
        self.over = closed && standings.state == self.live.shown().state();
        let told = (self.told.as_ref() != Some(&tournament)).then_some(tournament);
        if told.is_some() {
            self.told.clone_from(&told);
        }
        Some((told, standings))
    }
}
