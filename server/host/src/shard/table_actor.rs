//! One table in memory: the fold of its log, those who play and watch it, its clocks, and what waits for the disk.
//!
//! Something that happens is folded in at once, appended to the log, and shown to anybody only when it is durable. One
//! append is on its way at a time; whatever comes meanwhile waits. If the log refuses, the table is folded anew from what
//! is durable, as if nothing had been.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use parlor_engine::{Seat, Seats, Viewer};

use crate::Codecs;
use crate::TableId;
use crate::agents::{Agent, AgentRegistry};
use crate::clock::Moment;
use crate::shard::clocks::Clocks;
use crate::shard::house_bots::{BotJob, BotMove};
use crate::shard::journal::{CorruptJournal, Journal};
use crate::shard::reply::Reply;
use crate::shard::table_message::TableMessage;
use crate::stream::StreamKind;
use crate::stream::channels::Attachment;
use crate::stream::notifications::Notifications;
use crate::stream::queue::{StreamQueue, closed};
use crate::table::{Entry, Holder, Record, RecordedEvent, Step, Table, TableEvent};
use crate::{
    Answered, Channel, DecisionPrompt, HostError, Presence, Snapshot, StreamItem, ViewerUpdate, Wants,
};
use parlor_store::OwnerId;

/// Somebody who plays or watches.
pub(crate) struct Subscription {
    pub(crate) queue: Arc<StreamQueue>,
    pub(crate) channel: Channel,
    /// The kind of the stream.
    pub(crate) stream: StreamKind,
    pub(crate) attachment: Attachment,
    pub(crate) viewer: Viewer,
    /// Which generation of its token let them in; none where no token was needed.
    pub(crate) generation: Option<u32>,
    pub(crate) wants: Wants,
    /// The agent, if it plays as one.
    pub(crate) agent: Option<Arc<Agent>>,
    /// The number of the last update that was sent.
    pub(crate) number: u64,
}

impl Subscription {
    pub(crate) fn send(&self, what: &StreamItem<'_>) {
        self.queue.push(self.attachment, self.channel, what);
    }

    /// Sends what was missed.
    pub(crate) fn send_missed(&self, what: &StreamItem<'_>) {
        self.queue.push_missed(self.attachment, self.channel, what);
    }

    pub(crate) fn close(&self, why: Option<HostError>) {
        self.queue.close(self.attachment, self.channel, closed(why, self.number));
    }
}

/// An append that is on its way.
struct Pending {
    /// What each of those who watch is told when it is durable.
    notifications: Notifications,
    reply: Option<Reply>,
    /// Whether it changes who sits where, or whose token is good.
    reseats: bool,
}

/// ViewerCredential is told how much time is left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TimeAudience {
    Everyone,
    /// Those who are told something else. Nobody else: that something happened may be a secret.
    Concerned,
}

/// What came of an append.
pub(crate) enum CommitOutcome {
    /// It is durable, and the table goes on.
    On,
    /// It is durable, and the table is over.
    Over,
    /// It failed, and the table is as before.
    Failed,
    /// It failed, and nothing of the table is durable: there is no such table.
    Unmade,
    /// It failed, and the table cannot even be read: it leaves memory.
    Lost(CorruptJournal),
}

