//! Validation of entries against the current state.

use super::queries::GroupState;
use super::{InvalidEntry, PlanEntry, Tournament, TournamentState};
use crate::plan::TableKey;
use crate::{Entrant, TableScore};

impl Tournament {
    /// Validates an entry before it is appended to the log. Returns the entry, or `None` if it would change
    /// nothing because it was applied before or comes too late. So a repeated command is harmless.
    ///
    /// # Errors
    /// The reason for which the entry is invalid.
    ///
    /// ```
    /// use parlor_tournament::plan::{DealMode, Format, PlanSetup, PlanVersion};
    /// use parlor_tournament::{PlanEntry, Tournament};
    ///
    /// let format = Format::RoundRobin { groups: 10 };
    /// let (version, deals) = (PlanVersion::LATEST, DealMode::Duplicate);
    /// let setup = PlanSetup { version, players: 2, entrants: 4, format, deals, test: None };
    /// let mut tournament = Tournament::new(setup, [7; 32])?;
    /// let entry = tournament.propose(PlanEntry::Started)?.expect("not started yet");
    /// tournament.apply(&entry)?; // after the append to the log
    /// assert_eq!(tournament.propose(PlanEntry::Started)?, None, "starting again changes nothing");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn propose(&self, entry: PlanEntry) -> Result<Option<PlanEntry>, InvalidEntry> {
        Ok(self.validate(&entry)?.then_some(entry))
    }

    /// True if the entry changes the state, false if it is valid without effect.
    pub(super) fn validate(&self, entry: &PlanEntry) -> Result<bool, InvalidEntry> {
        match entry {
            PlanEntry::Starting => Ok(self.validate_start()? && self.state == TournamentState::Created),
            PlanEntry::Started => self.validate_start(),
            PlanEntry::TableOver { group, table } => self.validate_table(*group, table),
            PlanEntry::GroupVoided { group, .. } => self.validate_void(*group),
            PlanEntry::Withdrawn { entrant } => self.validate_withdrawal(*entrant),
            PlanEntry::Paused => self.require_started().map(|()| self.state == TournamentState::Running),
            PlanEntry::Resumed => self.require_started().map(|()| self.state == TournamentState::Paused),
            PlanEntry::Cancelled { .. } => match self.state {
                TournamentState::Cancelled => Ok(false),
                _ => self.require_not_over().map(|()| true),
            },
        }
    }

    fn require_not_over(&self) -> Result<(), InvalidEntry> {
        if self.is_over() { Err(InvalidEntry::Over) } else { Ok(()) }
    }

    /// Requires a tournament that is started and not over.
    fn require_started(&self) -> Result<(), InvalidEntry> {
        self.require_not_over()?;
        if self.has_begun() { Ok(()) } else { Err(InvalidEntry::NotStarted) }
    }

    fn validate_start(&self) -> Result<bool, InvalidEntry> {
        match self.state {
            TournamentState::Created | TournamentState::Starting => {}
            TournamentState::Cancelled => return Err(InvalidEntry::Over),
            // A start whose answer was lost may be retried even after the end.
            TournamentState::Running | TournamentState::Paused | TournamentState::Finished => {
                return Ok(false);
            }
        }
        if self.groups.is_empty() {
            let left = self.active_entrants().len() as u16;
            return Err(InvalidEntry::TooFewEntrants { left, players: self.setup.players });
        }
        Ok(true)
    }

    fn validate_table(&self, group: u32, table: &TableScore) -> Result<bool, InvalidEntry> {
        if !self.has_begun() {
            return Err(InvalidEntry::NotStarted);
        }
        let state = self.group_state(group)?;
        let (rotation, rotations) = (table.rotation, self.setup.rotations());
        if rotation >= rotations {
            return Err(InvalidEntry::UnknownTable(group, rotation, rotations));
        }
        let seats = self.seats(TableKey { group, rotation });
        if !table.seats.iter().map(|seat| seat.entrant).eq(seats.iter().copied()) {
            let seats = seats.iter().map(|entrant| entrant.0).collect();
            return Err(InvalidEntry::WrongSeats { group, rotation, seats });
        }
        let wrong = table.seats.iter().find(|seat| !(1..=self.setup.players).contains(&seat.place));
        if let Some(seat) = wrong {
            return Err(InvalidEntry::WrongPlace(group, rotation, seat.place));
        }
        match self.result(TableKey { group, rotation }) {
            Some(recorded) if recorded == table => Ok(false),
            Some(_) => Err(InvalidEntry::ConflictingResult(group, rotation)),
            // A table may have been running when its group was voided or the tournament ended.
            None => Ok(!self.is_over() && state == GroupState::Open),
        }
    }

    fn validate_void(&self, group: u32) -> Result<bool, InvalidEntry> {
        match self.group_state(group)? {
            GroupState::Void => Ok(false),
            _ => {
                self.require_started()?;
                if self.can_be_voided(group) { Ok(true) } else { Err(InvalidEntry::RoundDecided(group)) }
            }
        }
    }

    fn validate_withdrawal(&self, entrant: Entrant) -> Result<bool, InvalidEntry> {
        if entrant.0 >= self.setup.entrants {
            return Err(InvalidEntry::UnknownEntrant(entrant.0, self.setup.entrants));
        }
        if !self.is_active(entrant) {
            return Ok(false);
        }
        self.require_not_over().map(|()| true)
    }

    fn group_state(&self, group: u32) -> Result<GroupState, InvalidEntry> {
        let state = self.groups.get(group as usize).map(|planned| planned.state);
        state.ok_or(InvalidEntry::UnknownGroup(group, self.groups.len() as u32))
    }
}
