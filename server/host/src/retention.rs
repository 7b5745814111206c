//! Retention: periodic removal of old finished tables and feed items.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tracing::{Instrument, info_span};

use crate::Shared;
use parlor_store::Millis;

/// Interval between two removals.
const INTERVAL: Duration = Duration::from_secs(600);

/// Starts the removal of finished tables older than `keep`; does nothing if they are kept for ever.
pub(crate) fn start(shared: &Arc<Shared>, keep: Option<Duration>) {
    if let Some(keep) = keep {
        tokio::spawn(run(Arc::downgrade(shared), keep).instrument(info_span!("retention")));
    }
}

async fn run(shared: Weak<Shared>, keep: Duration) {
    while let Some(strong) = shared.upgrade() {
        let (clock, stopped) = (strong.clock.clone(), strong.stopped.clone());
        let keep_ms = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
        match strong.log.apply_retention(Millis(clock.now_ms().saturating_sub(keep_ms))).await {
            Ok(removed) if removed.tables > 0 || removed.feed_items > 0 => {
                tracing::info!(
                    tables = removed.tables,
                    feed_items = removed.feed_items,
                    "retention removed old tables and feed items"
                );
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "retention failed to remove old tables and feed items"),
        }
        // The log closes with its last reference, so the sleeping task must not hold one.
        drop(strong);
        tokio::select! {
            () = clock.sleep_until(clock.now() + INTERVAL) => {}
            () = stopped.cancelled() => return,
        }
    }
}
