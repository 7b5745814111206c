//! The one task that runs a tournament.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use parlor_tournament::plan::TableId as Place;
use parlor_tournament::{self as plan, Entrant, State};
use tokio::sync::{mpsc, oneshot};

use super::live::{Asking, Live};
use super::making::{Choice, Made, choose};
use super::registry::{Command, Inner, listing};
use super::standings::Pace;
use super::{Course, EntrantSetup, Entry, TournamentError};
use crate::agents::Availability;
use crate::clock::Moment;
use crate::fair::Entropy;
use crate::host::{Behalf, HostError, TableEnd, TableEnds, tournament_tag};
use crate::identity::Owner;
use crate::log::{Append, Filter, Millis, NewPlace, Page, limits};
use crate::stored::{encode_tournament_entry, encode_tournament_record};
use crate::table::{Ending, Finished, Look};
use crate::telemetry::names::{TOURNAMENT_TABLES, TOURNAMENTS_IN_MEMORY};
use crate::{TableId, wire};

/// How long it waits after the log or the host has failed, before it tries again.
const PAUSE: Duration = Duration::from_secs(1);
/// If no table has ended for so long, those that run are looked at: one that left memory in trouble comes back.
const LOOK: Duration = Duration::from_secs(60);
/// How many entries are appended together.
const ENTRIES: usize = 500;

/// What ends a runner before its tournament is over.
enum Stop {
    /// The server stops, or the tournament cannot be gone on with.
    Now,
}

/// Runs a tournament.
pub(super) struct Runner {
    registry: Arc<Inner>,
    live: Arc<Live>,
    tournament: TableId,
    owner: Owner,
    commands: mpsc::Receiver<Asking>,
    ends: TableEnds,
    /// Those for whom defaults are played, because they were waited for long enough.
    given_up: HashSet<Entrant>,
    /// Since when nothing can be played but tables of those who are not there.
    waiting: Option<Moment>,
    /// Tables that are to end, because they do not count any more.
    ending: HashSet<Place>,
    /// Who wants to know when it is over.
    at_end: Vec<oneshot::Sender<Result<(), TournamentError>>>,
}

impl Runner {
    pub(super) fn new(
        registry: Arc<Inner>,
        live: Arc<Live>,
        owner: Owner,
        commands: mpsc::Receiver<Asking>,
    ) -> Runner {
        let tournament = live.shown().course.setup.tournament;
        let ends = registry.host.deals().run(tournament);
        Runner {
            registry,
            live,
            tournament,
            owner,
            commands,
            ends,
            given_up: HashSet::new(),
            waiting: None,
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
        if ran.is_ok() {
            self.registry.forget(self.tournament);
            self.at_end.drain(..).for_each(|to| drop(to.send(Ok(()))));
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
                () = clock.sleep_until(wake) => self.look_at_tables().await?,
            }
        }
    }

    fn is_done(&self) -> bool {
        let shown = self.live.shown();
        shown.course.is_over() && shown.running.is_empty()
    }

    /// Finds the tables that run since before the server started, and what of the deals may be shown.
    async fn find_tables(&mut self) -> Result<(), Stop> {
        let host = self.registry.host.clone();
        let tag = Some(tournament_tag(self.tournament));
        let filter = Filter { tag, finished: Some(false), ..Filter::default() };
        let mut after = None;
        loop {
            let page = Page { after, size: limits::PAGE };
            let rows = match self.registry.log.tables(filter.clone(), page).await {
                Ok(rows) => rows,
                Err(error) => {
                    tracing::warn!(tournament = %self.tournament, %error, "tables cannot be found");
                    self.pause().await;
                    continue;
                }
            };
            let looks = join_all(rows.tables.iter().map(|row| host.look(row.id))).await;
            // One that cannot be read is found when it is to be made, and its group is void.
            let running = looks.into_iter().flatten().filter(|look| !look.state.is_over());
            let mut shown = self.live.shown_mut();
            for look in running {
                if let Some(deal) = look.setup.chance.deal() {
                    let place = Place { group: deal.number, rotation: deal.rotation };
                    shown.running.insert(place, look.setup.table);
                }
            }
            after = rows.next;
            if after.is_none() {
                break;
            }
        }
        let shown = self.live.shown();
        let groups = 0..shown.course.plan.group_count();
        groups.for_each(|group| self.show_deal(&shown.course, &shown.running, group));
        drop(shown);
        self.live.changed();
        Ok(())
    }

