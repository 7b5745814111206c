//! Tournaments, with a server that is killed and agents that are cut off: what comes of them is what would have come of them.
//!
//! The same tournaments are played twice, with the same seeds and by agents whose choices follow from the position: once in
//! peace, and once with a server that is killed again and again and connections that are cut. Every standing, every table and
//! every move must be the same, and no table may be played twice or be missing.

mod account;
mod agents;
mod cups;

use std::path::Path;

use anyhow::{Context, Result, bail};
use parlor_sdk::{Client, wire};
use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

use crate::dial::{A_MOMENT, soon};
use crate::kills::pause;
use crate::process::{Process, Program};
use crate::proxy::Proxy;
use crate::world::generator;
use account::{Account, Difference};
use agents::Agents;
use cups::cups;

/// An agent that is cut off on purpose is not at fault.
const SETTINGS: [&str; 1] = ["agents.breaks=10000"];
/// How many sentences are printed about what differs.
const SENTENCES: usize = 10;
/// The last kill comes when so many of a hundred decisions are made, at the latest: it has to strike in the middle.
const LAST: usize = 85;

/// How the tournaments are played.
pub(crate) struct Tournaments {
    pub(crate) program: Program,
    pub(crate) seed: u64,
    pub(crate) kills: u32,
    pub(crate) cuts: u32,
    /// How many deals there are.
    pub(crate) size: u32,
}

/// What comes between the players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Trouble {
    Kill,
    Cut,
}

/// What came of one run.
struct Ran {
    account: Account,
    /// How many decisions the agents were asked for.
    asked: usize,
    /// How often they connected.
    connections: u64,
    /// How many decisions they had been asked for at each kill.
    kills: Vec<usize>,
    cuts: u32,
}

impl Tournaments {
    /// Plays the tournaments to their end, with these troubles on the way: each when the agents were asked for so many
    /// decisions.
    async fn run(&self, data: &Path, troubles: &[(usize, Trouble)], forgetful: bool) -> Result<Ran> {
        let mut rng = generator(self.seed, "troubles", 0);
        let proxy = Proxy::start(self.seed).await?;
        let agents = Agents::start(proxy.address, forgetful)?;
        let (mut server, mut address) = self.program.up(data, &SETTINGS).await?;
        proxy.set(Some(address));
        agents.until_here().await?;
        let tournaments = self.begin(&connect(address).await?).await?;
        let (mut kills, mut cuts) = (Vec::new(), 0);
        for (when, trouble) in troubles {
            agents.until_asked(*when).await?;
            pause(&mut rng, 10).await;
            match trouble {
                Trouble::Cut => {
                    cut(&proxy, &mut rng).await?;
                    cuts += 1;
                }
                Trouble::Kill => {
                    kills.push(agents.told().asked());
                    proxy.set(None);
                    server.kill().await?;
                    (server, address) = self.up_again(data, &mut rng).await?;
                    proxy.set(Some(address));
                }
            }
        }
        let client = connect(address).await?;
        until_over(&client, &agents, &tournaments).await?;
        let account = Account::of(&client, &tournaments).await?;
        let (asked, connections) = agents.told().counts();
        drop((client, agents));
        server.stop().await?;
        self.program.check_store(data).await?;
        Ok(Ran { account, asked, connections, kills, cuts })
    }

    async fn begin(&self, client: &Client) -> Result<Vec<String>> {
        let mut begun = Vec::new();
        for setup in cups(self.seed, self.size)? {
            let name = setup.name.clone();
            let made =
                client.create_tournament(setup).await.with_context(|| format!("{name}: creating it"))?;
            client
                .start_tournament(&made.tournament_id)
                .await
                .with_context(|| format!("{name}: starting it"))?;
            begun.push(made.tournament_id);
        }
        Ok(begun)
    }

    /// Starts the server again. Now and then it dies once more before it is up: while it reads its store.
    async fn up_again(&self, data: &Path, rng: &mut ChaCha8Rng) -> Result<(Process, std::net::SocketAddr)> {
        if rng.next_u32().is_multiple_of(5) {
            let server = self.program.start(data, &SETTINGS)?;
            pause(rng, 60).await;
            server.kill().await?;
        }
        self.program.up(data, &SETTINGS).await
    }

