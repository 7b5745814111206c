//! Validation of entries against the current state.

use super::queries::GroupState;
use super::{Entry, Misfit, State, Tournament};
use crate::plan::TableId;
use crate::{Entrant, TableScore};

impl Tournament {
    /// Validates an entry before it is appended to the log. Returns the entry, or `None` if it would change
    /// nothing because it was applied before or comes too late. So a repeated command is harmless.
    ///
    /// # Errors
    /// The reason for which the entry is invalid.
    ///
    /// ```
    /// use parlor_tournament::plan::{Deals, Format, Setup};
    /// use parlor_tournament::{Entry, Tournament};
    ///
    /// let format = Format::RoundRobin { groups: 10 };
    /// let setup = Setup { players: 2, entrants: 4, format, deals: Deals::Duplicate, test: None };
    /// let mut tournament = Tournament::open(setup, [7; 32])?;
    /// let entry = tournament.ask(Entry::Started)?.expect("not started yet");
    /// tournament.fold(&entry)?; // after the append to the log
    /// assert_eq!(tournament.ask(Entry::Started)?, None, "starting again changes nothing");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ask(&self, entry: Entry) -> Result<Option<Entry>, Misfit> {
        Ok(self.validate(&entry)?.then_some(entry))
    }

    /// True if the entry changes the state, false if it is valid without effect.
    pub(super) fn validate(&self, entry: &Entry) -> Result<bool, Misfit> {
        match entry {
            Entry::Started => self.validate_start(),
            Entry::TableOver { group, table } => self.validate_table(*group, table),
            Entry::GroupVoided { group, .. } => self.validate_void(*group),
            Entry::Withdrawn { entrant } => self.validate_withdrawal(*entrant),
            Entry::Paused => self.require_started().map(|()| self.state == State::Running),
            Entry::Resumed => self.require_started().map(|()| self.state == State::Paused),
            Entry::Cancelled { .. } => match self.state {
                State::Cancelled => Ok(false),
                _ => self.require_not_over().map(|()| true),
            },
        }
    }

    fn require_not_over(&self) -> Result<(), Misfit> {
        if self.is_over() { Err(Misfit::Over) } else { Ok(()) }
    }

    /// Requires a tournament that is started and not over.
    fn require_started(&self) -> Result<(), Misfit> {
        self.require_not_over()?;
        if self.state == State::Created { Err(Misfit::NotStarted) } else { Ok(()) }
    }

    fn validate_start(&self) -> Result<bool, Misfit> {
        match self.state {
            State::Created => {}
            State::Cancelled => return Err(Misfit::Over),
            // A start whose answer was lost may be retried even after the end.
            State::Running | State::Paused | State::Finished => return Ok(false),
        }
        if self.groups.is_empty() {
            let left = self.active_entrants().len() as u16;
            return Err(Misfit::TooFew { left, players: self.setup.players });
        }
        Ok(true)
    }

    fn validate_table(&self, group: u32, table: &TableScore) -> Result<bool, Misfit> {
        if self.state == State::Created {
            return Err(Misfit::NotStarted);
        }
        let state = self.group_state(group)?;
        let (rotation, rotations) = (table.rotation, self.setup.rotations());
        if rotation >= rotations {
            return Err(Misfit::NoTable(group, rotation, rotations));
        }
        let seats = self.seats(TableId { group, rotation });
        if !table.seats.iter().map(|seat| seat.entrant).eq(seats.iter().copied()) {
            let seats = seats.iter().map(|entrant| entrant.0).collect();
            return Err(Misfit::WrongSeats { group, rotation, seats });
        }
        let wrong = table.seats.iter().find(|seat| !(1..=self.setup.players).contains(&seat.place));
        if let Some(seat) = wrong {
            return Err(Misfit::WrongPlace(group, rotation, seat.place));
        }
        match self.result(TableId { group, rotation }) {
            Some(recorded) if recorded == table => Ok(false),
            Some(_) => Err(Misfit::OtherResult(group, rotation)),
            // A table may have been running when its group was voided or the tournament ended.
            None => Ok(!self.is_over() && state == GroupState::Open),
        }
    }

    fn validate_void(&self, group: u32) -> Result<bool, Misfit> {
        match self.group_state(group)? {
            GroupState::Void => Ok(false),
            _ => {
                self.require_started()?;
                if self.can_be_voided(group) { Ok(true) } else { Err(Misfit::Decided(group)) }
            }
        }
    }

    fn validate_withdrawal(&self, entrant: Entrant) -> Result<bool, Misfit> {
        if entrant.0 >= self.setup.entrants {
            return Err(Misfit::NoEntrant(entrant.0, self.setup.entrants));
        }
        if !self.is_active(entrant) {
            return Ok(false);
        }
        self.require_not_over().map(|()| true)
    }

    fn group_state(&self, group: u32) -> Result<GroupState, Misfit> {
        let state = self.groups.get(group as usize).map(|planned| planned.state);
        state.ok_or(Misfit::NoGroup(group, self.groups.len() as u32))
    }
}
