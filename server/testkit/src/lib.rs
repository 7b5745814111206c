//! Helpers shared by the tests of the workspace; a dev-dependency only.
//!
//! The default feature set depends on no other Parlor crate, so unit tests of every crate can use it.

mod seed;

pub use seed::{game_count_factor, rng_with_default_seed, rng_with_stream, test_rng, test_seed};
