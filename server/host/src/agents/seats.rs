//! Seats of agents: reserved for a new table, assigned to connections, and released.

use std::sync::Arc;

use parlor_engine::{GameId, Seat, Seats};
use parlor_fair::{TableId, TournamentId};

use super::{Agent, AgentError, AgentRegistry, SuspensionScope};
use crate::table::{Holder, SeatSetup, Setup, State, Table};

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
    /// agent that plays, not for those in `set_aside`. If the table is not created, [`AgentRegistry::release`] undoes it.
    ///
    /// # Errors
    ///
    /// An agent does not meet the requirement. Then nothing is reserved.
    pub(crate) fn reserve(
        &self,
        setup: &mut Setup,
        requirement: AgentRequirement,
        set_aside: Seats,
    ) -> Result<(), AgentError> {
        let now = self.0.clock.now_ms();
        let mut reserved: Vec<Arc<Agent>> = Vec::new();
        for seat in Seat::all(setup.seats.len() as u8).filter(|seat| !set_aside.contains(*seat)) {
            let SeatSetup::Agent { name, version } = &setup.seats[seat.index()] else { continue };
            let mut version = version.clone();
            let agent = self.find(name).ok_or_else(|| AgentError::Unknown { name: name.clone() });
            let outcome = agent.and_then(|agent| {
                agent.reserve(setup, &mut version, requirement, self.settings().owner_share, now)?;
                Ok(agent)
            });
            match outcome {
                Ok(agent) => reserved.push(agent),
                Err(error) => {
                    reserved.iter().for_each(|agent| self.leave_table(agent, setup.table));
                    return Err(error);
                }
            }
            if let SeatSetup::Agent { version: named, .. } = &mut setup.seats[seat.index()] {
                *named = version;
            }
        }
        Ok(())
    }

    /// Checks that an agent takes seats in tournaments of this owner with this time for a decision.
    ///
    /// # Errors
    ///
    /// [`AgentError::Declined`].
    pub(crate) fn check_tournament(
        &self,
        name: &str,
        scope: &SuspensionScope,
        decision_ms: u32,
    ) -> Result<(), AgentError> {
        let Some(agent) = self.find(name) else { return Ok(()) };
        let declined = agent.state().profile.declines(&agent.identity.owner, scope, decision_ms);
        declined.map_or(Ok(()), |why| Err(AgentError::Declined { name: name.to_owned(), why }))
    }

    /// Counts a table whose last seat is being taken against the capacity of its agents.
    ///
    /// # Errors
    ///
    /// [`AgentError::NoFreeTable`] if one of them plays at as many tables as it takes. Then the table must not begin.
    pub(crate) fn begin_table(&self, table: TableId, agents: &[Arc<Agent>]) -> Result<(), AgentError> {
        for (number, agent) in agents.iter().enumerate() {
            if let Err(error) = agent.begin_table(table) {
                agents[..number].iter().for_each(|begun| begun.state().tables.set_plays(table, false));
                return Err(error);
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
            let Holder::Agent { name, .. } = &seat.holder else { continue };
            let Some(agent) = self.find(name) else { continue };
            // A seat that has forfeited plays without its agent.
            if !seat.finish.is_forfeit() {
                agent.add_table(table.setup(), table.state() != State::Open);
            }
            if !seated.iter().any(|agent| agent.identity.name == *name) {
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
            let is_full = state.free_tables() == 0;
            state.tables.remove(table).is_some_and(|left| {
                let share = self.settings().owner_share;
                // Without the table, the owner has one more than before.
                is_full || agent.owner_capacity(&state, &left.scope.owner, share) <= 1
            })
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
