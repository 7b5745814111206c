//! What is old enough is removed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tracing::{Instrument, info_span};

use crate::Shared;
use parlor_store::Millis;

/// How often the log is searched for what is too old.
const EVERY: Duration = Duration::from_secs(600);

/// Removes finished tables that are older than this, from now on; nothing, if they are kept for ever.
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
                    "removed what was too old"
                );
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "what is too old could not be removed"),
        }
        // The log closes when nobody has it any more: whoever sleeps must not.
        drop(strong);
        tokio::select! {
            () = clock.sleep_until(clock.now() + EVERY) => {}
            () = stopped.cancelled() => return,
        }
    }
}
