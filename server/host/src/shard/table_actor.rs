//! One table in memory: its state, subscriptions and clocks, and the pending append.
//!
//! A change is applied at once, appended to the log, and published only when the append is durable. At most
//! one append is pending; requests that arrive meanwhile are queued. If the append fails, the table is
//! replayed from the durable entries.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use parlor_engine::{Seat, Seats, Viewer};

use crate::Codecs;
use crate::TableId;
use crate::agents::{Agent, AgentRegistry};
use crate::clock::Moment;
use crate::shard::clocks::Clocks;
use crate::shard::commit::TurnContext;
use crate::shard::house_bots::{BotJob, BotMove};
use crate::shard::journal::{CorruptJournal, Journal};
use crate::shard::reply::Reply;
use crate::shard::subscription::Subscription;
use crate::shard::subscriptions::Subscriptions;
use crate::shard::table_message::TableMessage;
use crate::shard::viewer_items::{TimeAudience, add_update};
use crate::stream::channels::Attachment;
use crate::stream::notifications::Notifications;
use crate::table::{
    Entry, Holder, Record, RecordedEvent, Step, Table, TableEvent, TableSummary, UpdateNumbers,
};
use crate::{Answered, HostError, StreamItem};
use parlor_store::OwnerId;

/// An append that is not durable yet.
struct PendingCommit {
    /// Items for the subscriptions, sent when the append is durable.
    notifications: Notifications,
    reply: Option<Reply>,
    /// The append changes the holders of seats or the validity of tokens.
    changes_seats: bool,
    /// Number of the last durable update of each viewer.
    numbers: UpdateNumbers,
    /// Seats that the last durable state waits for. A choice of several seats at once changes them without an update.
    waiting_for: Seats,
    /// Summary of the last durable state, if it was asked for.
    summary: Option<Box<TableSummary>>,
}

/// Outcome of an append.
pub(crate) enum CommitOutcome {
    /// The append is durable, and the table continues.
    Committed,
    /// The append is durable, and the table is finished.
    Finished,
    /// The append failed, and the table is back in its previous state.
    RolledBack,
    /// The first append failed: the table does not exist.
    NotCreated,
    /// The append failed, and the durable entries cannot be replayed: the table must leave memory.
    Unrecoverable(CorruptJournal),
}

pub(crate) struct TableActor {
    pub(super) codecs: Codecs,
    pub(crate) table: Table,
    pub(crate) owner: OwnerId,
    pub(crate) journal: Journal,
    pub(crate) clocks: Clocks,
    pub(crate) subscriptions: Subscriptions,
    /// Seats whose players were announced as connected.
    pub(super) announced: Seats,
    pub(crate) queued: VecDeque<TableMessage>,
    /// The agents that hold a seat.
    pub(crate) agents: Vec<Arc<Agent>>,
    /// Boxed: few tables have a pending append at any moment.
    pending: Option<Box<PendingCommit>>,
    /// The record up to the last durable entry, if requested since.
    record: Option<Arc<Record>>,
    /// A house bot holds at least one seat.
    has_house_bots: bool,
    /// Seats whose house bot is computing a move.
    pub(crate) thinking_bots: Seats,
    /// House bot moves that arrived while an append was pending.
    pub(crate) deferred_bot_moves: Vec<BotMove>,
    /// The pending append moves the table to rest.
    pub(crate) is_going_to_rest: bool,
    /// Time of the last request.
    pub(crate) last_used: Moment,
    /// The log has the table at rest.
    pub(crate) at_rest: bool,
    /// The earliest wake-up scheduled with the shard.
    pub(crate) wake_at: Option<Moment>,
    /// Timers and house bots are suspended until this moment, after a failed append.
    pub(crate) paused_until: Option<Moment>,
}

