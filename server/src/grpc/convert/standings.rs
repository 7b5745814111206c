//! Standings of tournaments.

use parlor_host::tournaments::StandingsSnapshot;
use parlor_proto::v1;
use parlor_tournament::SeatFinish;
use parlor_tournament::standings::{CrossCell, Standings, StandingsRow};
use parlor_tournament::stats::rating::RatingPoint;
use parlor_tournament::stats::{Interval, RotationGain, SprtDecision, SprtState};
use parlor_tournament::tournament::{Placing, Progress};

use super::tournament::state;
use super::{ToMessage, saturating_u32};

/// The standings of a tournament.
pub(crate) fn standings(snapshot: &StandingsSnapshot) -> v1::Standings {
    let StandingsSnapshot {
        setup: _,
        versions: _,
        withheld: _,
        state,
        progress,
        standings,
        provisional: _,
        tables_running,
        time_left,
        history,
    } = snapshot;
    // `progress` counts the same groups.
    let Standings { rows, cells, groups_counted: _, test } = standings;
    let Progress {
        groups_counted,
        groups_complete,
        groups_expected,
        groups_voided,
        tables_over,
        tables_expected,
        round,
        rounds,
    } = *progress;
    v1::Standings {
        state: self::state(*state).into(),
        rows: rows.iter().map(|row| self::row(snapshot, row)).collect(),
        cells: cells.iter().map(cell).collect(),
        groups_counted,
        groups_complete,
        groups_expected,
        tables_over,
        tables_running: *tables_running,
        tables_expected,
        groups_voided,
        round,
        rounds,
        time_left_ms: time_left.map(saturating_u32),
        test: test.map(sequential_state),
        history: history.iter().map(rating_point).collect(),
    }
}

fn row(snapshot: &StandingsSnapshot, row: &StandingsRow) -> v1::StandingsRow {
    let StandingsRow {
        rank,
        entrant,
        games,
        groups,
        mean,
        interval,
        place_points,
        rating,
        rating_interval,
        placing,
        finishes,
        gain,
    } = row;
    let Placing { entrant: _, order: _, match_points, buchholz, byes, out_in_round, withdrawn } = *placing;
    let index = entrant.index();
    let provisional = snapshot.provisional.get(index).copied().unwrap_or_default();
    v1::StandingsRow {
        rank: *rank,
        entrant: entrant.0.into(),
        name: snapshot.setup.terms.entrants[index].name().to_owned(),
        version: snapshot.versions[index].clone(),
        games: *games,
        groups: *groups,
        mean: *mean,
        interval: interval.map(self::interval),
        place_points: *place_points,
        rating: *rating,
        rating_interval: rating_interval.map(self::interval),
        buchholz,
        byes,
        finishes: finishes.iter().map(|(finish, games)| finish_count(*finish, *games)).collect(),
        withdrawn,
        out_in_round,
        gain: gain.map(|RotationGain { mean, p_value, flagged }| v1::RotationGain { mean, p_value, flagged }),
        match_points,
        entropy_withheld: snapshot.withheld.get(index).copied().unwrap_or_default(),
        provisional_groups: provisional.groups,
        provisional_mean: provisional.mean,
    }
}

fn rating_point(point: &RatingPoint) -> v1::RatingPoint {
    let RatingPoint { groups, ratings } = point;
    v1::RatingPoint { groups: *groups, ratings: ratings.clone() }
}

fn cell(cell: &CrossCell) -> v1::CrossCell {
    let CrossCell { entrant, opponent, groups, mean, interval } = cell;
    v1::CrossCell {
        entrant: entrant.0.into(),
        opponent: opponent.0.into(),
        groups: *groups,
        mean: *mean,
        interval: interval.map(self::interval),
    }
}

fn finish_count(finish: SeatFinish, games: u32) -> v1::FinishCount {
    v1::FinishCount { finish: finish.to_message().into(), games }
}

const fn interval(interval: Interval) -> v1::Interval {
    let Interval { low, high } = interval;
    v1::Interval { low, high }
}

fn sequential_state(test: SprtState) -> v1::SequentialState {
    let SprtState { llr, accept_lower, accept_upper, decision, groups } = test;
    let decision = match decision {
        None => v1::SequentialDecision::Unspecified,
        Some(SprtDecision::Lower) => v1::SequentialDecision::Lower,
        Some(SprtDecision::Upper) => v1::SequentialDecision::Upper,
    };
    v1::SequentialState { llr, accept_lower, accept_upper, decision: decision.into(), groups }
}
