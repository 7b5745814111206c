//! Speed of games in one process: full games between random bots on one core, views and lists of legal
//! actions included.
//!
//! `cargo bench -p parlor-sdk --bench local --features local` prints `bench local_GAME N decisions/s` for
//! each game, over all player counts, with the same number of games each; arguments select games. N is the
//! median over rounds, so that other load on the machine affects only a few of them.
//!
//! `cargo test` plays a few games.

use std::env;
use std::time::{Duration, Instant};

use parlor_engine::{GameId, below};
use parlor_sdk::local::LocalGame;
use parlor_sdk::{Bot, Choice, Question};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

/// Time to measure each game for, and minimum length of one round.
const MEASURE_TIME: Duration = Duration::from_secs(2);
const MIN_ROUND_TIME: Duration = Duration::from_millis(20);

fn main() {
    // Cargo passes `--bench` for a benchmark, and nothing for a test.
    let (flags, names): (Vec<_>, Vec<_>) = env::args().skip(1).partition(|arg| arg.starts_with('-'));
    let timed = flags.iter().any(|flag| flag == "--bench");
    for game in GameId::published() {
        let id = game.info().id;
        if timed && !names.is_empty() && !names.iter().any(|name| name == id) {
            continue;
        }
        let mut seed = 0;
        let mut play = || play_each_count(game, &mut seed);
        if timed {
            println!("bench local_{id} {:.0} decisions/s", decisions_per_second(play));
        } else {
            println!("local_{id}: {} decisions", play());
        }
    }
}

/// Median decisions per second.
fn decisions_per_second(mut play: impl FnMut() -> u64) -> f64 {
    let mut speeds = Vec::new();
    let mut time = Duration::ZERO;
    while time < MEASURE_TIME {
        let (decisions, playing) = play_round(&mut play);
        time += playing;
        speeds.push(decisions as f64 / playing.as_secs_f64());
    }
    speeds.sort_by(f64::total_cmp);
    speeds[speeds.len() / 2]
}

/// Plays one round; returns the number of decisions and the time taken.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures real time")]
fn play_round(mut play: impl FnMut() -> u64) -> (u64, Duration) {
    let start = Instant::now();
    let mut done = 0;
    loop {
        done += play();
        let time = start.elapsed();
        if time >= MIN_ROUND_TIME {
            return (done, time);
        }
    }
}

/// Plays one game at each player count; returns the number of decisions.
fn play_each_count(game: GameId, seed: &mut u64) -> u64 {
    let info = game.info();
    let mut decisions = 0;
    for players in info.min_players..=info.max_players {
        *seed += 1;
        let mut rng = ChaCha8Rng::seed_from_u64(*seed);
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let mut bots: Vec<_> = (0..players).map(|_| random_bot(&mut rng)).collect();
        let mut seats: Vec<&mut dyn Bot> = bots.iter_mut().map(|bot| bot as &mut dyn Bot).collect();
        let game = LocalGame::with_options(game.default_options()).seed(bytes);
        decisions += game.play(&mut seats).expect("a random choice is legal").decisions;
    }
    decisions
}

/// A bot that plays uniformly at random.
fn random_bot(seeds: &mut ChaCha8Rng) -> impl Bot + use<> {
    let mut rng = ChaCha8Rng::from_rng(seeds);
    move |question: &Question| Choice::Index(below(question.legal_count() as u32, &mut rng) as usize)
}
