//! The SDK against the real server, in this process: every call, every game, TLS and API keys, and a thousand
//! tables over one stream while the server is stopped, killed and restarted.
#![allow(clippy::unwrap_used, reason = "a test stops at the first error")]

mod agents;
mod calls;
mod games;
mod restarts;
mod test_server;
mod tls_and_keys;
mod tournaments;

use std::future::IntoFuture;
use std::time::Duration;

/// Awaits for at most five minutes: some tests play many games.
async fn with_timeout<T>(future: impl IntoFuture<Output = T>) -> T {
    parlor_testkit::with_timeout_of(Duration::from_secs(300), future).await
}
