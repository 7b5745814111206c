//! All seats and agents that are connected, found by their handles. What is not connected yet, or no longer, is connected
//! when it is asked for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_sdk::{Client, Session};
use tokio::sync::OnceCell;

use super::connected_agent::ConnectedAgent;
use super::connected_seat::ConnectedSeat;
use super::handles::{AgentRecord, Handles, SeatRecord};
use super::tool_error::ToolError;
use crate::command::agent::credentials::agent_key;
use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use crate::shown_commitments;

/// Maximum number of seats that are connected at once, those of agents included.
const MAX_SEATS: usize = 1000;
/// Maximum number of agents that are connected at once.
const MAX_AGENTS: usize = 32;
/// Time without calls after which a seat is left; the next call connects it again.
const IDLE_TIME: Duration = Duration::from_secs(600);
/// Time that an agent has to be given a seat that it holds already.
const AGENT_SEAT_TIME: Duration = Duration::from_secs(10);

/// The object of a handle.
pub(super) enum Connected {
    /// A seat.
    Seat(Arc<ConnectedSeat>),
    /// An agent.
    Agent(Arc<ConnectedAgent>),
}

/// The connections of this program.
pub(super) struct Connections {
    pub(super) context: Context,
    pub(super) handles: Handles,
    server: OnceCell<(Client, Session)>,
    seats: Mutex<HashMap<String, Arc<ConnectedSeat>>>,
    agents: Mutex<HashMap<String, Arc<ConnectedAgent>>>,
    /// Held while something is connected, so that nothing is connected twice.
    connecting: tokio::sync::Mutex<()>,
}

impl Connections {
    pub(super) fn new(context: Context) -> Result<Connections, Failure> {
        Ok(Connections {
            handles: Handles::locate(&context)?,
            context,
            server: OnceCell::new(),
            seats: Mutex::default(),
            agents: Mutex::default(),
            connecting: tokio::sync::Mutex::default(),
        })
    }

    /// The client, connected with the first call that needs it.
    pub(super) async fn client(&self) -> Result<&Client, Failure> {
        Ok(&self.server().await?.0)
    }

    async fn server(&self) -> Result<&(Client, Session), Failure> {
        self.server
            .get_or_try_init(|| async {
                let client = self.context.connect().await?;
                shown_commitments::keep(&client, &self.context);
                let session = client.session();
                Ok((client, session))
            })
            .await
    }

    /// The seat of a handle, if it is connected.
    pub(super) fn connected(&self, handle: &str) -> Option<Arc<ConnectedSeat>> {
        let seat = lock(&self.seats).get(handle).cloned();
        let seat = seat.or_else(|| lock(&self.agents).values().find_map(|agent| agent.seat(handle)));
        seat.filter(|seat| seat.failure().is_none())
    }

    /// The object of a handle, connected.
    pub(super) async fn find(&self, handle: &str) -> Result<Connected, ToolError> {
        if let Some(seat) = self.connected(handle) {
            return Ok(Connected::Seat(seat));
        }
        if let Some(agent) = lock(&self.agents).get(handle).cloned()
            && agent.failure().is_none()
        {
            return Ok(Connected::Agent(agent));
        }
        if let Some(record) = self.handles.seat(handle)? {
            return self.connect_seat(&record).await.map(Connected::Seat);
        }
        match self.handles.agent(handle)? {
            Some(record) => self.connect_agent(&record).await.map(Connected::Agent),
            None => Err(unknown_handle().into()),
        }
    }

    /// The seat of a handle, connected.
    pub(super) async fn seat(&self, handle: &str) -> Result<Arc<ConnectedSeat>, ToolError> {
        match self.find(handle).await? {
            Connected::Seat(seat) => Ok(seat),
            Connected::Agent(_) => Err(ToolError::arguments(
                "this is the handle of an agent: give a seat_handle, which wait_for_turn tells",
                "Das ist das Handle eines Agenten: Gib ein seat_handle an, wait_for_turn nennt es",
            )),
        }
    }

