//! Owner feeds: the range of kept numbers, and checksums.

use sha2::{Digest, Sha256};

use super::errors::StoreErrors;
use crate::append::limits;
use crate::{FeedItem, Hash, LogError, OwnerId};

/// Kept numbers of an owner's feed, from `first` to `last`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FeedRange {
    pub(crate) first: u64,
    pub(crate) last: u64,
}

impl FeedRange {
    /// Range of a feed that never had an item.
    pub(crate) const EMPTY: FeedRange = FeedRange { first: 1, last: 0 };

    pub(crate) fn checksum(self, owner: &str) -> Hash {
        let mut hash = Sha256::new();
        hash.update(b"parlor feed numbers 1\0");
        hash.update(self.first.to_be_bytes());
        hash.update(self.last.to_be_bytes());
        hash.update(owner);
        hash.finalize().into()
    }

    /// A range as it was read, with its checksum verified.
    pub(crate) fn from_columns(
        owner: &str,
        range: FeedRange,
        sum: Hash,
        errors: StoreErrors<'_>,
    ) -> Result<(OwnerId, FeedRange), LogError> {
        match OwnerId::new(owner) {
            Ok(name) if range.checksum(owner) == sum => Ok((name, range)),
            _ => {
                let what = format!("the row of owner {owner:?} is corrupted");
                Err(errors.damaged(None, None, &what))
            }
        }
    }

    /// Refuses a cursor that the feed does not cover.
    pub(crate) fn check_cursor(self, owner: &OwnerId, after: u64) -> Result<(), LogError> {
        let FeedRange { first, last } = self;
        let owner = owner.clone();
        if after > last {
            return Err(LogError::FeedAhead { owner, last });
        }
        if after + 1 < first {
            return Err(LogError::FeedTrimmed { owner, first });
        }
        Ok(())
    }

    /// Last number of a page that starts with number `from`.
    pub(crate) fn page_end(self, from: u64) -> u64 {
        self.last.min(from.saturating_add(limits::MAX_FEED_PAGE_ITEMS as u64 - 1))
    }
}

/// Checksum of an item, its number and its owner.
pub(crate) fn item_checksum(owner: &OwnerId, item: &FeedItem) -> Hash {
    let mut hash = Sha256::new();
    hash.update(b"parlor feed item 1\0");
    hash.update(item.number.to_be_bytes());
    hash.update(item.at.0.to_be_bytes());
    hash.update((owner.as_str().len() as u64).to_be_bytes());
    hash.update(owner.as_str());
    hash.update(&item.payload);
    hash.finalize().into()
}

/// An item as it was read: the one with this number, with its checksum verified. `None` stands for a missing row.
pub(crate) fn verify_item(
    owner: &OwnerId,
    number: u64,
    read: Option<(FeedItem, Hash)>,
    errors: StoreErrors<'_>,
) -> Result<FeedItem, LogError> {
    match read {
        Some((item, sum)) if item.number == number && item_checksum(owner, &item) == sum => Ok(item),
        _ => {
            let what = format!("item {number} of the feed of {owner} is corrupted");
            Err(errors.damaged(None, None, &what))
        }
    }
}
