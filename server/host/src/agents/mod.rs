//! Agents: programs that play under a name, and wait to be given seats.
//!
//! The [`AgentRegistry`] knows every agent that was ever registered: who it is (durable, `registration.rs`), whether it is connected,
//! at which tables it has a seat, and how it behaves (`finish.rs`). Playing itself goes over a stream of the host like
//! everybody's; the hub only says who is given which seat.

pub(crate) mod agent;
pub(crate) mod agent_stream;
mod error;
mod health;
mod registration;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use parlor_engine::{GameId, Seat};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

pub(crate) use agent::Agent;
pub use error::AgentError;
pub use health::{AnswerTimes, Suspension, SuspensionReason};
pub use registration::{AgentEntry, AgentIdentity, AgentProfile};

use crate::HostError;
use crate::clock::Clock;
use crate::limits::{LimitExceeded, LimitedResource};
use crate::settings::AgentSettings;
use crate::table::{Holder, SeatSetup, Table};
use crate::{TableId, persistence};
use agent::Connection;
use parlor_fair::Entropy;
use parlor_store::{
    Append, Listing, Log, LogError, LogFilter, LogKind, Millis, NewPlace, OwnerId, PageRequest,
};
use registration::{Registration, log_of};

/// How often, at the most, it is noted in the log that an agent says something new of itself.
const NOTE_EVERY: u64 = 60_000;
/// An agent whose answers are refused is set aside; when so many times as many were, in a row, its connection ends.
const CUT_OFF: u32 = 10;

/// Whether an agent can be given a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Availability {
    /// It is connected, with this version.
    Here {
        /// At how many more tables it plays.
        room: u32,
    },
    /// It is not connected, or with another version.
    Gone {
        /// Since when, in milliseconds since 1970.
        since: u64,
    },
    /// It gets no new seats for a while.
    SetAside(Suspension),
    /// Nobody of that name was ever registered.
    Unknown,
}

/// Where an agent is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AgentStatus {
    /// It is connected, and takes seats.
    Here,
    /// It is not connected.
    Gone,
    /// It gets no new seats.
    SetAside,
}

/// An agent, as it is listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentSummary {
    /// Whose the name is.
    pub who: AgentIdentity,
    /// What it says, or said last, of itself.
    pub says: AgentProfile,
    /// Where it is.
    pub state: AgentStatus,
    /// At how many tables it has a seat.
    pub playing: usize,
    /// Why it is set aside, if it is.
    pub aside: Option<Suspension>,
    /// When it was registered, in milliseconds since 1970.
    pub created: u64,
    /// When it was last connected; none while it is.
    pub seen: Option<u64>,
    /// How it has answered since the server started.
    pub times: AnswerTimes,
}

/// Which agents are listed. What is `None` is not looked at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AgentFilter {
    /// Those that play this game.
    pub game: Option<GameId>,
    /// Those that are there.
    pub state: Option<AgentStatus>,
}

/// A seat that is given to an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatAssignment {
    /// The table.
    pub table: TableId,
    /// The seat.
    pub seat: Seat,
    /// The game.
    pub game: GameId,
    /// The tournament that the table belongs to.
    pub tournament: Option<TableId>,
}

/// Whether the agents of a new table have to be there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AgentRequirement {
    /// They must be connected, play the game, and have room for a table.
    #[default]
    Here,
    /// They must be registered. Where one is not there, its clock and its grace decide; the versions must be named.
    Registered,
}

struct Inner {
    log: Arc<dyn Log>,
    clock: Arc<dyn Clock>,
    settings: AgentSettings,
    known: RwLock<BTreeMap<String, Arc<Agent>>>,
    /// Held by whoever registers a new name.
    registering: tokio::sync::Mutex<()>,
    connections: AtomicU64,
    changed: watch::Sender<u64>,
}

/// All agents. Clones are the same hub.
#[derive(Clone)]
pub struct AgentRegistry(Arc<Inner>);