impl TableActor {
    pub(crate) fn new(
        codecs: Codecs,
        table: Table,
        owner: OwnerId,
        journal: Journal,
        clocks: Clocks,
        now: Moment,
    ) -> TableActor {
        let mut actor = TableActor {
            codecs,
            has_house_bots: has_house_bots(&table),
            table,
            owner,
            journal,
            clocks,
            subscriptions: Subscriptions::default(),
            announced: Seats::NONE,
            queued: VecDeque::new(),
            agents: Vec::new(),
            pending: None,
            record: None,
            thinking_bots: Seats::NONE,
            deferred_bot_moves: Vec::new(),
            is_going_to_rest: false,
            last_used: now,
            at_rest: false,
            wake_at: None,
            paused_until: None,
        };
        actor.clocks.sync(&actor.table, now);
        actor.clocks.start_prompted(&actor.table, now);
        actor
    }

    /// Starts the time in which entropy must be revealed, if the table has just begun to wait for it, was loaded, or was
    /// rolled back.
    pub(crate) fn start_reveal_time(&mut self, turn: &TurnContext) {
        let within = u64::try_from(turn.shared.reveal_within.as_millis()).unwrap_or(u64::MAX);
        self.table.start_reveal_time(turn.now_ms.saturating_add(within));
    }

    pub(crate) fn id(&self) -> TableId {
        self.table.setup().table
    }

    /// The record up to the last durable entry.
    pub(crate) fn record(&mut self) -> Result<Arc<Record>, CorruptJournal> {
        if let Some(record) = &self.record {
            return Ok(record.clone());
        }
        let record = Arc::new(self.journal.record(self.table.setup(), self.codecs.payloads)?);
        self.record = Some(record.clone());
        Ok(record)
    }

    /// Returns whether an append is pending.
    pub(crate) fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Applies entries and keeps the resulting items until the append is durable. Returns the table events.
    ///
    /// After an error the table must be rolled back.
    pub(crate) fn apply_entries(
        &mut self,
        at: u64,
        entries: &[Entry],
        now: Moment,
    ) -> Result<Vec<TableEvent>, HostError> {
        let subscriptions = &self.subscriptions;
        let (numbers, waiting_for) = (self.table.numbers(), self.table.waiting_for());
        let mut notifications = Notifications::new(self.codecs.items, subscriptions.len());
        let (mut asked, mut events) = (Seats::NONE, Vec::new());
        for entry in entries {
            let applied = self.table.fold_each_step(at, entry, |table, step| {
                let before = notifications.count();
                for subscription in subscriptions.iter() {
                    if !notifications.repeat_for(subscription, before) {
                        add_update(table, &step, subscription, &mut notifications);
                    }
                }
                asked = step.asked.iter().fold(asked, Seats::with);
                events.extend(table_events(&step).cloned());
            });
            applied.map_err(|invalid| HostError::Fault { reason: invalid.to_string() })?;
        }
        self.clocks.sync(&self.table, now);
        for seat in asked.iter() {
            self.add_prompt(seat, now, &mut notifications);
        }
        let changes_seats = entries.iter().any(Entry::changes_access);
        self.has_house_bots = if changes_seats { has_house_bots(&self.table) } else { self.has_house_bots };
        let (reply, summary) = (None, None);
        self.pending = Some(Box::new(PendingCommit {
            notifications,
            reply,
            changes_seats,
            numbers,
            waiting_for,
            summary,
        }));
        Ok(events)
    }

    /// Records the pending append: its encoded entries and the reply.
    pub(crate) fn set_pending(&mut self, entries: &[Bytes], reply: Option<Reply>) {
        entries.iter().for_each(|entry| self.journal.push(entry));
        let empty = || {
            Box::new(PendingCommit {
                notifications: Notifications::new(self.codecs.items, 0),
                reply: None,
                changes_seats: false,
                numbers: self.table.numbers(),
                waiting_for: self.table.waiting_for(),
                summary: None,
            })
        };
        self.pending.get_or_insert_with(empty).reply = reply;
    }

