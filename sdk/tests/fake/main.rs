//! The SDK against a fake server that misbehaves on purpose: it cuts streams, repeats items, refuses, closes
//! and fails to reply. Clients must not see any of it.

#![allow(clippy::unwrap_used, reason = "a test stops at the first error")]

mod agent_service;
mod agents;
mod bots;
mod calls;
mod fake_host;
mod fake_server;
mod play_service;
mod proxy;
mod records;
mod sessions;
mod table_feed;

use std::future::IntoFuture;
use std::time::Duration;

/// Awaits with a generous timeout, for slow machines.
async fn within<T>(future: impl IntoFuture<Output = T>) -> T {
    let limit = Duration::from_secs(60);
    tokio::time::timeout(limit, future).await.expect("timed out after a minute")
}
