//! The SDK against the real server, in this process: every call, every game, TLS and API keys, and a thousand
//! tables over one stream while the server is stopped, killed and restarted.
#![allow(clippy::unwrap_used, reason = "a test stops at the first error")]

mod agents;
mod calls;
mod games;
#[path = "../fake/proxy.rs"]
mod proxy;
mod restarts;
#[path = "../../../server/tests/rpc/standings_check.rs"]
mod standings_check;
mod test_server;
mod tls_and_keys;
mod tournaments;

use std::future::IntoFuture;
use std::time::Duration;

/// Awaits with a generous timeout, for slow machines.
async fn within<T>(future: impl IntoFuture<Output = T>) -> T {
    let limit = Duration::from_secs(300);
    tokio::time::timeout(limit, future).await.expect("timed out after five minutes")
}
