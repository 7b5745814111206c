//! How things stand in a tournament.

use std::sync::Arc;

use parlor_proto::v1;
use parlor_tournament::standings::{CrossCell, Row};
use parlor_tournament::stats::{Decision, Interval, RotationGain, SequentialState, rating};
use parlor_tournament::tournament::{Placing, Progress};
use parlor_tournament::{Entrant, Finish, Group, State, Tally};

use super::tournament::state;
use crate::table::Conduct;
use crate::tournament::{Course, Setup};

/// How many points the curve of the ratings has, at the most.
const POINTS: usize = 50;

/// What is known of a tournament at some moment, beside what its groups tell.
pub(crate) struct Frame {
    setup: Arc<Setup>,
    /// Of each entrant.
    versions: Vec<String>,
    placings: Vec<Placing>,
    progress: Progress,
    state: State,
}

impl Frame {
    /// What is known now, if the tournament is shown in this state.
    pub(crate) fn of(course: &Course, state: State) -> Frame {
        let entrants = (0..course.setup.terms.entrants.len()).map(|at| Entrant(at as u16));
        Frame {
            setup: course.setup.clone(),
            versions: entrants.map(|entrant| course.version(entrant).to_owned()).collect(),
            placings: course.plan.placings(),
            progress: course.plan.progress(),
            state,
        }
    }

    /// How things stand after the groups that were taken in; what runs now is for others to say.
    pub(crate) fn standings(&self, tally: &Tally) -> v1::Standings {
        let standings = tally.standings(&self.placings);
        let Progress {
            groups_counted,
            groups_complete,
            groups_expected,
            groups_voided,
            tables_over,
            tables_expected,
            round,
            rounds,
        } = self.progress;
        v1::Standings {
            state: state(self.state).into(),
            rows: standings.rows.iter().map(|row| self.row(row)).collect(),
            cells: standings.cells.iter().map(cell).collect(),
            groups_counted,
            groups_complete,
            groups_expected,
            tables_over,
            tables_running: 0,
            tables_expected,
            groups_voided,
            round,
            rounds,
            time_left_ms: None,
            test: standings.test.map(sequential_state),
            history: Vec::new(),
        }
    }

    fn row(&self, row: &Row) -> v1::StandingsRow {
        let at = row.entrant.index();
        v1::StandingsRow {
            rank: row.rank,
            entrant: row.entrant.0.into(),
            name: self.setup.terms.entrants[at].name().to_owned(),
            version: self.versions[at].clone(),
            games: row.games,
            groups: row.groups,
            mean: row.mean,
            interval: row.interval.map(interval),
            place_points: row.place_points,
            rating: row.rating,
            rating_interval: row.rating_interval.map(interval),
            buchholz: row.placing.buchholz,
            byes: row.placing.byes,
            finishes: row.finishes.iter().map(|(finish, games)| finish_count(*finish, *games)).collect(),
            withdrawn: row.placing.withdrawn,
            out_in_round: row.placing.out_in_round,
            gain: row.gain.map(|RotationGain { mean, p_value, flagged }| v1::RotationGain {
                mean,
                p_value,
                flagged,
            }),
            match_points: row.placing.match_points,
        }
    }
}

/// The ratings after parts of these groups, for a curve.
pub(crate) fn history(entrants: usize, groups: &[Group]) -> Vec<v1::RatingPoint> {
    let points = rating::history(entrants, groups, POINTS).into_iter();
    points.map(|point| v1::RatingPoint { groups: point.groups, ratings: point.ratings }).collect()
}

fn cell(cell: &CrossCell) -> v1::CrossCell {
    v1::CrossCell {
        entrant: cell.entrant.0.into(),
        opponent: cell.opponent.0.into(),
        groups: cell.groups,
        mean: cell.mean,
        interval: cell.interval.map(interval),
    }
}

fn finish_count(finish: Finish, games: u32) -> v1::FinishCount {
    let conduct = match finish {
        Finish::PlayedOut => Conduct::PlayedOut,
        Finish::TimedOut => Conduct::TimedOut,
        Finish::Resigned => Conduct::Resigned,
        Finish::Disconnected => Conduct::Disconnected,
        Finish::SetAside => Conduct::SetAside,
    };
    v1::FinishCount { finish: v1::SeatFinish::from(conduct).into(), games }
}

const fn interval(of: Interval) -> v1::Interval {
    v1::Interval { low: of.low, high: of.high }
}

fn sequential_state(test: SequentialState) -> v1::SequentialState {
    let decision = match test.decision {
        None => v1::SequentialDecision::Unspecified,
        Some(Decision::Lower) => v1::SequentialDecision::Lower,
        Some(Decision::Upper) => v1::SequentialDecision::Upper,
    };
    v1::SequentialState {
        llr: test.llr,
        accept_lower: test.accept_lower,
        accept_upper: test.accept_upper,
        decision: decision.into(),
        groups: test.groups,
    }
}