/// One table in memory.
pub(crate) struct TableActor {
    codecs: Codecs,
    pub(crate) table: Table,
    pub(crate) owner: OwnerId,
    pub(crate) journal: Journal,
    pub(crate) clocks: Clocks,
    /// Those who play and watch, in the order in which they were attached.
    pub(crate) subs: Vec<Subscription>,
    pub(crate) waiting: VecDeque<TableMessage>,
    /// The agents that have a seat.
    pub(crate) agents: Vec<Arc<Agent>>,
    /// Few tables have one at any moment.
    pending: Option<Box<Pending>>,
    /// What was told to whom, if somebody has asked since the last entry.
    record: Option<Arc<Record>>,
    /// Whether the house plays for any seat.
    has_house: bool,
    /// The seats whose house bot is thinking.
    pub(crate) thinking: Seats,
    /// What house bots decided while an append was on its way.
    pub(crate) bot_moves: Vec<BotMove>,
    /// Whether the append on its way takes the table to rest.
    pub(crate) goes_to_rest: bool,
    /// When somebody last had to do with it.
    pub(crate) touched: Moment,
    /// Whether the log has it at rest.
    pub(crate) at_rest: bool,
    /// The moment for which the shard has been asked to come back.
    pub(crate) wakes: Option<Moment>,
    /// The table cannot go on by itself before this moment: the log has just failed.
    pub(crate) paused: Option<Moment>,
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
            has_house: has_house(&table),
            table,
            owner,
            journal,
            clocks,
            subs: Vec::new(),
            waiting: VecDeque::new(),
            agents: Vec::new(),
            pending: None,
            record: None,
            thinking: Seats::NONE,
            bot_moves: Vec::new(),
            goes_to_rest: false,
            touched: now,
            at_rest: false,
            wakes: None,
            paused: None,
        };
        actor.clocks.align(&actor.table, now);
        actor
    }

    pub(crate) fn id(&self) -> TableId {
        self.table.setup().table
    }

    /// What was told to whom.
    pub(crate) fn record(&mut self) -> Result<Arc<Record>, CorruptJournal> {
        if let Some(record) = &self.record {
            return Ok(record.clone());
        }
        let record = Arc::new(self.journal.record(self.table.setup(), self.codecs.payloads)?);
        self.record = Some(record.clone());
        Ok(record)
    }

    /// Whether an append is on its way.
    pub(crate) fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Folds entries in and keeps what they tell until they are durable. Gives what happened at the table, around the game.
    ///
    /// After an error the table must be rolled back.
    pub(crate) fn take_in(
        &mut self,
        at: u64,
        entries: &[Entry],
        now: Moment,
    ) -> Result<Vec<TableEvent>, HostError> {
        let subs = &self.subs;
        let mut notifications = Notifications::new(self.codecs.items, subs);
        let (mut asked, mut events) = (Seats::NONE, Vec::new());
        for entry in entries {
            let taken_in = self.table.fold_with(at, entry, |table, step| {
                let before = notifications.count();
                for sub in subs {
                    if !notifications.repeat(sub, before) {
                        tell(table, &step, sub, &mut notifications);
                    }
                }
                asked = step.asked.iter().fold(asked, Seats::with);
                events.extend(table_events(&step).cloned());
            });
            taken_in.map_err(|misfit| HostError::Fault { what: misfit.to_string() })?;
        }
        self.clocks.align(&self.table, now);
        for seat in asked.iter() {
            self.ask(seat, now, &mut notifications);
        }
        self.tell_time(TimeAudience::Concerned, now, &mut notifications);
        let reseats = entries.iter().any(Entry::reseats);
        self.has_house = if reseats { has_house(&self.table) } else { self.has_house };
        self.pending = Some(Box::new(Pending { notifications, reply: None, reseats }));
        Ok(events)
    }

    /// Notes the append that is on its way: its entries, as they are stored, and who is answered.
    pub(crate) fn set_pending(&mut self, entries: &[Bytes], reply: Option<Reply>) {
        entries.iter().for_each(|entry| self.journal.push(entry));
        let empty = || {
            Box::new(Pending {
                notifications: Notifications::new(self.codecs.items, &[]),
                reply: None,
                reseats: false,
            })
        };
        self.pending.get_or_insert_with(empty).reply = reply;
    }

    /// Asks the players of a seat what is to be decided there.
    fn ask(&self, seat: Seat, now: Moment, notifications: &mut Notifications) {
        for sub in self.subs.iter().filter(|sub| sub.viewer.is(seat)) {
            if let Some(asked) = self.asked(seat, &sub.wants, now) {
                notifications.add(sub, &StreamItem::Decision(&asked));
            }
        }
    }

    /// The open decision of a seat, as its player is asked.
    pub(crate) fn asked(&self, seat: Seat, wants: &Wants, now: Moment) -> Option<DecisionPrompt> {
        let id = self.table.seats()[seat.index()].open?;
        let legal = self.table.legal_actions(seat);
        let default = self.table.game().and_then(|game| game.default_action(seat));
        let secret = self.table.is_secret(seat);
        let left = self.clocks.left(&self.table, seat, now);
        Some(DecisionPrompt {
            id,
            after: self.table.numbers().of(Viewer::Seat(seat)),
            view: wants.decision_views.then(|| self.table.view(Viewer::Seat(seat))).flatten(),
            seed_given: self.table.shuffle_is_given(),
            legal_count: legal.len() as u32,
            default_index: legal.iter().position(|action| Some(*action) == default).unwrap_or_default()
                as u32,
            legal: if wants.legal_actions { legal } else { Vec::new() },
            time_left: left.map(|left| left.decision),
            bank_left: left.filter(|_| !secret).map(|left| left.bank),
            secret,
        })
    }

    /// Tells those who want to know, and whom it concerns, how much time is left.
    fn tell_time(&self, whom: TimeAudience, now: Moment, notifications: &mut Notifications) {
        let is_told = |sub: &&Subscription, notifications: &Notifications| {
            sub.wants.time_left && (whom == TimeAudience::Everyone || notifications.has(sub))
        };
        if !self.subs.iter().any(|sub| is_told(&sub, notifications)) {
            return;
        }
        if let Some(left) = self.clocks.all_left(&self.table, now) {
            let left = StreamItem::TimeLeft(left);
            for sub in &self.subs {
                if is_told(&sub, notifications) {
                    notifications.add(sub, &left);
                }
            }
        }
    }

    /// The append is durable, or it has failed.
    pub(crate) fn settle(&mut self, result: Result<(), HostError>, now: Moment) -> CommitOutcome {
        let Some(pending) = self.pending.take() else { return CommitOutcome::On };
        let Pending { notifications, reply, reseats } = *pending;
        match result {
            Ok(()) => {
                self.paused = None;
                self.journal.keep();
                self.record = None;
                let answered = reply.and_then(|reply| reply.send(Ok(&self.table)));
                notifications.send(&self.subs, answered);
                let numbers = self.table.numbers();
                self.subs.iter_mut().for_each(|sub| sub.number = numbers.of(sub.viewer));
                if reseats {
                    self.close_what_ended();
                }
                if self.table.ending().is_some() { CommitOutcome::Over } else { CommitOutcome::On }
            }
            Err(error) => {
                self.answer(reply.and_then(|reply| reply.send(Err(error))));
                self.roll_back(now)
            }
        }
    }

    /// Adds somebody who plays or watches.
    pub(crate) fn add(&mut self, sub: Subscription) {
        if self.subs.len() < usize::from(self.table.players()) {
            // Most tables are watched by nobody but their players.
            self.subs.reserve_exact(usize::from(self.table.players()) - self.subs.len());
        }
        let place = self.subs.partition_point(|other| other.attachment < sub.attachment);
        self.subs.insert(place, sub);
    }

    /// Tells whoever answered what became of it, if they are still there.
    pub(crate) fn answer(&self, answered: Option<(Attachment, Answered)>) {
        if let Some((to, answered)) = answered
            && let Some(sub) = self.subs.iter().find(|sub| sub.attachment == to)
        {
            sub.send(&StreamItem::Answered(&answered));
        }
    }

    /// Folds the table anew from what is durable. Whoever is asked has their full time again.
    pub(crate) fn roll_back(&mut self, now: Moment) -> CommitOutcome {
        self.pending = None;
        self.journal.take_back();
        if self.journal.is_empty() {
            return CommitOutcome::Unmade;
        }
        match self.journal.fold(self.table.setup(), self.codecs.payloads) {
            Ok(table) => {
                self.has_house = has_house(&table);
                self.table = table;
                self.clocks.restart(&self.table, now);
                CommitOutcome::Failed
            }
            Err(bad) => CommitOutcome::Lost(bad),
        }
    }

    /// Closes the channels whose token is worth nothing any more.
    fn close_what_ended(&mut self) {
        let table = &self.table;
        let has_ended = |sub: &mut Subscription| {
            let newest = match sub.viewer {
                Viewer::Seat(seat) => table.seats()[seat.index()].generation,
                Viewer::Spectator => table.spectators(),
            };
            sub.generation.is_some_and(|generation| generation != newest)
        };
        for sub in self.subs.extract_if(.., has_ended) {
            let is_house = |seat: Seat| matches!(table.seats()[seat.index()].holder, Holder::House { .. });
            let is_replaced = sub.viewer.seat().is_some_and(is_house);
            sub.close(Some(if is_replaced { HostError::Replaced } else { HostError::Reissued }));
        }
    }

    /// Lets go of the agents that have no seat here any more; of all of them, if the table is over.
    pub(crate) fn release_agents(&mut self, hub: &AgentRegistry) {
        let (table, id) = (&self.table, self.id());
        let is_over = table.ending().is_some();
        let sits = |known: &Arc<Agent>| {
            let mut seats = table.seats().iter();
            seats.any(|seat| matches!(&seat.holder, Holder::Agent { name, .. } if *name == known.who.name))
        };
        for known in self.agents.extract_if(.., |known| is_over || !sits(known)) {
            hub.left(&known, id);
        }
    }

    /// Brings presence in line with those who are attached, and tells those who want to know.
    pub(crate) fn note_presence(&mut self, now: Moment) {
        let mut changed = false;
        for seat in Seat::all(self.table.players()) {
            let connected = self.subs.iter().any(|sub| sub.viewer.is(seat));
            if self.clocks.connect(&self.table, seat, connected, now) {
                changed = true;
                let presence = self.presence(seat, now);
                for sub in self.subs.iter().filter(|sub| sub.wants.time_left) {
                    sub.send(&StreamItem::Presence(presence));
                }
            }
        }
        if changed && self.pending.is_none() {
            let mut notifications = Notifications::new(self.codecs.items, &self.subs);
            self.tell_time(TimeAudience::Everyone, now, &mut notifications);
            notifications.send(&self.subs, None);
        }
    }

    fn presence(&self, seat: Seat, now: Moment) -> Presence {
        let grace_left = self.table.is_timed().then(|| self.clocks.grace_left(&self.table, seat, now));
        Presence { seat, connected: self.clocks.is_connected(seat), grace_left }
    }

    /// Where everything stands for one viewer.
    pub(crate) fn snapshot(&self, viewer: Viewer, now: Moment) -> Snapshot {
        let is_player = |seat: &Seat| {
            matches!(self.table.seats()[seat.index()].holder, Holder::Player { .. } | Holder::Agent { .. })
        };
        let players = Seat::all(self.table.players()).filter(is_player);
        Snapshot {
            number: self.table.numbers().of(viewer),
            viewer,
            look: self.table.look(),
            view: self.table.view(viewer),
            presence: players.map(|seat| self.presence(seat, now)).collect(),
            time_left: self.clocks.all_left(&self.table, now),
        }
    }

    /// The decisions that house bots have to make and are not thinking about yet.
    pub(crate) fn bot_jobs(&mut self) -> Vec<BotJob> {
        let mut jobs = Vec::new();
        if !self.has_house {
            return jobs;
        }
        for seat in Seat::all(self.table.players()) {
            let state = &self.table.seats()[seat.index()];
            let (Holder::House { bot }, Some(decision)) = (&state.holder, state.open) else {
                self.thinking = self.thinking.without(seat);
                continue;
            };
            if self.thinking.contains(seat) {
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

/// Whether the house plays for any seat.
fn has_house(table: &Table) -> bool {
    table.seats().iter().any(|seat| matches!(seat.holder, Holder::House { .. }))
}

/// What a step tells one of those who watch.
fn tell(table: &Table, step: &Step, sub: &Subscription, notifications: &mut Notifications) {
    let number = table.numbers().of(sub.viewer);
    let Some(mut update) = step.update(sub.viewer, number) else { return };
    if !sub.wants.events {
        update.events = Vec::new();
    }
    let view = if sub.wants.update_views { table.view(sub.viewer) } else { None };
    let told = ViewerUpdate { update, view, seed_given: table.shuffle_is_given(), timed: table.is_timed() };
    notifications.add(sub, &StreamItem::Update(&told));
}

/// What a step tells everyone about the table itself.
fn table_events(step: &Step) -> impl Iterator<Item = &TableEvent> {
    step.told.iter().filter_map(|(_, told)| match told {
        RecordedEvent::Table(event) => Some(event),
        RecordedEvent::Game(_) => None,
    })
}
