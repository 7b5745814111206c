//! Two random agents in a separate process.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use futures_util::future::try_join_all;
use parlor_engine::below;
use parlor_sdk::{AgentEvent, AgentSettings, Choice, Client, Question};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

const NAMES: [&str; 2] = ["first", "second"];
/// Line printed by the process for each connected agent.
const CONNECTED: &str = "connected";

/// The process of the agents. Dropping it kills it.
pub(super) struct Agents(Child);

impl Agents {
    /// Starts the process and waits until all agents are connected.
    pub(super) fn start(address: &str, at_once: usize) -> Result<Agents> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["agents", address, "--at-once", &at_once.to_string()]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let lines = BufReader::new(child.stdout.take().context("its output")?).lines();
        let agents = Agents(child);
        let connected = lines.map_while(Result::ok).filter(|line| line == CONNECTED);
        if connected.take(NAMES.len()).count() < NAMES.len() {
            bail!("the agents ended before they were connected");
        }
        Ok(agents)
    }

    /// Names of the agents.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        NAMES.into_iter()
    }
}

impl Drop for Agents {
    fn drop(&mut self) {
        // The process may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Main function of the process: plays all assigned seats until it is killed.
pub(crate) async fn serve(address: &str, at_once: u32) -> Result<()> {
    try_join_all(NAMES.map(|name| play(name, address, at_once))).await?;
    Ok(())
}

async fn play(name: &str, address: &str, at_once: u32) -> Result<()> {
    let client = Client::connect(format!("http://{address}")).await?;
    let settings = AgentSettings::new(name).version("1").key("a secret of the bench").max_tables(at_once);
    let mut seeds = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut agent = client.start_agent(settings, move |_given| {
        let mut rng = Xoshiro256PlusPlus::from_rng(&mut seeds);
        move |question: &Question| {
            let count = u32::try_from(question.legal_count()).unwrap_or(u32::MAX);
            Choice::Index(below(count, &mut rng) as usize)
        }
    })?;
    while let Some(event) = agent.next().await? {
        if let AgentEvent::Connected(_) = event {
            println!("{CONNECTED}");
        }
    }
    bail!("{name} was stopped");
}
