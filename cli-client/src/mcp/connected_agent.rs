//! An agent that is connected in the background, and the seats that it has been given.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use parlor_cli::seat_report::SeatStatus;
use parlor_sdk::{AgentEvent, AgentKey, AgentRunner, AgentSettings, Client, Error, FinishedTable, Seat};
use rmcp::schemars::{self, JsonSchema};
use serde::Serialize;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::connected_seat::{ConnectedSeat, report_failure, wants};
use super::handles::{AgentRecord, Handles, SeatRecord};
use super::tool_error::ToolError;
use crate::errors::Failure;
use crate::exit::Exit;

/// Time for the first connection.
const CONNECT_TIME: Duration = Duration::from_secs(20);
/// Maximum number of seats that are kept after their tables have ended.
const MAX_ENDED: usize = 64;

/// State of an agent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub(super) struct AgentReport {
    /// Handle of the agent.
    pub(super) agent_handle: String,
    /// Name of the agent.
    pub(super) name: String,
    /// Number of tables that it plays at now.
    pub(super) tables_now: usize,
    /// Number of its tables that are over since it was connected.
    pub(super) tables_over: usize,
    /// Handles of the seats that it plays now.
    pub(super) seat_handles: Vec<String>,
}

/// A connected agent.
pub(super) struct ConnectedAgent {
    record: AgentRecord,
    handles: Handles,
    state: Mutex<AgentState>,
    /// Changes with each seat that is given, and with each change of one.
    changed: watch::Sender<u64>,
    task: Mutex<Option<AbortHandle>>,
}

#[derive(Default)]
struct AgentState {
    is_connected: bool,
    failure: Option<Error>,
    /// Seats that are played, in the order in which they were given.
    seats: Vec<Arc<ConnectedSeat>>,
    /// Seats whose tables ended last, for repeated answers.
    ended: VecDeque<Arc<ConnectedSeat>>,
    tables_over: usize,
}

impl ConnectedAgent {
    /// Starts an agent in the background.
    pub(super) fn start(
        record: &AgentRecord,
        key: Option<AgentKey>,
        client: &Client,
        handles: &Handles,
    ) -> Result<Arc<ConnectedAgent>, Error> {
        let connected = Arc::new(ConnectedAgent {
            record: record.clone(),
            handles: handles.clone(),
            state: Mutex::default(),
            changed: watch::Sender::new(0),
            task: Mutex::default(),
        });
        let mut settings = AgentSettings::new(&record.name)
            .version(&record.version)
            .games(&record.games)
            .max_tables(record.tables)
            .wants(wants(record.lang()));
        if let Some(key) = key {
            settings = settings.key(key);
        }
        let plays = Arc::clone(&connected);
        let agent = client.start_agent_seats(settings, move |seat| Arc::clone(&plays).play(seat))?;
        let task = tokio::spawn(Arc::clone(&connected).run(agent));
        *connected.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(task.abort_handle());
        Ok(connected)
    }

    async fn run(self: Arc<ConnectedAgent>, mut agent: AgentRunner) {
        loop {
            let event = agent.next().await;
            {
                let mut state = self.state();
                match event {
                    Ok(Some(AgentEvent::Connected(_))) => state.is_connected = true,
                    Ok(Some(_)) => continue,
                    Ok(None) => return,
                    Err(error) => state.failure = Some(error),
                }
            }
            self.notify();
            if self.failure().is_some() {
                return;
            }
        }
    }

    /// Plays a seat that was given: follows it while its decisions are answered elsewhere.
    async fn play(self: Arc<ConnectedAgent>, seat: Seat) -> Result<FinishedTable, Error> {
        let record = match self.seat_record(&seat) {
            Ok(record) => record,
            Err(failure) => {
                // Its clock plays it: without a record, no handle would outlive this program.
                report_failure(&failure, self.record.lang());
                std::future::pending().await
            }
        };
        let connected = ConnectedSeat::new(&record, seat.table(), &self.handles);
        self.state().seats.push(Arc::clone(&connected));
        self.notify();
        let mut changes = connected.changes();
        let following = connected.follow(seat);
        let notifying = async {
            while changes.changed().await.is_ok() {
                self.notify();
            }
        };
        let finished = tokio::select! {
            finished = following => finished,
            () = notifying => std::future::pending().await,
        };
        {
            let mut state = self.state();
            state.seats.retain(|seat| seat.handle() != connected.handle());
            state.tables_over += 1;
            if state.ended.len() == MAX_ENDED {
                state.ended.pop_front();
            }
            state.ended.push_back(connected);
        }
        self.notify();
        finished
    }

