//! Persistence: stored bytes decode to what was encoded, and invalid bytes are refused.
//!
//! Random tests print their seed; `PARLOR_TEST_SEED=7` runs them with another one.

mod corruption;
pub(crate) mod games;
mod pinned_bytes;
mod round_trip;
mod tournaments;
mod validation;

pub(crate) use parlor_testkit::test_rng;
