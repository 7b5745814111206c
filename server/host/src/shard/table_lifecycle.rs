//! Entry of tables into a shard's memory and their removal: creation, loading, unloading, end and failure.

use std::cmp::Reverse;
use std::collections::hash_map;

use tracing::Instrument;

use crate::shard::load::{self, Loaded};
use crate::shard::message::NewTableLog;
use crate::shard::subscriptions::Subscriptions;
use crate::shard::table_actor::TableActor;
use crate::shard::table_message::{ReplyTo, TableMessage};
use crate::shard::{Completion, Shard, TableSlot, commit, finished_table, table_commands, table_timers};
use crate::table::TableSummary;
use crate::{HostError, TableId};

impl Shard {
    /// Creates a table, unless the host is stopping.
    pub(super) fn create(&mut self, creation: NewTableLog, to: ReplyTo<TableSummary>) {
        if self.stopping {
            // The requester may have been dropped.
            let _ = to.send(Err(HostError::Stopping));
            return;
        }
        if let Some(actor) = commit::create(&mut self.turn, creation, to) {
            self.tables.insert(actor.id(), TableSlot::Live(Box::new(actor)));
        }
    }

    /// Loads a table in the background. Requests to it are queued meanwhile.
    pub(super) fn load(&mut self, table: TableId) {
        if let hash_map::Entry::Vacant(place) = self.tables.entry(table) {
            place.insert(TableSlot::Loading(vec![TableMessage::Wake]));
        }
        let (log, codec) = (self.shared.log.clone(), self.shared.codecs.payloads);
        self.in_flight.push(Box::pin(async move {
            // A separate task, so that replaying a long log blocks nothing else.
            let loaded =
                tokio::spawn(async move { load::load(log.as_ref(), codec, table).await }.in_current_span())
                    .await;
            let unreadable =
                |_| Loaded::Failed(HostError::Fault { reason: format!("table {table} cannot be read") });
            Completion::Loaded(table, loaded.unwrap_or_else(unreadable))
        }));
    }

    /// Activates a loaded table, or serves its queued requests from its record.
    pub(super) fn handle_loaded(&mut self, table: TableId, loaded: Loaded) {
        let Some(TableSlot::Loading(messages)) = self.tables.remove(&table) else { return };
        match loaded {
            Loaded::Live(loaded) => {
                let clocks = self.clocks_at_rest.remove(&table);
                match table_timers::activate(*loaded, clocks, &self.turn) {
                    Ok(actor) => {
                        self.tables.insert(table, TableSlot::Live(Box::new(actor)));
                        for message in messages {
                            self.handle_table_message(table, message);
                        }
                        self.schedule_wake(table);
                    }
                    Err(error) => messages
                        .into_iter()
                        .for_each(|message| table_commands::refuse(message, error.clone())),
                }
            }
            Loaded::Finished(record) => {
                for message in messages {
                    let TableMessage::Attach(attach) = message else {
                        finished_table::execute(&record, message);
                        continue;
                    };
                    let waiters = self.rematch_waiters.remove(&table).unwrap_or_default();
                    let waiters = finished_table::attach(&record, &mut self.turn, attach, waiters);
                    if !waiters.is_empty() {
                        self.rematch_waiters.insert(table, waiters);
                    }
                }
            }
            Loaded::Failed(error) => {
                if !matches!(error, HostError::NotFound { .. }) {
                    tracing::error!(%table, %error, "table cannot be loaded");
                }
                messages.into_iter().for_each(|message| table_commands::refuse(message, error.clone()));
            }
        }
    }

    /// Removes a table at rest from memory. Only running clocks and their timer stay.
    pub(super) fn unload(&mut self, table: TableId) {
        if let Some(TableSlot::Live(actor)) = self.tables.remove(&table)
            && let Some(moment) = table_timers::next_deadline(&actor, &self.turn)
        {
            self.clocks_at_rest.insert(table, actor.clocks);
            self.timers.push(Reverse((moment, table)));
        }
    }

    /// Removes a finished table from memory. Subscriptions that wait for a rematch are kept.
    pub(super) fn finish_table(&mut self, table: TableId) {
        let Some(TableSlot::Live(actor)) = self.tables.remove(&table) else { return };
        let TableActor { subscriptions, queued, owner, table: folded, .. } = *actor;
        match (folded.setup().chance.deal(), folded.ending()) {
            (Some(deal), Some(ending)) => self.shared.deals.notify_table_over(table, deal, ending),
            _ => self.shared.quota.release(&owner),
        }
        let mut rematch_waiters = Subscriptions::default();
        for (subscription, caller) in subscriptions.into_all() {
            if subscription.wants.rematch && !self.stopping {
                rematch_waiters.insert(subscription, caller);
            } else {
                subscription.close(None);
            }
        }
        if !rematch_waiters.is_empty() {
            self.rematch_waiters.insert(table, rematch_waiters);
        }
        for message in queued {
            self.handle_table_message(table, message);
        }
    }

    /// Removes a broken table from memory. Its streams get a retryable error, and the next request loads it
    /// anew.
    pub(super) fn discard_table(&mut self, table: TableId, reason: String) {
        tracing::error!(%table, reason, "table discarded from memory");
        if let Some(TableSlot::Live(actor)) = self.tables.remove(&table) {
            for subscription in actor.subscriptions.iter() {
                subscription.close(Some(HostError::TableBusy { table }));
            }
            // A table that cannot be loaded must not occupy its agents for good. If it can, loading finds
            // them again.
            actor.agents.iter().for_each(|agent| self.shared.agents.leave_table(agent, table));
            for message in actor.queued {
                table_commands::refuse(message, HostError::TableBusy { table });
            }
        }
    }
}