    /// When what happens, in a run with so many decisions.
    fn troubles(&self, asked: usize) -> Vec<(usize, Trouble)> {
        let mut rng = generator(self.seed, "moments", 0);
        let last = (asked * LAST / 100).max(1) as u64;
        let kills = std::iter::repeat_n(Trouble::Kill, self.kills as usize);
        let cuts = std::iter::repeat_n(Trouble::Cut, self.cuts as usize);
        let mut troubles: Vec<(usize, Trouble)> =
            kills.chain(cuts).map(|trouble| ((rng.next_u64() % last) as usize, trouble)).collect();
        troubles.sort_by_key(|(when, _)| *when);
        troubles
    }

    /// Plays in peace and then with troubles.
    async fn compare(&self, folder: &Path, forgetful: bool) -> Result<(Ran, Ran, Difference)> {
        let calm = self.run(&folder.join("calm"), &[], forgetful).await.context("in peace")?;
        if let Some(flaw) = calm.account.flaw() {
            bail!("in peace, {flaw}: the run shows nothing");
        }
        let troubled = self.run(&folder.join("troubled"), &self.troubles(calm.asked), forgetful).await?;
        let difference = calm.account.difference(&troubled.account);
        Ok((calm, troubled, difference))
    }
}

async fn connect(address: std::net::SocketAddr) -> Result<Client> {
    Ok(Client::builder(format!("http://{address}")).connect().await?)
}

/// Cuts the connection of an agent, as soon as one has any.
async fn cut(proxy: &Proxy, rng: &mut ChaCha8Rng) -> Result<()> {
    let cutting = async {
        while !proxy.cut(rng) {
            tokio::time::sleep(A_MOMENT).await;
        }
    };
    soon("an agent is connected", cutting).await
}

/// Waits until all tournaments are over. That takes as long as it takes, but something must happen in every minute.
async fn until_over(client: &Client, agents: &Agents, tournaments: &[String]) -> Result<()> {
    for id in tournaments {
        'playing: loop {
            let asked = agents.told().asked();
            let mut more = std::pin::pin!(agents.until_asked(asked + 1));
            loop {
                if client.tournament(id).await?.state() == wire::TournamentState::Finished {
                    break 'playing;
                }
                tokio::time::sleep(A_MOMENT).await;
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

/// The run in which nothing may differ.
pub(crate) async fn report(tournaments: &Tournaments, folder: &Path) -> Result<()> {
    let (calm, troubled, difference) = tournaments.compare(folder, false).await?;
    let Ran { account, asked, connections, kills, cuts } = troubled;
    let equal = difference.is_none();
    println!(
        "faults tournament kills={} cuts={cuts} tables={} equal={} lost={} doubled={} seed={}",
        kills.len(),
        account.tables(),
        u8::from(equal),
        difference.lost,
        difference.doubled,
        tournaments.seed
    );
    println!("  the agents connected {connections} times, and made {asked} decisions");
    for sentence in difference.sentences.iter().take(SENTENCES) {
        eprintln!("  {sentence}");
    }
    if !equal {
        bail!("the tournaments came out otherwise; without troubles there are {} decisions", calm.asked);
    }
    let too_late = kills.iter().filter(|asked| **asked >= calm.asked).count();
    // A few kills are a trial.
    if kills.len() >= 10 && too_late > 0 {
        bail!("{too_late} kills struck after the last decision: the run shows too little");
    }
    Ok(())
}

/// The run with agents that choose otherwise after they were cut off, which must be found out.
pub(crate) async fn report_control(tournaments: &Tournaments, folder: &Path) -> Result<()> {
    let (_, troubled, difference) = tournaments.compare(folder, true).await?;
    let caught = u8::from(!difference.is_none());
    println!(
        "faults tournament control kills={} cuts={} tables={} differences={} caught={caught}",
        troubled.kills.len(),
        troubled.cuts,
        troubled.account.tables(),
        difference.sentences.len(),
    );
    if caught == 0 {
        bail!("agents that play otherwise were not found out: the run can find nothing");
    }
    Ok(())
}
