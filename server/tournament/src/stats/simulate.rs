//! Simulated scores and groups for tests.

use rand_core::Rng;

use crate::results::{Entrant, Group, SeatFinish, SeatScore, TableScore};

/// A uniform number in the open interval (0, 1).
pub(crate) fn uniform(rng: &mut impl Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// A standard normal number (Box and Muller).
pub(crate) fn normal(rng: &mut impl Rng) -> f64 {
    let radius = (-2.0 * libm::log(uniform(rng))).sqrt();
    radius * libm::cos(2.0 * std::f64::consts::PI * uniform(rng))
}

/// A geometric number from 1, with mean 4.5.
fn geometric(rng: &mut impl Rng) -> f64 {
    1.0 + (-4.0 * libm::log(uniform(rng))).floor()
}

/// Distribution of group scores.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// Normal.
    Normal,
    /// Exponential: skewed to the right.
    Skewed,
    /// Negated exponential: skewed to the left.
    SkewedDown,
    /// Integers, 0 in nine deals of ten and large in a few: two bots that differ in some hands only, such as
    /// two greedy ones in Five Three Five.
    Discrete,
    /// A win or a loss.
    Coin,
    /// Heavy tails: Student's t with 5 degrees of freedom.
    Heavy,
    /// Difference of two seats in a game of integer points, where one game in four is lost by a wide margin.
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

    pub(crate) fn mean(self) -> f64 {
        match self {
            Shape::Normal | Shape::Discrete | Shape::Coin | Shape::Heavy => 0.0,
            Shape::Skewed => 1.0,
            Shape::SkewedDown => -1.0,
            Shape::Game => 0.75 * 3.0 - 0.25 * 10.0,
        }
    }

    pub(crate) fn standard_deviation(self) -> f64 {
        match self {
            Shape::Normal | Shape::Skewed | Shape::SkewedDown | Shape::Coin => 1.0,
            // A tenth of the mean square of a geometric number, (2 - p) / p², for the stopping probability p.
            Shape::Discrete => {
                let p = -libm::expm1(-0.25);
                (0.1 * (2.0 - p) / (p * p)).sqrt()
            }
            Shape::Heavy => (5.0 / 3.0f64).sqrt(),
            Shape::Game => (0.75 * 13.0 + 0.25 * (100.0 + 110.0 / 3.0) - 0.0625f64).sqrt(),
        }
    }

    pub(crate) fn draw(self, rng: &mut impl Rng) -> f64 {
        match self {
            Shape::Normal => normal(rng),
            Shape::Skewed => -libm::log(uniform(rng)),
            Shape::SkewedDown => libm::log(uniform(rng)),
            Shape::Discrete => match uniform(rng) {
                u if u < 0.05 => -geometric(rng),
                u if u < 0.10 => geometric(rng),
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

/// Model of the entrants of a simulated tournament.
pub(crate) struct Field {
    /// Mean points of each entrant per game, relative to the average.
    pub(crate) skills: Vec<f64>,
    /// Players at a table, which is also the number of rotations.
    pub(crate) players: usize,
    /// Standard deviation of the value of a hand, which is the same in all rotations of a deal.
    pub(crate) hands: f64,
    /// Standard deviation of the noise of each game.
    pub(crate) games: f64,
    /// Extra points of entrant 0 in later rotations: it remembers the deal.
    pub(crate) memory: f64,
}

impl Field {
    /// A group with a random line-up and random seating.
    pub(crate) fn group(&self, number: u32, rng: &mut impl Rng) -> Group {
        let mut lineup: Vec<u16> = (0..self.skills.len() as u16).collect();
        for at in 0..self.players {
            let other = at + (uniform(rng) * (lineup.len() - at) as f64) as usize;
            lineup.swap(at, other);
        }
        lineup.truncate(self.players);
        // The first seat has an advantage in every deal.
        let hands: Vec<f64> = (0..self.players)
            .map(|seat| self.hands * normal(rng) + if seat == 0 { 2.0 } else { 0.0 })
            .collect();
        let tables = (0..self.players).map(|rotation| self.table(rotation, &lineup, &hands, rng)).collect();
        Group { number, round: 0, tables }
    }

    fn table(&self, rotation: usize, lineup: &[u16], hands: &[f64], rng: &mut impl Rng) -> TableScore {
        let seated = (0..self.players).map(|seat| lineup[(seat + rotation) % self.players]);
        let mut points = |(seat, entrant): (usize, u16)| {
            let memory = if entrant == 0 && rotation > 0 { self.memory } else { 0.0 };
            let points = self.skills[usize::from(entrant)] + hands[seat] + memory + self.games * normal(rng);
            (Entrant(entrant), points.round() as i32)
        };
        let points: Vec<(Entrant, i32)> = seated.enumerate().map(&mut points).collect();
        table(rotation as u8, &points)
    }
}

/// A table with these points, all seats played out, and places by points.
pub(crate) fn table(rotation: u8, points: &[(Entrant, i32)]) -> TableScore {
    let place = |own: i32| 1 + points.iter().filter(|(_, other)| *other > own).count() as u8;
    let seat = |&(entrant, points): &(Entrant, i32)| SeatScore {
        entrant,
        points,
        place: place(points),
        finish: SeatFinish::PlayedOut,
    };
    TableScore { rotation, seats: points.iter().map(seat).collect() }
}