    /// Shows a deal if nothing of it will be played any more.
    fn show_deal(&self, course: &Course, running: &std::collections::BTreeMap<Place, TableId>, group: u32) {
        let runs = running.range(Place { group, rotation: 0 }..=Place { group, rotation: u8::MAX }).next();
        if runs.is_none() && course.plan.is_deal_over(group) && !course.is_over() {
            self.registry.host.deals().end(self.tournament, group);
        }
    }

    /// Waits a moment after something has failed.
    async fn pause(&self) {
        let clock = &self.registry.clock;
        clock.sleep_until(clock.now() + PAUSE).await;
    }

    /// Makes the tables that can be made now. Says when to look again.
    async fn make_tables(&mut self) -> Result<Moment, Stop> {
        loop {
            let now = self.registry.clock.now();
            let (choice, runs, patience) = {
                let shown = self.live.shown();
                let choice = choose(&shown, &mut self.given_up, self.registry.host.agents());
                (choice, !shown.running.is_empty(), shown.course.setup.terms.patience)
            };
            let Choice { tables, is_full, absent } = choice;
            if !tables.is_empty() {
                self.waiting = None;
                if self.make(tables).await? {
                    continue;
                }
                return Ok(now + PAUSE);
            }
            if runs || is_full || absent.is_empty() {
                self.waiting = None;
                return Ok(now + LOOK);
            }
            let until = *self.waiting.get_or_insert(now) + Duration::from_millis(patience.into());
            if now < until {
                return Ok(until);
            }
            tracing::info!(tournament = %self.tournament, ?absent, "tables begin without those who are not there");
            self.given_up.extend(absent);
            self.waiting = None;
        }
    }

    /// Makes tables, or finds those that were made before. Says whether all is well.
    async fn make(&mut self, tables: Vec<Made>) -> Result<bool, Stop> {
        let host = self.registry.host.clone();
        let making = tables.iter().map(|made| host.create_dealt(&self.owner, made.dealt.clone()));
        let looks = join_all(making).await;
        let (mut ended, mut bad, mut is_well) = (Vec::new(), Vec::new(), true);
        {
            let mut shown = self.live.shown_mut();
            for (Made { place, .. }, look) in tables.into_iter().zip(looks) {
                match look {
                    Ok(look) => match end_of(&look, place) {
                        Some(end) => ended.push(end),
                        None => drop(shown.running.insert(place, look.setup.table)),
                    },
                    Err(error) if error.is_passing() => is_well = false,
                    Err(error) => bad.push((place, error)),
                }
            }
        }
        self.live.changed();
        self.take(ended).await?;
        for (place, error) in bad {
            tracing::error!(tournament = %self.tournament, ?place, %error, "a table cannot be made");
            self.void(place.group, "a fault of the server: its table could not be made".to_owned()).await?;
        }
        Ok(is_well)
    }

    /// Takes the results of tables that are over. Where one has no result, its group is void.
    async fn take(&mut self, ended: Vec<TableEnd>) -> Result<(), Stop> {
        let place_of = |end: &TableEnd| Place { group: end.number, rotation: end.rotation };
        let mut ended: HashMap<Place, TableEnd> =
            ended.into_iter().map(|end| (place_of(&end), end)).collect();
        let mut places: Vec<Place> = ended.keys().copied().collect();
        places.sort_unstable();
        for places in places.chunks(ENTRIES) {
            let new: Vec<Entry> = {
                let shown = self.live.shown();
                let is_new = |place: &&Place| !shown.course.tables.contains_key(*place);
                places.iter().filter(is_new).map(|place| table_over(*place, &ended[place])).collect()
            };
            metrics::counter!(TOURNAMENT_TABLES).increment(new.len() as u64);
            self.append_surely(new).await?;
        }
        {
            let mut shown = self.live.shown_mut();
            for place in &places {
                shown.running.remove(place);
                self.ending.remove(place);
            }
        }
        for place in places {
            if let Some(why) = ended.remove(&place).and_then(|end| fault(&end.ending))
                && self.live.shown().course.plan.is_wanted(place)
            {
                self.void(place.group, why).await?;
            }
            let shown = self.live.shown();
            self.show_deal(&shown.course, &shown.running, place.group);
        }
        self.live.changed();
        Ok(())
    }

    async fn void(&mut self, group: u32, reason: String) -> Result<(), Stop> {
        let asked = {
            let shown = self.live.shown();
            shown.course.plan.ask(plan::Entry::GroupVoided { group, reason: reason.clone() })
        };
        match asked {
            Ok(Some(_)) => self.append_surely(vec![Entry::GroupVoided { group, reason }]).await,
            // It is void, or nothing counts any more.
            Ok(None) | Err(_) => Ok(()),
        }
    }

