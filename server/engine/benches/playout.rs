//! How fast the engine plays: full random games on one core, the deal and the list of legal actions included.
//!
//! `cargo bench --bench playout` prints three lines a game, and takes the names of games to run only those:
//! - `bench playout_GAME N actions/s`, over all player counts, the same number of games each;
//! - `bench playout_GAME_vs_chacha R x`: actions played in the time of one ChaCha20 block. The two take turns of a
//!   millisecond, so that machines and their other work change this ratio less than they change N;
//! - `bench allocations_GAME N allocs/game`, once the first games have been played. More than none is a failure.
//!
//! N and R are medians over the turns: what else the machine does falls into few of them.
//!
//! `cargo test` plays a few games for the last line alone.

use std::env;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use parlor_engine::{Chance, Game, NoEvents, below};
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// How often games and ChaCha20 take turns, and how long a turn is at least.
const TURNS: usize = 1000;
const TURN: Duration = Duration::from_millis(1);

fn main() -> ExitCode {
    // Cargo says `--bench` when it benches, and nothing when it tests.
    let (flags, names): (Vec<_>, Vec<_>) = env::args().skip(1).partition(|arg| arg.starts_with('-'));
    let run = Run { timed: flags.iter().any(|flag| flag == "--bench"), names };
    macro_rules! each {
        ($($variant:ident: $module:ident::$game:ident),* $(,)?) => {
            [$(run.game::<parlor_engine::$module::$game>()),*]
        };
    }
    let all_well = parlor_engine::for_all_games!(each);
    if all_well.contains(&false) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

struct Run {
    timed: bool,
    names: Vec<String>,
}

impl Run {
    /// Measures one game, and says whether all is well.
    fn game<G: Game>(&self) -> bool {
        let id = G::INFO.id;
        if self.timed && !self.names.is_empty() && !self.names.iter().any(|name| name == id) {
            return true;
        }
        let mut player = RandomPlayer::<G>::new();
        player.play_each_count();
        if self.timed {
            let (actions, ratio) = speed(&mut player);
            println!("bench playout_{id} {actions:.0} actions/s");
            println!("bench playout_{id}_vs_chacha {ratio:.3} x");
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

/// Actions a second, and their ratio to ChaCha20 blocks a second.
fn speed<G: Game>(player: &mut RandomPlayer<G>) -> (f64, f64) {
    const BLOCKS: usize = 64;
    let mut chacha = ChaCha20Rng::from_seed([0; 32]);
    let mut stream = [0; 64 * BLOCKS];
    let turns = (0..TURNS).map(|_| {
        let actions = a_second(|| player.play_each_count());
        let blocks = a_second(|| {
            chacha.fill_bytes(black_box(&mut stream));
            BLOCKS as u64
        });
        (actions, actions / blocks)
    });
    let (actions, ratios) = turns.unzip();
    (median(actions), median(ratios))
}

/// How much of the work is done a second, by doing it for a turn.
#[expect(clippy::disallowed_methods, reason = "a bench measures the real time that work takes")]
fn a_second(mut work: impl FnMut() -> u64) -> f64 {
    let start = Instant::now();
    let mut done = 0;
    loop {
        done += work();
        let time = start.elapsed();
        if time >= TURN {
            return done as f64 / time.as_secs_f64();
        }
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Plays every seat by drawing from the list of legal actions.
struct RandomPlayer<G: Game> {
    rng: Xoshiro256PlusPlus,
    legal: Vec<G::Action>,
}

impl<G: Game> RandomPlayer<G> {
    fn new() -> RandomPlayer<G> {
        RandomPlayer { rng: Xoshiro256PlusPlus::seed_from_u64(0), legal: Vec::new() }
    }

    /// One game at each player count; gives the number of actions.
    fn play_each_count(&mut self) -> u64 {
        player_counts::<G>().map(|players| self.play(players)).sum()
    }

    fn play(&mut self, players: u8) -> u64 {
        let chance = Chance::fresh(&mut self.rng);
        let version = G::INFO.rules_version;
        let mut game = G::new(version, G::Options::default(), players, chance, &mut NoEvents)
            .expect("the default options suit every player count");
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
