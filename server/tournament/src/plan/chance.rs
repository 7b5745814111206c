//! All chance of a plan: one ChaCha20 stream for each thing that is drawn, so that nothing done earlier moves what is
//! drawn later, and the order in which tables finish moves nothing at all.

use parlor_engine::shuffle;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Draw {
    /// Which entrant is which point of a design.
    Names = 0,
    /// The order of the line-ups in one part of a list.
    Order = 1,
    /// Who sits where in a group, by its number.
    Seating = 2,
    /// The order in which later rotations are played, by the number of the stage's first group and the rotation.
    Rotation = 3,
    /// The order of equals in a round of a Swiss tournament.
    Equals = 4,
    /// The line-ups that are added when somebody is gone, by the number of the next group.
    Repair = 5,
    /// The search for a design, which has nothing to do with any one tournament.
    Design = 6,
}

/// The seed of a plan. It is not printed: it would tell who meets whom.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chance([u8; 32]);

impl Chance {
    pub(crate) const fn seeded(seed: [u8; 32]) -> Chance {
        Chance(seed)
    }

    /// The stream for one draw. `number` stays below 2^56.
    pub(crate) fn stream(&self, draw: Draw, number: u64) -> ChaCha20Rng {
        let mut stream = ChaCha20Rng::from_seed(self.0);
        stream.set_stream((draw as u64) << 56 | number);
        stream
    }

    /// The numbers from 0 to `count - 1` in a random order.
    pub(crate) fn order(&self, draw: Draw, number: u64, count: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count as u32).collect();
        shuffle(&mut order, &mut self.stream(draw, number));
        order
    }
}

impl std::fmt::Debug for Chance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Chance")
    }
}
