//! The tables of a tournament: finding those that run, making those that may be made, and taking the results of those that
//! are over.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use futures_util::future::join_all;
use parlor_tournament as plan;
use parlor_tournament::plan::TableKey;

use super::{LOOK, PAUSE, Runner, Stop};
use crate::TableId;
use crate::clock::Moment;
use crate::metric_names::TOURNAMENT_TABLES;
use crate::table::{Ending, Finished, TableSummary};
use crate::tournaments::table_scheduler::{Choice, Made, choose};
use crate::tournaments::{Entry, FoldedTournament};
use crate::{Actor, HostError, TableEnd, tournament_tag};
use parlor_store::{LogFilter, PageRequest, limits};

/// How many entries are appended together.
const ENTRIES: usize = 500;

impl Runner {
    /// Finds the tables that run since before the server started, and what of the deals may be shown.
    pub(super) async fn find_tables(&mut self) -> Result<(), Stop> {
        let host = self.registry.host.clone();
        let tag = Some(tournament_tag(self.tournament));
        let filter = LogFilter { tag, finished: Some(false), ..LogFilter::default() };
        let mut after = None;
        loop {
            let page = PageRequest { after, size: limits::MAX_PAGE_SIZE };
            let rows = match self.registry.log.list_tables(filter.clone(), page).await {
                Ok(rows) => rows,
                Err(error) => {
                    tracing::warn!(tournament = %self.tournament, %error, "tables cannot be found");
                    self.pause().await;
                    continue;
                }
            };
            let looks = join_all(rows.tables.iter().map(|row| host.summary(row.id))).await;
            // One that cannot be read is found when it is to be made, and its group is void.
            let running = looks.into_iter().flatten().filter(|look| !look.state.is_over());
            let mut shown = self.live.shown_mut();
            for look in running {
                if let Some(deal) = look.setup.chance.deal() {
                    let place = TableKey { group: deal.number, rotation: deal.rotation };
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
    pub(super) fn show_deal(
        &self,
        course: &FoldedTournament,
        running: &BTreeMap<TableKey, TableId>,
        group: u32,
    ) {
        let runs =
            running.range(TableKey { group, rotation: 0 }..=TableKey { group, rotation: u8::MAX }).next();
        if runs.is_none() && course.plan.is_deal_over(group) && !course.is_over() {
            self.registry.host.deals().end(self.tournament, group);
        }
    }

    /// Makes the tables that can be made now. AgentProfile when to look again.
    pub(super) async fn make_tables(&mut self) -> Result<Moment, Stop> {
        loop {
            let now = self.registry.clock.now();
            let most = self.registry.room_beside(self.owner.as_str(), self.tournament);
            let (choice, runs, patience) = {
                let shown = self.live.shown();
                let most = most.saturating_sub(shown.running.len());
                let choice = choose(&shown, most, &mut self.given_up, self.registry.host.agents());
                (choice, !shown.running.is_empty(), shown.course.setup.terms.patience)
            };
            let Choice { tables, is_full, is_held, absent } = choice;
            if !tables.is_empty() {
                self.waiting = None;
                if self.make(tables).await? {
                    continue;
                }
                return Ok(now + PAUSE);
            }
            if runs || is_full || is_held || absent.is_empty() {
                self.waiting = None;
                return Ok(if is_held && !runs { now + PAUSE } else { self.next_look });
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

    /// Makes tables, or finds those that were made before. AgentProfile whether all is well.
    async fn make(&mut self, tables: Vec<Made>) -> Result<bool, Stop> {
        let host = self.registry.host.clone();
        let making = tables.iter().map(|made| host.create_deal_table(&self.owner, made.dealt.clone()));
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
                    Err(error) if error.is_transient() => is_well = false,
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
    pub(super) async fn take(&mut self, ended: Vec<TableEnd>) -> Result<(), Stop> {
        let place_of = |end: &TableEnd| TableKey { group: end.number, rotation: end.rotation };
        let mut ended: HashMap<TableKey, TableEnd> =
            ended.into_iter().map(|end| (place_of(&end), end)).collect();
        let mut places: Vec<TableKey> = ended.keys().copied().collect();
        places.sort_unstable();
        for places in places.chunks(ENTRIES) {
            let new: Vec<Entry> = {
                let shown = self.live.shown();
                let is_new = |place: &&TableKey| !shown.course.tables.contains_key(*place);
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
                && self.live.shown().course.plan.is_pending(place)
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
            shown.course.plan.propose(plan::PlanEntry::GroupVoided { group, reason: reason.clone() })
        };
        match asked {
            Ok(Some(_)) => self.append_surely(vec![Entry::GroupVoided { group, reason }]).await,
            // It is void, or nothing counts any more.
            Ok(None) | Err(_) => Ok(()),
        }
    }

    /// Ends the tables that do not count any more.
    pub(super) async fn end_unwanted(&mut self) {
        let unwanted: Vec<(TableKey, TableId)> = {
            let shown = self.live.shown();
            let plan = &shown.course.plan;
            let is_unwanted = |place: &TableKey| !plan.is_pending(*place) && !self.ending.contains(place);
            let running = shown.running.iter().map(|(place, table)| (*place, *table));
            running.filter(|(place, _)| is_unwanted(place)).collect()
        };
        for (place, table) in unwanted {
            let note = "the tournament does not need this table any more".to_owned();
            match self.registry.host.cancel(table, Actor::Admin, note).await {
                // Its end is on its way; so it is if it was over before.
                Ok(_) | Err(HostError::Command(_)) => drop(self.ending.insert(place)),
                Err(error) => tracing::warn!(%table, %error, "a table cannot be ended yet"),
            }
        }
    }

    /// Looks at the tables that run: one whose end was missed is over, and one that left memory comes back.
    pub(super) async fn look_at_tables(&mut self) -> Result<(), Stop> {
        let now = self.registry.clock.now();
        if now < self.next_look {
            return Ok(());
        }
        self.next_look = now + LOOK;
        let running: Vec<(TableKey, TableId)> =
            self.live.shown().running.iter().map(|(place, table)| (*place, *table)).collect();
        let host = self.registry.host.clone();
        let looks = join_all(running.iter().map(|(_, table)| host.summary(*table))).await;
        let mut ended = Vec::new();
        for ((place, table), look) in running.into_iter().zip(looks) {
            match look {
                Ok(look) => ended.extend(end_of(&look, place)),
                Err(error) if error.is_transient() => {}
                Err(error) => {
                    tracing::error!(%table, %error, "a table of a tournament cannot be read");
                    let ending = Ending::Faulted { reason: "its table cannot be read".to_owned() };
                    let (number, rotation) = (place.group, place.rotation);
                    ended.push(TableEnd { table, number, rotation, ending });
                }
            }
        }
        self.take(ended).await
    }
}

/// How a table ended, if it has.
fn end_of(look: &TableSummary, place: TableKey) -> Option<TableEnd> {
    let ending = look.ending.clone()?;
    Some(TableEnd { table: look.setup.table, number: place.group, rotation: place.rotation, ending })
}

/// What is noted of a table that is over.
fn table_over(place: TableKey, end: &TableEnd) -> Entry {
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
        Ending::Faulted { reason: what } => Some(format!("a fault of the server: {what}")),
    }
}
