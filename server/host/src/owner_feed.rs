//! Owner feeds: events of all tables of an owner.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::persistence::{self, PayloadCodec};
use crate::{HostError, OwnerFeedItem};
use parlor_store::{FeedItem, Log, LogError, LogFollower, OwnerId};

/// Maximum number of items in a batch.
const MAX_BATCH_ITEMS: usize = 256;

/// Subscription to the feed of an owner: first the stored items, then new ones.
pub struct OwnerFeed {
    log: Arc<dyn Log>,
    codec: &'static dyn PayloadCodec,
    stopped: CancellationToken,
    owner: OwnerId,
    follow: LogFollower<FeedItem>,
    next: u64,
}

impl std::fmt::Debug for OwnerFeed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OwnerFeed").field("next", &self.next).finish_non_exhaustive()
    }
}

impl OwnerFeed {
    /// Subscribes behind item number `after`; `None` starts with the next new item, 0 with the oldest one in the log.
    pub(crate) async fn new(
        log: Arc<dyn Log>,
        codec: &'static dyn PayloadCodec,
        stopped: CancellationToken,
        owner: OwnerId,
        after: Option<u64>,
    ) -> Result<OwnerFeed, HostError> {
        let after = match after {
            Some(0) => number_before_oldest(log.as_ref(), &owner).await?,
            Some(after) => after,
            None => last_number(log.as_ref(), &owner).await?,
        };
        let follow = log.follow_owner_feed(&owner, after).await?;
        Ok(OwnerFeed { log, codec, stopped, owner, follow, next: after + 1 })
    }

    /// Number of the last returned item.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.next - 1
    }

    /// Waits for the next item.
    ///
    /// # Cancellation
    /// Dropping the future loses no item.
    async fn next_item(&mut self) -> Result<FeedItem, HostError> {
        loop {
            match self.follow.next().await {
                Ok(Some(item)) => return Ok(item),
                Ok(None) => return Err(LogError::Closed.into()),
                // The missed items are in the log.
                Err(LogError::FollowerLagged { .. }) => {
                    self.follow = self.log.follow_owner_feed(&self.owner, self.next - 1).await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits until an item is ready and returns all ready items in order, at most 256.
    ///
    /// # Cancellation
    /// Dropping the future loses no item.
    pub async fn next(&mut self) -> Result<Vec<OwnerFeedItem>, HostError> {
        let mut batch = Vec::new();
        loop {
            let item = if batch.is_empty() {
                let stopped = self.stopped.clone();
                tokio::select! {
                    item = self.next_item() => item?,
                    () = stopped.cancelled() => return Err(HostError::Stopping),
                }
            } else {
                match futures_util::FutureExt::now_or_never(self.next_item()) {
                    Some(Ok(item)) => item,
                    // The next call returns the error again.
                    _ => return Ok(batch),
                }
            };
            self.next = item.number + 1;
            let decoded = persistence::decode_feed_item(&item, self.codec)
                .map_err(|error| HostError::Fault { reason: error.to_string() })?;
            batch.push(decoded);
            if batch.len() == MAX_BATCH_ITEMS {
                return Ok(batch);
            }
        }
    }
}

/// Number of the newest item. The log reports it in the error for a number that is too large.
async fn last_number(log: &dyn Log, owner: &OwnerId) -> Result<u64, HostError> {
    match log.read_owner_feed(owner, u64::MAX - 1).await {
        Err(LogError::FeedAhead { last, .. }) => Ok(last),
        Err(error) => Err(error.into()),
        Ok(_) => Ok(u64::MAX - 1),
    }
}

/// The number before the oldest item in the log.
async fn number_before_oldest(log: &dyn Log, owner: &OwnerId) -> Result<u64, HostError> {
    match log.read_owner_feed(owner, 0).await {
        Ok(_) => Ok(0),
        Err(LogError::FeedTrimmed { first, .. }) => Ok(first - 1),
        Err(error) => Err(error.into()),
    }
}
