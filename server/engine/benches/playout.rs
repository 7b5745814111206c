//! Playout throughput: full random games on one core, including the deal and the lists of legal actions.
//!
//! `cargo bench --bench playout [GAME...]` prints three lines for each game:
//! - `bench playout_GAME N actions/s`, over all player counts, with the same number of games each;
//! - `bench playout_GAME_vs_chacha R x`: actions played in the time of one ChaCha20 block. The two alternate
//!   every millisecond, so that R depends less than N on the machine and its load;
//! - `bench allocations_GAME N allocs/game`, excluding set-up. Any allocation is a failure.
//!
//! N and R are medians over the time slices, so that short disturbances do not matter.
//!
//! `cargo test` plays a few games for the last line only.

use std::env;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use parlor_engine::{Chance, Game, NoEvents, below};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The total time for which a game is measured.
const TOTAL_TIME: Duration = Duration::from_secs(2);
/// The time slice after which the game and ChaCha20 alternate.
const TIME_SLICE: Duration = Duration::from_millis(1);

fn main() -> ExitCode {
    // Cargo passes `--bench` for benchmarks, and nothing for tests.
    let (flags, names): (Vec<_>, Vec<_>) = env::args().skip(1).partition(|arg| arg.starts_with('-'));
    let run = Run { timed: flags.iter().any(|flag| flag == "--bench"), names };
    macro_rules! each {
        ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {
            [$(run.measure::<parlor_engine::$module::$game>()),*]
        };
    }
    let results = parlor_engine::for_all_games!(each);
    if results.contains(&false) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

struct Run {
    timed: bool,
    names: Vec<String>,
}

impl Run {
    /// Measures one game; returns false if it allocates.
    fn measure<G: Game>(&self) -> bool {
        let id = G::INFO.id;
        if self.timed && !self.names.is_empty() && !self.names.iter().any(|name| name == id) {
            return true;
        }
        let mut player = RandomPlayer::<G>::new();
        if self.timed {
            let (actions, ratio) = measure_speed(&mut player);
            println!("bench playout_{id} {actions:.0} actions/s");
            println!("bench playout_{id}_vs_chacha {ratio:.4} x");
        }
        const PASSES: u64 = 100;
        let allocations = allocation_counter::measure(|| {
            for _ in 0..PASSES {
                player.play_each_count();
            }
        });
        let games = PASSES * player_counts::<G>().count() as u64;
        let per_game = allocations.count_total as f64 / games as f64;
        println!("bench allocations_{id} {per_game} allocs/game");
        allocations.count_total == 0
    }
}

fn player_counts<G: Game>() -> impl Iterator<Item = u8> {
    G::INFO.min_players..=G::INFO.max_players
}

/// Actions per second, and their ratio to ChaCha20 blocks per second.
fn measure_speed<G: Game>(player: &mut RandomPlayer<G>) -> (f64, f64) {
    const BLOCKS: usize = 64;
    let mut chacha = ChaCha20Rng::from_seed([0; 32]);
    let mut stream = [0; 64 * BLOCKS];
    let (mut speeds, mut ratios) = (Vec::new(), Vec::new());
    let mut time = Duration::ZERO;
    while time < TOTAL_TIME {
        let (actions, playing) = run_time_slice(|| player.play_each_count());
        let (blocks, enciphering) = run_time_slice(|| {
            chacha.fill_bytes(black_box(&mut stream));
            BLOCKS as u64
        });
        time += playing + enciphering;
        let actions = actions as f64 / playing.as_secs_f64();
        let blocks = blocks as f64 / enciphering.as_secs_f64();
        speeds.push(actions);
        ratios.push(actions / blocks);
    }
    (median(speeds), median(ratios))
}

/// Repeats the work for one time slice; returns the amount of work and the time it took.
#[expect(clippy::disallowed_methods, reason = "a bench measures the real time that work takes")]
fn run_time_slice(mut work: impl FnMut() -> u64) -> (u64, Duration) {
    let start = Instant::now();
    let mut done = 0;
    loop {
        done += work();
        let time = start.elapsed();
        if time >= TIME_SLICE {
            return (done, time);
        }
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Plays every seat with uniformly chosen legal actions.
struct RandomPlayer<G: Game> {
    rng: Xoshiro256PlusPlus,
    legal: Vec<G::Action>,
}

impl<G: Game> RandomPlayer<G> {
    fn new() -> RandomPlayer<G> {
        // Capacity for every list, so that only the game's own allocations are counted.
        RandomPlayer { rng: Xoshiro256PlusPlus::seed_from_u64(0), legal: Vec::with_capacity(1 << 14) }
    }

    /// Plays one game at each player count; returns the number of actions.
    fn play_each_count(&mut self) -> u64 {
        player_counts::<G>().map(|players| self.play(players)).sum()
    }

    fn play(&mut self, players: u8) -> u64 {
        let chance = Chance::fresh(&mut self.rng);
        let version = G::INFO.rules_version;
        let mut game = G::new(version, G::Options::default(), players, chance, &mut NoEvents)
            .expect("the default options are valid for every player count");
        let mut actions = 0;
        while let Some(seat) = game.to_act().first() {
            game.legal_actions(seat, &mut self.legal);
            let choice = below(self.legal.len() as u32, &mut self.rng);
            game.apply(seat, self.legal[choice as usize], &mut NoEvents).expect("a listed action is legal");
            actions += 1;
        }
        black_box(game.outcome());
        actions
    }
}
