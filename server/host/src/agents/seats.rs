//! Seats of agents: reserved for a new table, assigned to connections, and released.

use std::sync::Arc;

use parlor_engine::{GameId, Seat};
use parlor_fair::{TableId, TournamentId};

use super::{Agent, AgentError, AgentRegistry};
use crate::table::{Holder, SeatSetup, Setup, Table};

/// A seat that is assigned to an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeatAssignment {
    /// The table.
    pub table: TableId,
    /// The seat.
    pub seat: Seat,
    /// The game.
    pub game: GameId,
    /// The tournament of the table.
    pub tournament: Option<TournamentId>,
}

/// Requirement on the agents of a new table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AgentRequirement {
    /// Each must be connected, play the game, and have a free table.
    #[default]
    Connected,
    /// Each must be registered, and its version named. For an agent that is not connected, its clock and its
    /// grace decide.
    Registered,
}

impl AgentRegistry {
    /// Reserves the agents' seats of a new table: fills in missing versions, and counts the table for each
    /// agent. If the table is not created, [`AgentRegistry::release`] undoes it.
    ///
    /// # Errors
    ///
    /// An agent does not meet the requirement. Then nothing is reserved.
    pub(crate) fn reserve(
        &self,
        table: TableId,
        game: GameId,
        seats: &mut [SeatSetup],
        requirement: AgentRequirement,
    ) -> Result<(), AgentError> {
        let now = self.0.clock.now_ms();
        let mut reserved: Vec<Arc<Agent>> = Vec::new();
        for seat in seats {
            let SeatSetup::Agent { name, version } = seat else { continue };
            let agent = self.find(name).ok_or_else(|| AgentError::Unknown { name: name.clone() });
            let outcome = agent.and_then(|agent| {
                agent.reserve(table, game, version, requirement, now)?;
                Ok(agent)
            });
            match outcome {
                Ok(agent) => reserved.push(agent),
                Err(error) => {
                    reserved.iter().for_each(|agent| self.leave_table(agent, table));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Releases the reserved seats of a table that was not created.
    pub(crate) fn release(&self, table: TableId, seats: &[SeatSetup]) {
        for seat in seats {
            if let SeatSetup::Agent { name, .. } = seat
                && let Some(agent) = self.find(name)
            {
                self.leave_table(&agent, table);
            }
        }
    }

    /// Counts a table that was loaded into memory for its agents, and returns them.
    pub(crate) fn track_table(&self, table: &Table) -> Vec<Arc<Agent>> {
        let mut seated: Vec<Arc<Agent>> = Vec::new();
        for seat in table.seats() {
            if let Holder::Agent { name, .. } = &seat.holder
                && !seated.iter().any(|agent| agent.identity.name == *name)
                && let Some(agent) = self.find(name)
            {
                agent.state().tables.insert(table.setup().table);
                seated.push(agent);
            }
        }
        seated
    }

    /// Assigns the seats of a new table to the connections of its agents.
    pub(crate) fn assign_seats(&self, table: &Table, agents: &[Arc<Agent>]) {
        for assignment in seat_assignments(table.setup(), table.seats().iter().map(|seat| &seat.holder)) {
            let Holder::Agent { name, version } = &table.seats()[assignment.seat.index()].holder else {
                continue;
            };
            if let Some(agent) = agents.iter().find(|agent| agent.identity.name == *name) {
                agent.assign(version, assignment);
            }
        }
    }

    /// Stops counting a table at which the agent has no seat any more.
    pub(crate) fn leave_table(&self, agent: &Agent, table: TableId) {
        let was_full = {
            let mut state = agent.state();
            let was_full = state.free_tables() == 0;
            state.tables.remove(&table) && was_full
        };
        if was_full {
            self.notify_changed();
        }
    }
}

/// The seats at a table that agents hold.
pub(crate) fn seat_assignments<'a>(
    setup: &'a Setup,
    holders: impl Iterator<Item = &'a Holder> + 'a,
) -> impl Iterator<Item = SeatAssignment> + 'a {
    let (table, game) = (setup.table, setup.options.game());
    let tournament = setup.chance.deal().map(|deal| deal.tournament);
    let assignment = move |(seat, holder): (Seat, &Holder)| {
        matches!(holder, Holder::Agent { .. }).then_some(SeatAssignment { table, seat, game, tournament })
    };
    Seat::all(setup.seats.len() as u8).zip(holders).filter_map(assignment)
}
