//! What the system tells the server: stop (SIGTERM, SIGINT), or read the keys again (SIGHUP).

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// A signal that the server acts on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Told {
    /// Stop in good order; told again, stop at once.
    Stop(SignalKind),
    /// Read the keys again.
    Reload,
}

/// The signals, from now on.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    /// Begins to listen for them. Needs a tokio runtime.
    pub(super) fn listen() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// The next one.
    pub(super) async fn next(&mut self) -> Told {
        tokio::select! {
            Some(()) = self.terminate.recv() => Told::Stop(SignalKind::terminate()),
            Some(()) = self.interrupt.recv() => Told::Stop(SignalKind::interrupt()),
            Some(()) = self.hang_up.recv() => Told::Reload,
            // None of them ends while the runtime is there.
            else => std::future::pending().await,
        }
    }
}
