//! TournamentRun with kills and cut connections must have the same results as without.
//!
//! The same tournaments are played twice, with the same seeds and by agents whose choices depend on the
//! position alone: once without faults, and once with repeated kills of the server and cut connections. All
//! standings, tables and moves must be equal, and no table may be missing or played twice.

mod agents;
mod results;
mod setups;

use std::path::Path;

use anyhow::{Context, Result, bail};
use parlor_sdk::{Client, wire};
use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

use crate::kills::random_sleep;
use crate::process::{ServerProcess, ServerProgram};
use crate::proxy::Proxy;
use crate::run::rng_for;
use crate::server_address::{RETRY_DELAY, within_timeout};
use agents::Agents;
use results::{Difference, RunResults};
use setups::setups;

/// Agents that are cut off on purpose must not be suspended.
const SETTINGS: [&str; 1] = ["agents.breaks=10000"];
/// Maximum number of printed differences.
const MAX_PRINTED_DIFFERENCES: usize = 10;
/// Percentage of all decisions before which the last fault occurs, so that it strikes during play.
const LAST_FAULT_PERCENT: usize = 85;

/// Settings of a tournament run.
pub(crate) struct TournamentRun {
    pub(crate) program: ServerProgram,
    pub(crate) seed: u64,
    pub(crate) kills: u32,
    pub(crate) cuts: u32,
    /// Number of deals for each pair, round or match.
    pub(crate) size: u32,
}

/// An injected fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    Kill,
    Cut,
}

/// Outcome of one run.
struct RunOutcome {
    results: RunResults,
    /// Number of decisions of the agents.
    asked: usize,
    /// Number of connections of the agents.
    connections: u64,
    /// Number of decisions at each kill.
    kills: Vec<usize>,
    cuts: u32,
}

impl TournamentRun {
    /// Plays the tournaments to their end, with each fault at its number of decisions.
    async fn run(
        &self,
        data: &Path,
        faults: &[(usize, Fault)],
        nondeterministic: bool,
    ) -> Result<RunOutcome> {
        let mut rng = rng_for(self.seed, "troubles", 0);
        let proxy = Proxy::start(self.seed).await?;
        let agents = Agents::start(proxy.address, nondeterministic)?;
        let (mut server, mut address) = self.program.start_and_wait(data, &SETTINGS).await?;
        proxy.set(Some(address));
        agents.until_connected().await?;
        let tournaments = self.begin(&connect(address).await?).await?;
        let (mut kills, mut cuts) = (Vec::new(), 0);
        for (when, fault) in faults {
            agents.until_asked(*when).await?;
            random_sleep(&mut rng, 10).await;
            match fault {
                Fault::Cut => {
                    cut(&proxy, &mut rng).await?;
                    cuts += 1;
                }
                Fault::Kill => {
                    kills.push(agents.progress().asked());
                    proxy.set(None);
                    server.kill().await?;
                    (server, address) = self.restart(data, &mut rng).await?;
                    proxy.set(Some(address));
                }
            }
        }
        let client = connect(address).await?;
        until_over(&client, &agents, &tournaments).await?;
        let results = RunResults::read(&client, &tournaments).await?;
        let (asked, connections) = agents.progress().counts();
        drop((client, agents));
        server.stop().await?;
        self.program.check_store(data).await?;
        Ok(RunOutcome { results, asked, connections, kills, cuts })
    }

    async fn begin(&self, client: &Client) -> Result<Vec<String>> {
        let mut started = Vec::new();
        for setup in setups(self.seed, self.size) {
            let name = setup.name.clone();
            let made =
                client.create_tournament(setup).await.with_context(|| format!("{name}: creating it"))?;
            client
                .start_tournament(&made.tournament_id)
                .await
                .with_context(|| format!("{name}: starting it"))?;
            started.push(made.tournament_id);
        }
        Ok(started)
    }

    /// Restarts the server. One time in five it is killed once more before it is up, while it reads its
    /// store.
    async fn restart(
        &self,
        data: &Path,
        rng: &mut ChaCha8Rng,
    ) -> Result<(ServerProcess, std::net::SocketAddr)> {
        if rng.next_u32().is_multiple_of(5) {
            let server = self.program.start(data, &SETTINGS)?;
            random_sleep(rng, 60).await;
            server.kill().await?;
        }
        self.program.start_and_wait(data, &SETTINGS).await
    }

