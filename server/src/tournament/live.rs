//! A tournament in memory, as those see it who look at it and those who follow it.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use parlor_proto::v1;
use parlor_tournament::State;
use parlor_tournament::plan::TableId as Place;
use tokio::sync::{Mutex, mpsc, oneshot, watch};

use super::registry::Command;
use super::standings::{Pace, standings};
use super::{Course, TournamentError};
use crate::clock::{Clock, Moment};
use crate::{TableId, wire};

/// Those who follow hear of changes at most so often.
const EVERY: Duration = Duration::from_millis(250);
/// Making standings takes at most this part of the time of one core, as long as anybody follows.
const SHARE: u32 = 5;

/// Something that the organiser wants done, and who is told that it is.
pub(super) struct Asking {
    pub(super) command: Command,
    pub(super) to: oneshot::Sender<Result<(), TournamentError>>,
}

/// What there is to see of a tournament. Only its runner changes it, after what it shows is durable.
pub(super) struct Shown {
    pub(super) course: Course,
    /// The tables that run.
    pub(super) running: BTreeMap<Place, TableId>,
    /// How quickly it goes.
    pub(super) pace: Pace,
    /// Whether it is over, its last table has ended, and all of that is durable.
    pub(super) closed: bool,
}

impl Shown {
    /// Where it is in its life. While its last tables are being ended, it is not over yet.
    pub(super) fn state(&self) -> State {
        if self.course.is_over() && !self.closed { State::Running } else { self.course.plan.state() }
    }

    /// The tournament, as everyone may see it.
    pub(super) fn tournament(&self) -> v1::Tournament {
        wire::tournament::tournament(&self.course, self.state(), self.closed)
    }
}

/// A tournament in memory.
pub(super) struct Live {
    shown: RwLock<Shown>,
    /// Grows with every change.
    version: watch::Sender<u64>,
    pub(super) commands: mpsc::Sender<Asking>,
    /// The standings of some version, so that many who ask at once cost no more than one.
    newest: Mutex<Option<(u64, Arc<v1::Standings>)>>,
    clock: Arc<dyn Clock>,
}

impl Live {
    pub(super) fn new(course: Course, clock: Arc<dyn Clock>) -> (Arc<Live>, mpsc::Receiver<Asking>) {
        let (commands, asked) = mpsc::channel(16);
        let pace = Pace::new(clock.now_ms(), course.plan.progress().tables_over);
        let shown = Shown { course, running: BTreeMap::new(), pace, closed: false };
        let live = Live {
            shown: RwLock::new(shown),
            version: watch::Sender::new(0),
            commands,
            newest: Mutex::new(None),
            clock,
        };
        (Arc::new(live), asked)
    }

    pub(super) fn shown(&self) -> RwLockReadGuard<'_, Shown> {
        // A change that panicked half way is a fault that was logged; what is shown is what is durable.
        self.shown.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// For the runner alone, which tells those who follow with [`Live::changed`].
    pub(super) fn shown_mut(&self) -> RwLockWriteGuard<'_, Shown> {
        self.shown.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells those who follow.
    pub(super) fn changed(&self) {
        self.version.send_modify(|version| *version += 1);
    }

    /// The standings as they are now.
    pub(super) async fn standings(&self, history: bool) -> Arc<v1::Standings> {
        let mut newest = self.newest.lock().await;
        let version = *self.version.borrow();
        if let Some((_, standings)) = newest.as_ref().filter(|(known, _)| *known == version && !history) {
            return standings.clone();
        }
        let state = self.shown().state();
        let made = Arc::new(self.make_standings(history, state).await);
        if !history {
            *newest = Some((version, made.clone()));
        }
        made
    }

    /// On a thread of its own: it takes a while, and nobody should wait for it.
    pub(super) async fn make_standings(&self, history: bool, state: State) -> v1::Standings {
        let (course, running, left) = {
            let shown = self.shown();
            let left = shown.pace.left(&shown.course, self.clock.now_ms());
            (shown.course.clone(), shown.running.len() as u32, left)
        };
        let making = tokio::task::spawn_blocking(move || standings(&course, state, history));
        let made = making.await.unwrap_or_default();
        v1::Standings { tables_running: running, time_left_ms: left, ..made }
    }
}

/// Following a tournament: how things stand now and whenever that has changed. Whoever reads slowly gets the newest.
#[must_use]
pub struct Follow {
    live: Arc<Live>,
    changed: watch::Receiver<u64>,
    /// What was last told of the tournament itself.
    told: Option<v1::Tournament>,
    /// Nothing but the end is told before this.
    not_before: Moment,
    over: bool,
}

impl std::fmt::Debug for Follow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Follow")
    }
}

impl Follow {
    pub(super) fn new(live: Arc<Live>) -> Follow {
        let mut changed = live.version.subscribe();
        changed.mark_changed();
        Follow { live, changed, told: None, not_before: Moment::START, over: false }
    }

    /// Waits until something may be told again.
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
    pub async fn next(&mut self) -> Option<(Option<v1::Tournament>, Arc<v1::Standings>)> {
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
        self.over = closed && standings.state() == wire::tournament::state(self.live.shown().state());
        let told = (self.told.as_ref() != Some(&tournament)).then_some(tournament);
        if told.is_some() {
            self.told.clone_from(&told);
        }
        Some((told, standings))
    }
}
