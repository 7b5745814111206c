//! Tables of a tournament: finds the running ones, creates those that are ready, and records the results of
//! those that are over.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use futures_util::future::join_all;
use parlor_tournament as plan;
use parlor_tournament::plan::TableKey;

use super::{RETRY_DELAY, Runner, Stopped, TABLE_CHECK_INTERVAL};
use crate::TableId;
use crate::clock::Moment;
use crate::metric_names::TOURNAMENT_TABLES;
use crate::table::{Ending, Finished, TableSummary};
use crate::tournaments::table_scheduler::{Schedule, ScheduledTable, schedule_tables};
use crate::tournaments::{FoldedTournament, TournamentEntry};
use crate::{Actor, HostError, TableEnd, tournament_tag};
use parlor_store::{LogFilter, PageRequest, limits};

/// Maximum number of entries of one append.
const APPEND_BATCH: usize = 500;

impl Runner {
    /// Finds the tables that were running before the server started, and reveals the deals that are over.
    pub(super) async fn find_running_tables(&mut self) -> Result<(), Stopped> {
        let host = self.registry.host.clone();
        let tag = Some(tournament_tag(self.tournament));
        let filter = LogFilter { tag, finished: Some(false), ..LogFilter::default() };
        let mut after = None;
        loop {
            let page = PageRequest { after, size: limits::MAX_PAGE_SIZE };
            let rows = match self.registry.log.list_tables(filter.clone(), page).await {
                Ok(rows) => rows,
                Err(error) => {
                    tracing::warn!(tournament = %self.tournament, %error, "listing tables failed; retrying");
                    self.wait_before_retry().await;
                    continue;
                }
            };
            let summaries = join_all(rows.tables.iter().map(|row| host.summary(row.id))).await;
            // A table that cannot be read is found when it is created again, and its group is voided.
            let running = summaries.into_iter().flatten().filter(|summary| !summary.state.is_over());
            let mut view = self.live.view_mut();
            for summary in running {
                if let Some(deal) = summary.setup.chance.deal() {
                    let place = TableKey { group: deal.number, rotation: deal.rotation };
                    view.running.insert(place, summary.setup.table);
                }
            }
            after = rows.next;
            if after.is_none() {
                break;
            }
        }
        let view = self.live.view();
        let groups = 0..view.folded.plan.group_count();
        groups.for_each(|group| self.reveal_deal_if_over(&view.folded, &view.running, group));
        let is_changed = !view.running.is_empty();
        drop(view);
        // Otherwise followers have been told all there is, before the tournament was brought into memory.
        if is_changed {
            self.live.notify_changed();
        }
        Ok(())
    }

    /// Makes a deal visible if none of its tables runs or is still to be played.
    pub(super) fn reveal_deal_if_over(
        &self,
        folded: &FoldedTournament,
        running: &BTreeMap<TableKey, TableId>,
        group: u32,
    ) {
        let first_running =
            running.range(TableKey { group, rotation: 0 }..=TableKey { group, rotation: u8::MAX }).next();
        if first_running.is_none() && folded.plan.is_deal_over(group) && !folded.is_over() {
            self.registry.host.deals().end_deal(self.tournament, group);
        }
    }

