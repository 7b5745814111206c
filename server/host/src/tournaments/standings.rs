//! Standings of a tournament without a runner, and the time estimate of a running one.

use parlor_tournament::{StandingsAccumulator, TournamentState};

use super::FoldedTournament;
use super::snapshot::{StandingsFrame, StandingsSnapshot};

/// Rate at which the tables of a tournament end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PlayRate {
    /// Start of the measurement, in milliseconds since 1970.
    since: u64,
    /// Number of tables that were over at the start.
    tables_over: u32,
}

impl PlayRate {
    pub(super) const fn new(since: u64, tables_over: u32) -> PlayRate {
        PlayRate { since, tables_over }
    }

    /// Estimated time until the end, in milliseconds; `None` unless the tournament runs and a table has
    /// ended.
    pub(super) fn time_left(&self, folded: &FoldedTournament, now: u64) -> Option<u64> {
        let progress = folded.plan.progress();
        let played = progress.tables_over.checked_sub(self.tables_over).filter(|played| *played > 0)?;
        let remaining = progress.tables_expected.saturating_sub(progress.tables_over);
        let elapsed = now.saturating_sub(self.since);
        let is_running = folded.plan.state() == TournamentState::Running;
        is_running.then(|| (u128::from(elapsed) * u128::from(remaining) / u128::from(played)) as u64)
    }
}

/// The standings of a tournament without a runner.
pub(super) fn standings(folded: &FoldedTournament) -> StandingsSnapshot {
    let entrants = folded.setup.terms.entrants.len();
    let (mut accumulator, counted) =
        (StandingsAccumulator::new(entrants, folded.setup.terms.test.as_ref()), folded.plan.counted());
    accumulator.catch_up(counted);
    StandingsFrame::new(folded, folded.plan.state()).standings(&accumulator)
}
