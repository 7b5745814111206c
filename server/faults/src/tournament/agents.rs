//! The agents: what they choose follows from the position alone, so that they would choose the same again.

use std::collections::{BTreeSet, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Result, bail};
use parlor_bots::HouseBot;
use parlor_sdk::{AgentEvent, AgentRunner, AgentSettings, Bot, BotError, Choice, Client, Question, wire};
use rand_core::Rng;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::dial::soon;
use crate::world::generator;

/// Who they are; the first is greedy, and the others choose at random.
pub(super) const NAMES: [&str; 3] = ["ann", "bob", "cid"];
/// At how many tables each of them plays at once.
const TABLES: u32 = 6;

/// What has become of the agents so far.
#[derive(Default)]
pub(super) struct Told {
    /// What they were asked, each once: the table, the seat and the number of the decision.
    asked: HashSet<(String, u32, u32)>,
    /// Who is connected.
    here: BTreeSet<&'static str>,
    /// How often one of them has connected.
    connections: u64,
    /// What ended the play of one of them, or of its bot.
    trouble: Option<String>,
}

impl Told {
    /// How many decisions they were asked for.
    pub(super) fn asked(&self) -> usize {
        self.asked.len()
    }

    /// The same, and how often one of them has connected.
    pub(super) fn counts(&self) -> (usize, u64) {
        (self.asked.len(), self.connections)
    }
}

/// All agents, each over a connection of its own. They end when it is dropped.
pub(super) struct Agents {
    told: Arc<watch::Sender<Told>>,
    _tasks: JoinSet<()>,
}

impl Agents {
    /// They connect to where the server is said to be, and come back as often as it takes. Forgetful ones choose otherwise
    /// after that.
    pub(super) fn start(address: SocketAddr, forgetful: bool) -> Result<Agents> {
        let told = Arc::new(watch::Sender::new(Told::default()));
        let mut tasks = JoinSet::new();
        for name in NAMES {
            let bot = HouseBot::by_name(if name == NAMES[0] { "greedy" } else { "random" })?;
            let client = Client::builder(format!("http://{address}")).connect_lazy()?;
            let settings = AgentSettings::new(name).version("1").max_tables(TABLES);
            let settings = settings.key(format!("the secret of {name}, the agent"));
            let asked = told.clone();
            let make = move |_: &wire::SeatGiven| Steady { name, bot, forgetful, told: asked.clone() };
            tasks.spawn(serve(name, client.start_agent(settings, make)?, told.clone()));
        }
        Ok(Agents { told, _tasks: tasks })
    }

    pub(super) fn told(&self) -> watch::Ref<'_, Told> {
        self.told.borrow()
    }

    /// Waits until all are connected.
    pub(super) async fn until_here(&self) -> Result<()> {
        self.until("all agents are connected", |told| told.here.len() == NAMES.len()).await
    }

    /// Waits until they were asked for so many decisions. That takes as long as it takes, but something must happen in
    /// every minute.
    pub(super) async fn until_asked(&self, count: usize) -> Result<()> {
        loop {
            let so_far = self.told().asked();
            if so_far >= count {
                return Ok(());
            }
            self.until("the agents are asked", |told| told.asked() > so_far).await?;
        }
    }

    async fn until(&self, what: &str, mut holds: impl FnMut(&Told) -> bool) -> Result<()> {
        let mut told = self.told.subscribe();
        let told = soon(what, told.wait_for(|told| told.trouble.is_some() || holds(told))).await??;
        match &told.trouble {
            Some(trouble) => bail!("{trouble}"),
            None => Ok(()),
        }
    }
}

/// Lets an agent play for as long as the run lasts.
async fn serve(name: &'static str, mut agent: AgentRunner, told: Arc<watch::Sender<Told>>) {
    let trouble = loop {
        match agent.next().await {
            Ok(Some(AgentEvent::Connected(_))) => told.send_modify(|told| {
                told.connections += 1;
                told.here.insert(name);
            }),
            Ok(Some(AgentEvent::Disconnected { .. })) => {
                told.send_modify(|told| told.here.retain(|here| *here != name));
            }
            Ok(Some(AgentEvent::BotFailed { given, error })) => {
                break format!("{name} cannot play on at table {}: {error}", given.table_id);
            }
            Ok(Some(_)) => {}
            Ok(None) => break format!("{name} has stopped"),
            Err(error) => break format!("{name} was turned away: {error}"),
        }
    };
    told.send_modify(|told| told.trouble = told.trouble.take().or(Some(trouble)));
}

/// A bot without memory: its randomness is that of the seat and of the decision.
struct Steady {
    name: &'static str,
    bot: HouseBot,
    /// Whether its randomness is also that of the connections so far.
    forgetful: bool,
    told: Arc<watch::Sender<Told>>,
}

impl Bot for Steady {
    fn decide(&mut self, question: &Question) -> Result<Choice, BotError> {
        let decision = (question.table_id().to_owned(), question.seat(), question.id());
        let number = (question.seat() as usize) << 32 | question.id() as usize;
        let mut connections = 0;
        self.told.send_modify(|told| {
            told.asked.insert(decision);
            connections = told.connections;
        });
        let mut seed = [0; 32];
        let start = if self.forgetful { connections } else { 0 };
        generator(start, self.name, number).fill_bytes(&mut seed);
        Ok(self.bot.decide(question.engine_view()?, question.engine_actions()?, seed)?.into())
    }
}
