//! Quota of open tables per owner. Tournament tables have a bound of their own and are not counted.
//!
//! The count is read from the log when an owner first creates a table, and maintained in memory from then on.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::HostError;
use crate::limits::{LimitExceeded, LimitedResource};
use crate::shard::commit::state_code;
use crate::table::State;
use crate::tags::parse_deal_tag;
use parlor_store::{Log, LogFilter, OwnerId, PageRequest};

/// Counts of open tables per owner.
#[derive(Debug, Default)]
pub(crate) struct Quota(Mutex<HashMap<OwnerId, u32>>);

impl Quota {
    fn counts(&self) -> MutexGuard<'_, HashMap<OwnerId, u32>> {
        // No critical section leaves the counts half updated, so a poisoned lock is safe to use.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Increments the owner's count, unless it has reached `max`. [`Quota::release`] decrements it.
    pub(crate) async fn acquire(&self, log: &dyn Log, owner: &OwnerId, max: u32) -> Result<(), HostError> {
        let is_cached = self.counts().contains_key(owner);
        if !is_cached {
            let open = count(log, owner, State::Open, max).await?;
            let starting = count(log, owner, State::Starting, max).await?;
            let playing = count(log, owner, State::Playing, max).await?;
            self.counts()
                .entry(owner.clone())
                .or_insert(open.saturating_add(starting).saturating_add(playing));
        }
        let mut counts = self.counts();
        let held = counts.entry(owner.clone()).or_default();
        if *held >= max {
            return Err(LimitExceeded::Count { resource: LimitedResource::Tables, max }.into());
        }
        *held += 1;
        Ok(())
    }

    /// Decrements the owner's count: a table is over or was not created.
    pub(crate) fn release(&self, owner: &OwnerId) {
        if let Some(held) = self.counts().get_mut(owner) {
            *held = held.saturating_sub(1);
        }
    }
}

/// Counts the owner's tables in this state; stops when the count exceeds `max`.
async fn count(log: &dyn Log, owner: &OwnerId, state: State, max: u32) -> Result<u32, HostError> {
    let filter =
        LogFilter { owner: Some(owner.clone()), state: Some(state_code(state)), ..LogFilter::default() };
    let (mut after, mut count) = (None, 0_u32);
    loop {
        let page = log
            .list_tables(filter.clone(), PageRequest { after, size: parlor_store::limits::MAX_PAGE_SIZE })
            .await?;
        let counted = page.tables.iter().filter(|row| parse_deal_tag(&row.listing.tags).is_none()).count();
        count = count.saturating_add(counted as u32);
        after = page.next;
        if after.is_none() || count > max {
            return Ok(count);
        }
    }
}
