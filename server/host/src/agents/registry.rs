//! The registry of all agents: registration, connections and listings.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use parlor_store::{
    Append, Listing, Log, LogError, LogFilter, LogKind, Millis, NewPlace, OwnerId, PageRequest,
};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::agent::Connection;
use super::registration::{Registration, log_id};
use super::{
    Agent, AgentEntry, AgentFilter, AgentIdentity, AgentProfile, AgentSummary, Availability, LISTED_GAME,
    Suspension, SuspensionReason, SuspensionScope,
};
use crate::clock::Clock;
use crate::metric_names::AGENTS_CONNECTED;
use crate::settings::AgentSettings;
use crate::{HostError, TableId, persistence, run_to_end};

/// Minimum time between two log entries for a changed profile of an agent, in milliseconds.
const PROFILE_LOG_INTERVAL_MS: u64 = 60_000;
/// Time after which a connection is logged although the profile is the same, in milliseconds.
const SEEN_LOG_INTERVAL_MS: u64 = 24 * 60 * 60 * 1_000;

pub(super) struct Inner {
    pub(super) log: Arc<dyn Log>,
    pub(super) clock: Arc<dyn Clock>,
    settings: AgentSettings,
    agents: RwLock<BTreeMap<String, Arc<Agent>>>,
    /// Serialises registrations of new names.
    registering: tokio::sync::Mutex<()>,
    next_connection: AtomicU64,
    /// Time of the start, in milliseconds since 1970.
    pub(super) started: u64,
    changed: watch::Sender<u64>,
}

/// Registry of all agents. Clones share it.
#[derive(Clone)]
pub struct AgentRegistry(pub(super) Arc<Inner>);

impl std::fmt::Debug for AgentRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AgentRegistry")
    }
}

/// A connection as the registry hands it out. It ends with [`AgentRegistry::disconnect`].
pub(crate) struct AgentConnection {
    pub(crate) agent: Arc<Agent>,
    /// Number of the connection, unique since the server started.
    pub(crate) number: u64,
    /// Notified of a new seat assignment or suspension.
    pub(crate) assigned: Arc<Notify>,
    /// Cancelled once another connection has replaced this one.
    pub(crate) replaced: CancellationToken,
    /// Maximum number of tables at once.
    pub(crate) max_tables: u32,
    /// The suspension in force that ends last, within whatever scope.
    pub(crate) suspension: Option<Suspension>,
}

