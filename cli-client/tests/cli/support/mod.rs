//! What the tests stand on: a server in a process of its own, the program with its pipes, the program in a terminal.
//!
//! Nothing here sleeps for a result. Whatever is waited for is waited for until it is there, up to [`LIMIT`].

mod parlor;
mod pipes;
mod proxy;
mod server;
mod terminal;

use std::time::Duration;

pub(crate) use parlor::{Done, Parlor};
pub(crate) use pipes::Pipes;
pub(crate) use proxy::Proxy;
pub(crate) use server::Server;
pub(crate) use terminal::{Key, Seen, Terminal};

/// So long something may take on a slow machine before it counts as never coming.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);
