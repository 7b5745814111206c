//! Waiting with an upper bound.

use std::time::Duration;

/// Upper bound of a wait, generous enough for a slow and busy machine.
pub const TIMEOUT: Duration = Duration::from_secs(180);

/// Awaits a future for at most [`TIMEOUT`].
///
/// # Panics
/// If the future takes longer.
#[cfg(feature = "async")]
pub async fn with_timeout<T>(future: impl IntoFuture<Output = T>) -> T {
    with_timeout_of(TIMEOUT, future).await
}

/// Awaits a future for at most `limit`.
///
/// # Panics
/// If the future takes longer.
#[cfg(feature = "async")]
pub async fn with_timeout_of<T>(limit: Duration, future: impl IntoFuture<Output = T>) -> T {
    let result = tokio::time::timeout(limit, future.into_future()).await;
    result.unwrap_or_else(|_| panic!("no answer within {limit:?}"))
}

/// Polls a condition every 2 ms until it holds. For state changes that no stream reports.
///
/// # Panics
/// If the condition does not hold within [`TIMEOUT`].
#[cfg(feature = "async")]
pub async fn wait_until(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let polling = tokio::time::timeout(TIMEOUT, async {
        while !condition().await {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    });
    assert!(polling.await.is_ok(), "{what}: not within {TIMEOUT:?}");
}
