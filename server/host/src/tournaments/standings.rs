//! Standings of a tournament that no runner has in memory, and the pace of one that runs.

use parlor_tournament::{StandingsAccumulator, TournamentState};

use super::FoldedTournament;
use super::snapshot::{StandingsFrame, StandingsSnapshot, rating_history};

/// How quickly a tournament goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pace {
    /// Since when, in milliseconds since 1970.
    since: u64,
    /// How many tables were over then.
    over: u32,
}

impl Pace {
    pub(super) const fn new(since: u64, over: u32) -> Pace {
        Pace { since, over }
    }

    /// How long it will take at this pace, in milliseconds; nothing if nobody can know.
    pub(super) fn left(&self, course: &FoldedTournament, now: u64) -> Option<u64> {
        let progress = course.plan.progress();
        let played = progress.tables_over.checked_sub(self.over).filter(|played| *played > 0)?;
        let to_come = progress.tables_expected.saturating_sub(progress.tables_over);
        let took = now.saturating_sub(self.since);
        let is_on = course.plan.state() == TournamentState::Running;
        is_on.then(|| (u128::from(took) * u128::from(to_come) / u128::from(played)) as u64)
    }
}

/// How things stand in a tournament that nobody runs.
pub(super) fn standings(course: &FoldedTournament, history: bool) -> StandingsSnapshot {
    let entrants = course.setup.terms.entrants.len();
    let (mut tally, counted) =
        (StandingsAccumulator::new(entrants, course.setup.terms.test.as_ref()), course.plan.counted());
    tally.catch_up(counted);
    let history = if history { rating_history(entrants, counted) } else { Vec::new() };
    StandingsSnapshot { history, ..StandingsFrame::new(course, course.plan.state()).standings(&tally) }
}
