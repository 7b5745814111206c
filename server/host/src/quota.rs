//! How many open tables each owner has, those of tournaments left out, which have a bound of their own. Counted from the log
//! when an owner first makes a table, and kept from then on.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::HostError;
use crate::limits::{LimitExceeded, LimitedResource};
use crate::shard::commit::state_code;
use crate::table::State;
use crate::tags::deal_of;
use parlor_store::{Log, LogFilter, OwnerId, PageRequest};

#[derive(Debug, Default)]
pub(crate) struct Quota(Mutex<HashMap<OwnerId, u32>>);

impl Quota {
    fn counts(&self) -> MutexGuard<'_, HashMap<OwnerId, u32>> {
        // A count is changed in one step.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts one more table, if the owner may have it. [`Quota::over`] takes it back.
    pub(crate) async fn add(&self, log: &dyn Log, owner: &OwnerId, most: u32) -> Result<(), HostError> {
        let is_known = self.counts().contains_key(owner);
        if !is_known {
            let open = count(log, owner, State::Open, most).await?;
            let playing = count(log, owner, State::Playing, most).await?;
            self.counts().entry(owner.clone()).or_insert(open.saturating_add(playing));
        }
        let mut counts = self.counts();
        let held = counts.entry(owner.clone()).or_default();
        if *held >= most {
            return Err(LimitExceeded::Count { counted: LimitedResource::Tables, most }.into());
        }
        *held += 1;
        Ok(())
    }

    /// A table of the owner is over, or was not made.
    pub(crate) fn over(&self, owner: &OwnerId) {
        if let Some(held) = self.counts().get_mut(owner) {
            *held = held.saturating_sub(1);
        }
    }
}

/// How many tables of the owner are in this state; more than `most` are not counted.
async fn count(log: &dyn Log, owner: &OwnerId, state: State, most: u32) -> Result<u32, HostError> {
    let filter =
        LogFilter { owner: Some(owner.clone()), state: Some(state_code(state)), ..LogFilter::default() };
    let (mut after, mut count) = (None, 0_u32);
    loop {
        let page = log
            .list_tables(filter.clone(), PageRequest { after, size: parlor_store::limits::MAX_PAGE_SIZE })
            .await?;
        let own = page.tables.iter().filter(|row| deal_of(&row.listing.tags).is_none()).count();
        count = count.saturating_add(own as u32);
        after = page.next;
        if after.is_none() || count > most {
            return Ok(count);
        }
    }
}
