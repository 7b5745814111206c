//! Benchmarks of the bots: playing strength, variance reduction by duplicate deals, and speed of the search.
//!
//! `cargo bench -p parlor-bots --bench strength [-- PART_OF_A_NAME ... [--deals N] [--search BOT]]`
//!
//! Strengths are compared on duplicate deals. The number of deals and the seed are fixed in advance; the bots
//! were tuned on other deals.

#[path = "../tests/duel/mod.rs"]
mod duel;

use std::time::Instant;

use duel::Duel;
use parlor_bots::HouseBot;
use parlor_engine::{AnyGame, Chance, GameId, NoEvents, Viewer};

const SEED: u64 = 2;

fn main() {
    let mut args = std::env::args().skip(1);
    let (mut filters, mut deals, mut search) = (Vec::new(), None, "search".to_owned());
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--bench" => {}
            "--deals" => deals = args.next().and_then(|number| number.parse().ok()),
            "--search" => search = args.next().unwrap_or(search),
            _ => filters.push(arg),
        }
    }
    let wanted = |name: &str| filters.iter().all(|filter| name.contains(filter.as_str()));
    for (a, b, usual) in [("greedy", "random", 400), (search.as_str(), "greedy", 100)] {
        for game in GameId::published() {
            for players in [2, 4] {
                let (short, _) = a.split_once(':').unwrap_or((a, ""));
                let name = format!("strength_{}_{short}_vs_{b}", game.info().id);
                let full = format!("{name} {players}p");
                if !wanted(&full) {
                    continue;
                }
                let [a, b] = [a, b].map(|name| HouseBot::by_name(name).expect("a bot of this name"));
                let deals = deals.unwrap_or(usual);
                let seed = SEED;
                let result = Duel { game, players, a, b, deals, seed }.run();
                println!(
                    "bench {name} {:.2} ± {:.2} (p = {:.1e}, {players} players, {deals} deals, {a})",
                    result.mean,
                    result.margin,
                    // Smaller values underflow.
                    result.p.max(1e-300)
                );
            }
        }
    }
    for (end, players, b) in [("", 2, "random"), ("_4p", 4, "random"), ("_equals", 2, "greedy")] {
        for game in GameId::published() {
            let name = format!("variance_{}{end}", game.info().id);
            if wanted(&name) {
                let [a, b] = ["greedy", b].map(|name| HouseBot::by_name(name).expect("a bot"));
                let deals = deals.unwrap_or(2000);
                let (saved, margin) = variance_reduction(&Duel { game, players, a, b, deals, seed: SEED });
                println!(
                    "bench {name} {saved:.2} ± {margin:.2} times fewer games with duplicate deals ({players} players, {a} against {b}, {deals} deals)"
                );
            }
        }
    }
    for game in GameId::published() {
        let name = format!("search_{}", game.info().id);
        if wanted(&name) {
            println!("bench {name} {:.0} iterations/s", search_speed(game));
        }
    }
}

/// Factor by which duplicate deals need fewer games than independent ones for an interval of the same width,
/// and half the width of its 95% confidence interval.
///
/// The mean of n independent games, with a random seat in each, has the variance v1 / n. On duplicate deals n
/// games are n / 2 deals, and the mean of their scores has the variance 2 v2 / n. Luck that changes sides
/// makes v2 small: the advantage of a seat's cards goes to both players in turn. Random choices of the
/// players remain, so the factor is smallest against `random` and largest between equal bots.
fn variance_reduction(duel: &Duel) -> (f64, f64) {
    /// Number of blocks of the delete-block jackknife.
    const PARTS: usize = 20;
    let ratio = |scores: &[[f64; 2]]| {
        let groups: Vec<f64> = scores.iter().map(|[first, second]| (first + second) / 2.0).collect();
        duel::moments(scores.as_flattened()).1 / (2.0 * duel::moments(&groups).1)
    };
    let scores = duel.scores();
    let without = |part: usize| {
        let kept = scores.iter().enumerate().filter(|(deal, _)| deal % PARTS != part);
        ratio(&kept.map(|(_, scores)| *scores).collect::<Vec<_>>())
    };
    let parts: Vec<f64> = (0..PARTS).map(without).collect();
    let count = PARTS as f64;
    let error = (duel::moments(&parts).1 * (count - 1.0).powi(2) / count).sqrt();
    (ratio(&scores), error * duel::quantile(0.025, count - 1.0))
}

/// Search iterations per second on one core, over the decisions of a game of four greedy bots.
#[expect(clippy::disallowed_methods, reason = "a bench measures time")]
fn search_speed(id: GameId) -> f64 {
    const ITERATIONS: u32 = 200;
    let search = HouseBot::by_name(&format!("search:{ITERATIONS}")).expect("a search");
    let greedy = HouseBot::by_name("greedy").expect("a bot");
    let version = id.info().rules_version;
    let chance = Chance::seeded([7; 32]);
    let mut game =
        AnyGame::new(version, id.default_options(), 4, chance, &mut NoEvents).expect("a game of four");
    let (mut iterations, mut seconds) = (0, 0.0);
    let mut seed = [0; 32];
    while let Some(seat) = game.to_act().first().filter(|_| seconds < 3.0) {
        let legal = game.legal_actions(seat);
        let view = game.view(Viewer::Seat(seat));
        // With a single legal action the bot does not search.
        if legal.len() > 1 {
            let start = Instant::now();
            search.decide(&view, &legal, seed).expect("an answer");
            seconds += start.elapsed().as_secs_f64();
            iterations += ITERATIONS;
        }
        let index = greedy.decide(&view, &legal, seed).expect("an answer");
        game.apply(seat, legal[index], &mut NoEvents).expect("a legal action");
        seed[0] = seed[0].wrapping_add(1);
    }
    f64::from(iterations) / seconds
}
