//! The SDK against a server that misbehaves on purpose: it cuts streams, repeats itself, refuses, closes, and forgets to
//! answer. What clients see must not show any of it.

#![allow(clippy::unwrap_used, reason = "a test that meets an error should stop there and then")]

mod agents;
mod bots;
mod calls;
mod connect;
mod host;
mod net;
mod news;
mod play;
mod records;
mod sessions;
mod tables;

use std::future::IntoFuture;
use std::time::Duration;

/// Waits for something that must happen, however slow the machine is.
async fn within<T>(what: impl IntoFuture<Output = T>) -> T {
    let limit = Duration::from_secs(60);
    tokio::time::timeout(limit, what).await.expect("it should have happened within a minute")
}