    /// Random schedule of the faults for a run with this number of decisions.
    fn fault_schedule(&self, asked: usize) -> Vec<(usize, Fault)> {
        let mut rng = rng_for(self.seed, "moments", 0);
        let last = (asked * LAST_FAULT_PERCENT / 100).max(1) as u64;
        let kills = std::iter::repeat_n(Fault::Kill, self.kills as usize);
        let cuts = std::iter::repeat_n(Fault::Cut, self.cuts as usize);
        let mut faults: Vec<(usize, Fault)> =
            kills.chain(cuts).map(|fault| ((rng.next_u64() % last) as usize, fault)).collect();
        faults.sort_by_key(|(when, _)| *when);
        faults
    }

    /// Plays without and then with faults.
    async fn compare(
        &self,
        folder: &Path,
        nondeterministic: bool,
    ) -> Result<(RunOutcome, RunOutcome, Difference)> {
        let reference =
            self.run(&folder.join("calm"), &[], nondeterministic).await.context("without faults")?;
        if let Some(defect) = reference.results.defect() {
            bail!("without faults, {defect}: the run is not conclusive");
        }
        let faulty =
            self.run(&folder.join("faulty"), &self.fault_schedule(reference.asked), nondeterministic).await?;
        let difference = reference.results.difference(&faulty.results);
        Ok((reference, faulty, difference))
    }
}

async fn connect(address: std::net::SocketAddr) -> Result<Client> {
    Ok(Client::builder(format!("http://{address}")).connect().await?)
}

/// Cuts the connection of an agent, as soon as one is connected.
async fn cut(proxy: &Proxy, rng: &mut ChaCha8Rng) -> Result<()> {
    let cutting = async {
        while !proxy.cut(rng) {
            tokio::time::sleep(RETRY_DELAY).await;
        }
    };
    within_timeout("an agent is connected", cutting).await
}

/// Waits until all tournaments are over. Fails if no decision is made within
/// [`TIMEOUT`](crate::server_address::TIMEOUT).
async fn until_over(client: &Client, agents: &Agents, tournaments: &[String]) -> Result<()> {
    for id in tournaments {
        'playing: loop {
            let asked = agents.progress().asked();
            let mut more = std::pin::pin!(agents.until_asked(asked + 1));
            loop {
                if client.tournament(id).await?.state() == wire::TournamentState::Finished {
                    break 'playing;
                }
                tokio::time::sleep(RETRY_DELAY).await;
                tokio::select! {
                    biased;
                    asked = &mut more => break asked.context("a tournament goes on")?,
                    () = std::future::ready(()) => {}
                }
            }
        }
    }
    Ok(())
}

/// Runs with and without faults; the results must be equal.
pub(crate) async fn report(tournaments: &TournamentRun, folder: &Path) -> Result<()> {
    let (reference, faulty, difference) = tournaments.compare(folder, false).await?;
    let RunOutcome { results, asked, connections, kills, cuts } = faulty;
    let equal = difference.is_none();
    println!(
        "faults tournament kills={} cuts={cuts} tables={} equal={} lost={} doubled={} seed={}",
        kills.len(),
        results.tables(),
        u8::from(equal),
        difference.lost,
        difference.doubled,
        tournaments.seed
    );
    println!("  the agents connected {connections} times, and made {asked} decisions");
    for description in difference.descriptions.iter().take(MAX_PRINTED_DIFFERENCES) {
        eprintln!("  {description}");
    }
    if !equal {
        bail!("the results differ; without faults there are {} decisions", reference.asked);
    }
    let too_late = kills.iter().filter(|asked| **asked >= reference.asked).count();
    // A run with few kills is only a smoke test.
    if kills.len() >= 10 && too_late > 0 {
        bail!("{too_late} kills came after the last decision: the run is not conclusive");
    }
    Ok(())
}

/// Runs with agents that choose differently after a reconnect, which must be detected.
pub(crate) async fn report_control(tournaments: &TournamentRun, folder: &Path) -> Result<()> {
    let (_, faulty, difference) = tournaments.compare(folder, true).await?;
    let caught = u8::from(!difference.is_none());
    println!(
        "faults tournament control kills={} cuts={} tables={} differences={} caught={caught}",
        faulty.kills.len(),
        faulty.cuts,
        faulty.results.tables(),
        difference.descriptions.len(),
    );
    if caught == 0 {
        bail!("agents that play differently were not detected: the run cannot detect differences");
    }
    Ok(())
}