    /// Appends what has happened, however long it takes until the log takes it.
    async fn append_surely(&mut self, entries: Vec<Entry>) -> Result<(), Stop> {
        if entries.is_empty() {
            return Ok(());
        }
        loop {
            match self.append(entries.clone()).await {
                Ok(()) => return Ok(()),
                Err(error) if error.is_passing() => {
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
        let stored = entries.iter().map(|entry| encode_tournament_entry(setup.created, now, entry)).collect();
        let mut append = Append::new(self.tournament, length, Millis(now), stored);
        if let Some(state) = entries.iter().rev().find_map(state_after) {
            append.listing = Some(listing(&setup, state)?);
        }
        if entries.iter().any(|entry| matches!(entry, Entry::Started { .. })) {
            append.place = Some(NewPlace::InPlay);
        }
        self.registry.log.append(append).await?;
        let mut shown = self.live.shown_mut();
        for entry in &entries {
            let folded = shown.course.fold(now, entry);
            folded.map_err(|bad| HostError::Fault { what: bad.to_string() })?;
            if matches!(entry, Entry::Started { .. } | Entry::Resumed) {
                shown.pace = Pace::new(now, shown.course.plan.progress().tables_over);
            }
        }
        drop(shown);
        self.live.changed();
        Ok(())
    }

    /// Ends the tables that do not count any more.
    async fn end_unwanted(&mut self) {
        let unwanted: Vec<(Place, TableId)> = {
            let shown = self.live.shown();
            let plan = &shown.course.plan;
            let is_unwanted = |place: &Place| !plan.is_wanted(*place) && !self.ending.contains(place);
            let running = shown.running.iter().map(|(place, table)| (*place, *table));
            running.filter(|(place, _)| is_unwanted(place)).collect()
        };
        for (place, table) in unwanted {
            let note = "the tournament does not need this table any more".to_owned();
            match self.registry.host.cancel(table, Behalf::Admin, note).await {
                // Its end is on its way; so it is if it was over before.
                Ok(_) | Err(HostError::Command(_)) => drop(self.ending.insert(place)),
                Err(error) => tracing::warn!(%table, %error, "a table cannot be ended yet"),
            }
        }
    }

    /// Looks at the tables that run: one whose end was missed is over, and one that left memory comes back.
    async fn look_at_tables(&mut self) -> Result<(), Stop> {
        let running: Vec<(Place, TableId)> =
            self.live.shown().running.iter().map(|(place, table)| (*place, *table)).collect();
        let host = self.registry.host.clone();
        let looks = join_all(running.iter().map(|(_, table)| host.look(*table))).await;
        let mut ended = Vec::new();
        for ((place, table), look) in running.into_iter().zip(looks) {
            match look {
                Ok(look) => ended.extend(end_of(&look, place)),
                Err(error) if error.is_passing() => {}
                Err(error) => {
                    tracing::error!(%table, %error, "a table of a tournament cannot be read");
                    let ending = Ending::Faulted { what: "its table cannot be read".to_owned() };
                    let (number, rotation) = (place.group, place.rotation);
                    ended.push(TableEnd { table, number, rotation, ending });
                }
            }
        }
        self.take(ended).await
    }

    /// Does what the organiser asks.
    async fn carry_out(&mut self, asking: Asking) -> Result<(), Stop> {
        let Asking { command, to } = asking;
        let done = match self.entry(&command) {
            Ok(Some(entry)) => self.append(vec![entry]).await,
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        let is_broken = matches!(&done, Err(error @ TournamentError::Host(HostError::Fault { .. })) if !error.is_passing());
        if done.is_ok() {
            let shown = self.live.shown();
            if let Command::Void { group, .. } = command {
                self.show_deal(&shown.course, &shown.running, group);
            }
            if matches!(command, Command::Withdraw(_)) {
                let groups = 0..shown.course.plan.group_count();
                groups.for_each(|group| self.show_deal(&shown.course, &shown.running, group));
            }
        }
        match (done, command) {
            // It is over when its last table is.
            (Ok(()), Command::Cancel { .. }) => self.at_end.push(to),
            // Whoever asked may have gone.
            (done, _) => drop(to.send(done)),
        }
        if is_broken { Err(Stop::Now) } else { Ok(()) }
    }

    /// What a command comes to; nothing if there is nothing left to do.
    fn entry(&self, command: &Command) -> Result<Option<Entry>, TournamentError> {
        let shown = self.live.shown();
        let course = &shown.course;
        let planned = match command {
            Command::Start => plan::Entry::Started,
            Command::Pause => plan::Entry::Paused,
            Command::Resume => plan::Entry::Resumed,
            Command::Cancel { reason } => plan::Entry::Cancelled { reason: reason.clone() },
            Command::Withdraw(entrant) => plan::Entry::Withdrawn { entrant: *entrant },
            Command::Void { group, reason } => {
                plan::Entry::GroupVoided { group: *group, reason: reason.clone() }
            }
        };
        if course.plan.ask(planned)?.is_none() {
            return Ok(None);
        }
        Ok(Some(match command.clone() {
            Command::Start => self.started(course)?,
            Command::Pause => Entry::Paused,
            Command::Resume => Entry::Resumed,
            Command::Cancel { reason } => Entry::Cancelled { reason },
            Command::Withdraw(entrant) => Entry::Withdrawn { entrant },
            Command::Void { group, reason } => Entry::GroupVoided { group, reason },
        }))
    }

    /// Collects the versions of the agents, and what they add to the shuffles.
    fn started(&self, course: &Course) -> Result<Entry, TournamentError> {
        let hub = self.registry.host.agents();
        let (mut versions, mut entropy) = (Vec::new(), Vec::new());
        for entrant in &course.setup.terms.entrants {
            match entrant {
                EntrantSetup::House { .. } => {
                    versions.push(String::new());
                    entropy.push(Entropy::NONE);
                }
                EntrantSetup::Agent { name, version } => {
                    let no_agent = || TournamentError::NoAgent { name: name.clone() };
                    let newest = hub.version(name).ok_or_else(no_agent)?;
                    let version = if version.is_empty() { newest } else { version.clone() };
                    if !matches!(hub.availability(name, &version), Availability::Here { .. }) {
                        return Err(no_agent());
                    }
                    versions.push(version);
                    entropy.push(hub.entropy(name).unwrap_or(Entropy::NONE));
                }
            }
        }
        Ok(Entry::Started { versions, entropy })
    }

    /// Closes a tournament that is over and whose last table has ended: its record is stored, and all is shown. Says
    /// whether that is done.
    async fn close(&mut self) -> bool {
        let state = self.live.shown().course.plan.state();
        let standings = self.live.make_standings(true, state).await;
        let append = {
            let shown = self.live.shown();
            let mut append = Append::new(
                self.tournament,
                shown.course.length,
                Millis(self.registry.clock.now_ms()),
                Vec::new(),
            );
            let tournament = wire::tournament::tournament(&shown.course, state, true);
            let record = encode_tournament_record(tournament, standings);
            append.place = Some(NewPlace::Finished { record });
            append.listing = listing(&shown.course.setup, state).ok();
            append
        };
        match self.registry.log.append(append).await {
            Ok(_) => {
                let state = wire::tournament::state(state);
                tracing::info!(tournament = %self.tournament, state = state.as_str_name(), "a tournament is over");
                // Whoever hears that it is over finds its records.
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

/// How a table ended, if it has.
fn end_of(look: &Look, place: Place) -> Option<TableEnd> {
    let ending = look.ending.clone()?;
    Some(TableEnd { table: look.setup.table, number: place.group, rotation: place.rotation, ending })
}

/// What is noted of a table that is over.
fn table_over(place: Place, end: &TableEnd) -> Entry {
    let seats = match &end.ending {
        Ending::Finished(Finished { seats }) => seats.clone(),
        Ending::Cancelled { .. } | Ending::Expired | Ending::Faulted { .. } => Vec::new(),
    };
    Entry::TableOver { place, table: end.table, seats }
}

/// Why a group does not count because of how one of its tables ended.
fn fault(ending: &Ending) -> Option<String> {
    match ending {
        Ending::Finished(_) => None,
        Ending::Cancelled { note } if note.is_empty() => Some("a table of it was cancelled".to_owned()),
        Ending::Cancelled { note } => Some(format!("a table of it was cancelled: {note}")),
        Ending::Expired => Some("a table of it expired".to_owned()),
        Ending::Faulted { what } => Some(format!("a fault of the server: {what}")),
    }
}

/// The state that an entry brings about by itself.
fn state_after(entry: &Entry) -> Option<State> {
    match entry {
        Entry::Started { .. } | Entry::Resumed => Some(State::Running),
        Entry::Paused => Some(State::Paused),
        Entry::Cancelled { .. } => Some(State::Cancelled),
        _ => None,
    }
}
