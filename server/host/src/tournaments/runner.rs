//! The runner: the one task that runs a tournament.

mod commands;
mod entropy;
mod faults;
mod tables;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use parlor_tournament::plan::TableKey;
use parlor_tournament::{Entrant, TournamentState};
use tokio::sync::{mpsc, oneshot};

use super::live_tournament::{LiveTournament, PendingCommand};
use super::log_id::log_id;
use super::registry::{Inner, listing};
use super::standings::PlayRate;
use super::{
    FinishedTournament, FoldedTournament, InvalidTournamentEntry, TournamentEntry, TournamentError,
    TournamentSnapshot,
};
use crate::TournamentId;
use crate::clock::Moment;
use crate::identity::Owner;
use crate::metric_names::TOURNAMENTS_IN_MEMORY;
use crate::persistence::{encode_tournament_entry, encode_tournament_record};
use crate::{HostError, TableEnds};
use parlor_store::{Append, Millis, NewPlace};

/// Delay before a retry after the log or the host has failed.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// Interval between checks of the running tables: they load one again that left memory after a fault, and
/// void the group of one that cannot be read.
const TABLE_CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// The runner ends before its tournament is over: the server stops, or the tournament cannot be resumed.
struct Stopped;

/// Runs a tournament.
pub(super) struct Runner {
    registry: Arc<Inner>,
    live: Arc<LiveTournament>,
    tournament: TournamentId,
    owner: Owner,
    commands: mpsc::Receiver<PendingCommand>,
    ends: TableEnds,
    /// Absent or full entrants whose waiting time has passed: defaults are played for them.
    defaulted: HashSet<Entrant>,
    /// Start of the wait for absent or full entrants, while only their tables are left to play.
    waiting_since: Option<Moment>,
    /// End of the current step of collecting entropy, while the tournament is starting.
    reveal_until: Option<Moment>,
    /// Next check of the running tables.
    next_check: Moment,
    /// For each entrant, the number of its last tables in a row that ended with a fault of the server.
    fault_streaks: HashMap<Entrant, u32>,
    /// Tables that were cancelled because they no longer count, and have not ended yet.
    cancelling: HashSet<TableKey>,
    /// Replies to send once the tournament is closed.
    on_finished: Vec<oneshot::Sender<Result<(), TournamentError>>>,
}

impl Runner {
    pub(super) fn new(
        registry: Arc<Inner>,
        live: Arc<LiveTournament>,
        owner: Owner,
        commands: mpsc::Receiver<PendingCommand>,
    ) -> Runner {
        let tournament = live.view().folded.setup.tournament;
        let ends = registry.host.deals().attach_runner(tournament);
        let next_check = registry.clock.now() + TABLE_CHECK_INTERVAL;
        Runner {
            registry,
            live,
            tournament,
            owner,
            commands,
            ends,
            defaulted: HashSet::new(),
            waiting_since: None,
            reveal_until: None,
            next_check,
            fault_streaks: HashMap::new(),
            cancelling: HashSet::new(),
            on_finished: Vec::new(),
        }
    }

    /// Runs until the tournament is over, or the server stops.
    pub(super) async fn run(mut self) {
        let gauge = metrics::gauge!(TOURNAMENTS_IN_MEMORY);
        gauge.increment(1.0);
        let stopped = self.registry.host.stopped();
        let result = tokio::select! {
            result = self.run_loop() => result,
            () = stopped.cancelled() => Err(Stopped),
        };
        gauge.decrement(1.0);
        match result {
            Ok(()) => {
                self.registry.remove(self.tournament);
                self.on_finished.drain(..).for_each(|reply| drop(reply.send(Ok(()))));
            }
            // The next request loads it again from its log.
            Err(Stopped) if !stopped.is_cancelled() => {
                self.registry.remove(self.tournament);
                self.live.failed.cancel();
            }
            Err(Stopped) => {}
        }
    }

    async fn run_loop(&mut self) -> Result<(), Stopped> {
        self.find_running_tables().await?;
        let mut agents = self.registry.host.agents().changed();
        loop {
            self.cancel_unneeded().await;
            if self.is_finished() && self.close().await {
                return Ok(());
            }
            let reveal_until = self.collect_entropy().await?.unwrap_or(self.next_check);
            let wake = self.create_tables().await?.min(reveal_until);
            let clock = self.registry.clock.clone();
            tokio::select! {
                biased;
                Some(pending) = self.commands.recv() => self.execute(pending).await?,
                ended = self.ends.next() => self.record_ended(ended).await?,
                // The registry of agents lives as long as the host.
                _ = agents.changed() => {}
                () = clock.sleep_until(wake.min(self.next_check)) => self.check_tables().await?,
            }
        }
    }

    fn is_finished(&self) -> bool {
        let view = self.live.view();
        view.folded.is_over() && view.running.is_empty()
    }

    /// Waits for [`RETRY_DELAY`].
    async fn wait_before_retry(&self) {
        let clock = &self.registry.clock;
        clock.sleep_until(clock.now() + RETRY_DELAY).await;
    }