impl std::fmt::Debug for AgentRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AgentRegistry")
    }
}

/// An agent's connection, as the hub gives it out. It is to be given back with [`AgentRegistry::leave`].
pub(crate) struct Here {
    pub(crate) known: Arc<Agent>,
    /// Which of its connections it is.
    pub(crate) number: u64,
    /// Something is given to it.
    pub(crate) gives: Arc<Notify>,
    /// Another connection has taken its place.
    pub(crate) replaced: CancellationToken,
    /// At how many tables it plays.
    pub(crate) max_tables: u32,
    /// Whether it is set aside.
    pub(crate) aside: Option<Suspension>,
}

impl AgentRegistry {
    /// The agents that the log has.
    pub(crate) async fn start(
        log: Arc<dyn Log>,
        clock: Arc<dyn Clock>,
        settings: &AgentSettings,
    ) -> Result<AgentRegistry, HostError> {
        let mut known = BTreeMap::new();
        let filter = LogFilter { kind: LogKind::Agent, ..LogFilter::default() };
        let mut after = None;
        loop {
            let page = log
                .list_tables(filter.clone(), PageRequest { after, size: parlor_store::limits::MAX_PAGE_SIZE })
                .await?;
            for row in page.tables {
                if let Some(agent) = read(log.as_ref(), row.id).await {
                    known.insert(agent.who.name.clone(), Arc::new(Agent::new(agent)));
                }
            }
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        Ok(AgentRegistry(Arc::new(Inner {
            log,
            clock,
            settings: settings.clone(),
            known: RwLock::new(known),
            registering: tokio::sync::Mutex::default(),
            connections: AtomicU64::new(1),
            changed: watch::Sender::new(0),
        })))
    }

    fn known(&self) -> RwLockReadGuard<'_, BTreeMap<String, Arc<Agent>>> {
        // Nothing in here is left half done by a panic.
        self.0.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn known_mut(&self) -> RwLockWriteGuard<'_, BTreeMap<String, Arc<Agent>>> {
        self.0.known.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, name: &str) -> Option<Arc<Agent>> {
        self.known().get(name).cloned()
    }

    fn settings(&self) -> &AgentSettings {
        &self.0.settings
    }

    /// Fires when an agent comes, goes or is set aside, when it is healthy again, and when it has room again. The number
    /// only grows.
    #[must_use]
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    fn has_changed(&self) {
        self.0.changed.send_modify(|number| *number += 1);
    }

    /// Whether an agent can be given a seat that is for this version.
    #[must_use]
    pub fn availability(&self, name: &str, version: &str) -> Availability {
        let Some(known) = self.find(name) else { return Availability::Unknown };
        let state = known.state();
        if let Some(aside) = state.aside_at(self.0.clock.now_ms()) {
            return Availability::SetAside(aside);
        }
        if state.connection.is_some() && state.says.version == version {
            return Availability::Here { room: state.room() };
        }
        Availability::Gone { since: state.seen }
    }

    /// The version with which an agent is, or was last, connected; none if nobody of that name was ever.
    #[must_use]
    pub fn version(&self, name: &str) -> Option<String> {
        self.find(name).map(|known| known.state().says.version.clone())
    }

    /// What an agent adds to the shuffles of tournaments that begin now; none if it is not known.
    #[must_use]
    pub fn entropy(&self, name: &str) -> Option<Entropy> {
        self.find(name).map(|known| known.state().entropy)
    }

    /// Up to `size` agents that pass the filter, by name, from those after the given one on; and whether there are more.
    #[must_use]
    pub fn list(&self, filter: &AgentFilter, after: Option<&str>, size: usize) -> (Vec<AgentSummary>, bool) {
        let now = self.0.clock.now_ms();
        let known = self.known();
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut found = known
            .range::<str, _>((from, Bound::Unbounded))
            .map(|(_, known)| known.look(now))
            .filter(|look| {
                filter.game.is_none_or(|game| look.says.games.contains(&game))
                    && filter.state.is_none_or(|state| look.state == state)
            });
        let page = found.by_ref().take(size).collect();
        (page, found.next().is_some())
    }