    /// Creates the tables that are ready. Returns the time of the next attempt.
    pub(super) async fn create_tables(&mut self) -> Result<Moment, Stopped> {
        loop {
            let now = self.registry.clock.now();
            let most = self.registry.max_tables(self.owner.as_str(), self.tournament);
            let (schedule, is_any_running, patience) = {
                let view = self.live.view();
                let most = most.saturating_sub(view.running.len());
                let schedule = schedule_tables(&view, most, &mut self.defaulted, self.registry.host.agents());
                (schedule, !view.running.is_empty(), view.folded.setup.terms.patience)
            };
            let Schedule { tables, waits_for_capacity, is_owner_at_limit, absent } = schedule;
            if !tables.is_empty() {
                self.waiting_since = None;
                if self.create_batch(tables).await? {
                    continue;
                }
                return Ok(now + RETRY_DELAY);
            }
            if is_any_running || waits_for_capacity || is_owner_at_limit || absent.is_empty() {
                self.waiting_since = None;
                return Ok(if is_owner_at_limit && !is_any_running {
                    now + RETRY_DELAY
                } else {
                    self.next_check
                });
            }
            let until = *self.waiting_since.get_or_insert(now) + Duration::from_millis(patience.into());
            if now < until {
                return Ok(until);
            }
            tracing::info!(tournament = %self.tournament, ?absent, "tables start without absent or full entrants");
            self.defaulted.extend(absent);
            self.waiting_since = None;
        }
    }

    /// Creates tables, or finds those that exist already. Returns `false` after a transient error.
    async fn create_batch(&mut self, tables: Vec<ScheduledTable>) -> Result<bool, Stopped> {
        let host = self.registry.host.clone();
        let creating = tables.iter().map(|table| host.create_deal_table(&self.owner, table.dealt.clone()));
        let summaries = join_all(creating).await;
        let (mut ended, mut failed, mut is_ok) = (Vec::new(), Vec::new(), true);
        {
            let mut view = self.live.view_mut();
            for (ScheduledTable { place, .. }, summary) in tables.into_iter().zip(summaries) {
                match summary {
                    Ok(summary) => match table_end(&summary, place) {
                        Some(end) => ended.push(end),
                        None => drop(view.running.insert(place, summary.setup.table)),
                    },
                    Err(error) if error.is_transient() => is_ok = false,
                    Err(error) => failed.push((place, error)),
                }
            }
        }
        self.live.notify_changed();
        self.record_ended(ended).await?;
        for (place, error) in failed {
            tracing::error!(tournament = %self.tournament, %error, "table not created; its group is void");
            let fault = "its table could not be made";
            self.void_group(place.group, format!("a fault of the server: {fault}")).await?;
            self.count_fault(place, fault).await?;
        }
        Ok(is_ok)
    }

    /// Records the results of tables that are over. The group of a table without a result is voided.
    pub(super) async fn record_ended(&mut self, ended: Vec<TableEnd>) -> Result<(), Stopped> {
        let place_of = |end: &TableEnd| TableKey { group: end.number, rotation: end.rotation };
        let mut ended: HashMap<TableKey, TableEnd> =
            ended.into_iter().map(|end| (place_of(&end), end)).collect();
        let mut places: Vec<TableKey> = ended.keys().copied().collect();
        places.sort_unstable();
        for places in places.chunks(APPEND_BATCH) {
            let new: Vec<TournamentEntry> = {
                let view = self.live.view();
                let is_new = |place: &&TableKey| !view.folded.tables.contains_key(*place);
                places.iter().filter(is_new).map(|place| table_over_entry(*place, &ended[place])).collect()
            };
            metrics::counter!(TOURNAMENT_TABLES).increment(new.len() as u64);
            self.append_with_retry(new).await?;
        }
        {
            let mut view = self.live.view_mut();
            for place in &places {
                view.running.remove(place);
                self.cancelling.remove(place);
            }
        }
        for place in places {
            let Some(TableEnd { ending, .. }) = ended.remove(&place) else { continue };
            if let Some(why) = void_reason(&ending)
                && self.live.view().folded.plan.is_pending(place)
            {
                self.void_group(place.group, why).await?;
            }
            match &ending {
                Ending::Finished(_) => self.end_fault_streaks(place),
                Ending::Faulted { reason } => self.count_fault(place, reason).await?,
                Ending::Cancelled { .. } | Ending::Expired => {}
            }
            let view = self.live.view();
            self.reveal_deal_if_over(&view.folded, &view.running, place.group);
        }
        self.live.notify_changed();
        Ok(())
    }

