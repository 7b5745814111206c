//! Signals that the server handles: stop (SIGTERM, SIGINT) and reload the keys (SIGHUP).

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// A handled signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ServerSignal {
    /// Graceful shutdown; a second one exits at once.
    Stop(SignalKind),
    /// Reload the API keys.
    Reload,
}

/// Receivers of the handled signals.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    /// Installs the signal handlers. Requires a tokio runtime.
    pub(super) fn listen() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next signal.
    pub(super) async fn next(&mut self) -> ServerSignal {
        tokio::select! {
            Some(()) = self.terminate.recv() => ServerSignal::Stop(SignalKind::terminate()),
            Some(()) = self.interrupt.recv() => ServerSignal::Stop(SignalKind::interrupt()),
            Some(()) = self.hang_up.recv() => ServerSignal::Reload,
            // The receivers do not end while the runtime exists.
            else => std::future::pending().await,
        }
    }
}