    /// Registers an agent, or finds it; checks that the name is this one's.
    async fn registered(&self, asking: AgentIdentity) -> Result<Arc<Agent>, HostError> {
        if let Some(known) = self.find(&asking.name) {
            return known.admit(asking);
        }
        let _registering = self.0.registering.lock().await;
        if let Some(known) = self.find(&asking.name) {
            return known.admit(asking);
        }
        let settings = self.settings();
        let (all, own) = {
            let known = self.known();
            (known.len(), known.values().filter(|known| known.who.owner == asking.owner).count())
        };
        for (count, most) in [(all, settings.max_agents), (own, settings.max_agents_per_key)] {
            if count >= most as usize {
                return Err(LimitExceeded::Count { resource: LimitedResource::Agents, max: most }.into());
            }
        }
        let (now, name) = (self.0.clock.now_ms(), asking.name.clone());
        let entry = AgentEntry::Registered(asking);
        let Some(agent) = Registration::open(now, &entry) else {
            return Err(HostError::Fault { reason: "an agent that was not registered".to_owned() });
        };
        let mut append =
            Append::new(log_of(&name), 0, Millis(now), vec![persistence::encode_agent_entry(now, &entry)]);
        append.listing = Some(Listing {
            kind: LogKind::Agent,
            owner: OwnerId::new(&agent.who.owner)?,
            game: "agent".to_owned(),
            state: 1,
            visibility: 1,
            tags: Vec::new(),
        });
        append.place = Some(NewPlace::AtRest { wakes_at: None });
        self.0.log.append(append).await?;
        let known = Arc::new(Agent::new(agent));
        self.known_mut().insert(name, known.clone());
        Ok(known)
    }

    /// An agent connects. Whoever was connected under the name before is sent away.
    pub(crate) async fn connect(
        &self,
        who: AgentIdentity,
        mut says: AgentProfile,
        entropy: Entropy,
    ) -> Result<Here, HostError> {
        let known = self.registered(who).await?;
        says.max_tables = says.max_tables.min(self.settings().max_tables);
        let (max_tables, now) = (says.max_tables, self.0.clock.now_ms());
        let gives = Arc::new(Notify::new());
        let (number, replaced) =
            (self.0.connections.fetch_add(1, Ordering::Relaxed), CancellationToken::new());
        let (aside, is_news) = {
            let mut state = known.state();
            let is_news = state.says != says && now >= state.noted.saturating_add(NOTE_EVERY);
            if is_news {
                state.noted = now;
            }
            (state.says, state.entropy) = (says.clone(), entropy);
            let connection = Connection {
                number,
                waiting: Vec::new(),
                aside: None,
                gives: gives.clone(),
                replaced: replaced.clone(),
            };
            match state.connection.replace(connection) {
                Some(before) => before.replaced.cancel(),
                None => metrics::gauge!(crate::metric_names::AGENTS_CONNECTED).increment(1.0),
            }
            (state.aside_at(now), is_news)
        };
        if is_news {
            self.note(&known, AgentEntry::Connected(says)).await;
        }
        self.has_changed();
        Ok(Here { known, number, gives, replaced, max_tables, aside })
    }

