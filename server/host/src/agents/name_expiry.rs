//! Expiry of unused names, which make room for new ones when a limit of names is reached.

use parlor_store::{Delete, LogFilter, Millis, PageRequest};

use super::registration::log_id;
use super::{Agent, AgentRegistry};
use crate::limits::{LimitExceeded, LimitedResource};
use crate::{HostError, agent_tag};

/// Time that agents have to reconnect after a start of the server before an unused name expires, in milliseconds.
const RECONNECT_MS: u64 = 60 * 60 * 1_000;

impl AgentRegistry {
    /// Makes room for one more agent of this owner. At a limit, the name that has been unused for longest is removed,
    /// if it has expired.
    pub(super) async fn make_room(&self, owner: &str) -> Result<(), HostError> {
        let settings = self.settings();
        for (owner, max) in [(Some(owner), settings.max_agents_per_key), (None, settings.max_agents)] {
            let is_counted = |agent: &Agent| owner.is_none_or(|owner| agent.identity.owner == owner);
            let count = self.agents().values().filter(|agent| is_counted(agent)).count();
            if count < max as usize {
                continue;
            }
            let Some(removed) = self.remove_longest_unused(is_counted).await? else {
                return Err(LimitExceeded::Count { resource: LimitedResource::Agents, max }.into());
            };
            tracing::info!(agent = removed, "unused name of an agent removed");
            let delete =
                Delete { table: log_id(&removed), at: Millis(self.0.clock.now_ms()), feed: Vec::new() };
            self.0.log.delete(delete).await?;
        }
        Ok(())
    }

    /// Removes the expired name that has been unused for longest among these agents, and returns it.
    async fn remove_longest_unused(
        &self,
        is_counted: impl Fn(&Agent) -> bool,
    ) -> Result<Option<String>, HostError> {
        let now = self.0.clock.now_ms();
        let Some(expiry) = self.settings().name_expiry.filter(|_| now >= self.0.started + RECONNECT_MS)
        else {
            return Ok(None);
        };
        let expired = now.saturating_sub(u64::try_from(expiry.as_millis()).unwrap_or(u64::MAX));
        loop {
            let longest_unused = {
                let agents = self.agents();
                let counted = agents.values().filter(|agent| is_counted(agent));
                let unused = counted.filter(|agent| agent.state().is_unused_since(expired));
                unused.min_by_key(|agent| agent.state().last_seen).cloned()
            };
            let Some(agent) = longest_unused else { return Ok(None) };
            let name = &agent.identity.name;
            if self.has_seats_at_rest(name).await? {
                // The next agent of this name would get the seats.
                agent.state().last_seen = now;
                continue;
            }
            let mut agents = self.agents_mut();
            let mut state = agent.state();
            // The agent may have come back meanwhile.
            if state.is_unused_since(expired) {
                state.is_removed = true;
                agents.remove(name);
                return Ok(Some(name.clone()));
            }
        }
    }

    /// Reports whether an agent has a seat at a table that is not over, which may not be in memory.
    async fn has_seats_at_rest(&self, name: &str) -> Result<bool, HostError> {
        let filter = LogFilter { tag: Some(agent_tag(name)), finished: Some(false), ..LogFilter::default() };
        let mut after = None;
        loop {
            let page = self.0.log.list_tables(filter.clone(), PageRequest { after, size: 1 }).await?;
            after = page.next;
            if !page.tables.is_empty() || after.is_none() {
                return Ok(!page.tables.is_empty());
            }
        }
    }
}
