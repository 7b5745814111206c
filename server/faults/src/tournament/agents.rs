//! Deterministic agents: their choices depend on the position alone, so that a repeated run has the same
//! moves.

use std::collections::{BTreeSet, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Result, bail};
use parlor_bots::HouseBot;
use parlor_sdk::{AgentEvent, AgentRunner, AgentSettings, Bot, BotError, Choice, Client, Question, wire};
use rand_core::Rng;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::run::rng_for;
use crate::server_address::within_timeout;

/// Names of the agents; the first is greedy, the others choose at random.
pub(super) const NAMES: [&str; 3] = ["ann", "bob", "cid"];
/// Concurrent tables of each agent.
const TABLES_PER_AGENT: u32 = 6;

/// Progress of the agents.
#[derive(Default)]
pub(super) struct AgentProgress {
    /// Distinct decisions: table, seat and decision id.
    asked: HashSet<(String, u32, u32)>,
    /// Connected agents.
    connected: BTreeSet<&'static str>,
    /// Total number of connections.
    connections: u64,
    /// Error that ended the play of an agent.
    error: Option<String>,
}

impl AgentProgress {
    /// Number of decisions.
    pub(super) fn asked(&self) -> usize {
        self.asked.len()
    }

    /// Numbers of decisions and of connections.
    pub(super) fn counts(&self) -> (usize, u64) {
        (self.asked.len(), self.connections)
    }
}

/// All agents, each over its own connection. Dropping it ends them.
pub(super) struct Agents {
    progress: Arc<watch::Sender<AgentProgress>>,
    _tasks: JoinSet<()>,
}

impl Agents {
    /// Starts agents that connect to this address and reconnect as often as needed. Nondeterministic ones
    /// choose differently after a reconnect.
    pub(super) fn start(address: SocketAddr, nondeterministic: bool) -> Result<Agents> {
        let progress = Arc::new(watch::Sender::new(AgentProgress::default()));
        let mut tasks = JoinSet::new();
        for name in NAMES {
            let bot = HouseBot::by_name(if name == NAMES[0] { "greedy" } else { "random" })?;
            let client = Client::builder(format!("http://{address}")).connect_lazy()?;
            let settings = AgentSettings::new(name).version("1").max_tables(TABLES_PER_AGENT);
            let settings = settings.key(format!("the secret of {name}, the agent"));
            let asked = progress.clone();
            let make = move |_: &wire::SeatGiven| DeterministicBot {
                name,
                bot,
                nondeterministic,
                progress: asked.clone(),
            };
            tasks.spawn(serve(name, client.start_agent(settings, make)?, progress.clone()));
        }
        Ok(Agents { progress, _tasks: tasks })
    }

    pub(super) fn progress(&self) -> watch::Ref<'_, AgentProgress> {
        self.progress.borrow()
    }

    /// Waits until all agents are connected.
    pub(super) async fn until_connected(&self) -> Result<()> {
        self.until("all agents are connected", |progress| progress.connected.len() == NAMES.len()).await
    }

    /// Waits until the agents were asked for `count` decisions. Fails if there is no decision within the
    /// timeout.
    pub(super) async fn until_asked(&self, count: usize) -> Result<()> {
        loop {
            let so_far = self.progress().asked();
            if so_far >= count {
                return Ok(());
            }
            self.until("the agents are asked", |progress| progress.asked() > so_far).await?;
        }
    }

    async fn until(&self, what: &str, mut holds: impl FnMut(&AgentProgress) -> bool) -> Result<()> {
        let mut progress = self.progress.subscribe();
        let progress =
            within_timeout(what, progress.wait_for(|progress| progress.error.is_some() || holds(progress)))
                .await??;
        match &progress.error {
            Some(error) => bail!("{error}"),
            None => Ok(()),
        }
    }
}

/// Serves an agent until the end of the run.
async fn serve(name: &'static str, mut agent: AgentRunner, progress: Arc<watch::Sender<AgentProgress>>) {
    let error = loop {
        match agent.next().await {
            Ok(Some(AgentEvent::Connected(_))) => progress.send_modify(|progress| {
                progress.connections += 1;
                progress.connected.insert(name);
            }),
            Ok(Some(AgentEvent::Disconnected { .. })) => {
                progress.send_modify(|progress| progress.connected.retain(|connected| *connected != name));
            }
            Ok(Some(AgentEvent::BotFailed { given, error })) => {
                break format!("{name} cannot play on at table {}: {error}", given.table_id);
            }
            Ok(Some(_)) => {}
            Ok(None) => break format!("{name} has stopped"),
            Err(error) => break format!("{name} was turned away: {error}"),
        }
    };
    progress.send_modify(|progress| progress.error = progress.error.take().or(Some(error)));
}

/// A bot without memory: its randomness depends on the agent, the seat and the decision.
struct DeterministicBot {
    name: &'static str,
    bot: HouseBot,
    /// The randomness depends on the number of connections, too.
    nondeterministic: bool,
    progress: Arc<watch::Sender<AgentProgress>>,
}

impl Bot for DeterministicBot {
    fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        let decision = (question.table_id().to_owned(), question.seat(), question.id());
        let number = (question.seat() as usize) << 32 | question.id() as usize;
        let mut connections = 0;
        self.progress.send_modify(|progress| {
            progress.asked.insert(decision);
            connections = progress.connections;
        });
        let mut seed = [0; 32];
        let start = if self.nondeterministic { connections } else { 0 };
        rng_for(start, self.name, number).fill_bytes(&mut seed);
        Ok(self.bot.decide(question.engine_view()?, question.engine_actions()?, seed)?.into())
    }
}
