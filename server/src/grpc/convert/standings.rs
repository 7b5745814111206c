//! Standings of tournaments.

use parlor_host::tournaments::StandingsSnapshot;
use parlor_proto::v1;
use parlor_tournament::SeatFinish;
use parlor_tournament::standings::{CrossCell, StandingsRow};
use parlor_tournament::stats::rating::RatingPoint;
use parlor_tournament::stats::{Interval, RotationGain, SprtDecision, SprtState};
use parlor_tournament::tournament::Progress;

use super::ToMessage;
use super::tournament::state;

/// The standings of a tournament.
pub(crate) fn standings(snapshot: &StandingsSnapshot) -> v1::Standings {
    let Progress {
        groups_counted,
        groups_complete,
        groups_expected,
        groups_voided,
        tables_over,
        tables_expected,
        round,
        rounds,
    } = snapshot.progress;
    v1::Standings {
        state: state(snapshot.state).into(),
        rows: snapshot.standings.rows.iter().map(|row| self::row(snapshot, row)).collect(),
        cells: snapshot.standings.cells.iter().map(cell).collect(),
        groups_counted,
        groups_complete,
        groups_expected,
        tables_over,
        tables_running: snapshot.tables_running,
        tables_expected,
        groups_voided,
        round,
        rounds,
        time_left_ms: snapshot.time_left,
        test: snapshot.standings.test.map(sequential_state),
        history: snapshot.history.iter().map(rating_point).collect(),
    }
}

fn row(snapshot: &StandingsSnapshot, row: &StandingsRow) -> v1::StandingsRow {
    let at = row.entrant.index();
    v1::StandingsRow {
        rank: row.rank,
        entrant: row.entrant.0.into(),
        name: snapshot.setup.terms.entrants[at].name().to_owned(),
        version: snapshot.versions[at].clone(),
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

fn rating_point(point: &RatingPoint) -> v1::RatingPoint {
    v1::RatingPoint { groups: point.groups, ratings: point.ratings.clone() }
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

fn finish_count(finish: SeatFinish, games: u32) -> v1::FinishCount {
    v1::FinishCount { finish: finish.to_message().into(), games }
}

const fn interval(of: Interval) -> v1::Interval {
    v1::Interval { low: of.low, high: of.high }
}

fn sequential_state(test: SprtState) -> v1::SequentialState {
    let decision = match test.decision {
        None => v1::SequentialDecision::Unspecified,
        Some(SprtDecision::Lower) => v1::SequentialDecision::Lower,
        Some(SprtDecision::Upper) => v1::SequentialDecision::Upper,
    };
    v1::SequentialState {
        llr: test.llr,
        accept_lower: test.accept_lower,
        accept_upper: test.accept_upper,
        decision: decision.into(),
        groups: test.groups,
    }
}
