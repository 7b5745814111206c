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

use self::commit::Work;
use crate::TableId;
use crate::clock::Moment;
use crate::metric_names::{MOVES, TABLES_IN_MEMORY};
use crate::shard::clocks::Clocks;
use crate::shard::house_bots::BotMove;
use crate::shard::load::Loaded;
use crate::shard::table_actor::{Live, Settled, Sub};
use crate::shard::table_message::{Ask, To};
use crate::table::{Entry, Look};
use crate::{HostError, Shared};
use parlor_store::{Appended, FastMap, LogError};

/// How many messages are taken in before the appends that they led to are handed to the log.
const TURN: usize = 256;

/// What a shard is told.
pub(crate) enum ToShard {
    /// Ask a table.
    Ask(TableId, Ask),
    /// Make a table of its first entries.
    Create { first: Box<Creation>, to: To<Look> },
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
pub(crate) struct Creation {
    /// The first entries: the table is created and, if all its seats are of the house, begins.
    pub(crate) entries: Vec<Entry>,
    /// What the log knows the request by.
    pub(crate) request: Option<String>,
}

/// What the shard has waited for.
pub(crate) enum Done {
    /// What came of the appends to these tables.
    Appended(Vec<TableId>, Vec<Result<Appended, LogError>>),
    Loaded(TableId, Loaded),
}

/// A table in memory, or on its way there.
enum Slot {
    Live(Box<Live>),
    Loading(Vec<Ask>),
}

pub(crate) struct Shard {
    shared: Arc<Shared>,
    inbox: mpsc::Receiver<ToShard>,
    tables: FastMap<TableId, Slot>,
    /// When to look at which table again.
    timers: BinaryHeap<Reverse<(Moment, TableId)>>,
    /// Those who watched a table that is over, and want to hear of a rematch.
    lingering: FastMap<TableId, Vec<Sub>>,
    /// The clocks of tables at rest, where any run.
    resting: FastMap<TableId, Clocks>,
    work: Work,
    coming: FuturesUnordered<BoxFuture<'static, Done>>,
    /// Whether nobody is let in any more.
    stopping: bool,
    /// Who waits until everything is durable.
    stopped: Option<oneshot::Sender<()>>,
}

impl Shard {
    pub(crate) fn new(shared: Arc<Shared>, inbox: mpsc::Receiver<ToShard>) -> Shard {
        Shard {
            work: Work::new(shared.clone()),
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
        self.work.moves = metrics::counter!(MOVES);
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
    async fn gather(&mut self, messages: &mut Vec<ToShard>) {
        tokio::task::yield_now().await;
        while messages.len() < TURN
            && let Ok(message) = self.inbox.try_recv()
        {
            messages.push(message);
        }
    }

    fn begin_turn(&mut self) {
        self.work.now = self.shared.clock.now();
        self.work.now_ms = self.shared.clock.now_ms();
    }

    /// Hands the appends of this turn to the log, all at once.
    fn hand_over(&mut self) {
        if !self.work.appends.is_empty() {
            // The next turn will have about as many.
            let room = Vec::with_capacity(self.work.appends.capacity().min(TURN));
            let appends = std::mem::replace(&mut self.work.appends, room);
            let log = self.shared.log.clone();
            self.coming.push(Box::pin(async move {
                let tables: Vec<TableId> = appends.iter().map(|append| append.table).collect();
                let results = log.append_all(appends).await;
                Done::Appended(tables, results)
            }));
        }
        if !self.stopping {
            return;
        }
        let is_idle = !self.tables.values().any(|slot| matches!(slot, Slot::Live(live) if live.is_pending()));
        if is_idle && let Some(stopped) = self.stopped.take() {
            // Whoever stopped the host may have gone.
            let _ = stopped.send(());
        }
    }

    fn take(&mut self, message: ToShard) {
        match message {
            ToShard::Ask(table, ask) => self.ask(table, ask),
            ToShard::Create { first, to } => self.create(*first, to),
            ToShard::Bot(moved) => self.bot_moved(moved),
            ToShard::Rematch { of, table } => {
                for sub in self.lingering.remove(&of).unwrap_or_default() {
                    finished_table::tell_rematch(&sub, table);
                }
            }
            ToShard::Deleted(table) => {
                for sub in self.lingering.remove(&table).unwrap_or_default() {
                    sub.close(Some(HostError::NotFound { table }));
                }
            }
            ToShard::Stop(stopped) => self.stop(stopped),
        }
    }

    fn ask(&mut self, table: TableId, ask: Ask) {
        if let Ask::Detach(attachment) = ask {
            return self.detach(table, attachment);
        }
        if self.stopping {
            return table_commands::refuse(ask, HostError::Stopping);
        }
        let most = self.shared.table_queue;
        match self.tables.get_mut(&table) {
            Some(Slot::Live(live)) => {
                if !live.is_pending() {
                    table_commands::carry_out(live, &mut self.work, ask);
                    self.after(table);
                } else if live.waiting.len() < most {
                    live.waiting.push_back(ask);
                } else {
                    table_commands::refuse(ask, HostError::TableBusy { table });
                }
            }
            Some(Slot::Loading(asks)) if asks.len() < most => asks.push(ask),
            Some(Slot::Loading(_)) => table_commands::refuse(ask, HostError::TableBusy { table }),
            None => {
                self.tables.insert(table, Slot::Loading(vec![ask]));
                self.load(table);
            }
        }
    }

    fn load(&mut self, table: TableId) {
        if let std::collections::hash_map::Entry::Vacant(place) = self.tables.entry(table) {
            place.insert(Slot::Loading(vec![Ask::Wake]));
        }
        let (log, codec) = (self.shared.log.clone(), self.shared.codecs.payloads);
        self.coming.push(Box::pin(async move {
            // On a task of its own, so that folding a long log holds nobody up.
            let loaded =
                tokio::spawn(async move { load::load(log.as_ref(), codec, table).await }.in_current_span())
                    .await;
            let failed =
                |_| Loaded::Failed(HostError::Fault { what: format!("table {table} cannot be read") });
            Done::Loaded(table, loaded.unwrap_or_else(failed))
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
            Some(Slot::Live(live)) => {
                live.subs.retain(|sub| sub.attachment != attachment);
                live.waiting
                    .retain(|ask| !matches!(ask, Ask::Attach(attach) if attach.attachment == attachment));
                live.note_presence(self.work.now);
                live.touched = self.work.now;
                self.after(table);
            }
            Some(Slot::Loading(asks)) => {
                asks.retain(|ask| !matches!(ask, Ask::Attach(attach) if attach.attachment == attachment));
            }
            None => {}
        }
    }

    fn create(&mut self, creation: Creation, to: To<Look>) {
        if self.stopping {
            // Whoever asked may have gone.
            let _ = to.send(Err(HostError::Stopping));
            return;
        }
        if let Some(live) = commit::create(&mut self.work, creation, to) {
            self.tables.insert(live.id(), Slot::Live(Box::new(live)));
        }
    }

    fn bot_moved(&mut self, moved: BotMove) {
        let table = moved.table;
        if let Some(Slot::Live(live)) = self.tables.get_mut(&table) {
            if live.is_pending() {
                live.bot_moves.push(moved);
            } else {
                table_timers::bot_moved(live, &mut self.work, moved);
                self.after(table);
            }
        }
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Appended(tables, results) => {
                for (table, result) in tables.into_iter().zip(results) {
                    self.appended(table, result);
                }
            }
            Done::Loaded(table, loaded) => self.loaded(table, loaded),
        }
    }

    fn appended(&mut self, table: TableId, result: Result<Appended, LogError>) {
        let Some(Slot::Live(live)) = self.tables.get_mut(&table) else { return };
        let is_elsewhere = matches!(result, Err(LogError::Conflict { .. } | LogError::Finished { .. }));
        if let Err(error) = &result {
            tracing::warn!(%table, %error, "the log did not take an append");
        }
        let goes_to_rest = live.goes_to_rest;
        live.goes_to_rest = false;
        let settled = live.settle(result.map(|_| ()).map_err(HostError::from), self.work.now);
        if matches!(settled, Settled::On | Settled::Over) && !live.agents.is_empty() {
            live.release_agents(&self.shared.agents);
        }
        match settled {
            Settled::On if goes_to_rest && live.subs.is_empty() && live.waiting.is_empty() => {
                self.leave_memory(table);
            }
            Settled::On => {
                live.at_rest = goes_to_rest;
                self.go_on(table);
            }
            Settled::Over => self.is_over(table),
            Settled::Failed if !is_elsewhere => {
                live.paused = Some(self.work.now + table_timers::PAUSE);
                self.go_on(table);
            }
            Settled::Failed => self.drop_table(table, "somebody else has written to its log".to_owned()),
            Settled::Unmade => {
                self.tables.remove(&table);
            }
            Settled::Lost(bad) => self.drop_table(table, bad.to_string()),
        }
    }

    /// Carries out what has waited, and then looks when the table needs something next.
    fn go_on(&mut self, table: TableId) {
        if let Some(Slot::Live(live)) = self.tables.get_mut(&table) {
            for moved in std::mem::take(&mut live.bot_moves) {
                if live.is_pending() {
                    live.bot_moves.push(moved);
                } else {
                    table_timers::bot_moved(live, &mut self.work, moved);
                }
            }
            while !live.is_pending()
                && let Some(ask) = live.waiting.pop_front()
            {
                table_commands::carry_out(live, &mut self.work, ask);
            }
        }
        self.after(table);
    }

    /// Lets house bots think, and looks when the table needs something next.
    fn after(&mut self, table: TableId) {
        let Some(Slot::Live(live)) = self.tables.get_mut(&table) else { return };
        if live.is_pending() || self.stopping {
            return;
        }
        let bots_wait = table_timers::let_bots_think(live, &self.work);
        if let Some(moment) = table_timers::next_look(live, &self.work, bots_wait)
            && live.wakes.is_none_or(|wakes| moment < wakes)
        {
            live.wakes = Some(moment);
            self.timers.push(Reverse((moment, table)));
        }
    }

    /// Looks at the tables whose moment has come.
    fn tick(&mut self) {
        while let Some(Reverse((moment, table))) = self.timers.peek().copied()
            && moment <= self.work.now
        {
            self.timers.pop();
            if self.stopping {
                continue;
            }
            match self.tables.get_mut(&table) {
                Some(Slot::Live(live)) => {
                    if live.wakes != Some(moment) {
                        continue;
                    }
                    live.wakes = None;
                    if !live.is_pending() {
                        if table_timers::look_at(live, &mut self.work) {
                            self.leave_memory(table);
                        } else {
                            self.after(table);
                        }
                    }
                }
                Some(Slot::Loading(_)) => {}
                None => self.load(table),
            }
        }
    }

    /// A table that rests costs disk, and memory only for clocks that run.
    fn leave_memory(&mut self, table: TableId) {
        if let Some(Slot::Live(live)) = self.tables.remove(&table)
            && let Some(moment) = table_timers::must_wake(&live, &self.work)
        {
            self.resting.insert(table, live.clocks);
            self.timers.push(Reverse((moment, table)));
        }
    }

    fn is_over(&mut self, table: TableId) {
        let Some(Slot::Live(live)) = self.tables.remove(&table) else { return };
        let Live { subs, waiting, owner, table: folded, .. } = *live;
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
        if let Some(Slot::Live(live)) = self.tables.remove(&table) {
            for sub in &live.subs {
                sub.close(Some(HostError::TableBusy { table }));
            }
            // If it cannot be read, it must not take up their room for good. If it can, they are found again.
            live.agents.iter().for_each(|known| self.shared.agents.left(known, table));
            for ask in live.waiting {
                table_commands::refuse(ask, HostError::TableBusy { table });
            }
        }
    }

    fn loaded(&mut self, table: TableId, loaded: Loaded) {
        let Some(Slot::Loading(asks)) = self.tables.remove(&table) else { return };
        match loaded {
            Loaded::Live(loaded) => {
                let clocks = self.resting.remove(&table);
                match table_timers::bring_in(*loaded, clocks, &self.work) {
                    Ok(live) => {
                        self.tables.insert(table, Slot::Live(Box::new(live)));
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
                Slot::Live(live) => {
                    live.waiting.drain(..).for_each(|ask| table_commands::refuse(ask, HostError::Stopping));
                }
                Slot::Loading(asks) => {
                    asks.drain(..).for_each(|ask| table_commands::refuse(ask, HostError::Stopping));
                }
            }
        }
    }
}
