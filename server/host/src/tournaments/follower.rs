//! Followers of tournaments: each yields the current state, then every change.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::live_tournament::{LiveTournament, MIN_IDLE_FACTOR};
use super::registry::Inner;
use super::snapshot::{StandingsSnapshot, TournamentSnapshot};
use crate::TournamentId;
use crate::clock::Moment;

/// Minimum time between two updates to a follower.
const MIN_UPDATE_INTERVAL: Duration = Duration::from_millis(250);

/// Follows a tournament: yields the current state, then each change. A slow reader skips to the newest state.
#[must_use]
pub struct TournamentFollower {
    source: Source,
    /// The last tournament snapshot that was yielded.
    last_sent: Option<TournamentSnapshot>,
    /// Only the end is yielded before this.
    not_before: Moment,
    is_finished: bool,
}

/// Source of the updates.
enum Source {
    /// A tournament without a runner, which is not brought into memory for its followers.
    Idle(IdleTournament),
    /// A tournament in memory.
    Live(LiveSource),
}

/// A tournament that is not in memory.
struct IdleTournament {
    registry: Arc<Inner>,
    tournament: TournamentId,
    /// Notified of each tournament that is brought into memory.
    loaded: watch::Receiver<u64>,
    /// The state, until it is yielded.
    first: Option<(TournamentSnapshot, Arc<StandingsSnapshot>)>,
}

struct LiveSource {
    live: Arc<LiveTournament>,
    changed: watch::Receiver<u64>,
}

impl LiveSource {
    /// A source that yields the present state first, unless that is the one that was sent last.
    fn new(live: Arc<LiveTournament>, last_sent: Option<&TournamentSnapshot>) -> LiveSource {
        let mut changed = live.version.subscribe();
        // Read after the subscription, so that no change is missed.
        if last_sent != Some(&live.view().tournament()) {
            changed.mark_changed();
        }
        LiveSource { live, changed }
    }

    /// Waits until the next update may be yielded.
    async fn wait(&mut self, not_before: Moment) {
        let clock = self.live.clock.clone();
        while !self.live.view().closed {
            tokio::select! {
                () = clock.sleep_until(not_before) => return,
                changed = self.changed.changed() => {
                    if changed.is_err() {
                        return;
                    }
                }
            }
        }
    }
}

impl IdleTournament {
    /// Waits until the tournament is in memory; `None` after the end of the registry.
    async fn wait_until_live(&mut self) -> Option<Arc<LiveTournament>> {
        loop {
            if let Some(live) = self.registry.find_live(self.tournament) {
                return Some(live);
            }
            self.loaded.changed().await.ok()?;
        }
    }
}

impl std::fmt::Debug for TournamentFollower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TournamentFollower")
    }
}

impl TournamentFollower {
    fn from_source(source: Source) -> TournamentFollower {
        TournamentFollower { source, last_sent: None, not_before: Moment::START, is_finished: false }
    }

    pub(super) fn of_live(live: Arc<LiveTournament>) -> TournamentFollower {
        TournamentFollower::from_source(Source::Live(LiveSource::new(live, None)))
    }

    /// Follows a tournament without a runner, which is in this state. `loaded` is from before that was read.
    pub(super) fn of_idle(
        registry: Arc<Inner>,
        loaded: watch::Receiver<u64>,
        tournament: TournamentSnapshot,
        standings: Arc<StandingsSnapshot>,
    ) -> TournamentFollower {
        let id = tournament.setup.tournament;
        let first = Some((tournament, standings));
        TournamentFollower::from_source(Source::Idle(IdleTournament {
            registry,
            tournament: id,
            loaded,
            first,
        }))
    }

    /// Waits until the tournament has failed and cannot be resumed for now: then no further update follows.
    pub fn failed(&self) -> impl Future<Output = ()> + Send + 'static {
        let failed = match &self.source {
            Source::Idle(_) => None,
            Source::Live(source) => Some(source.live.failed.clone()),
        };
        async move {
            match failed {
                Some(failed) => failed.cancelled_owned().await,
                None => std::future::pending().await,
            }
        }
    }

    /// Waits for the next change. Yields the tournament, if it has changed, and the standings; `None` after
    /// the end.
    pub async fn next(&mut self) -> Option<(Option<TournamentSnapshot>, Arc<StandingsSnapshot>)> {
        if self.is_finished {
            return None;
        }
        if let Source::Idle(idle) = &mut self.source {
            if let Some((tournament, standings)) = idle.first.take() {
                self.last_sent = Some(tournament.clone());
                return Some((Some(tournament), standings));
            }
            let live = idle.wait_until_live().await?;
            self.source = Source::Live(LiveSource::new(live, self.last_sent.as_ref()));
        }
        let Source::Live(source) = &mut self.source else { return None };
        // `live` keeps the sender alive.
        source.changed.changed().await.ok()?;
        source.wait(self.not_before).await;
        source.changed.mark_unchanged();
        let live = source.live.clone();
        let began = live.clock.now();
        let standings = live.standings(false).await;
        let now = live.clock.now();
        self.not_before = now + MIN_UPDATE_INTERVAL.max(now.since(began) * MIN_IDLE_FACTOR);
        let (tournament, closed) = {
            let view = live.view();
            (view.tournament(), view.closed)
        };
        // Standings from before the end need one more update.
        self.is_finished = closed && standings.state == live.view().state();
        let sent = (self.last_sent.as_ref() != Some(&tournament)).then_some(tournament);
        if sent.is_some() {
            self.last_sent.clone_from(&sent);
        }
        Some((sent, standings))
    }
}
