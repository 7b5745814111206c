//! A shard: a part of all tables, and the one task that has them. Nothing is locked, and what happens to a table happens
//! in one order.

pub(crate) mod clocks;
pub(crate) mod commit;
pub(crate) mod finished_table;
pub(crate) mod house_bots;
pub(crate) mod journal;
pub(crate) mod load;
pub(crate) mod reply;
pub(crate) mod table_actor;
pub(crate) mod table_commands;
pub(crate) mod table_message;
pub(crate) mod table_timers;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use tokio::sync::{mpsc, oneshot};
use tracing::Instrument;

use self::commit::TurnContext;
use crate::TableId;
use crate::clock::Moment;
use crate::metric_names::{MOVES, TABLES_IN_MEMORY};
use crate::shard::clocks::Clocks;
use crate::shard::house_bots::BotMove;
use crate::shard::load::Loaded;
use crate::shard::table_actor::{CommitOutcome, Subscription, TableActor};
use crate::shard::table_message::{ReplyTo, TableMessage};
use crate::table::{Entry, TableSummary};
use crate::{HostError, Shared};
use parlor_store::{Appended, FastMap, LogError};

/// How many messages are taken in before the appends that they led to are handed to the log.
const TURN: usize = 256;

/// What a shard is told.
pub(crate) enum ShardMessage {
    /// TableMessage a table.
    Table(TableId, TableMessage),
    /// Make a table of its first entries.
    Create { first: Box<NewTableLog>, to: ReplyTo<TableSummary> },
    /// A house bot has decided.
    Bot(BotMove),
    /// A table that is over has a rematch.
    Rematch { of: TableId, table: TableId },
    /// A table was deleted.
    Deleted(TableId),
    /// Let nobody in any more, and answer when everything is durable.
    Stop(oneshot::Sender<()>),
}

/// A table to be made.
pub(crate) struct NewTableLog {
    /// The first entries: the table is created and, if all its seats are of the house, begins.
    pub(crate) entries: Vec<Entry>,
    /// What the log knows the request by.
    pub(crate) request: Option<String>,
}

/// What the shard has waited for.
pub(crate) enum Completion {
    /// What came of the appends to these tables.
    Appended(Vec<TableId>, Vec<Result<Appended, LogError>>),
    Loaded(TableId, Loaded),
}

/// A table in memory, or on its way there.
enum TableSlot {
    Live(Box<TableActor>),
    Loading(Vec<TableMessage>),
}