    /// Connects the seat of a record, unless it is connected.
    pub(super) async fn connect_seat(&self, record: &SeatRecord) -> Result<Arc<ConnectedSeat>, ToolError> {
        if let Some(agent) = &record.agent {
            return self.agent_seat(agent, record).await;
        }
        let _connecting = self.connecting.lock().await;
        if let Some(seat) = lock(&self.seats).get(&record.handle).cloned()
            && seat.failure().is_none()
        {
            return Ok(seat);
        }
        self.make_room()?;
        let (client, session) = self.server().await?;
        let seat = ConnectedSeat::attach(record, client, session, &self.handles).await?;
        lock(&self.seats).insert(record.handle.clone(), Arc::clone(&seat));
        Ok(seat)
    }

    /// Connects the agent of a record, unless it is connected.
    pub(super) async fn connect_agent(&self, record: &AgentRecord) -> Result<Arc<ConnectedAgent>, ToolError> {
        let agent = {
            let _connecting = self.connecting.lock().await;
            let known = lock(&self.agents).get(&record.handle).cloned();
            match known.filter(|agent| agent.failure().is_none() && agent.is_the_same(record)) {
                Some(agent) => agent,
                None => {
                    if let Some(replaced) = lock(&self.agents).remove(&record.handle) {
                        replaced.leave();
                    }
                    if lock(&self.agents).len() >= MAX_AGENTS {
                        return Err(full(MAX_AGENTS, "agents", "Agenten").into());
                    }
                    let key = agent_key(&record.name, None, &self.context)?;
                    let agent = ConnectedAgent::start(record, key, &self.server().await?.0, &self.handles)?;
                    lock(&self.agents).insert(record.handle.clone(), Arc::clone(&agent));
                    agent
                }
            }
        };
        agent.connected().await?;
        Ok(agent)
    }

    /// The seat that an agent has been given.
    async fn agent_seat(&self, agent: &str, record: &SeatRecord) -> Result<Arc<ConnectedSeat>, ToolError> {
        let known = self.handles.agent(agent)?.ok_or_else(unknown_handle)?;
        let connected = self.connect_agent(&known).await?;
        match connected.wait_for_seat(&record.handle, AGENT_SEAT_TIME).await {
            Some(seat) => Ok(seat),
            // Its table may be over: then the result is kept.
            None => Err(Failure::new(
                Exit::NotFound,
                "SEAT_NOT_FOUND",
                "the agent no longer has this seat: its table is over, result has what is known",
                "Der Agent hat diesen Platz nicht mehr: Der Tisch ist zu Ende, result sagt, was bekannt ist",
            )
            .into()),
        }
    }

    /// Leaves seats that have ended or are not asked for.
    fn make_room(&self) -> Result<(), Failure> {
        let mut seats = lock(&self.seats);
        let is_idle = |seat: &ConnectedSeat| seat.idle_time() > IDLE_TIME;
        seats.retain(|_, seat| {
            let keep = !is_idle(seat);
            if !keep {
                seat.leave();
            }
            keep
        });
        if seats.len() >= MAX_SEATS { Err(full(MAX_SEATS, "seats", "Plätze")) } else { Ok(()) }
    }

    /// Leaves everything: seats stay their holders', and their handles go on.
    pub(super) fn close(&self) {
        lock(&self.seats).drain().for_each(|(_, seat)| seat.leave());
        lock(&self.agents).drain().for_each(|(_, agent)| agent.leave());
    }
}

/// The failure of a handle that is not known.
pub(super) fn unknown_handle() -> Failure {
    Failure::new(
        Exit::NotFound,
        "HANDLE_NOT_FOUND",
        "there is no such handle: start_game, join and be_agent give one, and wait_for_turn tells those of an agent's seats",
        "Ein solches Handle gibt es nicht: start_game, join und be_agent geben eines, wait_for_turn nennt die eines Agenten",
    )
}

fn full(limit: usize, en: &str, de: &str) -> Failure {
    Failure::new(
        Exit::Refused,
        "FULL",
        format!("{limit} {en} are connected from here already: finish some first"),
        format!("Von hier sind schon {limit} {de} verbunden: Bring erst einige zu Ende"),
    )
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
