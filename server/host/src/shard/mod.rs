//! A shard: one task that owns a part of the tables. Nothing is locked, and the changes of a table have one
//! order.

mod attach_queue;
pub(crate) mod clocks;
pub(crate) mod commit;
pub(crate) mod finished_table;
pub(crate) mod house_bots;
pub(crate) mod journal;
pub(crate) mod load;
mod message;
mod public_clock;
pub(crate) mod reply;
pub(crate) mod senders;
pub(crate) mod subscription;
pub(crate) mod subscriptions;
pub(crate) mod table_actor;
pub(crate) mod table_commands;
mod table_lifecycle;
pub(crate) mod table_message;
pub(crate) mod table_timers;
mod viewer_items;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use parlor_engine::Viewer;
use tokio::sync::{mpsc, oneshot};

pub(crate) use self::message::{NewTableLog, ShardMessage};

use self::attach_queue::AttachQueue;
use self::commit::TurnContext;
use crate::TableId;
use crate::clock::Moment;
use crate::metric_names::{MOVES, TABLES_IN_MEMORY};
use crate::shard::clocks::Clocks;
use crate::shard::house_bots::BotMove;
use crate::shard::load::Loaded;
use crate::shard::subscriptions::Subscriptions;
use crate::shard::table_actor::{CommitOutcome, TableActor};
use crate::shard::table_message::{AttachRequest, TableMessage};
use crate::stream::channels::Attachment;
use crate::{HostError, Shared};
use parlor_store::{Appended, FastMap, LogError};

/// Messages handled in one turn before its appends are submitted to the log.
const MAX_MESSAGES_PER_TURN: usize = 256;

/// Attach requests carried out in one turn.
const MAX_ATTACHES_PER_TURN: usize = 4;

/// Result of an asynchronous operation of the shard.
pub(crate) enum Completion {
    /// Results of the appends to these tables.
    Appended(Vec<TableId>, Vec<Result<Appended, LogError>>),
    Loaded(TableId, Loaded),
    /// The client has read, and may be sent more of what it has missed; or its channel was closed.
    CatchUp(Option<Box<AttachRequest>>),
}

/// A table in memory, or being loaded with its queued requests.
enum TableSlot {
    Live(Box<TableActor>),
    Loading(Vec<TableMessage>),
}

pub(crate) struct Shard {
    shared: Arc<Shared>,
    inbox: mpsc::Receiver<ShardMessage>,
    tables: FastMap<TableId, TableSlot>,
    /// Wake-up times of tables.
    timers: BinaryHeap<Reverse<(Moment, TableId)>>,
    /// Subscriptions to finished tables that wait for a rematch.
    rematch_waiters: FastMap<TableId, Subscriptions>,
    /// Running clocks of tables at rest.
    clocks_at_rest: FastMap<TableId, Clocks>,
    attaches: AttachQueue,
    turn: TurnContext,
    in_flight: FuturesUnordered<BoxFuture<'static, Completion>>,
    /// New requests are refused.
    stopping: bool,
    /// Notified once everything accepted is durable.
    stopped: Option<oneshot::Sender<()>>,
}

impl Shard {
    pub(crate) fn new(shared: Arc<Shared>, inbox: mpsc::Receiver<ShardMessage>) -> Shard {
        Shard {
            turn: TurnContext::new(shared.clone()),
            shared,
            inbox,
            tables: FastMap::default(),
            timers: BinaryHeap::new(),
            rematch_waiters: FastMap::default(),
            clocks_at_rest: FastMap::default(),
            attaches: AttachQueue::default(),
            in_flight: FuturesUnordered::new(),
            stopping: false,
            stopped: None,
        }
    }

    /// Wakes a table at this moment, loading it if necessary.
    pub(crate) fn wake_at(&mut self, moment: Moment, table: TableId) {
        self.timers.push(Reverse((moment, table)));
    }

