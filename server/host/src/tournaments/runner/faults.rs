//! Faults of the server at the tables of a tournament. A fresh deal replaces a group with a fault, so a fault that
//! occurs at every table of an entrant, such as a house bot that always fails, would be dealt again for ever: it
//! ends the tournament.

use parlor_tournament as plan;
use parlor_tournament::Entrant;
use parlor_tournament::plan::TableKey;

use super::{Runner, Stopped};
use crate::tournaments::{FoldedTournament, TournamentEntry};

/// Number of tables of an entrant in a row that end with a fault before the tournament ends.
const MAX_FAULTS_IN_A_ROW: u32 = 20;

impl Runner {
    /// Notes that a table was played to its end: its entrants can be played with.
    pub(super) fn end_fault_streaks(&mut self, place: TableKey) {
        for entrant in entrants(&self.live.view().folded, place) {
            self.fault_streaks.remove(&entrant);
        }
    }

    /// Counts a table that ended with a fault, and cancels the tournament if it is one too many for an entrant.
    pub(super) async fn count_fault(&mut self, place: TableKey, fault: &str) -> Result<(), Stopped> {
        let failing = {
            let view = self.live.view();
            let mut failing = None;
            for entrant in entrants(&view.folded, place) {
                let streak = self.fault_streaks.entry(entrant).or_default();
                *streak += 1;
                if *streak >= MAX_FAULTS_IN_A_ROW {
                    failing = failing.or(Some(entrant));
                }
            }
            failing.map(|entrant| view.folded.setup.terms.entrants[entrant.index()].name().to_owned())
        };
        let Some(name) = failing else { return Ok(()) };
        let reason = format!(
            "ended by the server: the last {MAX_FAULTS_IN_A_ROW} tables of {name} had no result, the last one because {fault}"
        );
        let cancelled = plan::PlanEntry::Cancelled { reason: reason.clone() };
        // The tournament may be over.
        let is_new = matches!(self.live.view().folded.plan.propose(cancelled), Ok(Some(_)));
        if is_new {
            tracing::error!(tournament = %self.tournament, reason, "tournament cancelled");
            self.append_with_retry(vec![TournamentEntry::Cancelled { reason }]).await?;
        }
        Ok(())
    }
}

/// The entrants at a table.
fn entrants(folded: &FoldedTournament, place: TableKey) -> Vec<Entrant> {
    folded.plan.group(place.group).map(|group| group.lineup.to_vec()).unwrap_or_default()
}
