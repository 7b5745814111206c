//! Read access to a tournament: its state, groups, tables, progress and placings.

use super::provisional::ProvisionalScore;
use super::stages::FormatState;
use super::{PlannedTable, Tournament, TournamentState};
use crate::plan::{PlanSetup, TableKey};
use crate::stats::{Sprt, SprtState};
use crate::{Entrant, Group, TableScore};

/// State of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupState {
    /// At least one table is not over.
    Open,
    /// All tables are over.
    Complete,
    /// Excluded from the statistics.
    Void,
}

/// A planned group in any state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GroupSummary<'a> {
    /// Number of the group.
    pub number: u32,
    /// Round, from 0; always 0 in formats without rounds.
    pub round: u32,
    /// Entrants, in no particular order.
    pub lineup: &'a [Entrant],
    /// State of the group.
    pub state: GroupState,
    /// Reason for which it is void.
    pub void_reason: Option<&'a str>,
}

/// Progress of a tournament. Expected numbers are estimates from the current state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Counted groups.
    pub groups_counted: u32,
    /// Complete groups, counted or not.
    pub groups_complete: u32,
    /// Expected total of groups without void ones.
    pub groups_expected: u32,
    /// Void groups.
    pub groups_voided: u32,
    /// Finished tables, without those of void groups.
    pub tables_over: u32,
    /// Expected total of tables.
    pub tables_expected: u32,
    /// Current or last round, from 0.
    pub round: u32,
    /// Expected total of rounds; 1 in formats without rounds.
    pub rounds: u32,
}

/// Placing of an entrant by the rules of the format.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Placing {
    /// The entrant.
    pub entrant: Entrant,
    /// Rank by the format: less is better, ties are broken by the mean group score. Round robin and gauntlet:
    /// all 0. Swiss: by points, then Buchholz. Knockout: by the round of elimination, then by the place in
    /// the line-up.
    pub order: u32,
    /// Swiss points of the complete rounds; 0 in other formats.
    pub match_points: f64,
    /// Swiss tie-break: sum of the points of all opponents; 0 in other formats.
    pub buchholz: f64,
    /// Number of byes.
    pub byes: u32,
    /// Knockout round of the elimination, from 0.
    pub out_in_round: Option<u32>,
    /// True if the entrant was withdrawn.
    pub withdrawn: bool,
}

impl Tournament {
    /// Settings of the tournament.
    #[must_use]
    pub const fn setup(&self) -> &PlanSetup {
        &self.setup
    }

    /// Lifecycle state.
    #[must_use]
    pub const fn state(&self) -> TournamentState {
        self.state
    }

