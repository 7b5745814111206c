//! Scoring of GAP: the points of a round, the ranking, and the end of the game.

use std::cmp::Reverse;

use super::{Card, Colour, Length, MAX_ROUNDS};
use crate::{CardSet, MAX_SEATS, Outcome, Points, Seat};

/// The best single round of a player, used as tie-breaker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BestRound {
    /// The points of the round.
    pub points: i32,
    /// The round, starting at 0; of several with these points, the earliest.
    pub round: u16,
}

/// The points for the cards collected in a round: the largest count times the number of colours that have it,
/// minus the smallest count times the number of colours that have it. ColourSymmetry without cards are ignored, and
/// nothing is subtracted if all counts are equal.
pub(super) fn round_points(collected: CardSet<Card>) -> i32 {
    let counts = Colour::ALL.map(|colour| i32::from((collected & colour.cards()).len()));
    let having = |count: i32| counts.iter().filter(|c| **c == count).count() as i32;
    let largest = counts.into_iter().max().unwrap_or(0);
    let smallest = counts.into_iter().filter(|count| *count > 0).min().unwrap_or(0);
    let plus = largest * having(largest);
    if smallest == largest { plus } else { plus - smallest * having(smallest) }
}

/// Adds the points of a round to the totals and the best rounds.
pub(super) fn count_round(
    totals: &mut [i32; MAX_SEATS],
    best: &mut [Option<BestRound>; MAX_SEATS],
    points: Points,
    round: u16,
) {
    points.add_to(totals);
    for (seat, points) in points.iter() {
        let best = &mut best[seat.index()];
        if best.is_none_or(|best| points > best.points) {
            *best = Some(BestRound { points, round });
        }
    }
}

/// Ranks by points. A tie for first place is broken by the highest single round, then by the earlier one; the
/// losers of the tie-break share the next place, and further down equal points share a place.
fn rank(players: u8, totals: &[i32; MAX_SEATS], best: &[Option<BestRound>; MAX_SEATS]) -> Outcome {
    let most = Seat::all(players).map(|seat| totals[seat.index()]).max();
    let merit = |seat: Seat| {
        best[seat.index()]
            .filter(|_| Some(totals[seat.index()]) == most)
            .map(|b| (b.points, Reverse(b.round)))
    };
    let highest = Seat::all(players).filter_map(merit).max();
    Outcome::ranked_by(players, *totals, |seat| {
        let won = highest.is_some() && merit(seat) == highest;
        (totals[seat.index()], won)
    })
}

/// The continuation after a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Continuation {
    /// Another round: the end condition is not met.
    Round,
    /// Another round: the tie for first place could not be broken.
    ExtraRound,
    /// The end of the game.
    End(Outcome),
}

/// Decides how the game continues after `rounds` rounds. After an extra round the totals are always compared
/// again, even if no player is still at the target.
pub(super) fn after_round(
    length: Length,
    players: u8,
    rounds: u16,
    extra: bool,
    totals: &[i32; MAX_SEATS],
    best: &[Option<BestRound>; MAX_SEATS],
) -> Continuation {
    let due = match length {
        Length::Target(target) => {
            Seat::all(players).any(|seat| i64::from(totals[seat.index()]) >= i64::from(target))
        }
        Length::Rounds(last) => rounds >= last,
    };
    let at_bound = rounds >= MAX_ROUNDS;
    if !(due || extra || at_bound) {
        return Continuation::Round;
    }
    let outcome = rank(players, totals, best);
    let winners = outcome.standings().filter(|standing| standing.place == 1).count();
    if winners == 1 || at_bound { Continuation::End(outcome) } else { Continuation::ExtraRound }
}
