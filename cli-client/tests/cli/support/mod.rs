//! Test support: a server process, and the program with pipes or in a terminal.
//!
//! Nothing sleeps for a result: every wait is for a condition, up to [`WAIT_LIMIT`].

mod parlor;
mod pipes;
mod proxy;
mod server;
mod terminal;

use std::time::Duration;

pub(crate) use parlor::{CommandOutput, Parlor};
pub(crate) use pipes::PipedProcess;
pub(crate) use proxy::Proxy;
pub(crate) use server::Server;
pub(crate) use terminal::{Key, ScreenHistory, Terminal};

/// Maximum time for a condition on a slow machine.
pub(crate) const WAIT_LIMIT: Duration = Duration::from_secs(60);