pub(crate) struct Shard {
    shared: Arc<Shared>,
    inbox: mpsc::Receiver<ShardMessage>,
    tables: FastMap<TableId, TableSlot>,
    /// When to look at which table again.
    timers: BinaryHeap<Reverse<(Moment, TableId)>>,
    /// Those who watched a table that is over, and want to hear of a rematch.
    lingering: FastMap<TableId, Vec<Subscription>>,
    /// The clocks of tables at rest, where any run.
    resting: FastMap<TableId, Clocks>,
    turn: TurnContext,
    coming: FuturesUnordered<BoxFuture<'static, Completion>>,
    /// Whether nobody is let in any more.
    stopping: bool,
    /// ViewerCredential waits until everything is durable.
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
            lingering: FastMap::default(),
            resting: FastMap::default(),
            coming: FuturesUnordered::new(),
            stopping: false,
            stopped: None,
        }
    }

    /// Wakes a table at this moment.
    pub(crate) fn wake_at(&mut self, moment: Moment, table: TableId) {
        self.timers.push(Reverse((moment, table)));
    }

    /// Works until the host is dropped.
    pub(crate) async fn run(mut self, number: usize) {
        let in_memory = metrics::gauge!(TABLES_IN_MEMORY, "shard" => number.to_string());
        self.turn.moves = metrics::counter!(MOVES);
        let mut messages = Vec::with_capacity(TURN);
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
                Some(done) = self.coming.next(), if !self.coming.is_empty() => {
                    self.begin_turn();
                    self.done(done);
                }
                count = self.inbox.recv_many(&mut messages, TURN) => {
                    if count == 0 {
                        return;
                    }
                    self.gather(&mut messages).await;
                    self.begin_turn();
                    for message in messages.drain(..) {
                        self.take(message);
                    }
                }
                () = sleep => {
                    self.begin_turn();
                    self.tick();
                }
            }
            self.hand_over();
            in_memory.set(self.tables.len() as f64);
        }
    }

    /// Lets those speak first who are about to: whoever sends a message would otherwise have it taken in at once, and each
    /// would be a turn of its own.
    async fn gather(&mut self, messages: &mut Vec<ShardMessage>) {
        tokio::task::yield_now().await;
        while messages.len() < TURN
            && let Ok(message) = self.inbox.try_recv()
        {
            messages.push(message);
        }
    }

    fn begin_turn(&mut self) {
        self.turn.now = self.shared.clock.now();
        self.turn.now_ms = self.shared.clock.now_ms();
    }

    /// Hands the appends of this turn to the log, all at once.
    fn hand_over(&mut self) {
        if !self.turn.appends.is_empty() {
            // The next turn will have about as many.
            let room = Vec::with_capacity(self.turn.appends.capacity().min(TURN));
            let appends = std::mem::replace(&mut self.turn.appends, room);
            let log = self.shared.log.clone();
            self.coming.push(Box::pin(async move {
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
            // Whoever stopped the host may have gone.
            let _ = stopped.send(());
        }
    }

    fn take(&mut self, message: ShardMessage) {
        match message {
            ShardMessage::Table(table, ask) => self.ask(table, ask),
            ShardMessage::Create { first, to } => self.create(*first, to),
            ShardMessage::Bot(moved) => self.bot_moved(moved),
            ShardMessage::Rematch { of, table } => {
                for sub in self.lingering.remove(&of).unwrap_or_default() {
                    finished_table::tell_rematch(&sub, table);
                }
            }
            ShardMessage::Deleted(table) => {
                for sub in self.lingering.remove(&table).unwrap_or_default() {
                    sub.close(Some(HostError::NotFound { table }));
                }
            }
            ShardMessage::Stop(stopped) => self.stop(stopped),
        }
    }

    fn ask(&mut self, table: TableId, ask: TableMessage) {
        if let TableMessage::Detach(attachment) = ask {
            return self.detach(table, attachment);
        }
        if self.stopping {
            return table_commands::refuse(ask, HostError::Stopping);
        }
        let most = self.shared.table_queue;
        match self.tables.get_mut(&table) {
            Some(TableSlot::Live(actor)) => {
                if !actor.is_pending() {
                    table_commands::carry_out(actor, &mut self.turn, ask);
                    self.after(table);
                } else if actor.waiting.len() < most {
                    actor.waiting.push_back(ask);
                } else {
                    table_commands::refuse(ask, HostError::TableBusy { table });
                }
            }
            Some(TableSlot::Loading(asks)) if asks.len() < most => asks.push(ask),
            Some(TableSlot::Loading(_)) => table_commands::refuse(ask, HostError::TableBusy { table }),
            None => {
                self.tables.insert(table, TableSlot::Loading(vec![ask]));
                self.load(table);
            }
        }
    }

    fn load(&mut self, table: TableId) {
        if let std::collections::hash_map::Entry::Vacant(place) = self.tables.entry(table) {
            place.insert(TableSlot::Loading(vec![TableMessage::Wake]));
        }
        let (log, codec) = (self.shared.log.clone(), self.shared.codecs.payloads);
        self.coming.push(Box::pin(async move {
            // On a task of its own, so that folding a long log holds nobody up.
            let loaded =
                tokio::spawn(async move { load::load(log.as_ref(), codec, table).await }.in_current_span())
                    .await;
            let failed =
                |_| Loaded::Failed(HostError::Fault { what: format!("table {table} cannot be read") });
            Completion::Loaded(table, loaded.unwrap_or_else(failed))
        }));
    }

    fn detach(&mut self, table: TableId, attachment: crate::stream::channels::Attachment) {
        if let Some(subs) = self.lingering.get_mut(&table) {
            subs.retain(|sub| sub.attachment != attachment);
            if subs.is_empty() {
                self.lingering.remove(&table);
            }
        }
        match self.tables.get_mut(&table) {
            Some(TableSlot::Live(actor)) => {
                actor.subs.retain(|sub| sub.attachment != attachment);
                actor.waiting.retain(
                    |ask| !matches!(ask, TableMessage::Attach(attach) if attach.attachment == attachment),
                );
                actor.note_presence(self.turn.now);
                actor.touched = self.turn.now;
                self.after(table);
            }
            Some(TableSlot::Loading(asks)) => {
                asks.retain(
                    |ask| !matches!(ask, TableMessage::Attach(attach) if attach.attachment == attachment),
                );
            }
            None => {}
        }
    }

    fn create(&mut self, creation: NewTableLog, to: ReplyTo<TableSummary>) {
        if self.stopping {
            // Whoever asked may have gone.
            let _ = to.send(Err(HostError::Stopping));
            return;
        }
        if let Some(actor) = commit::create(&mut self.turn, creation, to) {
            self.tables.insert(actor.id(), TableSlot::Live(Box::new(actor)));
        }
    }

    fn bot_moved(&mut self, moved: BotMove) {
        let table = moved.table;
        if let Some(TableSlot::Live(actor)) = self.tables.get_mut(&table) {
            if actor.is_pending() {
                actor.bot_moves.push(moved);
            } else {
                table_timers::bot_moved(actor, &mut self.turn, moved);
                self.after(table);
            }
        }
    }

    fn done(&mut self, done: Completion) {
        match done {
            Completion::Appended(tables, results) => {
                for (table, result) in tables.into_iter().zip(results) {
                    self.appended(table, result);
                }
            }
            Completion::Loaded(table, loaded) => self.loaded(table, loaded),
        }
    }

    fn appended(&mut self, table: TableId, result: Result<Appended, LogError>) {
        let Some(TableSlot::Live(actor)) = self.tables.get_mut(&table) else { return };
        let is_elsewhere = matches!(result, Err(LogError::Conflict { .. } | LogError::Finished { .. }));
        if let Err(error) = &result {
            tracing::warn!(%table, %error, "the log did not take an append");
        }
        let goes_to_rest = actor.goes_to_rest;
        actor.goes_to_rest = false;
        let settled = actor.settle(result.map(|_| ()).map_err(HostError::from), self.turn.now);
        if matches!(settled, CommitOutcome::On | CommitOutcome::Over) && !actor.agents.is_empty() {
            actor.release_agents(&self.shared.agents);
        }
        match settled {
            CommitOutcome::On if goes_to_rest && actor.subs.is_empty() && actor.waiting.is_empty() => {
                self.leave_memory(table);
            }
            CommitOutcome::On => {
                actor.at_rest = goes_to_rest;
                self.go_on(table);
            }
            CommitOutcome::Over => self.is_over(table),
            CommitOutcome::Failed if !is_elsewhere => {
                actor.paused = Some(self.turn.now + table_timers::PAUSE);
                self.go_on(table);
            }
            CommitOutcome::Failed => {
                self.drop_table(table, "somebody else has written to its log".to_owned())
            }
            CommitOutcome::Unmade => {
                self.tables.remove(&table);
            }
            CommitOutcome::Lost(bad) => self.drop_table(table, bad.to_string()),
        }
    }

    /// Carries out what has waited, and then looks when the table needs something next.
    fn go_on(&mut self, table: TableId) {
        if let Some(TableSlot::Live(actor)) = self.tables.get_mut(&table) {
            for moved in std::mem::take(&mut actor.bot_moves) {
                if actor.is_pending() {
                    actor.bot_moves.push(moved);
                } else {
                    table_timers::bot_moved(actor, &mut self.turn, moved);
                }
            }
            while !actor.is_pending()
                && let Some(ask) = actor.waiting.pop_front()
            {
                table_commands::carry_out(actor, &mut self.turn, ask);
            }
        }
        self.after(table);
    }

    /// Lets house bots think, and looks when the table needs something next.
    fn after(&mut self, table: TableId) {
        let Some(TableSlot::Live(actor)) = self.tables.get_mut(&table) else { return };
        if actor.is_pending() || self.stopping {
            return;
        }
        let bots_wait = table_timers::let_bots_think(actor, &self.turn);
        if let Some(moment) = table_timers::next_look(actor, &self.turn, bots_wait)
            && actor.wakes.is_none_or(|wakes| moment < wakes)
        {
            actor.wakes = Some(moment);
            self.timers.push(Reverse((moment, table)));
        }
    }

    /// Looks at the tables whose moment has come.
    fn tick(&mut self) {
        while let Some(Reverse((moment, table))) = self.timers.peek().copied()
            && moment <= self.turn.now
        {
            self.timers.pop();
            if self.stopping {
                continue;
            }
            match self.tables.get_mut(&table) {
                Some(TableSlot::Live(actor)) => {
                    if actor.wakes != Some(moment) {
                        continue;
                    }
                    actor.wakes = None;
                    if !actor.is_pending() {
                        if table_timers::look_at(actor, &mut self.turn) {
                            self.leave_memory(table);
                        } else {
                            self.after(table);
                        }
                    }
                }
                Some(TableSlot::Loading(_)) => {}
                None => self.load(table),
            }
        }
    }

    /// A table that rests costs disk, and memory only for clocks that run.
    fn leave_memory(&mut self, table: TableId) {
        if let Some(TableSlot::Live(actor)) = self.tables.remove(&table)
            && let Some(moment) = table_timers::must_wake(&actor, &self.turn)
        {
            self.resting.insert(table, actor.clocks);
            self.timers.push(Reverse((moment, table)));
        }
    }

    fn is_over(&mut self, table: TableId) {
        let Some(TableSlot::Live(actor)) = self.tables.remove(&table) else { return };
        let TableActor { subs, waiting, owner, table: folded, .. } = *actor;
        match (folded.setup().chance.deal(), folded.ending()) {
            (Some(deal), Some(ending)) => self.shared.deals.table_over(table, deal, ending),
            _ => self.shared.quota.over(&owner),
        }
        let mut lingering = Vec::new();
        for sub in subs {
            if sub.wants.rematch && !self.stopping {
                lingering.push(sub);
            } else {
                sub.close(None);
            }
        }
        if !lingering.is_empty() {
            self.lingering.insert(table, lingering);
        }
        for ask in waiting {
            self.ask(table, ask);
        }
    }

    /// Gives up on a table in memory. Whoever watched comes back, and it is read anew.
    fn drop_table(&mut self, table: TableId, what: String) {
        tracing::error!(%table, what, "a table left memory");
        if let Some(TableSlot::Live(actor)) = self.tables.remove(&table) {
            for sub in &actor.subs {
                sub.close(Some(HostError::TableBusy { table }));
            }
            // If it cannot be read, it must not take up their room for good. If it can, they are found again.
            actor.agents.iter().for_each(|known| self.shared.agents.left(known, table));
            for ask in actor.waiting {
                table_commands::refuse(ask, HostError::TableBusy { table });
            }
        }
    }

    fn loaded(&mut self, table: TableId, loaded: Loaded) {
        let Some(TableSlot::Loading(asks)) = self.tables.remove(&table) else { return };
        match loaded {
            Loaded::Live(loaded) => {
                let clocks = self.resting.remove(&table);
                match table_timers::bring_in(*loaded, clocks, &self.turn) {
                    Ok(actor) => {
                        self.tables.insert(table, TableSlot::Live(Box::new(actor)));
                        for ask in asks {
                            self.ask(table, ask);
                        }
                        self.after(table);
                    }
                    Err(error) => asks.into_iter().for_each(|ask| table_commands::refuse(ask, error.clone())),
                }
            }
            Loaded::Over(record) => {
                for ask in asks {
                    if let Some(sub) = finished_table::carry_out(&record, &self.shared.deals, ask) {
                        self.lingering.entry(table).or_default().push(sub);
                    }
                }
            }
            Loaded::Failed(error) => {
                if !matches!(error, HostError::NotFound { .. }) {
                    tracing::error!(%table, %error, "a table cannot be read");
                }
                asks.into_iter().for_each(|ask| table_commands::refuse(ask, error.clone()));
            }
        }
    }

    fn stop(&mut self, stopped: oneshot::Sender<()>) {
        (self.stopping, self.stopped) = (true, Some(stopped));
        for slot in self.tables.values_mut() {
            match slot {
                TableSlot::Live(actor) => {
                    actor.waiting.drain(..).for_each(|ask| table_commands::refuse(ask, HostError::Stopping));
                }
                TableSlot::Loading(asks) => {
                    asks.drain(..).for_each(|ask| table_commands::refuse(ask, HostError::Stopping));
                }
            }
        }
    }
}