    /// True if the tournament is finished or cancelled.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        matches!(self.state, TournamentState::Finished | TournamentState::Cancelled)
    }

    /// Reason of the cancellation, or empty.
    #[must_use]
    pub fn cancel_reason(&self) -> &str {
        &self.cancel_reason
    }

    /// Counted groups, in order: the groups before the first open one, without void ones. Standings are
    /// computed from these.
    #[must_use]
    pub fn counted(&self) -> &[Group] {
        &self.counted
    }

    /// True if the group is counted.
    #[must_use]
    pub fn is_counted(&self, number: u32) -> bool {
        self.counted.binary_search_by_key(&number, |group| group.number).is_ok()
    }

    /// Scores of all entrants in the groups that are complete, but not counted: those after the first open one, and
    /// those after the group that decided the sequential test. In entrant order.
    pub fn provisional_scores(&self) -> impl Iterator<Item = ProvisionalScore> + '_ {
        self.provisional.scores()
    }

    /// Number of planned groups; they are numbered from 0.
    #[must_use]
    pub fn group_count(&self) -> u32 {
        self.groups.len() as u32
    }

    /// State of the sequential test, if there is one.
    #[must_use]
    pub fn test(&self) -> Option<SprtState> {
        self.test.as_ref().map(Sprt::state)
    }

    /// A group by number.
    #[must_use]
    pub fn group(&self, number: u32) -> Option<GroupSummary<'_>> {
        let planned = self.groups.get(number as usize)?;
        Some(GroupSummary {
            number,
            round: planned.round,
            lineup: self.lineup(planned.lineup),
            state: planned.state,
            void_reason: self.voided.get(&number).map(String::as_str),
        })
    }

    /// True if no table of the group will be played any more, so that its deal may be revealed.
    #[must_use]
    pub fn is_deal_over(&self, number: u32) -> bool {
        match self.groups.get(number as usize) {
            Some(planned) => self.is_over() || planned.state != GroupState::Open,
            None => false,
        }
    }

    /// A table with its seating. `None` if the plan has no such table.
    #[must_use]
    pub fn table(&self, table: TableKey) -> Option<PlannedTable> {
        let planned = self.groups.get(table.group as usize)?;
        let exists = table.rotation < self.setup.rotations();
        exists.then(|| PlannedTable { table, round: planned.round, seats: self.seats(table) })
    }

    /// Result of a table, if it is over and its group is not void.
    #[must_use]
    pub fn result(&self, table: TableKey) -> Option<&TableScore> {
        let tables = match self.counted.binary_search_by_key(&table.group, |group| group.number) {
            Ok(at) => &self.counted[at].tables,
            Err(_) => match self.provisional.get(table.group) {
                Some(group) => &group.tables,
                None => self.partial.get(&table.group)?,
            },
        };
        tables.iter().find(|result| result.rotation == table.rotation)
    }

    /// True if a table of the current stage still needs a result: it is not over, and its group is not void.
    /// The caller cancels running tables for which this is false.
    #[must_use]
    pub fn is_pending(&self, table: TableKey) -> bool {
        !self.is_over() && self.schedule.is_pending(table)
    }

    /// Progress of the tournament.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let voided = self.voided.len() as u32;
        let (rounds, unplanned_groups) = self.expected_rounds_and_groups();
        let planned = self.groups.len() as u32 - voided;
        let complete = (self.counted.len() + self.provisional.len()) as u32;
        let expected = if self.is_over() { complete } else { planned.saturating_add(unplanned_groups) };
        let tables = expected.saturating_mul(u32::from(self.setup.rotations()));
        Progress {
            groups_counted: self.counted.len() as u32,
            groups_complete: complete,
            groups_expected: expected,
            groups_voided: voided,
            tables_over: self.tables_over,
            tables_expected: if self.is_over() { self.tables_over } else { tables },
            round: self.round(),
            rounds,
        }
    }

    /// Placings of all entrants by the rules of the format, in entrant order.
    #[must_use]
    pub fn placings(&self) -> Vec<Placing> {
        let unplaced = |entrant: Entrant| Placing {
            entrant,
            order: 0,
            match_points: 0.0,
            buchholz: 0.0,
            byes: 0,
            out_in_round: None,
            withdrawn: !self.is_active(entrant),
        };
        let mut placings: Vec<Placing> = (0..self.setup.entrants).map(Entrant).map(unplaced).collect();
        match &self.format_state {
            FormatState::Fixed => {}
            FormatState::Swiss(swiss) => {
                for placing in &mut placings {
                    placing.match_points = swiss.points(placing.entrant);
                    placing.buchholz = swiss.buchholz(placing.entrant);
                    placing.byes = swiss.byes(placing.entrant);
                }
                rank(&mut placings, |a, b| {
                    let points = b.match_points.total_cmp(&a.match_points);
                    points.then(b.buchholz.total_cmp(&a.buchholz))
                });
            }
            FormatState::Knockout(knockout) => {
                for placing in &mut placings {
                    placing.byes = knockout.byes(placing.entrant);
                    placing.out_in_round = knockout.elimination(placing.entrant).map(|out| out.round);
                }
                // Remaining entrants first; then a later round of elimination is better; within a round by
                // place and score.
                let key = |placing: &Placing| {
                    let out = knockout.elimination(placing.entrant);
                    out.map(|out| (std::cmp::Reverse(out.round), out.place, std::cmp::Reverse(out.score)))
                };
                rank(&mut placings, |a, b| key(a).cmp(&key(b)));
            }
        }
        placings
    }
}

/// Sets `order` of the placings by a comparison; ties share a number.
fn rank(placings: &mut [Placing], order: impl Fn(&Placing, &Placing) -> std::cmp::Ordering) {
    let mut sorted: Vec<usize> = (0..placings.len()).collect();
    sorted.sort_by(|&a, &b| order(&placings[a], &placings[b]));
    let mut before: Option<usize> = None;
    for (place, at) in sorted.into_iter().enumerate() {
        placings[at].order = match before {
            Some(before) if order(&placings[before], &placings[at]).is_eq() => placings[before].order,
            _ => place as u32,
        };
        before = Some(at);
    }
}
