//! Being told to stop: Ctrl-C, and SIGTERM where there is one.

use std::future::Future;
use std::io;

use tokio::sync::watch;

use crate::exit::Exit;

/// Whether somebody wants the program to stop. It is heard from the beginning on, and never forgotten: whoever asks later
/// is told too.
#[derive(Clone, Debug)]
pub(crate) struct Stop(watch::Receiver<Option<Exit>>);

impl Stop {
    /// Listens from now on. Must be called on a Tokio runtime.
    pub(crate) fn listen() -> io::Result<Stop> {
        let (tell, told) = watch::channel(None);
        let signals = signals()?;
        tokio::spawn(async move {
            let exit = signals.await;
            // If nobody is left, the program is about to end anyway.
            let _ = tell.send(Some(exit));
            // As long as somebody can still be told, the way to them stays open.
            tell.closed().await;
        });
        Ok(Stop(told))
    }

    /// Waits until somebody wants the program to stop.
    pub(crate) async fn told(&self) -> Exit {
        let mut told = self.0.clone();
        match told.wait_for(Option::is_some).await.map(|exit| *exit) {
            Ok(Some(exit)) => exit,
            _ => std::future::pending().await,
        }
    }

    /// Does something that can be given up at any moment; the error is how the program ends then.
    pub(crate) async fn unless<T>(&self, work: impl Future<Output = T>) -> Result<T, Exit> {
        tokio::select! {
            done = work => Ok(done),
            exit = self.told() => Err(exit),
        }
    }
}

/// Hears signals from the moment it is called, not from the moment it is waited for.
#[cfg(unix)]
fn signals() -> io::Result<impl Future<Output = Exit> + Send> {
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
fn signals() -> io::Result<impl Future<Output = Exit> + Send> {
    Ok(async {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Exit::Interrupted,
            Err(_) => std::future::pending().await,
        }
    })
}
