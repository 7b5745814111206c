//! The one task that runs a tournament.

mod commands;
mod tables;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use parlor_tournament::plan::TableKey;
use parlor_tournament::{Entrant, TournamentState};
use tokio::sync::{mpsc, oneshot};

use super::live_tournament::{LiveTournament, PendingCommand};
use super::registry::{Inner, listing};
use super::standings::Pace;
use super::{
    Entry, FinishedTournament, FoldedTournament, InvalidTournamentEntry, TournamentError, TournamentSnapshot,
};
use crate::TableId;
use crate::clock::Moment;
use crate::identity::Owner;
use crate::metric_names::TOURNAMENTS_IN_MEMORY;
use crate::persistence::{encode_tournament_entry, encode_tournament_record};
use crate::{HostError, TableEnds};
use parlor_store::{Append, Millis, NewPlace};

/// How long it waits after the log or the host has failed, before it tries again.
const PAUSE: Duration = Duration::from_secs(1);
/// How often the tables that run are looked at: one that left memory in trouble comes back, and one that cannot be read does
/// not hold up what counts.
const LOOK: Duration = Duration::from_secs(60);

/// What ends a runner before its tournament is over.
enum Stop {
    /// The server stops, or the tournament cannot be gone on with.
    Now,
}

/// Runs a tournament.
pub(super) struct Runner {
    registry: Arc<Inner>,
    live: Arc<LiveTournament>,
    tournament: TableId,
    owner: Owner,
    commands: mpsc::Receiver<PendingCommand>,
    ends: TableEnds,
    /// Those for whom defaults are played, because they were waited for long enough.
    given_up: HashSet<Entrant>,
    /// Since when nothing can be played but tables of those who are not there.
    waiting: Option<Moment>,
    /// When the tables that run are looked at next.
    next_look: Moment,
    /// Tables that are to end, because they do not count any more.
    ending: HashSet<TableKey>,
    /// ViewerCredential wants to know when it is over.
    at_end: Vec<oneshot::Sender<Result<(), TournamentError>>>,
}

impl Runner {
    pub(super) fn new(
        registry: Arc<Inner>,
        live: Arc<LiveTournament>,
        owner: Owner,
        commands: mpsc::Receiver<PendingCommand>,
    ) -> Runner {
        let tournament = live.shown().course.setup.tournament;
        let ends = registry.host.deals().run(tournament);
        let next_look = registry.clock.now() + LOOK;
        Runner {
            registry,
            live,
            tournament,
            owner,
            commands,
            ends,
            given_up: HashSet::new(),
            waiting: None,
            next_look,
            ending: HashSet::new(),
            at_end: Vec::new(),
        }
    }

    /// Runs until the tournament is over, or the server stops.
    pub(super) async fn run(mut self) {
        let gauge = metrics::gauge!(TOURNAMENTS_IN_MEMORY);
        gauge.increment(1.0);
        let stopped = self.registry.host.stopped();
        let ran = tokio::select! {
            ran = self.go() => ran,
            () = stopped.cancelled() => Err(Stop::Now),
        };
        gauge.decrement(1.0);
        match ran {
            Ok(()) => {
                self.registry.forget(self.tournament);
                self.at_end.drain(..).for_each(|to| drop(to.send(Ok(()))));
            }
            // It is read anew from its log when somebody asks for it.
            Err(Stop::Now) if !stopped.is_cancelled() => {
                self.registry.forget(self.tournament);
                self.live.broken.cancel();
            }
            Err(Stop::Now) => {}
        }
    }

    async fn go(&mut self) -> Result<(), Stop> {
        self.find_tables().await?;
        let mut agents = self.registry.host.agents().changed();
        loop {
            self.end_unwanted().await;
            if self.is_done() && self.close().await {
                return Ok(());
            }
            let wake = self.make_tables().await?;
            let clock = self.registry.clock.clone();
            tokio::select! {
                biased;
                Some(asking) = self.commands.recv() => self.carry_out(asking).await?,
                ended = self.ends.next() => self.take(ended).await?,
                // The hub lives as long as the host.
                _ = agents.changed() => {}
                () = clock.sleep_until(wake.min(self.next_look)) => self.look_at_tables().await?,
            }
        }
    }

    fn is_done(&self) -> bool {
        let shown = self.live.shown();
        shown.course.is_over() && shown.running.is_empty()
    }

    /// BlockedOn a moment after something has failed.
    async fn pause(&self) {
        let clock = &self.registry.clock;
        clock.sleep_until(clock.now() + PAUSE).await;
    }

