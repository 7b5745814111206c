//! Who may see a table, and as whom.

use parlor_engine::{Seat, Viewer};

use crate::identity::{Generation, Owner};
use crate::table::{Look, Setup, Table, Visibility};
use crate::{Behalf, HostError, Who};

/// What a table knows of its tokens.
pub(crate) struct Door<'a> {
    setup: &'a Setup,
    seats: Vec<u32>,
    spectators: u32,
}

impl<'a> From<&'a Table> for Door<'a> {
    fn from(table: &'a Table) -> Door<'a> {
        let seats = table.seats().iter().map(|seat| seat.generation).collect();
        Door { setup: table.setup(), seats, spectators: table.spectators() }
    }
}

impl<'a> From<&'a Look> for Door<'a> {
    fn from(look: &'a Look) -> Door<'a> {
        let seats = look.seats.iter().map(|seat| seat.generation).collect();
        Door { setup: &look.setup, seats, spectators: look.spectators }
    }
}

impl Door<'_> {
    /// Lets somebody look on, or says why not.
    pub(crate) fn admit(&self, who: &Who) -> Result<Viewer, HostError> {
        let hidden = HostError::NotFound { table: self.setup.table };
        match who {
            Who::Seat(pass) => {
                let newest = self.seats.get(pass.seat().index()).copied().ok_or(hidden)?;
                let claim = pass.check_generation(Generation(newest))?;
                Ok(Viewer::Seat(claim.seat))
            }
            Who::Spectator(pass) => {
                pass.check_generation(Generation(self.spectators))?;
                Ok(Viewer::Spectator)
            }
            Who::Rail { caller, admin, .. } => {
                let owns = caller.as_ref().is_some_and(|caller| self.is_owner(caller));
                let is_open = self.setup.visibility == Visibility::Public;
                if is_open || owns || *admin { Ok(Viewer::Spectator) } else { Err(hidden) }
            }
        }
    }

    /// Whether something may be done on this behalf: to the table as a whole, or to one seat.
    pub(crate) fn may_change(&self, behalf: &Behalf, seat: Option<Seat>) -> Result<(), HostError> {
        let table = self.setup.table;
        match behalf {
            Behalf::Admin => Ok(()),
            Behalf::Owner(owner) if self.is_owner(owner) => Ok(()),
            // Whoever may not even see the table does not learn that it is there.
            Behalf::Owner(_) if self.setup.visibility == Visibility::Private => {
                Err(HostError::NotFound { table })
            }
            Behalf::Owner(_) => Err(HostError::NotOwner { table }),
            Behalf::Seat(pass) => {
                self.admit(&Who::Seat(*pass))?;
                let is_own = seat.is_none_or(|seat| seat == pass.seat()) && pass.table() == table;
                if is_own { Ok(()) } else { Err(HostError::NotOwner { table }) }
            }
        }
    }

    fn is_owner(&self, owner: &Owner) -> bool {
        owner.as_str() == self.setup.owner
    }
}
