//! Being told to stop: Ctrl-C, and SIGTERM where there is one.

use std::future::Future;

use crate::exit::Exit;

/// Waits until somebody wants the program to stop.
pub(crate) async fn told_to_stop() -> Exit {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            // No handler could be set: the signal ends the program by itself.
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = interrupted => Exit::Interrupted,
        () = terminated() => Exit::Terminated,
    }
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut signal) => {
            signal.recv().await;
        }
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
}

/// Does something that can be given up at any moment; the error is how the program ends then.
pub(crate) async fn unless_stopped<T>(work: impl Future<Output = T>) -> Result<T, Exit> {
    tokio::select! {
        done = work => Ok(done),
        exit = told_to_stop() => Err(exit),
    }
}
