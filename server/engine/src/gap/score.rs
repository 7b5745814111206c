//! What a round of GAP is worth, and who has won.

use std::cmp::Reverse;

use super::{Card, Colour, Length, MAX_ROUNDS};
use crate::{CardSet, MAX_SEATS, Outcome, Points, Seat};

/// The best single round of a player, which decides ties.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BestRound {
    /// What the player scored in it.
    pub points: i32,
    /// The round, the first being 0; of several with these points, the earliest.
    pub round: u16,
}

/// What the cards collected in a round are worth: the largest count, times the colours that have it, less the
/// smallest, times the colours that have it; a colour without cards does not count, and equal counts lose nothing.
pub(super) fn of(collected: CardSet<Card>) -> i32 {
    let counts = Colour::ALL.map(|colour| i32::from((collected & colour.cards()).len()));
    let having = |count: i32| counts.iter().filter(|c| **c == count).count() as i32;
    let largest = counts.into_iter().max().unwrap_or(0);
    let smallest = counts.into_iter().filter(|count| *count > 0).min().unwrap_or(0);
    let plus = largest * having(largest);
    if smallest == largest { plus } else { plus - smallest * having(smallest) }
}

/// Adds a round to the totals and the best rounds.
pub(super) fn count_round(
    totals: &mut [i32; MAX_SEATS],
    best: &mut [Option<BestRound>; MAX_SEATS],
    points: Points,
    round: u16,
) {
    for (seat, points) in points.iter() {
        let total = &mut totals[seat.index()];
        *total = total.saturating_add(points);
        let best = &mut best[seat.index()];
        if best.is_none_or(|best| points > best.points) {
            *best = Some(BestRound { points, round });
        }
    }
}

/// By points. The tie for the most is decided by the highest single round, then by the earlier one; those who lose it
/// come next, and further down equal points share a place.
fn rank(players: u8, totals: &[i32; MAX_SEATS], best: &[Option<BestRound>; MAX_SEATS]) -> Outcome {
    let most = Seat::all(players).map(|seat| totals[seat.index()]).max();
    let merit = |seat: Seat| {
        best[seat.index()]
            .filter(|_| Some(totals[seat.index()]) == most)
            .map(|b| (b.points, Reverse(b.round)))
    };
    let highest = Seat::all(players).filter_map(merit).max();
    Outcome::ranked(players, *totals, |seat| {
        let won = highest.is_some() && merit(seat) == highest;
        (totals[seat.index()], won)
    })
}

/// What follows a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// One more round, because the game is not due to end.
    Round,
    /// One more round, because the tie for the most points could not be decided.
    ExtraRound,
    /// The end.
    End(Outcome),
}

/// What follows when `rounds` have been played. After an extra round the totals are compared again, also when nobody
/// stands at the target any more.
pub(super) fn after_round(
    length: Length,
    players: u8,
    rounds: u16,
    extra: bool,
    totals: &[i32; MAX_SEATS],
    best: &[Option<BestRound>; MAX_SEATS],
) -> Next {
    let due = match length {
        Length::Target(target) => {
            Seat::all(players).any(|seat| i64::from(totals[seat.index()]) >= i64::from(target))
        }
        Length::Rounds(last) => rounds >= last,
    };
    let at_bound = rounds >= MAX_ROUNDS;
    if !(due || extra || at_bound) {
        return Next::Round;
    }
    let outcome = rank(players, totals, best);
    let winners = outcome.standings().filter(|standing| standing.place == 1).count();
    if winners == 1 || at_bound { Next::End(outcome) } else { Next::ExtraRound }
}
