//! Helpers shared by the tests, the benchmark and the fault injector of the workspace.
//!
//! The default feature set depends on no other Parlor crate, so unit tests of every crate can use it. The
//! features add dependencies, for the tests that need them:
//!
//! | feature | adds |
//! |---|---|
//! | (default) | [`test_rng`], [`test_seed`], [`game_count_factor`], [`unused_address`], [`TIMEOUT`] |
//! | `async` | `with_timeout`, `wait_until`, `Proxy` |
//! | `process` | `ServerProcess`, `OutputLines`, `server_command`, `server_variables`, `listening_address`, `example_program`, `send_signal` |
//! | `postgres` | `PostgresCluster` |
//! | `tls` | `Authority` |
//! | `proto` | `check_standings` |
//!
//! Every wait has an upper bound, and every helper panics on failure with a message that says what was
//! expected.

mod address;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "process")]
mod process;
#[cfg(feature = "async")]
mod proxy;
mod seed;
#[cfg(feature = "proto")]
mod standings;
#[cfg(feature = "tls")]
mod tls;
mod wait;

pub use address::unused_address;
#[cfg(feature = "postgres")]
pub use postgres::PostgresCluster;
#[cfg(feature = "process")]
pub use process::{
    OutputLines, ServerProcess, example_program, listening_address, send_signal, server_command,
    server_variables,
};
#[cfg(feature = "async")]
pub use proxy::Proxy;
pub use seed::{game_count_factor, rng_with_default_seed, rng_with_stream, test_rng, test_seed};
#[cfg(feature = "proto")]
pub use standings::check_standings;
#[cfg(feature = "tls")]
pub use tls::{Authority, IssuedCertificate};
pub use wait::TIMEOUT;
#[cfg(feature = "async")]
pub use wait::{wait_until, with_timeout, with_timeout_of};
