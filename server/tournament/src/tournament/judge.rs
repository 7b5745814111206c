//! What may be done: whoever wants something asks here, and appends the entry that comes back.

use super::look::GroupState;
use super::{Entry, Misfit, State, Tournament};
use crate::plan::TableId;
use crate::{Entrant, TableScore};

impl Tournament {
    /// Whether this may happen now. Gives the entry to append; or none, if there is nothing left to do: it was done
    /// before, or it comes too late to matter. Asking again for what was done is harmless.
    ///
    /// # Errors
    /// Why it cannot be.
    ///
    /// ```
    /// use parlor_tournament::plan::{Deals, Format, Setup};
    /// use parlor_tournament::{Entry, Tournament};
    ///
    /// let format = Format::RoundRobin { groups: 10 };
    /// let setup = Setup { players: 2, entrants: 4, format, deals: Deals::Duplicate, test: None };
    /// let mut tournament = Tournament::open(setup, [7; 32])?;
    /// let entry = tournament.ask(Entry::Started)?.expect("it was not started yet");
    /// tournament.fold(&entry)?; // after it was appended to the log
    /// assert_eq!(tournament.ask(Entry::Started)?, None, "starting it again is harmless");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ask(&self, entry: Entry) -> Result<Option<Entry>, Misfit> {
        Ok(self.judge(&entry)?.then_some(entry))
    }

    /// Whether an entry changes something.
    pub(super) fn judge(&self, entry: &Entry) -> Result<bool, Misfit> {
        match entry {
            Entry::Started => self.judge_start(),
            Entry::TableOver { group, table } => self.judge_table(*group, table),
            Entry::GroupVoided { group, .. } => self.judge_void(*group),
            Entry::Withdrawn { entrant } => self.judge_withdrawal(*entrant),
            Entry::Paused => self.started().map(|()| self.state == State::Running),
            Entry::Resumed => self.started().map(|()| self.state == State::Paused),
            Entry::Cancelled { .. } => match self.state {
                State::Cancelled => Ok(false),
                _ => self.not_over().map(|()| true),
            },
        }
    }

    fn not_over(&self) -> Result<(), Misfit> {
        if self.is_over() { Err(Misfit::Over) } else { Ok(()) }
    }

    fn started(&self) -> Result<(), Misfit> {
        self.not_over()?;
        if self.state == State::Created { Err(Misfit::NotStarted) } else { Ok(()) }
    }

    fn judge_start(&self) -> Result<bool, Misfit> {
        match self.state {
            State::Created => {}
            State::Cancelled => return Err(Misfit::Over),
            // Whoever started it and never heard so may ask again when it is over.
            State::Running | State::Paused | State::Finished => return Ok(false),
        }
        if self.groups.is_empty() {
            let left = self.there().len() as u16;
            return Err(Misfit::TooFew { left, players: self.setup.players });
        }
        Ok(true)
    }

    fn judge_table(&self, group: u32, table: &TableScore) -> Result<bool, Misfit> {
        if self.state == State::Created {
            return Err(Misfit::NotStarted);
        }
        let planned = self.known(group)?;
        let (rotation, rotations) = (table.rotation, self.setup.rotations());
        if rotation >= rotations {
            return Err(Misfit::NoTable(group, rotation, rotations));
        }
        let seats = self.seats(TableId { group, rotation });
        if !table.seats.iter().map(|seat| seat.entrant).eq(seats.iter().copied()) {
            let seats = seats.iter().map(|who| who.0).collect();
            return Err(Misfit::WrongSeats { group, rotation, seats });
        }
        let wrong = table.seats.iter().find(|seat| !(1..=self.setup.players).contains(&seat.place));
        if let Some(seat) = wrong {
            return Err(Misfit::WrongPlace(group, rotation, seat.place));
        }
        match self.result(TableId { group, rotation }) {
            Some(there) if there == table => Ok(false),
            Some(_) => Err(Misfit::OtherResult(group, rotation)),
            // Tables may still have been running when their group was voided or the tournament ended.
            None => Ok(!self.is_over() && planned == GroupState::Open),
        }
    }

    fn judge_void(&self, group: u32) -> Result<bool, Misfit> {
        match self.known(group)? {
            GroupState::Void => Ok(false),
            _ => {
                self.started()?;
                if self.can_be_voided(group) { Ok(true) } else { Err(Misfit::Decided(group)) }
            }
        }
    }

    fn judge_withdrawal(&self, entrant: Entrant) -> Result<bool, Misfit> {
        if entrant.0 >= self.setup.entrants {
            return Err(Misfit::NoEntrant(entrant.0, self.setup.entrants));
        }
        if !self.is_there(entrant) {
            return Ok(false);
        }
        self.not_over().map(|()| true)
    }

    fn known(&self, group: u32) -> Result<GroupState, Misfit> {
        let known = self.groups.get(group as usize).map(|planned| planned.state);
        known.ok_or(Misfit::NoGroup(group, self.groups.len() as u32))
    }
}
