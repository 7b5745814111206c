//! Tournaments: games per second between two agents in a separate process, over real sockets and with a
//! durable store, and the shares of the server's CPU time that the rules alone and bare streaming alone would
//! take.
//!
//! No client follows the tournament during the measurement: the cost of followers is bounded, at a fifth of a
//! core.

mod agents;

use std::time::Duration;

use anyhow::{Context, Result};
use parlor_cli::load::{Process, now};
use parlor_engine::{Chance, Game, NoEvents, Seat, below, gap::Gap};
use parlor_sdk::{Client, wire};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::Measurement;
use crate::message_sizes;
use crate::process::{Load, Server};
use crate::samples::{Samples, print};
use agents::Agents;
pub(crate) use agents::serve;

const GAME: &str = "gap";
/// Concurrent tables of an agent.
const TABLES_PER_AGENT: usize = 200;
/// Number of deals: more than are played during the measurement.
const GROUPS: u32 = 20_000;
/// Time between the end of the first game and the measurement.
const WARM_UP: Duration = Duration::from_secs(1);

/// Timeout of the first game.
const FIRST_GAME_TIMEOUT: Duration = Duration::from_secs(30);

/// Measurement of a tournament.
struct TournamentMeasurement {
    games: f64,
    moves: f64,
    seconds: f64,
    /// CPU time of the server in seconds.
    cpu: f64,
}

pub(crate) fn run(measurement: Measurement) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let sizes = {
        let data = tempfile::tempdir()?;
        let server = Server::hosted(data.path())?;
        runtime.block_on(message_sizes::measure(&server.address, message_sizes::AGENT))?.sizes_of_total()
    };
    // The same messages, over as many connections as there are agents.
    let streaming = Load {
        tables: TABLES_PER_AGENT,
        connections: 2,
        stream_per_seat: true,
        seconds: measurement.seconds,
        rate: None,
        options: &[],
    };
    let (mut speed, mut per_cpu) = (Samples::default(), Samples::default());
    let (mut engine, mut stream, mut moves) = (Samples::default(), Samples::default(), Samples::default());
    for _ in 0..measurement.turns {
        let played = runtime.block_on(play(measurement.seconds))?;
        let bare = streaming.on_bare(&Server::bare(TABLES_PER_AGENT, sizes, None)?, sizes)?;
        let cpu_of_a_game = played.cpu / played.games;
        let moves_of_a_game = played.moves / played.games;
        speed.add(played.games / played.seconds);
        per_cpu.add(played.games / played.cpu);
        moves.add(moves_of_a_game);
        engine.add(playout_cpu_seconds()? / cpu_of_a_game);
        stream.add(moves_of_a_game / bare.per_cpu_second / cpu_of_a_game);
    }
    speed.print("tournament_games_per_s", "games/s", 1);
    per_cpu.print("tournament_games_per_cpu_s", "games/cpu-s", 1);
    print("tournament_moves_per_game", moves.median(), "moves", 1);
    engine.print("tournament_engine_share", "of the server's CPU", 4);
    stream.print("tournament_stream_share", "of the server's CPU", 4);
    Ok(())
}

/// Plays a tournament and measures it for this time.
async fn play(seconds: u64) -> Result<TournamentMeasurement> {
    let data = tempfile::tempdir()?;
    let server = Server::hosted(data.path())?;
    let agents = Agents::start(&server.address, TABLES_PER_AGENT)?;
    let client = Client::connect(format!("http://{}", server.address)).await?;
    let entrants = agents.names().map(|name| wire::EntrantSetup {
        entrant: Some(wire::entrant_setup::Entrant::Agent(wire::AgentSeat {
            name: name.to_owned(),
            version: String::new(),
        })),
    });
    let setup = wire::TournamentSetup {
        game: GAME.to_owned(),
        players: 2,
        entrants: entrants.collect(),
        format: Some(wire::tournament_setup::Format::RoundRobin(wire::RoundRobinFormat { groups: GROUPS })),
        ..Default::default()
    };
    let made = client.create_tournament(setup).await?;
    client.start_tournament(made.tournament_id).await?;
    // A counter appears in the metrics with its first increment.
    let begun = now();
    while Counters::now(&server).is_err() && now() - begun < FIRST_GAME_TIMEOUT {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    tokio::time::sleep(WARM_UP).await;
    let before = Counters::now(&server)?;
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    let after = Counters::now(&server)?;
    anyhow::ensure!(after.games > before.games, "no game of the tournament ended");
    anyhow::ensure!(after.games < f64::from(2 * GROUPS), "the tournament ended while it was measured");
    Ok(TournamentMeasurement {
        games: after.games - before.games,
        moves: after.moves - before.moves,
        seconds: (after.at - before.at).as_secs_f64(),
        cpu: (after.cpu - before.cpu).as_secs_f64(),
    })
}

/// Counters at a point in time.
struct Counters {
    games: f64,
    moves: f64,
    cpu: Duration,
    at: tokio::time::Instant,
}

impl Counters {
    fn now(server: &Server) -> Result<Counters> {
        let metrics = server.metrics()?;
        let counter = |name: &str| {
            let found = metrics.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
            found.with_context(|| format!("the metrics have no {name}"))
        };
        let process = Process::with_id(server.id()).context("the process of the server")?;
        Ok(Counters {
            games: counter("parlor_tournament_tables_total ")?,
            moves: counter("parlor_moves_total ")?,
            cpu: process.cpu()?,
            at: now(),
        })
    }
}

/// CPU time in seconds of a random game by the rules alone.
fn playout_cpu_seconds() -> Result<f64> {
    const MIN_CPU_TIME: Duration = Duration::from_secs(1);
    const BATCH: u32 = 100;
    let this = Process::with_id(std::process::id()).context("this process")?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let mut legal = Vec::new();
    let (begun, mut games) = (this.cpu()?, 0);
    loop {
        for _ in 0..BATCH {
            let chance = Chance::fresh(&mut rng);
            let mut game = Gap::new(Gap::INFO.rules_version, Default::default(), 2, chance, &mut NoEvents)?;
            while let Some(seat) = game.to_act().first() {
                game.legal_actions(seat, &mut legal);
                act(&mut game, seat, legal[below(legal.len() as u32, &mut rng) as usize])?;
            }
        }
        games += BATCH;
        let took = this.cpu()? - begun;
        if took >= MIN_CPU_TIME {
            return Ok(took.as_secs_f64() / f64::from(games));
        }
    }
}

fn act<G: Game>(game: &mut G, seat: Seat, action: G::Action) -> Result<()> {
    game.apply(seat, action, &mut NoEvents).map_err(|refused| anyhow::anyhow!("{refused:?}"))
}
