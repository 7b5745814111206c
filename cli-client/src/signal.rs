//! Stop signals: Ctrl-C (SIGINT), and SIGTERM where it exists.

use std::future::Future;
use std::io;

use tokio::sync::watch;

use crate::exit::Exit;

/// The stop signal of the process. Received from the start of the program, and latched: later waiters see it
/// too.
#[derive(Clone, Debug)]
pub(crate) struct StopSignal(watch::Receiver<Option<Exit>>);

impl StopSignal {
    /// Starts listening. Must be called on a Tokio runtime.
    pub(crate) fn listen() -> io::Result<StopSignal> {
        let (sender, receiver) = watch::channel(None);
        let signals = stop_signals()?;
        tokio::spawn(async move {
            let exit = signals.await;
            // Without receivers, the program is about to end.
            let _ = sender.send(Some(exit));
            // Keeps the channel open as long as there are receivers.
            sender.closed().await;
        });
        Ok(StopSignal(receiver))
    }

    /// Waits for a stop signal.
    pub(crate) async fn received(&self) -> Exit {
        let mut receiver = self.0.clone();
        match receiver.wait_for(Option::is_some).await.map(|exit| *exit) {
            Ok(Some(exit)) => exit,
            _ => std::future::pending().await,
        }
    }

    /// Runs cancellable work; the error is the exit code if a stop signal arrives first.
    pub(crate) async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Result<T, Exit> {
        tokio::select! {
            done = work => Ok(done),
            exit = self.received() => Err(exit),
        }
    }
}

/// Registers the signal handlers at once, not when the future is first polled.
#[cfg(unix)]
fn stop_signals() -> io::Result<impl Future<Output = Exit> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => Exit::Interrupted,
            _ = terminate.recv() => Exit::Terminated,
        }
    })
}

#[cfg(not(unix))]
fn stop_signals() -> io::Result<impl Future<Output = Exit> + Send> {
    Ok(async {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Exit::Interrupted,
            Err(_) => std::future::pending().await,
        }
    })
}
