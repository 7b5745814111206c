//! Randomness of a plan: one ChaCha20 stream for each draw, so that earlier draws do not shift later ones,
//! and the order in which tables finish has no influence.

use parlor_engine::shuffle;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// Purpose of a draw. The discriminants are part of every plan and never change.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    /// Assignment of entrants to the points of a design.
    DesignPoints = 0,
    /// Order of the line-ups in one part of a list.
    LineupOrder = 1,
    /// Seating of a group, by group number.
    Seating = 2,
    /// Play order of a later rotation, by the number of the stage's first group and the rotation.
    RotationOrder = 3,
    /// Order of entrants with equal points, by Swiss round.
    SwissTies = 4,
    /// Line-ups added after a withdrawal, by the number of the next group.
    Repair = 5,
    /// Search for a balanced design; independent of the tournament.
    DesignSearch = 6,
}

/// Seed of a plan. `Debug` does not print it, because pairings and seating follow from it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct RandomStreams([u8; 32]);

impl RandomStreams {
    pub(crate) const fn from_seed(seed: [u8; 32]) -> RandomStreams {
        RandomStreams(seed)
    }

    /// The stream of one draw. `number` is below 2^56.
    pub(crate) fn stream(&self, purpose: Purpose, number: u64) -> ChaCha20Rng {
        let mut stream = ChaCha20Rng::from_seed(self.0);
        stream.set_stream((purpose as u64) << 56 | number);
        stream
    }

    /// A random permutation of `0..count`.
    pub(crate) fn permutation(&self, purpose: Purpose, number: u64, count: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count as u32).collect();
        shuffle(&mut order, &mut self.stream(purpose, number));
        order
    }
}

impl std::fmt::Debug for RandomStreams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RandomStreams(..)")
    }
}