    /// The connection of an agent has ended, with this trouble if there was any.
    pub(crate) fn leave(&self, known: &Arc<Agent>, number: u64, trouble: Option<SuspensionReason>) {
        let (now, is_playing) = {
            let mut state = known.state();
            if state.connection.as_ref().is_none_or(|connection| connection.number != number) {
                // Another one has taken its place.
                return;
            }
            state.connection = None;
            state.seen = self.0.clock.now_ms();
            (state.seen, !state.tables.is_empty())
        };
        tracing::debug!(agent = known.who.name, at = now, "an agent has gone");
        metrics::gauge!(crate::metric_names::AGENTS_CONNECTED).decrement(1.0);
        if let Some(trouble) = trouble.filter(|trouble| is_playing || *trouble != SuspensionReason::BrokeOff)
        {
            self.trouble(known, trouble);
        }
        self.has_changed();
    }

    /// Finds the agents of a new table, fills in their versions, and counts the table as theirs. What is not made after
    /// all is taken back with [`AgentRegistry::release`].
    pub(crate) fn reserve(
        &self,
        table: TableId,
        game: GameId,
        seats: &mut [SeatSetup],
        must_be: AgentRequirement,
    ) -> Result<(), AgentError> {
        let now = self.0.clock.now_ms();
        let mut held: Vec<Arc<Agent>> = Vec::new();
        for seat in seats {
            let SeatSetup::Agent { name, version } = seat else { continue };
            let known = self.find(name).ok_or_else(|| AgentError::Unknown { name: name.clone() });
            let reserved = known.and_then(|known| {
                known.reserve(table, game, version, must_be, now)?;
                Ok(known)
            });
            match reserved {
                Ok(known) => held.push(known),
                Err(error) => {
                    held.iter().for_each(|known| self.left(known, table));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// The table was not made.
    pub(crate) fn release(&self, table: TableId, seats: &[SeatSetup]) {
        for seat in seats {
            if let SeatSetup::Agent { name, .. } = seat
                && let Some(known) = self.find(name)
            {
                self.left(&known, table);
            }
        }
    }

    /// The agents that sit at a table which comes into memory.
    pub(crate) fn at(&self, table: &Table) -> Vec<Arc<Agent>> {
        let mut sitting: Vec<Arc<Agent>> = Vec::new();
        for seat in table.seats() {
            if let Holder::Agent { name, .. } = &seat.holder
                && !sitting.iter().any(|known| known.who.name == *name)
                && let Some(known) = self.find(name)
            {
                known.state().tables.insert(table.setup().table);
                sitting.push(known);
            }
        }
        sitting
    }

    /// A table was made: whoever is connected is given its seats.
    pub(crate) fn seat(&self, table: &Table, sitting: &[Arc<Agent>]) {
        for given in seats(table.setup(), table.seats().iter().map(|seat| &seat.holder)) {
            let Holder::Agent { name, version } = &table.seats()[given.seat.index()].holder else { continue };
            if let Some(known) = sitting.iter().find(|known| known.who.name == *name) {
                known.give(version, given);
            }
        }
    }

    /// An agent has no seat at a table any more.
    pub(crate) fn left(&self, known: &Agent, table: TableId) {
        let was_full = {
            let mut state = known.state();
            let was_full = state.room() == 0;
            state.tables.remove(&table) && was_full
        };
        if was_full {
            self.has_changed();
        }
    }

    /// An agent has answered a decision that is no secret.
    pub(crate) fn answered(&self, known: &Agent, took: Duration, reported: Option<u32>) {
        known.state().finish.answered(took, reported);
    }

    /// An answer of an agent was refused. AgentProfile whether its connection should end.
    pub(crate) fn refused(&self, known: &Arc<Agent>) -> Option<AgentError> {
        self.trouble(known, SuspensionReason::BrokeRules);
        let refused = known.state().finish.refused_in_a_row();
        (refused >= self.settings().max_refused_answers.saturating_mul(CUT_OFF))
            .then_some(AgentError::AllRefused { refused })
    }

    /// The clock of an agent has run out, for a decision that is no secret, while it was connected.
    pub(crate) fn clock_ran_out(&self, name: &str) {
        if let Some(known) = self.find(name) {
            self.trouble(&known, SuspensionReason::TimedOut);
        }
    }

    /// Something went wrong with an agent. When it has done so often enough, the agent is set aside.
    fn trouble(&self, known: &Arc<Agent>, trouble: SuspensionReason) {
        let now = self.0.clock.now_ms();
        let aside = {
            let mut state = known.state();
            let is_enough = state.finish.note(trouble, self.0.clock.now(), self.settings());
            if !is_enough || state.aside_at(now).is_some() {
                return;
            }
            let aside = Suspension::after(state.aside, trouble, now, self.settings());
            state.aside = Some(aside);
            if let Some(connection) = &mut state.connection {
                connection.aside = Some(aside);
                connection.gives.notify_one();
            }
            aside
        };
        tracing::warn!(agent = known.who.name, why = trouble.in_words(), "an agent is set aside");
        metrics::counter!(crate::metric_names::AGENTS_SET_ASIDE, "why" => trouble.label()).increment(1);
        self.has_changed();
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (hub, known) = (self.clone(), known.clone());
        runtime.spawn(async move {
            let Suspension { why, until, times, .. } = aside;
            hub.note(&known, AgentEntry::SetAside { why, until, times }).await;
            let clock = hub.0.clock.clone();
            // Nobody waits for an agent when the server has ended.
            let hub = Arc::downgrade(&{ hub }.0);
            let ahead = Duration::from_millis(until.saturating_sub(clock.now_ms()));
            clock.sleep_until(clock.now() + ahead).await;
            if let Some(hub) = hub.upgrade() {
                AgentRegistry(hub).has_changed();
            }
        });
    }

    /// Notes in the log what happened to an agent. It may fail: what is not noted is forgotten with the next start.
    async fn note(&self, known: &Agent, entry: AgentEntry) {
        let mut length = known.length.lock().await;
        let now = self.0.clock.now_ms();
        let append = Append::new(
            log_of(&known.who.name),
            *length,
            Millis(now),
            vec![persistence::encode_agent_entry(now, &entry)],
        );
        match self.0.log.append(append).await {
            Ok(appended) => *length = appended.length,
            Err(error) => {
                if let LogError::Conflict { actual, .. } = error {
                    *length = actual;
                }
                tracing::warn!(agent = known.who.name, %error, "what happened to an agent was not stored");
            }
        }
    }
}

/// The seats of agents at a table, which they can still play.
pub(crate) fn seats<'a>(
    setup: &'a crate::table::Setup,
    holders: impl Iterator<Item = &'a Holder> + 'a,
) -> impl Iterator<Item = SeatAssignment> + 'a {
    let (table, game) = (setup.table, setup.options.game());
    let tournament = setup.chance.deal().map(|deal| deal.tournament);
    let given = move |(seat, holder): (Seat, &Holder)| {
        matches!(holder, Holder::Agent { .. }).then_some(SeatAssignment { table, seat, game, tournament })
    };
    Seat::all(setup.seats.len() as u8).zip(holders).filter_map(given)
}

/// An agent by its log. Nothing, if it cannot be read: then nobody can connect under its name.
async fn read(log: &dyn Log, id: TableId) -> Option<Registration> {
    let entries = match log.read(id, 0).await {
        Ok(entries) => entries,
        Err(error) => {
            tracing::error!(log = %id, %error, "what is stored of an agent cannot be read");
            return None;
        }
    };
    let mut agent: Option<Registration> = None;
    for entry in entries {
        let decoded = persistence::decode_agent_entry(&entry.payload);
        let fits = match (&decoded, &mut agent) {
            (Ok((at, entry)), Some(agent)) => agent.fold(*at, entry),
            (Ok((at, entry)), None) => {
                agent = Registration::open(*at, entry);
                agent.is_some()
            }
            (Err(_), _) => false,
        };
        if !fits {
            tracing::error!(log = %id, error = ?decoded.err(), "what is stored of an agent is damaged");
            return None;
        }
    }
    agent
}