    /// Returns whether a request can be served although an append is pending: a read, from the last durable state.
    /// A secret decision is stored without a public trace, so a viewer to whom the append is invisible must not have to
    /// wait for it either.
    pub(crate) fn can_serve_now(&self, message: &TableMessage) -> bool {
        let Some(pending) = &self.pending else { return true };
        let is_created = !self.journal.is_empty();
        match message {
            TableMessage::Summary(_) | TableMessage::Admit { .. } => is_created,
            TableMessage::Attach(attach) => {
                let viewer = attach.credential.viewer();
                let is_prompted = |seat: Seat| {
                    self.table.seats()[seat.index()].open.is_none_or(|_| self.clocks.is_prompted(seat))
                };
                let is_invisible = pending.numbers.get(viewer) == self.table.numbers().get(viewer);
                is_created && !pending.changes_seats && is_invisible && viewer.seat().is_none_or(is_prompted)
            }
            _ => false,
        }
    }

    /// Summary of the last durable state.
    pub(crate) fn durable_summary(&mut self) -> Result<TableSummary, CorruptJournal> {
        let Some(pending) = &mut self.pending else { return Ok(self.table.summary()) };
        // Only a public step changes what a summary shows, apart from the tokens, invites and seats waited for.
        let is_unchanged = !pending.changes_seats
            && pending.numbers.get(Viewer::Spectator) == self.table.numbers().get(Viewer::Spectator);
        if is_unchanged {
            return Ok(TableSummary { waiting_for: pending.waiting_for, ..self.table.summary() });
        }
        if let Some(summary) = &pending.summary {
            return Ok(TableSummary::clone(summary));
        }
        let mut table = self.journal.fold(self.table.setup(), self.codecs.payloads)?;
        table.copy_reveal_time(&self.table);
        let summary = table.summary();
        pending.summary = Some(Box::new(summary.clone()));
        Ok(summary)
    }

    /// Seats that the last durable state waits for.
    pub(super) fn durable_waiting_for(&self) -> Seats {
        self.pending.as_ref().map_or_else(|| self.table.waiting_for(), |pending| pending.waiting_for)
    }

    /// Finishes the pending append: publishes its items, or rolls the table back.
    pub(crate) fn finish_commit(
        &mut self,
        result: Result<(), HostError>,
        turn: &mut TurnContext,
    ) -> CommitOutcome {
        let now = turn.now;
        let Some(pending) = self.pending.take() else { return CommitOutcome::Committed };
        let PendingCommit { mut notifications, reply, changes_seats, .. } = *pending;
        match result {
            Ok(()) => {
                self.paused_until = None;
                self.journal.mark_durable();
                self.record = None;
                self.clocks.start_prompted(&self.table, now);
                self.add_time_left(TimeAudience::Notified, now, &mut notifications);
                let answered = reply.and_then(|reply| reply.send(Ok(&self.table)));
                notifications.send(&self.subscriptions, answered);
                let numbers = self.table.numbers();
                self.subscriptions
                    .iter_mut()
                    .for_each(|subscription| subscription.number = numbers.get(subscription.viewer));
                if changes_seats {
                    self.close_revoked_subscriptions(turn);
                }
                if self.table.ending().is_some() { CommitOutcome::Finished } else { CommitOutcome::Committed }
            }
            Err(error) => {
                self.send_answer_outcome(reply.and_then(|reply| reply.send(Err(error))));
                self.roll_back(now)
            }
        }
    }

    /// Returns whether the pending append, if there is one, is visible to everyone.
    pub(crate) fn is_publicly_pending(&self) -> bool {
        let last = self.table.numbers().get(Viewer::Spectator);
        self.pending.as_ref().is_some_and(|pending| pending.numbers.get(Viewer::Spectator) != last)
    }

