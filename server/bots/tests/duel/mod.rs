//! Comparison of two bots on duplicate deals.
//!
//! A deal is played once with A on the even seats and B on the odd ones, and once the other way round: at a
//! table of even size these are all distinct rotations. The unit of statistics is the deal: its score is the
//! points of A's seats less those of B's seats, averaged over seats and rotations. The number of deals is
//! fixed in advance.

use std::sync::atomic::{AtomicU32, Ordering};

use parlor_bots::HouseBot;
use parlor_engine::{AnyGame, Chance, GameId, NoEvents, Seat, Viewer};

/// Settings of a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Duel {
    pub(crate) game: GameId,
    /// 2, 4 or 6.
    pub(crate) players: u8,
    pub(crate) a: HouseBot,
    pub(crate) b: HouseBot,
    pub(crate) deals: u32,
    pub(crate) seed: u64,
}

/// Lead of A over B, in points per game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    pub(crate) mean: f64,
    /// Half the width of the 95% confidence interval.
    pub(crate) margin: f64,
    /// One-sided p-value of Student's t-test against A being no better.
    pub(crate) p: f64,
}

impl Duel {
    /// Plays all deals on all cores. The result depends on the seed alone.
    pub(crate) fn run(&self) -> Comparison {
        let mean = |[first, second]: [f64; 2]| (first + second) / 2.0;
        compare(&self.scores().into_iter().map(mean).collect::<Vec<_>>())
    }

    /// Scores of A in both games of each deal.
    pub(crate) fn scores(&self) -> Vec<[f64; 2]> {
        let next = AtomicU32::new(0);
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let work = || {
            let mut scores = Vec::new();
            loop {
                let deal = next.fetch_add(1, Ordering::Relaxed);
                if deal >= self.deals {
                    return scores;
                }
                scores.push((deal, [0, 1].map(|rotation| self.play(deal, rotation))));
            }
        };
        let mut scores: Vec<(u32, [f64; 2])> = std::thread::scope(|scope| {
            let started: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            let joined = started.into_iter().map(|worker| worker.join().expect("no game fails"));
            joined.flatten().collect()
        });
        scores.sort_by_key(|(deal, _)| *deal);
        scores.into_iter().map(|(_, scores)| scores).collect()
    }

    /// One game of a deal: points of A's seats less those of B's.
    fn play(&self, deal: u32, rotation: u8) -> f64 {
        let version = self.game.info().rules_version;
        let options = self.game.default_options();
        let chance = Chance::seeded(self.seed_of(deal, &[0xff]));
        let mut game = AnyGame::new(version, options, self.players, chance, &mut NoEvents)
            .expect("the game has this size");
        let is_a = |seat: Seat| (seat.index() as u8 + rotation).is_multiple_of(2);
        let mut decisions = 0u16;
        while let Some(seat) = game.to_act().first() {
            let bot = if is_a(seat) { self.a } else { self.b };
            let [low, high] = decisions.to_le_bytes();
            let seed = self.seed_of(deal, &[rotation, low, high]);
            let legal = game.legal_actions(seat);
            let index =
                bot.decide(&game.view(Viewer::Seat(seat)), &legal, seed).expect("a bot answers in a game");
            game.apply(seat, legal[index], &mut NoEvents).expect("a bot answers with a legal action");
            decisions = decisions.wrapping_add(1);
        }
        let outcome = game.outcome().expect("a game without a seat to act is over");
        let points = outcome.standings().map(|standing| {
            let points = f64::from(standing.points);
            if is_a(standing.seat) { points } else { -points }
        });
        points.sum::<f64>() * 2.0 / f64::from(self.players)
    }

    /// Seed for one purpose in one deal.
    fn seed_of(&self, deal: u32, purpose: &[u8]) -> [u8; 32] {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&self.seed.to_le_bytes());
        seed[8..12].copy_from_slice(&deal.to_le_bytes());
        seed[12..12 + purpose.len()].copy_from_slice(purpose);
        seed
    }
}

/// Student's t-test on the scores of the deals.
pub(crate) fn compare(scores: &[f64]) -> Comparison {
    let count = scores.len() as f64;
    let (mean, variance) = moments(scores);
    let error = (variance / count).sqrt();
    let freedom = count - 1.0;
    let p = if error > 0.0 { tail(mean / error, freedom) } else { 0.5 };
    Comparison { mean, margin: error * quantile(0.025, freedom), p }
}

/// Mean and sample variance.
pub(crate) fn moments(scores: &[f64]) -> (f64, f64) {
    let count = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / count;
    (mean, scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / (count - 1.0))
}

/// Probability that Student's t with `freedom` degrees of freedom is above `t`. With `t = sqrt(freedom) *
/// tan(x)` its density is proportional to `cos(x)^(freedom - 1)`, which is integrated numerically.
pub(crate) fn tail(t: f64, freedom: f64) -> f64 {
    let density = |x: f64| x.cos().max(0.0).powf(freedom - 1.0);
    let half = std::f64::consts::FRAC_PI_2;
    let from = (t / freedom.sqrt()).atan();
    simpson(density, from, half) / simpson(density, -half, half)
}

/// The `t` above which Student's t lies with probability `p`, by bisection.
pub(crate) fn quantile(p: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1000.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if tail(middle, freedom) > p {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

fn simpson(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    const STEPS: u32 = 2000;
    let width = (to - from) / f64::from(STEPS);
    let weight = |step: u32| match step {
        0 | STEPS => 1.0,
        _ if step % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: f64 = (0..=STEPS).map(|step| weight(step) * f(from + width * f64::from(step))).sum();
    sum * width / 3.0
}
