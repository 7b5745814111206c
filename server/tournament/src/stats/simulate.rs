//! Scores by chance, for tests: what groups of games with luck look like.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// A generator for a test, from the seed of the test or the one in `PARLOR_TEST_SEED`.
pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    let seed = std::env::var("PARLOR_TEST_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(seed);
    println!("PARLOR_TEST_SEED={seed}");
    ChaCha8Rng::seed_from_u64(seed)
}

/// A number from 0 to 1, without its ends.
pub(crate) fn uniform(rng: &mut impl Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// A normal number of mean 0 and variance 1 (Box and Muller).
pub(crate) fn normal(rng: &mut impl Rng) -> f64 {
    let radius = (-2.0 * libm::log(uniform(rng))).sqrt();
    radius * libm::cos(2.0 * std::f64::consts::PI * uniform(rng))
}

/// What the scores of groups are like.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// Normal.
    Normal,
    /// Skewed: exponential.
    Skewed,
    /// Skewed the other way.
    SkewedDown,
    /// Whole points, most of the time none at all: like two bots that differ in one deal of ten.
    Discrete,
    /// A win or a loss.
    Coin,
    /// Heavy tails: Student's t with 5 degrees of freedom.
    Heavy,
    /// The difference of two seats in a game of whole points, where one of four is lost by a lot.
    Game,
}

impl Shape {
    pub(crate) const ALL: [Shape; 7] = [
        Shape::Normal,
        Shape::Skewed,
        Shape::SkewedDown,
        Shape::Discrete,
        Shape::Coin,
        Shape::Heavy,
        Shape::Game,
    ];

    /// The mean of what is drawn.
    pub(crate) fn mean(self) -> f64 {
        match self {
            Shape::Normal | Shape::Discrete | Shape::Coin | Shape::Heavy => 0.0,
            Shape::Skewed => 1.0,
            Shape::SkewedDown => -1.0,
            Shape::Game => 0.75 * 3.0 - 0.25 * 10.0,
        }
    }

    /// The standard deviation of what is drawn.
    pub(crate) fn spread(self) -> f64 {
        match self {
            Shape::Normal | Shape::Skewed | Shape::SkewedDown | Shape::Coin => 1.0,
            Shape::Discrete => 0.1f64.sqrt(),
            Shape::Heavy => (5.0 / 3.0f64).sqrt(),
            Shape::Game => (0.75 * 13.0 + 0.25 * (100.0 + 110.0 / 3.0) - 0.0625f64).sqrt(),
        }
    }

    /// One score.
    pub(crate) fn draw(self, rng: &mut impl Rng) -> f64 {
        match self {
            Shape::Normal => normal(rng),
            Shape::Skewed => -libm::log(uniform(rng)),
            Shape::SkewedDown => libm::log(uniform(rng)),
            Shape::Discrete => match uniform(rng) {
                u if u < 0.05 => -1.0,
                u if u < 0.10 => 1.0,
                _ => 0.0,
            },
            Shape::Coin if uniform(rng) < 0.5 => -1.0,
            Shape::Coin => 1.0,
            Shape::Heavy => {
                let squares: f64 = (0..5).map(|_| normal(rng)).map(|x| x * x).sum();
                normal(rng) / (squares / 5.0).sqrt()
            }
            // 0 to 6, or -20 to 0.
            Shape::Game if uniform(rng) < 0.75 => (uniform(rng) * 7.0).floor(),
            Shape::Game => (uniform(rng) * 21.0).floor() - 20.0,
        }
    }
}