    /// Runs until the host is dropped.
    pub(crate) async fn run(mut self, number: usize) {
        let in_memory = metrics::gauge!(TABLES_IN_MEMORY, "shard" => number.to_string());
        self.turn.moves = metrics::counter!(MOVES);
        let mut messages = Vec::with_capacity(MAX_MESSAGES_PER_TURN);
        loop {
            let timer = self.timers.peek().map(|Reverse((moment, _))| *moment);
            let clock = self.shared.clock.clone();
            let sleep = async {
                match timer {
                    Some(moment) => clock.sleep_until(moment).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                Some(completion) = self.in_flight.next(), if !self.in_flight.is_empty() => {
                    self.begin_turn();
                    self.handle_completion(completion);
                }
                count = self.inbox.recv_many(&mut messages, MAX_MESSAGES_PER_TURN) => {
                    if count == 0 {
                        return;
                    }
                    self.collect_messages(&mut messages).await;
                    self.begin_turn();
                    for message in messages.drain(..) {
                        self.handle_message(message);
                    }
                }
                () = sleep => {
                    self.begin_turn();
                    self.run_due_timers();
                }
                () = tokio::task::yield_now(), if !self.attaches.is_empty() => self.begin_turn(),
            }
            self.run_attaches();
            self.announce_presence();
            self.resume_catch_ups();
            self.submit_appends();
            in_memory.set(self.tables.len() as f64);
        }
    }

    /// Collects the messages of one turn. Yields first, so that senders about to run are included: otherwise
    /// each message would be a turn of its own.
    async fn collect_messages(&mut self, messages: &mut Vec<ShardMessage>) {
        tokio::task::yield_now().await;
        while messages.len() < MAX_MESSAGES_PER_TURN
            && let Ok(message) = self.inbox.try_recv()
        {
            messages.push(message);
        }
    }

    fn begin_turn(&mut self) {
        self.turn.now = self.shared.clock.now();
        self.turn.now_ms = self.shared.clock.now_ms();
    }

    /// Carries out some of the attach requests that wait.
    fn run_attaches(&mut self) {
        for _ in 0..MAX_ATTACHES_PER_TURN {
            let Some(attach) = self.attaches.pop() else { return };
            // The client may have detached meanwhile.
            if attach.queue.is_attached(attach.attachment, attach.channel) {
                self.handle_table_message(attach.credential.table(), TableMessage::Attach(attach));
            }
        }
    }

    /// Announces the players who came or went in this turn, each once.
    fn announce_presence(&mut self) {
        for table in std::mem::take(&mut self.turn.presence_changed) {
            if let Some(TableSlot::Live(actor)) = self.tables.get_mut(&table) {
                actor.announce_presence(self.turn.now);
            }
        }
    }

    /// Continues the catch-ups that were paused in this turn when their clients have read.
    fn resume_catch_ups(&mut self) {
        for attach in self.turn.paused_catch_ups.drain(..) {
            self.in_flight.push(Box::pin(async move {
                let is_open = attach.queue.wait_to_catch_up(attach.attachment, attach.channel).await;
                Completion::CatchUp(is_open.then(|| Box::new(attach)))
            }));
        }
    }

    /// Submits the appends of this turn to the log as one batch.
    fn submit_appends(&mut self) {
        if !self.turn.appends.is_empty() {
            // The next turn will have about as many.
            let room = Vec::with_capacity(self.turn.appends.capacity().min(MAX_MESSAGES_PER_TURN));
            let appends = std::mem::replace(&mut self.turn.appends, room);
            let log = self.shared.log.clone();
            self.in_flight.push(Box::pin(async move {
                let tables: Vec<TableId> = appends.iter().map(|append| append.table).collect();
                let results = log.append_all(appends).await;
                Completion::Appended(tables, results)
            }));
        }
        if !self.stopping {
            return;
        }
        let is_idle =
            !self.tables.values().any(|slot| matches!(slot, TableSlot::Live(actor) if actor.is_pending()));
        if is_idle && let Some(stopped) = self.stopped.take() {
            // The receiver may have been dropped.
            let _ = stopped.send(());
        }
    }

    fn handle_message(&mut self, message: ShardMessage) {
        match message {
            ShardMessage::Table(_, TableMessage::Attach(attach)) => self.attaches.push(attach),
            ShardMessage::Table(table, message) => self.handle_table_message(table, message),
            ShardMessage::Create { new_table, to } => self.create(*new_table, to),
            ShardMessage::BotMove(moved) => self.handle_bot_move(moved),
            ShardMessage::Rematch { of, table } => {
                for subscription in self.rematch_waiters.remove(&of).unwrap_or_default().iter() {
                    finished_table::announce_rematch(subscription, table);
                }
            }
            ShardMessage::Deleted(table) => {
                for subscription in self.rematch_waiters.remove(&table).unwrap_or_default().iter() {
                    subscription.close(Some(HostError::NotFound { table }));
                }
            }
            ShardMessage::Stop(stopped) => self.stop(stopped),
        }
    }

    fn handle_table_message(&mut self, table: TableId, message: TableMessage) {
        if let TableMessage::Detach(attachment) = message {
            return self.detach(table, attachment);
        }
        if self.stopping {
            return table_commands::refuse(message, HostError::Stopping);
        }
        let max_queued = self.shared.table_queue;
        match self.tables.get_mut(&table) {
            Some(TableSlot::Live(actor)) => {
                if !actor.is_pending() || actor.can_serve_now(&message) {
                    table_commands::execute(actor, &mut self.turn, message);
                    self.schedule_wake(table);
                } else if actor.queued.len() < max_queued {
                    actor.queued.push_back(message);
                } else {
                    table_commands::refuse(message, HostError::TableBusy { table });
                }
            }
            Some(TableSlot::Loading(messages)) if messages.len() < max_queued => messages.push(message),
            Some(TableSlot::Loading(_)) => table_commands::refuse(message, HostError::TableBusy { table }),
            None => {
                self.tables.insert(table, TableSlot::Loading(vec![message]));
                self.load(table);
            }
        }
    }

    fn detach(&mut self, table: TableId, attachment: Attachment) {
        if let Some(subscriptions) = self.rematch_waiters.get_mut(&table) {
            subscriptions.remove(attachment);
            if subscriptions.is_empty() {
                self.rematch_waiters.remove(&table);
            }
        }
        match self.tables.get_mut(&table) {
            Some(TableSlot::Live(actor)) => {
                match actor.subscriptions.remove(attachment) {
                    Some(subscription) => {
                        if let Viewer::Seat(seat) = subscription.viewer {
                            let now = self.turn.now;
                            actor.update_presence(&mut self.turn, seat, now);
                        }
                    }
                    None => actor.queued.retain(
                        |message| !matches!(message, TableMessage::Attach(attach) if attach.attachment == attachment),
                    ),
                }
                actor.last_used = self.turn.now;
                self.schedule_wake(table);
            }
            Some(TableSlot::Loading(messages)) => {
                messages.retain(
                    |message| !matches!(message, TableMessage::Attach(attach) if attach.attachment == attachment),
                );
            }
            None => {}
        }
    }

    fn handle_bot_move(&mut self, moved: BotMove) {
        let table = moved.table;
        if let Some(TableSlot::Live(actor)) = self.tables.get_mut(&table) {
            if actor.is_pending() {
                actor.deferred_bot_moves.push(moved);
            } else {
                table_timers::apply_bot_move(actor, &mut self.turn, moved);
                self.schedule_wake(table);
            }
        }
    }

    fn handle_completion(&mut self, completion: Completion) {
        match completion {
            Completion::Appended(tables, results) => {
                for (table, result) in tables.into_iter().zip(results) {
                    self.handle_append_result(table, result);
                }
            }
            Completion::Loaded(table, loaded) => self.handle_loaded(table, loaded),
            Completion::CatchUp(attach) => attach.into_iter().for_each(|attach| self.attaches.push(attach)),
        }
    }

    fn handle_append_result(&mut self, table: TableId, result: Result<Appended, LogError>) {
        let Some(TableSlot::Live(actor)) = self.tables.get_mut(&table) else { return };
        let is_conflict = matches!(result, Err(LogError::Conflict { .. } | LogError::Finished { .. }));
        if let Err(error) = &result {
            tracing::warn!(%table, %error, "append failed");
        }
        let is_going_to_rest = actor.is_going_to_rest;
        actor.is_going_to_rest = false;
        let outcome = actor.finish_commit(result.map(|_| ()).map_err(HostError::from), &mut self.turn);
        if matches!(outcome, CommitOutcome::Committed | CommitOutcome::Finished) {
            self.shared.turns.publish(&actor.owner, &actor.table);
            if !actor.agents.is_empty() {
                actor.release_agents(&self.shared.agents);
            }
        }
        match outcome {
            CommitOutcome::Committed
                if is_going_to_rest && actor.subscriptions.is_empty() && actor.queued.is_empty() =>
            {
                self.unload(table);
            }
            CommitOutcome::Committed => {
                actor.at_rest = is_going_to_rest;
                self.run_deferred(table);
            }
            CommitOutcome::Finished => self.finish_table(table),
            CommitOutcome::RolledBack if !is_conflict => {
                actor.paused_until = Some(self.turn.now + table_timers::LOG_RETRY_DELAY);
                self.run_deferred(table);
            }
            CommitOutcome::RolledBack => {
                self.discard_table(table, "another writer has appended to its log".to_owned());
            }
            CommitOutcome::NotCreated => {
                self.tables.remove(&table);
            }
            CommitOutcome::Unrecoverable(error) => self.discard_table(table, error.to_string()),
        }
    }

    /// Applies deferred bot moves and queued requests, then schedules the next wake-up.
    fn run_deferred(&mut self, table: TableId) {
        if let Some(TableSlot::Live(actor)) = self.tables.get_mut(&table) {
            for moved in std::mem::take(&mut actor.deferred_bot_moves) {
                if actor.is_pending() {
                    actor.deferred_bot_moves.push(moved);
                } else {
                    table_timers::apply_bot_move(actor, &mut self.turn, moved);
                }
            }
            while !actor.is_pending()
                && let Some(message) = actor.queued.pop_front()
            {
                table_commands::execute(actor, &mut self.turn, message);
            }
        }
        self.schedule_wake(table);
    }

    /// Submits house bot jobs and schedules the next wake-up.
    fn schedule_wake(&mut self, table: TableId) {
        let Some(TableSlot::Live(actor)) = self.tables.get_mut(&table) else { return };
        if actor.is_pending() || self.stopping {
            return;
        }
        actor.start_reveal_time(&self.turn);
        let bots_wait = table_timers::submit_bot_jobs(actor, &self.turn);
        if let Some(moment) = table_timers::next_wake(actor, &self.turn, bots_wait)
            && actor.wake_at.is_none_or(|wake_at| moment < wake_at)
        {
            actor.wake_at = Some(moment);
            self.timers.push(Reverse((moment, table)));
        }
    }

    /// Runs the timers that are due.
    fn run_due_timers(&mut self) {
        while let Some(Reverse((moment, table))) = self.timers.peek().copied()
            && moment <= self.turn.now
        {
            self.timers.pop();
            if self.stopping {
                continue;
            }
            match self.tables.get_mut(&table) {
                Some(TableSlot::Live(actor)) => {
                    if actor.wake_at != Some(moment) {
                        continue;
                    }
                    actor.wake_at = None;
                    if !actor.is_pending() {
                        if table_timers::run_timers(actor, &mut self.turn) {
                            self.unload(table);
                        } else {
                            self.schedule_wake(table);
                        }
                    }
                }
                Some(TableSlot::Loading(_)) => {}
                None => self.load(table),
            }
        }
    }

    fn stop(&mut self, stopped: oneshot::Sender<()>) {
        (self.stopping, self.stopped) = (true, Some(stopped));
        for slot in self.tables.values_mut() {
            match slot {
                TableSlot::Live(actor) => {
                    actor
                        .queued
                        .drain(..)
                        .for_each(|message| table_commands::refuse(message, HostError::Stopping));
                }
                TableSlot::Loading(messages) => {
                    messages
                        .drain(..)
                        .for_each(|message| table_commands::refuse(message, HostError::Stopping));
                }
            }
        }
    }
}
