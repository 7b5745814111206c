//! Scores by chance, for tests: what groups of games with luck look like.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use crate::played::{Entrant, Finish, Group, SeatScore, TableScore};

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

/// A geometric number, 1 or more: 4.5 on average.
fn many(rng: &mut impl Rng) -> f64 {
    1.0 + (-4.0 * libm::log(uniform(rng))).floor()
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
    /// Whole points, none at all in nine deals of ten and many in a few: two bots that play alike but for some hands, as
    /// two greedy ones in Flush.
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
            // A tenth of the mean square of a geometric number, (2 - p) / p², p being the chance to stop.
            Shape::Discrete => {
                let p = -libm::expm1(-0.25);
                (0.1 * (2.0 - p) / (p * p)).sqrt()
            }
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
                u if u < 0.05 => -many(rng),
                u if u < 0.10 => many(rng),
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

/// How the entrants of a simulated tournament play.
pub(crate) struct Field {
    /// The points that each makes more than the average, a game.
    pub(crate) skills: Vec<f64>,
    /// How many sit at a table, and so the rotations of a deal.
    pub(crate) players: usize,
    /// The spread of what the hand of a seat is worth, the same in all rotations of a deal.
    pub(crate) hands: f64,
    /// The spread of what else chance adds in each game.
    pub(crate) games: f64,
    /// The points that the first entrant makes more in later rotations: it remembers.
    pub(crate) memory: f64,
}

impl Field {
    /// A group of entrants by chance, seated by chance.
    pub(crate) fn group(&self, number: u32, rng: &mut impl Rng) -> Group {
        let mut lineup: Vec<u16> = (0..self.skills.len() as u16).collect();
        for at in 0..self.players {
            let other = at + (uniform(rng) * (lineup.len() - at) as f64) as usize;
            lineup.swap(at, other);
        }
        lineup.truncate(self.players);
        // The first seat is worth something in every deal.
        let hands: Vec<f64> = (0..self.players)
            .map(|seat| self.hands * normal(rng) + if seat == 0 { 2.0 } else { 0.0 })
            .collect();
        let tables = (0..self.players).map(|rotation| self.table(rotation, &lineup, &hands, rng)).collect();
        Group { number, round: 0, tables }
    }

    fn table(&self, rotation: usize, lineup: &[u16], hands: &[f64], rng: &mut impl Rng) -> TableScore {
        let seated = (0..self.players).map(|seat| lineup[(seat + rotation) % self.players]);
        let mut points = |(seat, who): (usize, u16)| {
            let memory = if who == 0 && rotation > 0 { self.memory } else { 0.0 };
            let points = self.skills[usize::from(who)] + hands[seat] + memory + self.games * normal(rng);
            (Entrant(who), points.round() as i32)
        };
        let points: Vec<(Entrant, i32)> = seated.enumerate().map(&mut points).collect();
        table(rotation as u8, &points)
    }
}

/// A table with these points, all played out, and the places that follow from them.
pub(crate) fn table(rotation: u8, points: &[(Entrant, i32)]) -> TableScore {
    let place = |own: i32| 1 + points.iter().filter(|(_, other)| *other > own).count() as u8;
    let seat = |&(entrant, points): &(Entrant, i32)| SeatScore {
        entrant,
        points,
        place: place(points),
        finish: Finish::PlayedOut,
    };
    TableScore { rotation, seats: points.iter().map(seat).collect() }
}