    /// Sends the outcome of an answer if its subscription still exists.
    pub(crate) fn send_answer_outcome(&self, answered: Option<(Attachment, Answered)>) {
        if let Some((to, answered)) = answered
            && let Some(subscription) = self.subscriptions.get(to)
        {
            subscription.send(&StreamItem::Answered(&answered));
        }
    }

    /// Replays the table from the durable entries. Running clocks restart with their full time.
    pub(crate) fn roll_back(&mut self, now: Moment) -> CommitOutcome {
        self.pending = None;
        self.journal.discard_pending();
        if self.journal.is_empty() {
            return CommitOutcome::NotCreated;
        }
        match self.journal.fold(self.table.setup(), self.codecs.payloads) {
            Ok(table) => {
                self.has_house_bots = has_house_bots(&table);
                self.table = table;
                self.clocks.restart(&self.table, now);
                CommitOutcome::RolledBack
            }
            Err(error) => CommitOutcome::Unrecoverable(error),
        }
    }

    /// Closes the subscriptions whose token has been revoked.
    fn close_revoked_subscriptions(&mut self, turn: &mut TurnContext) {
        let table = &self.table;
        let is_revoked = |subscription: &Subscription| {
            let newest = match subscription.viewer {
                Viewer::Seat(seat) => table.seats()[seat.index()].generation,
                Viewer::Spectator => table.spectators(),
            };
            subscription.generation.is_some_and(|generation| generation != newest)
        };
        let revoked = self.subscriptions.extract(is_revoked);
        for subscription in &revoked {
            let is_house = |seat: Seat| matches!(table.seats()[seat.index()].holder, Holder::House { .. });
            let is_replaced = subscription.viewer.seat().is_some_and(is_house);
            subscription.close(Some(if is_replaced { HostError::Replaced } else { HostError::Reissued }));
        }
        for seat in revoked.iter().filter_map(|subscription| subscription.viewer.seat()) {
            self.update_presence(turn, seat, turn.now);
        }
    }

    /// Releases the agents that no longer hold a seat; all of them if the table is finished.
    pub(crate) fn release_agents(&mut self, registry: &AgentRegistry) {
        let (table, id) = (&self.table, self.id());
        let is_over = table.ending().is_some();
        let is_seated = |agent: &Arc<Agent>| {
            let mut seats = table.seats().iter();
            seats.any(
                |seat| matches!(&seat.holder, Holder::Agent { name, .. } if *name == agent.identity.name),
            )
        };
        for agent in self.agents.extract_if(.., |agent| is_over || !is_seated(agent)) {
            registry.leave_table(&agent, id);
        }
    }

    /// Open decisions of house bots that are not being computed yet.
    pub(crate) fn bot_jobs(&mut self) -> Vec<BotJob> {
        let mut jobs = Vec::new();
        if !self.has_house_bots {
            return jobs;
        }
        for seat in Seat::all(self.table.players()) {
            let state = &self.table.seats()[seat.index()];
            let (Holder::House { bot }, Some(decision)) = (&state.holder, state.open) else {
                self.thinking_bots = self.thinking_bots.without(seat);
                continue;
            };
            if self.thinking_bots.contains(seat) {
                continue;
            }
            let Some(view) = self.table.view(Viewer::Seat(seat)) else { continue };
            jobs.push(BotJob {
                table: self.id(),
                seat,
                decision,
                bot: bot.clone(),
                view,
                legal: self.table.legal_actions(seat),
                seed: self.table.setup().chance.bot_seed(seat, decision.0),
            });
        }
        jobs
    }
}

fn has_house_bots(table: &Table) -> bool {
    table.seats().iter().any(|seat| matches!(seat.holder, Holder::House { .. }))
}

/// Public table events of a step.
fn table_events(step: &Step) -> impl Iterator<Item = &TableEvent> {
    step.events.iter().filter_map(|(_, event)| match event {
        RecordedEvent::Table(event) => Some(event),
        RecordedEvent::Game(_) => None,
    })
}
