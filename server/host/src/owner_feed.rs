//! Following the life of all tables of an owner.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::persistence::{self, PayloadCodec};
use crate::{HostError, OwnerFeedItem};
use parlor_store::{FeedItem, Log, LogError, LogFollower, OwnerId};

/// The most items that are given at once.
const BATCH: usize = 256;

/// The life of all tables of an owner: first what is in the log, then what comes.
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
    /// Follows after this number; without one, what comes from now on; with 0, all that the log still has.
    pub(crate) async fn new(
        log: Arc<dyn Log>,
        codec: &'static dyn PayloadCodec,
        stopped: CancellationToken,
        owner: OwnerId,
        after: Option<u64>,
    ) -> Result<OwnerFeed, HostError> {
        let after = match after {
            Some(0) => first_kept(log.as_ref(), &owner).await?,
            Some(after) => after,
            None => newest(log.as_ref(), &owner).await?,
        };
        let follow = log.follow_owner_feed(&owner, after).await?;
        Ok(OwnerFeed { log, codec, stopped, owner, follow, next: after + 1 })
    }

    /// The number up to which everything has been given.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.next - 1
    }

    /// The next item, when it is there. Nothing is lost when the future is dropped.
    async fn item(&mut self) -> Result<FeedItem, HostError> {
        loop {
            match self.follow.next().await {
                Ok(Some(item)) => return Ok(item),
                Ok(None) => return Err(LogError::Closed.into()),
                // It did not keep up: what it missed is in the log.
                Err(LogError::FollowerLagged { .. }) => {
                    self.follow = self.log.follow_owner_feed(&self.owner, self.next - 1).await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// What is ready, in order; waits until there is something. Nothing is lost when the future is dropped.
    pub async fn next(&mut self) -> Result<Vec<OwnerFeedItem>, HostError> {
        let mut batch = Vec::new();
        loop {
            let item = if batch.is_empty() {
                let stopped = self.stopped.clone();
                tokio::select! {
                    item = self.item() => item?,
                    () = stopped.cancelled() => return Err(HostError::Stopping),
                }
            } else {
                match futures_util::FutureExt::now_or_never(self.item()) {
                    Some(Ok(item)) => item,
                    // An error comes again at the next call.
                    _ => return Ok(batch),
                }
            };
            self.next = item.number + 1;
            let decoded = persistence::decode_news(&item, self.codec)
                .map_err(|bad| HostError::Fault { what: bad.to_string() })?;
            batch.push(decoded);
            if batch.len() == BATCH {
                return Ok(batch);
            }
        }
    }
}

/// The number of the newest item: the log tells whoever claims to know more.
async fn newest(log: &dyn Log, owner: &OwnerId) -> Result<u64, HostError> {
    match log.read_owner_feed(owner, u64::MAX - 1).await {
        Err(LogError::FeedAhead { last, .. }) => Ok(last),
        Err(error) => Err(error.into()),
        Ok(_) => Ok(u64::MAX - 1),
    }
}

/// The number before the first item that is kept.
async fn first_kept(log: &dyn Log, owner: &OwnerId) -> Result<u64, HostError> {
    match log.read_owner_feed(owner, 0).await {
        Ok(_) => Ok(0),
        Err(LogError::FeedTrimmed { first, .. }) => Ok(first - 1),
        Err(error) => Err(error.into()),
    }
}
