//! Test support: a server process, and the program with pipes or in a terminal.
//!
//! Nothing sleeps for a result: every wait is for a condition, up to [`parlor_testkit::TIMEOUT`].

mod parlor;
mod pipes;
mod server;
mod terminal;

pub(crate) use parlor::{CommandOutput, Parlor};
pub(crate) use pipes::PipedProcess;
pub(crate) use server::Server;
pub(crate) use terminal::{Key, ScreenHistory, Terminal};