    /// Voids a group, unless it is void already.
    async fn void_group(&mut self, group: u32, reason: String) -> Result<(), Stopped> {
        let proposed = {
            let view = self.live.view();
            view.folded.plan.propose(plan::PlanEntry::GroupVoided { group, reason: reason.clone() })
        };
        match proposed {
            Ok(Some(_)) => self.append_with_retry(vec![TournamentEntry::GroupVoided { group, reason }]).await,
            // The group is void already, or the tournament is over.
            Ok(None) | Err(_) => Ok(()),
        }
    }

    /// Cancels the running tables that no longer count.
    pub(super) async fn cancel_unneeded(&mut self) {
        let unneeded: Vec<(TableKey, TableId)> = {
            let view = self.live.view();
            let plan = &view.folded.plan;
            let is_unneeded = |place: &TableKey| !plan.is_pending(*place) && !self.cancelling.contains(place);
            let running = view.running.iter().map(|(place, table)| (*place, *table));
            running.filter(|(place, _)| is_unneeded(place)).collect()
        };
        for (place, table) in unneeded {
            let note = "the tournament does not need this table any more".to_owned();
            match self.registry.host.cancel(table, Actor::Tournament, note).await {
                // Its end will be notified, or was already.
                Ok(_) | Err(HostError::Command(_)) => drop(self.cancelling.insert(place)),
                Err(error) => tracing::warn!(%table, %error, "cancelling a table failed; retrying"),
            }
        }
    }

    /// Checks the running tables: records missed ends, and loads tables that left memory.
    pub(super) async fn check_tables(&mut self) -> Result<(), Stopped> {
        let now = self.registry.clock.now();
        if now < self.next_check {
            return Ok(());
        }
        self.next_check = now + TABLE_CHECK_INTERVAL;
        let running: Vec<(TableKey, TableId)> =
            self.live.view().running.iter().map(|(place, table)| (*place, *table)).collect();
        let host = self.registry.host.clone();
        let summaries = join_all(running.iter().map(|(_, table)| host.summary(*table))).await;
        let mut ended = Vec::new();
        for ((place, table), summary) in running.into_iter().zip(summaries) {
            match summary {
                Ok(summary) => ended.extend(table_end(&summary, place)),
                Err(error) if error.is_transient() => {}
                Err(error) => {
                    tracing::error!(%table, %error, "table of a tournament unreadable");
                    let ending = Ending::Faulted { reason: "its table cannot be read".to_owned() };
                    let (number, rotation) = (place.group, place.rotation);
                    ended.push(TableEnd { table, number, rotation, ending });
                }
            }
        }
        self.record_ended(ended).await
    }
}

/// The end of a table; `None` while it runs.
fn table_end(summary: &TableSummary, place: TableKey) -> Option<TableEnd> {
    let ending = summary.ending.clone()?;
    Some(TableEnd { table: summary.setup.table, number: place.group, rotation: place.rotation, ending })
}

/// The log entry of a table that is over.
fn table_over_entry(place: TableKey, end: &TableEnd) -> TournamentEntry {
    let seats = match &end.ending {
        Ending::Finished(Finished { seats }) => seats.clone(),
        Ending::Cancelled { .. } | Ending::Expired | Ending::Faulted { .. } => Vec::new(),
    };
    TournamentEntry::TableOver { place, table: end.table, seats }
}

/// Reason why the ending of a table voids its group; `None` if it does not.
fn void_reason(ending: &Ending) -> Option<String> {
    match ending {
        Ending::Finished(_) => None,
        Ending::Cancelled { note } if note.is_empty() => Some("a table of it was cancelled".to_owned()),
        Ending::Cancelled { note } => Some(format!("a table of it was cancelled: {note}")),
        Ending::Expired => Some("a table of it expired".to_owned()),
        Ending::Faulted { reason: what } => Some(format!("a fault of the server: {what}")),
    }
}