    /// Appends entries, retrying until the log accepts them.
    async fn append_with_retry(&mut self, entries: Vec<TournamentEntry>) -> Result<(), Stopped> {
        if entries.is_empty() {
            return Ok(());
        }
        loop {
            match self.append(entries.clone()).await {
                Ok(()) => return Ok(()),
                Err(error) if error.is_transient() => {
                    tracing::warn!(tournament = %self.tournament, %error, "append failed; retrying");
                    self.wait_before_retry().await;
                }
                Err(error) => {
                    tracing::error!(tournament = %self.tournament, %error, "append failed; runner stops");
                    return Err(Stopped);
                }
            }
        }
    }

    /// Appends entries, and folds them once they are durable.
    async fn append(&mut self, entries: Vec<TournamentEntry>) -> Result<(), TournamentError> {
        let now = self.registry.clock.now_ms();
        let (setup, length) = {
            let view = self.live.view();
            (view.folded.setup.clone(), view.folded.length)
        };
        let codec = self.registry.codec();
        let stored =
            entries.iter().map(|entry| encode_tournament_entry(setup.created, now, entry, codec)).collect();
        let mut append = Append::new(log_id(self.tournament), length, Millis(now), stored);
        if let Some(state) = entries.iter().rev().find_map(state_after) {
            append.listing = Some(listing(&setup, state)?);
        }
        let is_start = |entry: &TournamentEntry| {
            matches!(entry, TournamentEntry::Starting { .. } | TournamentEntry::Started { .. })
        };
        if entries.iter().any(is_start) {
            append.place = Some(NewPlace::InPlay);
        }
        self.registry.log.append(append).await?;
        if entries.iter().any(|entry| matches!(entry, TournamentEntry::Withdrawn { .. })) {
            self.fold_in_background(now, entries).await?;
        } else {
            let mut view = self.live.view_mut();
            fold_all(&mut view.folded, now, &entries)?;
            if entries
                .iter()
                .any(|entry| matches!(entry, TournamentEntry::Started { .. } | TournamentEntry::Resumed))
            {
                view.rate = PlayRate::new(now, view.folded.plan.progress().tables_over);
            }
        }
        self.live.notify_changed();
        Ok(())
    }

    /// Folds entries that change the pairings, which is slow for many entrants: on a blocking thread, and
    /// without holding the lock of the view.
    async fn fold_in_background(&self, now: u64, entries: Vec<TournamentEntry>) -> Result<(), HostError> {
        let live = self.live.clone();
        let folding = tokio::task::spawn_blocking(move || {
            let mut folded = live.view().folded.clone();
            fold_all(&mut folded, now, &entries)?;
            // The runner is the only writer.
            live.view_mut().folded = folded;
            Ok(())
        });
        let lost = |_| HostError::Fault { reason: "a tournament cannot be planned anew".to_owned() };
        folding.await.map_err(lost)?
    }

    /// Closes a tournament that is over and whose last table has ended: stores its record and makes all of it
    /// visible. Returns whether that succeeded.
    async fn close(&mut self) -> bool {
        let standings = self.live.final_standings().await;
        let (append, state) = {
            let view = self.live.view();
            let state = view.folded.plan.state();
            let mut append = Append::new(
                log_id(self.tournament),
                view.folded.length,
                Millis(self.registry.clock.now_ms()),
                Vec::new(),
            );
            let codec = self.registry.codec();
            let finished = FinishedTournament {
                tournament: codec.encode_tournament(&TournamentSnapshot::new(&view.folded, state, true)),
                standings: codec.encode_standings(&standings),
            };
            append.place = Some(NewPlace::Finished { record: encode_tournament_record(finished) });
            append.listing = listing(&view.folded.setup, state).ok();
            (append, state)
        };
        match self.registry.log.append(append).await {
            Ok(_) => {
                tracing::info!(tournament = %self.tournament, ?state, "tournament closed");
                // The deals must be visible before followers see the end.
                self.registry.host.deals().close(self.tournament);
                self.live.view_mut().closed = true;
                self.live.notify_changed();
                true
            }
            Err(error) => {
                tracing::warn!(tournament = %self.tournament, %error, "record not stored; retrying");
                self.wait_before_retry().await;
                false
            }
        }
    }
}

fn fold_all(folded: &mut FoldedTournament, now: u64, entries: &[TournamentEntry]) -> Result<(), HostError> {
    let fault = |bad: InvalidTournamentEntry| HostError::Fault { reason: bad.to_string() };
    entries.iter().try_for_each(|entry| folded.fold(now, entry).map_err(fault))
}

/// The state after an entry that sets it directly.
fn state_after(entry: &TournamentEntry) -> Option<TournamentState> {
    match entry {
        TournamentEntry::Starting { .. } => Some(TournamentState::Starting),
        TournamentEntry::Started { .. } | TournamentEntry::Resumed => Some(TournamentState::Running),
        TournamentEntry::Paused => Some(TournamentState::Paused),
        TournamentEntry::Cancelled { .. } => Some(TournamentState::Cancelled),
        _ => None,
    }
}
