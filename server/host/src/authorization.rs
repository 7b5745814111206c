//! Authorisation of viewers and of changes to a table.

use parlor_engine::{Seat, Viewer};

use crate::identity::{Generation, Owner};
use crate::shard::table_message::Change;
use crate::table::{Setup, Table, TableSummary, Visibility};
use crate::{Actor, HostError, ViewerCredential};

/// Data of a table that access depends on: its setup and the valid generations of its tokens.
pub(crate) struct AccessCheck<'a> {
    setup: &'a Setup,
    seat_generations: Vec<u32>,
    spectator_generation: u32,
}

impl<'a> From<&'a Table> for AccessCheck<'a> {
    fn from(table: &'a Table) -> AccessCheck<'a> {
        let seat_generations = table.seats().iter().map(|seat| seat.generation).collect();
        AccessCheck { setup: table.setup(), seat_generations, spectator_generation: table.spectators() }
    }
}

impl<'a> From<&'a TableSummary> for AccessCheck<'a> {
    fn from(summary: &'a TableSummary) -> AccessCheck<'a> {
        let seat_generations = summary.seats.iter().map(|seat| seat.generation).collect();
        AccessCheck { setup: &summary.setup, seat_generations, spectator_generation: summary.spectators }
    }
}

impl AccessCheck<'_> {
    /// Admits a viewer by its credential.
    ///
    /// # Errors
    /// The token is invalid, or the table is private and not the caller's. A hidden table is reported as not found.
    pub(crate) fn admit(&self, credential: &ViewerCredential) -> Result<Viewer, HostError> {
        let hidden = HostError::NotFound { table: self.setup.table };
        match credential {
            ViewerCredential::Seat(token) => {
                let newest = self.seat_generations.get(token.seat().index()).copied().ok_or(hidden)?;
                let claim = token.check_generation(Generation(newest))?;
                Ok(Viewer::Seat(claim.seat))
            }
            ViewerCredential::Spectator(token) => {
                token.check_generation(Generation(self.spectator_generation))?;
                Ok(Viewer::Spectator)
            }
            ViewerCredential::NoToken { caller, admin, .. } => {
                let owns = caller.as_ref().is_some_and(|caller| self.is_owner(caller));
                let is_open = self.setup.visibility == Visibility::Public;
                if is_open || owns || *admin { Ok(Viewer::Spectator) } else { Err(hidden) }
            }
        }
    }

    /// Authorises an actor to make a change.
    ///
    /// # Errors
    /// The table is not the actor's, or a tournament plays it. An organiser must not decide the games of its
    /// tournament: there a seat is resigned by its holder alone, and a table is cancelled by the tournament alone.
    pub(crate) fn authorise(&self, actor: &Actor, change: &Change) -> Result<(), HostError> {
        self.authorise_change(actor, change.seat())?;
        let is_allowed = match (change, actor) {
            (Change::Resign { .. }, Actor::Seat(_)) | (Change::Cancel { .. }, Actor::Tournament) => true,
            (Change::Resign { .. } | Change::Cancel { .. }, _) => self.setup.chance.deal().is_none(),
            _ => true,
        };
        if is_allowed { Ok(()) } else { Err(HostError::PlayedByTournament { table: self.setup.table }) }
    }

    /// Authorises an actor to change one seat, or with `None` the whole table.
    pub(crate) fn authorise_change(&self, actor: &Actor, seat: Option<Seat>) -> Result<(), HostError> {
        let table = self.setup.table;
        match actor {
            Actor::Admin | Actor::Tournament => Ok(()),
            Actor::Owner(owner) if self.is_owner(owner) => Ok(()),
            Actor::TableOwner(owned) if *owned == table => Ok(()),
            // An actor that may not see the table must not learn that it exists.
            Actor::Owner(_) | Actor::TableOwner(_) if self.setup.visibility == Visibility::Private => {
                Err(HostError::NotFound { table })
            }
            Actor::Owner(_) | Actor::TableOwner(_) => Err(HostError::NotOwner { table }),
            Actor::Seat(token) => {
                self.admit(&ViewerCredential::Seat(*token))?;
                let is_own = seat.is_none_or(|seat| seat == token.seat()) && token.table() == table;
                if is_own { Ok(()) } else { Err(HostError::NotOwner { table }) }
            }
        }
    }

    fn is_owner(&self, owner: &Owner) -> bool {
        owner.as_str() == self.setup.owner
    }
}