    /// The known record of a seat, or a new one.
    fn seat_record(&self, seat: &Seat) -> Result<SeatRecord, Failure> {
        let (agent, table, number) = (&self.record.handle, seat.table_id(), seat.number());
        if let Some(record) = self.handles.agent_seat(agent, table, number)? {
            return Ok(record);
        }
        let server = self.handles.server();
        let record = SeatRecord::new(server, table, number, self.record.lang(), None, Some(agent))?;
        self.handles.keep_seat(record.clone())?;
        Ok(record)
    }

    /// The agent as it was asked for.
    pub(super) fn record(&self) -> &AgentRecord {
        &self.record
    }

    /// True if the agent was started with the same settings.
    pub(super) fn is_the_same(&self, record: &AgentRecord) -> bool {
        let settings = |of: &AgentRecord| (of.version.clone(), of.games.clone(), of.tables, of.german);
        settings(&self.record) == settings(record)
    }

    /// Waits until the agent is connected for the first time.
    pub(super) async fn connected(&self) -> Result<(), ToolError> {
        let mut changes = self.changed.subscribe();
        let connecting = async {
            loop {
                {
                    let state = self.state();
                    if let Some(error) = &state.failure {
                        return Err(error.clone().into());
                    }
                    if state.is_connected {
                        return Ok(());
                    }
                }
                // The sender lives in the agent.
                let _ = changes.changed().await;
            }
        };
        tokio::time::timeout(CONNECT_TIME, connecting).await.unwrap_or_else(|_| {
            Err(Failure::new(
                Exit::Unavailable,
                "UNREACHABLE",
                "the server does not answer: call the tool again",
                "Der Server antwortet nicht: Rufe das Werkzeug noch einmal auf",
            )
            .into())
        })
    }

    /// The seat with a handle, if the agent has it or had it.
    pub(super) fn seat(&self, handle: &str) -> Option<Arc<ConnectedSeat>> {
        let state = self.state();
        state.seats.iter().chain(&state.ended).find(|seat| seat.handle() == handle).cloned()
    }

    /// The seat with a handle, once the agent has been given it.
    pub(super) async fn wait_for_seat(&self, handle: &str, time: Duration) -> Option<Arc<ConnectedSeat>> {
        let mut changes = self.changed.subscribe();
        let given = async {
            loop {
                let found = self.seat(handle);
                if found.is_some() || self.failure().is_some() {
                    return found;
                }
                let _ = changes.changed().await;
            }
        };
        tokio::time::timeout(time, given).await.unwrap_or(None)
    }

    /// Waits until a seat has to decide: the one that was given first. `None` if none has to by then.
    pub(super) async fn wait_for_turn(&self, time: Duration) -> Option<Arc<ConnectedSeat>> {
        let mut changes = self.changed.subscribe();
        let turn = async {
            loop {
                let seats = self.state().seats.clone();
                let asked = seats.into_iter().find(|seat| seat.status() == SeatStatus::YourTurn);
                if asked.is_some() || self.failure().is_some() {
                    return asked;
                }
                let _ = changes.changed().await;
            }
        };
        tokio::time::timeout(time, turn).await.unwrap_or(None)
    }

    /// The permanent error of the agent.
    pub(super) fn failure(&self) -> Option<Error> {
        self.state().failure.clone()
    }

    /// State of the agent.
    pub(super) fn report(&self) -> AgentReport {
        let state = self.state();
        AgentReport {
            agent_handle: self.record.handle.clone(),
            name: self.record.name.clone(),
            tables_now: state.seats.len(),
            tables_over: state.tables_over,
            seat_handles: state.seats.iter().map(|seat| seat.handle().to_owned()).collect(),
        }
    }

    /// The seats that are played now.
    pub(super) fn seats(&self) -> Vec<Arc<ConnectedSeat>> {
        self.state().seats.clone()
    }

    /// Leaves all tables: the seats stay the agent's.
    pub(super) fn leave(&self) {
        self.seats().iter().for_each(|seat| seat.leave());
        if let Some(task) = self.task.lock().unwrap_or_else(PoisonError::into_inner).take() {
            task.abort();
        }
    }

    fn notify(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    fn state(&self) -> MutexGuard<'_, AgentState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
