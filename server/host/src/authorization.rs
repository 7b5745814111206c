//! ViewerCredential may see a table, and as whom.

use parlor_engine::{Seat, Viewer};

use crate::identity::{Generation, Owner};
use crate::table::{Setup, Table, TableSummary, Visibility};
use crate::{Actor, HostError, ViewerCredential};

/// What a table knows of its tokens.
pub(crate) struct AccessCheck<'a> {
    setup: &'a Setup,
    seats: Vec<u32>,
    spectators: u32,
}

impl<'a> From<&'a Table> for AccessCheck<'a> {
    fn from(table: &'a Table) -> AccessCheck<'a> {
        let seats = table.seats().iter().map(|seat| seat.generation).collect();
        AccessCheck { setup: table.setup(), seats, spectators: table.spectators() }
    }
}

impl<'a> From<&'a TableSummary> for AccessCheck<'a> {
    fn from(look: &'a TableSummary) -> AccessCheck<'a> {
        let seats = look.seats.iter().map(|seat| seat.generation).collect();
        AccessCheck { setup: &look.setup, seats, spectators: look.spectators }
    }
}

impl AccessCheck<'_> {
    /// Lets somebody look on, or says why not.
    pub(crate) fn admit(&self, who: &ViewerCredential) -> Result<Viewer, HostError> {
        let hidden = HostError::NotFound { table: self.setup.table };
        match who {
            ViewerCredential::Seat(pass) => {
                let newest = self.seats.get(pass.seat().index()).copied().ok_or(hidden)?;
                let claim = pass.check_generation(Generation(newest))?;
                Ok(Viewer::Seat(claim.seat))
            }
            ViewerCredential::Spectator(pass) => {
                pass.check_generation(Generation(self.spectators))?;
                Ok(Viewer::Spectator)
            }
            ViewerCredential::Rail { caller, admin, .. } => {
                let owns = caller.as_ref().is_some_and(|caller| self.is_owner(caller));
                let is_open = self.setup.visibility == Visibility::Public;
                if is_open || owns || *admin { Ok(Viewer::Spectator) } else { Err(hidden) }
            }
        }
    }

    /// Whether something may be done on this behalf: to the table as a whole, or to one seat.
    pub(crate) fn may_change(&self, behalf: &Actor, seat: Option<Seat>) -> Result<(), HostError> {
        let table = self.setup.table;
        match behalf {
            Actor::Admin => Ok(()),
            Actor::Owner(owner) if self.is_owner(owner) => Ok(()),
            // Whoever may not even see the table does not learn that it is there.
            Actor::Owner(_) if self.setup.visibility == Visibility::Private => {
                Err(HostError::NotFound { table })
            }
            Actor::Owner(_) => Err(HostError::NotOwner { table }),
            Actor::Seat(pass) => {
                self.admit(&ViewerCredential::Seat(*pass))?;
                let is_own = seat.is_none_or(|seat| seat == pass.seat()) && pass.table() == table;
                if is_own { Ok(()) } else { Err(HostError::NotOwner { table }) }
            }
        }
    }

    fn is_owner(&self, owner: &Owner) -> bool {
        owner.as_str() == self.setup.owner
    }
}
