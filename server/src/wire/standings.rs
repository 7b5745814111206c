//! How things stand in a tournament.

use parlor_proto::v1;
use parlor_tournament::standings::{CrossCell, Row};
use parlor_tournament::stats::{Decision, Interval, RotationGain, SequentialState, rating};
use parlor_tournament::tournament::Progress;
use parlor_tournament::{Finish, Standings, State};

use super::tournament::state;
use crate::table::Conduct;
use crate::tournament::Course;

/// How many points the curve of the ratings has, at the most.
const POINTS: usize = 50;

/// How things stand after the groups that count; what runs now is for others to say.
pub(crate) fn standings(course: &Course, shown: State, history: bool) -> v1::Standings {
    let (plan, test) = (&course.plan, course.setup.terms.test);
    let standings = Standings::of(&plan.placings(), test.as_ref(), plan.counted());
    let entrants = course.setup.terms.entrants.len();
    let history = if history { rating::history(entrants, plan.counted(), POINTS) } else { Vec::new() };
    let Progress {
        groups_counted,
        groups_complete,
        groups_expected,
        groups_voided,
        tables_over,
        tables_expected,
        round,
        rounds,
    } = plan.progress();
    v1::Standings {
        state: state(shown).into(),
        rows: standings.rows.iter().map(|of| row(course, of)).collect(),
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
        history: history
            .into_iter()
            .map(|point| v1::RatingPoint { groups: point.groups, ratings: point.ratings })
            .collect(),
    }
}

fn row(course: &Course, row: &Row) -> v1::StandingsRow {
    let entrant = &course.setup.terms.entrants[row.entrant.index()];
    v1::StandingsRow {
        rank: row.rank,
        entrant: row.entrant.0.into(),
        name: entrant.name().to_owned(),
        version: course.version(row.entrant).to_owned(),
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
    }
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