impl AgentRegistry {
    /// Loads all agents from the log.
    pub(crate) async fn start(
        log: Arc<dyn Log>,
        clock: Arc<dyn Clock>,
        settings: &AgentSettings,
    ) -> Result<AgentRegistry, HostError> {
        let mut agents = BTreeMap::new();
        let filter = LogFilter { kind: LogKind::Agent, ..LogFilter::default() };
        let mut after = None;
        loop {
            let page = log
                .list_tables(filter.clone(), PageRequest { after, size: parlor_store::limits::MAX_PAGE_SIZE })
                .await?;
            for row in page.tables {
                if let Some(registration) = load(log.as_ref(), row.id).await {
                    let name = registration.identity.name.clone();
                    agents.insert(name, Arc::new(Agent::new(registration)));
                }
            }
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        Ok(AgentRegistry(Arc::new(Inner {
            started: clock.now_ms(),
            log,
            clock,
            settings: settings.clone(),
            agents: RwLock::new(agents),
            registering: tokio::sync::Mutex::default(),
            next_connection: AtomicU64::new(1),
            changed: watch::Sender::new(0),
        })))
    }

    pub(super) fn agents(&self) -> RwLockReadGuard<'_, BTreeMap<String, Arc<Agent>>> {
        // A panic leaves the map consistent: each change is one insertion.
        self.0.agents.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn agents_mut(&self) -> RwLockWriteGuard<'_, BTreeMap<String, Arc<Agent>>> {
        self.0.agents.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn find(&self, name: &str) -> Option<Arc<Agent>> {
        self.agents().get(name).cloned()
    }

    pub(super) fn settings(&self) -> &AgentSettings {
        &self.0.settings
    }

    /// Watches availability: fires when an agent connects, disconnects, is suspended, ends its suspension, or
    /// has a free table again. The number only grows.
    #[must_use]
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    pub(super) fn notify_changed(&self) {
        self.0.changed.send_modify(|number| *number += 1);
    }

    /// Availability of an agent for a seat within this scope that needs this version.
    #[must_use]
    pub fn availability(&self, name: &str, version: &str, scope: &SuspensionScope) -> Availability {
        let Some(agent) = self.find(name) else { return Availability::Unknown };
        let state = agent.state();
        if let Some(suspension) = state.health.suspension(scope, self.0.clock.now_ms()) {
            return Availability::Suspended(suspension);
        }
        if state.connection.is_some() && state.profile.version == version {
            let share = agent.owner_capacity(&state, &scope.owner, self.settings().owner_share);
            return Availability::Connected {
                free_tables: state.free_tables().min(share),
                tournament_tables: state.tables.of_tournaments(&scope.owner),
            };
        }
        Availability::Disconnected { since: state.last_seen }
    }

    /// Version of the current or the last connection of an agent; `None` for an unknown name.
    #[must_use]
    pub fn version(&self, name: &str) -> Option<String> {
        self.find(name).map(|agent| agent.state().profile.version.clone())
    }

    /// True if an agent adds entropy to the shuffles of tournaments.
    #[must_use]
    pub fn adds_entropy(&self, name: &str) -> bool {
        self.find(name).is_some_and(|agent| agent.state().adds_entropy)
    }

    /// Lists up to `size` agents that match the filter and whose names sort after `after`, in the order of
    /// their names, as this caller sees them. The flag says that there are more.
    #[must_use]
    pub fn list(
        &self,
        filter: &AgentFilter,
        caller: Option<&str>,
        after: Option<&str>,
        size: usize,
    ) -> (Vec<AgentSummary>, bool) {
        let now = self.0.clock.now_ms();
        let agents = self.agents();
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut found = agents
            .range::<str, _>((from, Bound::Unbounded))
            .map(|(_, agent)| agent.summary(caller, now))
            .filter(|summary| {
                filter.game.is_none_or(|game| summary.profile.games.contains(&game))
                    && filter.status.is_none_or(|status| summary.status == status)
            });
        let page = found.by_ref().take(size).collect();
        (page, found.next().is_some())
    }

    /// Finds the agent of this name and authorises the caller, or registers a new one.
    async fn find_or_register(&self, identity: AgentIdentity) -> Result<Arc<Agent>, HostError> {
        if let Some(agent) = self.find_authorised(&identity)? {
            return Ok(agent);
        }
        // To the end: a name that is in the log and not in the registry could not connect until a restart.
        let registry = self.clone();
        run_to_end(async move { registry.register(identity).await }).await
    }

    /// Registers a new agent, or authorises the caller for the one that has registered the name meanwhile.
    async fn register(&self, identity: AgentIdentity) -> Result<Arc<Agent>, HostError> {
        let _registering = self.0.registering.lock().await;
        if let Some(agent) = self.find_authorised(&identity)? {
            return Ok(agent);
        }
        self.make_room(&identity.owner).await?;
        let (now, name) = (self.0.clock.now_ms(), identity.name.clone());
        let entry = AgentEntry::Registered(identity);
        let Some(registration) = Registration::from_first_entry(now, &entry) else {
            return Err(HostError::Fault { reason: "an agent that was not registered".to_owned() });
        };
        let mut append =
            Append::new(log_id(&name), 0, Millis(now), vec![persistence::encode_agent_entry(now, &entry)]);
        append.listing = Some(Listing {
            kind: LogKind::Agent,
            owner: OwnerId::new(&registration.identity.owner)?,
            game: LISTED_GAME.to_owned(),
            state: 1,
            visibility: 1,
            tags: Vec::new(),
        });
        append.place = Some(NewPlace::AtRest { wakes_at: None });
        self.0.log.append(append).await?;
        let agent = Arc::new(Agent::new(registration));
        self.agents_mut().insert(name, agent.clone());
        Ok(agent)
    }

    /// Finds the agent of this name and authorises the caller. Its name does not expire from then on.
    fn find_authorised(&self, identity: &AgentIdentity) -> Result<Option<Arc<Agent>>, HostError> {
        let Some(agent) = self.find(&identity.name) else { return Ok(None) };
        let agent = agent.authorise(identity.clone())?;
        let mut state = agent.state();
        if state.is_removed {
            return Ok(None);
        }
        state.last_seen = self.0.clock.now_ms();
        drop(state);
        Ok(Some(agent))
    }

    /// Connects an agent, registering it if the name is new. A previous connection of the same name is
    /// replaced.
    pub(crate) async fn connect(
        &self,
        identity: AgentIdentity,
        mut profile: AgentProfile,
        adds_entropy: bool,
    ) -> Result<AgentConnection, HostError> {
        let agent = self.find_or_register(identity).await?;
        profile.max_tables = profile.max_tables.min(self.settings().max_tables);
        let (max_tables, now) = (profile.max_tables, self.0.clock.now_ms());
        let assigned = Arc::new(Notify::new());
        let (number, replaced) =
            (self.0.next_connection.fetch_add(1, Ordering::Relaxed), CancellationToken::new());
        let (suspension, is_logged) = {
            let mut state = agent.state();
            let next_log = state.profile_logged.saturating_add(PROFILE_LOG_INTERVAL_MS);
            let is_logged = (state.profile != profile && now >= next_log)
                || now >= state.seen_logged.saturating_add(SEEN_LOG_INTERVAL_MS);
            if is_logged {
                (state.profile_logged, state.seen_logged) = (now, now);
            }
            (state.profile, state.adds_entropy) = (profile.clone(), adds_entropy);
            let connection = Connection {
                number,
                pending: Vec::new(),
                entropy_requests: state.unanswered_entropy_requests(&profile.version),
                suspension: None,
                assigned: assigned.clone(),
                replaced: replaced.clone(),
            };
            // Requests are sent when the connection begins to assign seats.
            assigned.notify_one();
            match state.connection.replace(connection) {
                Some(previous) => previous.replaced.cancel(),
                None => metrics::gauge!(AGENTS_CONNECTED).increment(1.0),
            }
            (state.health.longest_suspension(None, now), is_logged)
        };
        if is_logged {
            self.append_entry(&agent, AgentEntry::Connected(profile)).await;
        }
        self.notify_changed();
        Ok(AgentConnection { agent, number, assigned, replaced, max_tables, suspension })
    }

    /// Ends a connection of an agent; `incident` is recorded, if there is one. Has no effect if another
    /// connection has replaced this one.
    pub(crate) fn disconnect(&self, agent: &Arc<Agent>, number: u64, incident: Option<SuspensionReason>) {
        let now = {
            let mut state = agent.state();
            if state.connection.as_ref().is_none_or(|connection| connection.number != number) {
                return;
            }
            state.connection = None;
            state.last_seen = self.0.clock.now_ms();
            state.last_seen
        };
        tracing::debug!(agent = agent.identity.name, at = now, "agent disconnected");
        metrics::gauge!(AGENTS_CONNECTED).decrement(1.0);
        if let Some(incident) = incident {
            self.record_end(agent, incident);
        }
        self.notify_changed();
    }

    /// Appends an entry to the log of an agent. A failure is logged: the entry is lost with the next start.
    pub(super) async fn append_entry(&self, agent: &Agent, entry: AgentEntry) {
        let mut length = agent.log_length.lock().await;
        let now = self.0.clock.now_ms();
        let append = Append::new(
            log_id(&agent.identity.name),
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
                tracing::warn!(agent = agent.identity.name, %error, "log entry of an agent not stored");
            }
        }
    }
}

/// Loads a registration from its log. `None` if it is unreadable: then its name cannot connect.
async fn load(log: &dyn Log, id: TableId) -> Option<Registration> {
    let entries = match log.read(id, 0).await {
        Ok(entries) => entries,
        Err(error) => {
            tracing::error!(log = %id, %error, "log of an agent unreadable");
            return None;
        }
    };
    let mut registration: Option<Registration> = None;
    for entry in entries {
        let decoded = persistence::decode_agent_entry(&entry.payload);
        let is_valid = match (&decoded, &mut registration) {
            (Ok((at, entry)), Some(registration)) => registration.fold(*at, entry),
            (Ok((at, entry)), None) => {
                registration = Registration::from_first_entry(*at, entry);
                registration.is_some()
            }
            (Err(_), _) => false,
        };
        if !is_valid {
            tracing::error!(log = %id, error = ?decoded.err(), "log of an agent damaged");
            return None;
        }
    }
    registration
}
