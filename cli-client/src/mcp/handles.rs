//! Handles of seats and agents, kept in the data folder with what they stand for.

use std::sync::Arc;

use parlor_cli::seat_report::{Conduct, TableReport};
use parlor_engine::Lang;
use parlor_sdk::{AgentKey, SeatToken};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::context::Context;
use crate::data_folder::DataFolder;
use crate::errors::Failure;

/// The file of the data folder.
const FILE: &str = "mcp.json";
/// Maximum number of seats kept. The oldest are forgotten first, those of tables that are over before others.
const MAX_SEATS: usize = 400;
/// Maximum number of agents kept. The oldest are forgotten first.
const MAX_AGENTS: usize = 50;

/// A seat that a client holds.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct SeatRecord {
    /// The handle.
    pub(super) handle: String,
    /// URL of the server.
    pub(super) server: String,
    /// Id of the table.
    pub(super) table: String,
    /// Number of the seat.
    pub(super) seat: u32,
    /// Language of the texts.
    pub(super) german: bool,
    /// Seat token; none for a seat of an agent.
    token: Option<String>,
    /// Handle of the agent that has the seat.
    pub(super) agent: Option<String>,
    /// How the seat was played so far.
    #[serde(default)]
    pub(super) conduct: Conduct,
    /// Decision that the last strike was for, and the number of strikes there.
    #[serde(default)]
    pub(super) strikes_at: (u32, u32),
    /// Result, once the table is over.
    #[serde(default)]
    pub(super) result: Option<TableReport>,
}

impl SeatRecord {
    /// A seat with a new handle.
    pub(super) fn new(
        server: &str,
        table: &str,
        seat: u32,
        lang: Lang,
        token: Option<&SeatToken>,
        agent: Option<&str>,
    ) -> Result<SeatRecord, Failure> {
        Ok(SeatRecord {
            handle: new_handle("seat")?,
            server: server.to_owned(),
            table: table.to_owned(),
            seat,
            german: lang == Lang::De,
            token: token.map(|token| token.reveal().to_owned()),
            agent: agent.map(str::to_owned),
            conduct: Conduct::default(),
            strikes_at: (0, 0),
            result: None,
        })
    }

    /// The seat token; `None` for a seat of an agent.
    pub(super) fn token(&self) -> Option<SeatToken> {
        self.token.as_deref().map(SeatToken::new)
    }

    /// Language of the texts.
    pub(super) fn lang(&self) -> Lang {
        lang(self.german)
    }

    /// The result of a table that is over.
    pub(super) fn final_report(&self) -> Option<TableReport> {
        Some(TableReport { conduct: self.conduct, ..self.result.clone()? })
    }
}

/// An agent that a client runs.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct AgentRecord {
    /// The handle.
    pub(super) handle: String,
    /// URL of the server.
    pub(super) server: String,
    /// Name of the agent.
    pub(super) name: String,
    /// Version of the agent.
    pub(super) version: String,
    /// Ids of the games that it plays.
    pub(super) games: Vec<String>,
    /// Maximum number of tables at once.
    pub(super) tables: u32,
    /// Language of the texts.
    pub(super) german: bool,
}

impl AgentRecord {
    /// Language of the texts.
    pub(super) fn lang(&self) -> Lang {
        lang(self.german)
    }
}

fn lang(german: bool) -> Lang {
    if german { Lang::De } else { Lang::En }
}

/// Content of the file.
#[derive(Default, Serialize, Deserialize)]
struct HandleFile {
    seats: Vec<SeatRecord>,
    agents: Vec<AgentRecord>,
}

/// The handles of the user.
#[derive(Clone)]
pub(super) struct Handles {
    folder: DataFolder,
    server: Arc<str>,
}

impl Handles {
    /// Locates the handles.
    pub(super) fn locate(context: &Context) -> Result<Handles, Failure> {
        let server = context.settings.server.as_str().into();
        Ok(Handles { folder: DataFolder::locate(&context.environment)?, server })
    }

    /// URL of the server that new handles belong to.
    pub(super) fn server(&self) -> &str {
        &self.server
    }

    /// The seat with a handle.
    pub(super) fn seat(&self, handle: &str) -> Result<Option<SeatRecord>, Failure> {
        let seats = self.read()?.seats.into_iter();
        Ok(seats.rev().find(|seat| seat.handle == handle && *seat.server == *self.server))
    }

    /// The seat of an agent at a table.
    pub(super) fn agent_seat(
        &self,
        agent: &str,
        table: &str,
        seat: u32,
    ) -> Result<Option<SeatRecord>, Failure> {
        let is_at = |known: &SeatRecord| {
            known.agent.as_deref() == Some(agent) && known.table == table && known.seat == seat
        };
        Ok(self.read()?.seats.into_iter().rev().find(is_at))
    }

    /// All seats of an agent, the oldest first.
    pub(super) fn agent_seats(&self, agent: &str) -> Result<Vec<SeatRecord>, Failure> {
        let mut seats = self.read()?.seats;
        seats.retain(|seat| seat.agent.as_deref() == Some(agent));
        Ok(seats)
    }

    /// The agent with a handle.
    pub(super) fn agent(&self, handle: &str) -> Result<Option<AgentRecord>, Failure> {
        let agents = self.read()?.agents.into_iter();
        Ok(agents.rev().find(|agent| agent.handle == handle && *agent.server == *self.server))
    }

    /// Keeps a new seat.
    pub(super) fn keep_seat(&self, seat: SeatRecord) -> Result<(), Failure> {
        self.folder.update(FILE, |file: &mut HandleFile| {
            file.seats.push(seat);
            while file.seats.len() > MAX_SEATS {
                let oldest = file.seats.iter().position(|seat| seat.result.is_some()).unwrap_or(0);
                file.seats.remove(oldest);
            }
        })
    }

    /// Keeps an agent, and returns its handle: the known one if the same agent was kept before.
    pub(super) fn keep_agent(&self, mut agent: AgentRecord) -> Result<AgentRecord, Failure> {
        agent.handle = new_handle("agent")?;
        self.folder.update(FILE, |file: &mut HandleFile| {
            let is_same = |known: &AgentRecord| (&known.server, &known.name) == (&agent.server, &agent.name);
            if let Some(place) = file.agents.iter().position(is_same) {
                agent.handle = file.agents.remove(place).handle;
            }
            file.agents.push(agent.clone());
            let surplus = file.agents.len().saturating_sub(MAX_AGENTS);
            file.agents.drain(..surplus);
            agent
        })
    }

    /// Changes what is kept of a seat.
    pub(super) fn change_seat(
        &self,
        handle: &str,
        change: impl FnOnce(&mut SeatRecord),
    ) -> Result<(), Failure> {
        self.folder.update(FILE, |file: &mut HandleFile| {
            if let Some(seat) = file.seats.iter_mut().find(|seat| seat.handle == handle) {
                change(seat);
            }
        })
    }

    fn read(&self) -> Result<HandleFile, Failure> {
        Ok(self.folder.read(FILE)?.unwrap_or_default())
    }
}

/// A handle that nobody can guess: 128 random bits.
fn new_handle(kind: &str) -> Result<String, Failure> {
    let random = Sha256::digest(AgentKey::generate()?.reveal());
    let digits: String = random[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{kind}-{digits}"))
}
