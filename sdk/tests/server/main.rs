//! The SDK against the real server, in this process: every call, every game, encryption and keys, and a thousand tables
//! over one stream while the server is stopped, killed and started again.
#![allow(clippy::unwrap_used, reason = "a test that meets an error should stop there and then")]

mod agents;
mod calls;
mod games;
mod house;
#[path = "../fake/net.rs"]
mod net;
mod restarts;
mod secure;
#[path = "../../../server/tests/rpc/sums.rs"]
mod sums;
mod tournaments;

use std::future::IntoFuture;
use std::time::Duration;

/// Waits for something that must happen, however slow the machine is.
async fn within<T>(what: impl IntoFuture<Output = T>) -> T {
    let limit = Duration::from_secs(300);
    tokio::time::timeout(limit, what).await.expect("it should have happened within five minutes")
}
