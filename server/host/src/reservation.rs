//! Reservation of what a new table occupies: a place in its owner's quota, and capacity of its agents.

use std::sync::Arc;

use parlor_engine::Seats;
use parlor_store::OwnerId;

use crate::agents::{AgentError, AgentRequirement};
use crate::table::{SeatSetup, Setup};
use crate::{HostError, Shared, TableId};

/// Seats and quota of a table that is not durable yet. Dropping the reservation releases all of it, so that nothing stays
/// occupied if the table is not created, or if the requester goes away while it waits.
pub(crate) struct Reservation {
    shared: Arc<Shared>,
    table: TableId,
    /// The seats, whose agents are released.
    seats: Vec<SeatSetup>,
    /// The owner whose quota counts the table.
    counted: Option<OwnerId>,
}

impl Reservation {
    /// Reserves the agents of a new table, except for those that are set aside, and fills in missing versions.
    ///
    /// # Errors
    /// An agent does not meet the requirement. Then nothing is reserved.
    pub(crate) fn of_agents(
        shared: &Arc<Shared>,
        setup: &mut Setup,
        requirement: AgentRequirement,
        set_aside: Seats,
    ) -> Result<Reservation, AgentError> {
        shared.agents.reserve(setup, requirement, set_aside)?;
        let agents = setup.seats.iter().filter(|seat| matches!(seat, SeatSetup::Agent { .. }));
        let (table, seats) = (setup.table, agents.cloned().collect());
        Ok(Reservation { shared: shared.clone(), table, seats, counted: None })
    }

    /// Counts the table against the quota of its owner.
    pub(crate) async fn count_table(&mut self, owner: &OwnerId, max: u32) -> Result<(), HostError> {
        self.shared.quota.acquire(self.shared.log.as_ref(), owner, max).await?;
        self.counted = Some(owner.clone());
        Ok(())
    }

    /// Leaves everything to the table, which is durable and releases it at its end.
    pub(crate) fn keep(mut self) {
        self.seats.clear();
        self.counted = None;
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.shared.agents.release(self.table, &self.seats);
        if let Some(owner) = &self.counted {
            self.shared.quota.release(owner);
        }
    }
}
