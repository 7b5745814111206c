//! Persistence: stored bytes decode to what was encoded, and invalid bytes are refused.
//!
//! Random tests print their seed; `PARLOR_TEST_SEED=7` runs them with another one.

mod corruption;
pub(crate) mod games;
mod pinned_bytes;
mod round_trip;
mod tournaments;
mod validation;

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

/// A generator for one test, from `PARLOR_TEST_SEED`; prints the seed.
pub(crate) fn test_rng(test: &str) -> ChaCha8Rng {
    let seed = std::env::var("PARLOR_TEST_SEED").map_or(1, |seed| seed.parse().expect("a whole number"));
    println!("{test}: PARLOR_TEST_SEED={seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(test.bytes().fold(0, |hash: u64, byte| hash.wrapping_mul(31) + u64::from(byte)));
    rng
}