    /// Appends what has happened, however long it takes until the log takes it.
    async fn append_surely(&mut self, entries: Vec<Entry>) -> Result<(), Stop> {
        if entries.is_empty() {
            return Ok(());
        }
        loop {
            match self.append(entries.clone()).await {
                Ok(()) => return Ok(()),
                Err(error) if error.is_transient() => {
                    tracing::warn!(tournament = %self.tournament, %error, "the log did not take an append");
                    self.pause().await;
                }
                Err(error) => {
                    tracing::error!(tournament = %self.tournament, %error, "a tournament cannot go on");
                    return Err(Stop::Now);
                }
            }
        }
    }

    /// Appends entries and takes them in when they are durable.
    async fn append(&mut self, entries: Vec<Entry>) -> Result<(), TournamentError> {
        let now = self.registry.clock.now_ms();
        let (setup, length) = {
            let shown = self.live.shown();
            (shown.course.setup.clone(), shown.course.length)
        };
        let codec = self.registry.codec();
        let stored =
            entries.iter().map(|entry| encode_tournament_entry(setup.created, now, entry, codec)).collect();
        let mut append = Append::new(self.tournament, length, Millis(now), stored);
        if let Some(state) = entries.iter().rev().find_map(state_after) {
            append.listing = Some(listing(&setup, state)?);
        }
        if entries.iter().any(|entry| matches!(entry, Entry::Started { .. })) {
            append.place = Some(NewPlace::InPlay);
        }
        self.registry.log.append(append).await?;
        if entries.iter().any(|entry| matches!(entry, Entry::Withdrawn { .. })) {
            self.plan_anew(now, entries).await?;
        } else {
            let mut shown = self.live.shown_mut();
            fold_all(&mut shown.course, now, &entries)?;
            if entries.iter().any(|entry| matches!(entry, Entry::Started { .. } | Entry::Resumed)) {
                shown.pace = Pace::new(now, shown.course.plan.progress().tables_over);
            }
        }
        self.live.changed();
        Ok(())
    }

    /// Folds what changes who meets whom, which takes a while for a large field: on a thread of its own, and nobody who
    /// looks waits for it.
    async fn plan_anew(&self, now: u64, entries: Vec<Entry>) -> Result<(), HostError> {
        let live = self.live.clone();
        let folding = tokio::task::spawn_blocking(move || {
            let mut course = live.shown().course.clone();
            fold_all(&mut course, now, &entries)?;
            // Nobody else changes it.
            live.shown_mut().course = course;
            Ok(())
        });
        let lost = |_| HostError::Fault { reason: "a tournament cannot be planned anew".to_owned() };
        folding.await.map_err(lost)?
    }

    /// Closes a tournament that is over and whose last table has ended: its record is stored, and all is shown. AgentProfile
    /// whether that is done.
    async fn close(&mut self) -> bool {
        let standings = self.live.last_standings().await;
        let (append, state) = {
            let shown = self.live.shown();
            let state = shown.course.plan.state();
            let mut append = Append::new(
                self.tournament,
                shown.course.length,
                Millis(self.registry.clock.now_ms()),
                Vec::new(),
            );
            let codec = self.registry.codec();
            let finished = FinishedTournament {
                tournament: codec.encode_tournament(&TournamentSnapshot::new(&shown.course, state, true)),
                standings: codec.encode_standings(&standings),
            };
            append.place = Some(NewPlace::Finished { record: encode_tournament_record(finished) });
            append.listing = listing(&shown.course.setup, state).ok();
            (append, state)
        };
        match self.registry.log.append(append).await {
            Ok(_) => {
                tracing::info!(tournament = %self.tournament, ?state, "a tournament is over");
                // Whoever hears that it is over finds everything shown.
                self.registry.host.deals().close(self.tournament);
                self.live.shown_mut().closed = true;
                self.live.changed();
                true
            }
            Err(error) => {
                tracing::warn!(tournament = %self.tournament, %error, "a tournament that is over cannot be stored yet");
                self.pause().await;
                false
            }
        }
    }
}

fn fold_all(course: &mut FoldedTournament, now: u64, entries: &[Entry]) -> Result<(), HostError> {
    let fault = |bad: InvalidTournamentEntry| HostError::Fault { reason: bad.to_string() };
    entries.iter().try_for_each(|entry| course.fold(now, entry).map_err(fault))
}

/// The state that an entry brings about by itself.
fn state_after(entry: &Entry) -> Option<TournamentState> {
    match entry {
        Entry::Started { .. } | Entry::Resumed => Some(TournamentState::Running),
        Entry::Paused => Some(TournamentState::Paused),
        Entry::Cancelled { .. } => Some(TournamentState::Cancelled),
        _ => None,
    }
}
