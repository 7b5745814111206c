//! The wire and the engine agree: real games round-trip, nonsense is refused by name, and the descriptors keep promises
//! that no linter knows.
//!
//! Random tests print their seed when they fail; `PARLOR_TEST_SEED=7` runs them with another one.

mod arbitrary;
mod descriptors;
mod errors;
mod games;
mod round_trip;
