//! Tournaments: how many games a second the server plays between two agents in a process of their own, over real sockets
//! and into a durable store, and what share of the server's time the rules alone and bare streaming alone would take.
//!
//! Nobody follows the tournament while it is measured: what following costs is bounded, at a fifth of a core.

mod agents;

use std::time::Duration;

use anyhow::{Context, Result};
use parlor_cli::load::{Process, now};
use parlor_engine::{Chance, Game, NoEvents, Seat, below, gap::Gap};
use parlor_sdk::{Client, options, wire};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Measuring;
use crate::figures::{Figures, print};
use crate::process::{Load, Server};
use crate::sizes;
use agents::Agents;
pub(crate) use agents::serve;

const GAME: &str = "gap";
/// How many tables an agent takes at once.
const AT_ONCE: usize = 200;
/// More deals than are played while it is measured.
const GROUPS: u32 = 20_000;
/// How long it is played, after the first game has ended, before it is measured.
const WARM_UP: Duration = Duration::from_secs(1);

/// How long the first game may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a tournament did while it was measured.
struct Played {
    games: f64,
    moves: f64,
    seconds: f64,
    /// What the server has computed.
    cpu: f64,
}

pub(crate) fn run(measuring: Measuring) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let sizes = {
        let data = tempfile::tempdir()?;
        let server = Server::hosted(data.path())?;
        runtime.block_on(sizes::weigh(&server.address, sizes::AGENT))?.packed()
    };
    // The same messages, over as many connections as there are agents.
    let streaming = Load {
        tables: AT_ONCE,
        connections: 2,
        stream_a_seat: true,
        seconds: measuring.seconds,
        rate: None,
        options: &[],
    };
    let (mut speed, mut per_cpu) = (Figures::default(), Figures::default());
    let (mut engine, mut stream, mut moves) = (Figures::default(), Figures::default(), Figures::default());
    for _ in 0..measuring.turns {
        let played = runtime.block_on(play(measuring.seconds))?;
        let bare = streaming.on_bare(&Server::bare(AT_ONCE, sizes, None)?, sizes)?;
        let cpu_of_a_game = played.cpu / played.games;
        let moves_of_a_game = played.moves / played.games;
        speed.add(played.games / played.seconds);
        per_cpu.add(played.games / played.cpu);
        moves.add(moves_of_a_game);
        engine.add(playout()? / cpu_of_a_game);
        stream.add(moves_of_a_game / bare.per_cpu_second / cpu_of_a_game);
    }
    speed.print("tournament_games_per_s", "games/s", 1);
    per_cpu.print("tournament_games_per_cpu_s", "games/cpu-s", 1);
    print("tournament_moves_per_game", moves.median(), "moves", 1);
    engine.print("tournament_engine_share", "of the server's CPU", 4);
    stream.print("tournament_stream_share", "of the server's CPU", 4);
    Ok(())
}

/// Plays a tournament for so long.
async fn play(seconds: u64) -> Result<Played> {
    let data = tempfile::tempdir()?;
    let server = Server::hosted(data.path())?;
    let agents = Agents::start(&server.address, AT_ONCE)?;
    let client = Client::connect(format!("http://{}", server.address)).await?;
    let entrants = agents.names().map(|name| wire::EntrantSetup {
        entrant: Some(wire::entrant_setup::Entrant::Agent(wire::AgentSeat {
            name: name.to_owned(),
            version: String::new(),
        })),
    });
    let setup = wire::TournamentSetup {
        options: Some(options::default_for(GAME)?),
        players: 2,
        entrants: entrants.collect(),
        format: Some(wire::tournament_setup::Format::RoundRobin(wire::RoundRobinFormat { groups: GROUPS })),
        ..Default::default()
    };
    let made = client.create_tournament(setup).await?;
    client.start_tournament(made.tournament_id).await?;
    // A counter is there with the first that is counted.
    let begun = now();
    while Counted::now(&server).is_err() && now() - begun < PATIENCE {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(WARM_UP).await;
    let before = Counted::now(&server)?;
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    let after = Counted::now(&server)?;
    anyhow::ensure!(after.games > before.games, "no game of the tournament ended");
    anyhow::ensure!(after.games < f64::from(2 * GROUPS), "the tournament ended while it was measured");
    Ok(Played {
        games: after.games - before.games,
        moves: after.moves - before.moves,
        seconds: (after.at - before.at).as_secs_f64(),
        cpu: (after.cpu - before.cpu).as_secs_f64(),
    })
}

/// What has been counted up to a moment.
struct Counted {
    games: f64,
    moves: f64,
    cpu: Duration,
    at: tokio::time::Instant,
}

impl Counted {
    fn now(server: &Server) -> Result<Counted> {
        let metrics = server.metrics()?;
        let counter = |name: &str| {
            let found = metrics.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
            found.with_context(|| format!("the metrics have no {name}"))
        };
        let process = Process::with_id(server.id()).context("the process of the server")?;
        Ok(Counted {
            games: counter("parlor_tournament_tables_total ")?,
            moves: counter("parlor_moves_total ")?,
            cpu: process.cpu()?,
            at: now(),
        })
    }
}

/// What a random game takes by the rules alone, in seconds of CPU.
fn playout() -> Result<f64> {
    const ENOUGH: Duration = Duration::from_secs(1);
    const AT_A_TIME: u32 = 100;
    let this = Process::with_id(std::process::id()).context("this process")?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut legal = Vec::new();
    let (begun, mut games) = (this.cpu()?, 0);
    loop {
        for _ in 0..AT_A_TIME {
            let chance = Chance::fresh(&mut rng);
            let mut game = Gap::new(Gap::INFO.rules_version, Default::default(), 2, chance, &mut NoEvents)?;
            while let Some(seat) = game.to_act().first() {
                game.legal_actions(seat, &mut legal);
                act(&mut game, seat, legal[below(legal.len() as u32, &mut rng) as usize])?;
            }
        }
        games += AT_A_TIME;
        let took = this.cpu()? - begun;
        if took >= ENOUGH {
            return Ok(took.as_secs_f64() / f64::from(games));
        }
    }
}

fn act<G: Game>(game: &mut G, seat: Seat, action: G::Action) -> Result<()> {
    game.apply(seat, action, &mut NoEvents).map_err(|refused| anyhow::anyhow!("{refused:?}"))
}
