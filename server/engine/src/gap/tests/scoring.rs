//! Scoring: the points of a round, the end of the game, and the ranking.

use super::*;

#[test]
fn round_score_follows_from_the_colour_counts() {
    for (counts, points) in [
        // The examples of the rules.
        (&[5, 5, 2, 1, 1][..], 8),
        (&[4, 4, 1], 7),
        (&[6, 2], 4),
        (&[4, 2, 1, 1], 2),
        (&[4, 3, 2], 2),
        (&[4, 4], 8),
        (&[3], 3),
        // Negative rounds, no cards, one card, equal counts, nearly all cards.
        (&[3, 2, 2], -1),
        (&[2, 1, 1, 1, 1], -2),
        (&[10, 9, 9, 9, 9], -26),
        (&[], 0),
        (&[1], 1),
        (&[2, 1, 1], 0),
        (&[1, 1, 1, 1, 1], 5),
        (&[10, 10, 10, 10, 10], 50),
        (&[10, 10, 10, 10, 9], 31),
    ] {
        // Independent of which colours they are.
        for first in 0..5 {
            let colours = (0..5).map(|i| Colour::ALL[(first + i) % 5]);
            let collected = colours
                .zip(counts)
                .flat_map(|(colour, count)| colour.cards().into_iter().take(*count))
                .collect();
            assert_eq!(score::round_points(collected), points, "{counts:?} from {:?}", Colour::ALL[first]);
        }
    }
}

/// Cards worth `points` in a round, from -8 to 20.
fn worth(points: i32) -> CardSet<Card> {
    let counts = match points {
        ..0 => [2 - points, 1 - points, 1 - points],
        0..=10 => [points, 0, 0],
        11.. => [(points + 1) / 2, (points + 1) / 2, points % 2],
    };
    let taken = Colour::ALL.into_iter().zip(counts);
    let collected =
        taken.flat_map(|(colour, count)| colour.cards().into_iter().take(count as usize)).collect();
    assert_eq!(score::round_points(collected), points, "the test counts on it");
    collected
}

/// Ends a round: every player has collected cards worth these points, and the last player plays a last card,
/// which takes nothing.
fn end_round(game: &mut Gap, points: &[i32]) -> Vec<(Audience, Event)> {
    game.collected = [CardSet::EMPTY; MAX_SEATS];
    for (collected, points) in game.collected.iter_mut().zip(points) {
        *collected = worth(*points);
    }
    game.turn = game.start.right(game.players);
    game.hands = [CardSet::EMPTY; MAX_SEATS];
    game.hands[game.turn.index()] = cards("b9");
    game.middle = cards("b6");
    game.stack.clear();
    play(game, "b9")
}

/// Plays exactly these rounds; the game must not end before the last of them.
fn play_rounds<R: AsRef<[i32]>>(length: Length, rounds: &[R]) -> Gap {
    let players = rounds[0].as_ref().len() as u8;
    let mut game = table_with(Options { length }, players, &[], "", "", &mut NoEvents);
    for (index, round) in rounds.iter().enumerate() {
        assert_eq!(game.outcome(), None, "over before round {index}");
        assert_eq!(usize::from(game.round), index);
        assert_eq!(game.start.index(), index % usize::from(players), "the start moves left");
        end_round(&mut game, round.as_ref());
    }
    game
}

/// The places after these rounds, such as "1 2 2"; "on" or "extra" if another round follows.
#[track_caller]
fn check(length: Length, rounds: &[&[i32]], expected: &str) {
    let game = play_rounds(length, rounds);
    for seat in Seat::all(game.players) {
        let sum: i32 = rounds.iter().map(|round| round[seat.index()]).sum();
        assert_eq!(game.totals[seat.index()], sum, "the points of all rounds count");
        assert_eq!(game.outcome().and_then(|o| o.points(seat)).unwrap_or(sum), sum);
    }
    let places = game.outcome().map(|outcome| {
        let places = outcome.standings().map(|standing| standing.place.to_string());
        places.collect::<Vec<_>>().join(" ")
    });
    let more = if game.extra { "extra" } else { "on" };
    assert_eq!(places.as_deref().unwrap_or(more), expected, "{length:?} {rounds:?}");
    assert_eq!(game.to_act().is_empty(), places.is_some());
}

use Length::{Rounds, Target};

#[test]
fn game_ends_after_the_round_that_reaches_the_target() {
    check(Target(10), &[&[9, 0]], "on");
    check(Target(10), &[&[10, 0]], "1 2");
    check(Target(10), &[&[0, 10]], "2 1");
    check(Target(10), &[&[6, 5], &[3, 4]], "on");
    check(Target(10), &[&[6, 5], &[4, 4]], "1 2");
    check(Target(10), &[&[6, 5], &[4, 6]], "2 1");
    check(Target(10), &[&[9, 9], &[-1, 0], &[1, 1]], "2 1");
    check(Target(1), &[&[0, 0], &[-1, -2], &[2, 0]], "1 2");
    check(Target(1), &[&[0, 0], &[1, 0]], "1 2");
    check(Target(u32::MAX), &[&[20, 0], &[20, 0]], "on");
}

#[test]
fn default_target_is_30_points() {
    let Options { length } = Options::default();
    check(length, &[&[20, 20], &[9, 9]], "on");
    check(length, &[&[20, 20], &[9, 10]], "2 1");
}

#[test]
fn game_ends_after_the_configured_number_of_rounds() {
    check(Rounds(1), &[&[3, 5]], "2 1");
    check(Rounds(1), &[&[-1, -2]], "1 2");
    check(Rounds(2), &[&[20, 0]], "on");
    check(Rounds(2), &[&[20, 0], &[20, 0]], "1 2");
    check(Rounds(3), &[&[1, 0], &[0, 0]], "on");
    check(Rounds(3), &[&[1, 0], &[0, 0], &[0, 0]], "1 2");
}

#[test]
fn empty_collection_scores_0() {
    check(Rounds(1), &[&[0, -1]], "1 2");
    check(Rounds(1), &[&[1, 0]], "1 2");
}

#[test]
fn tie_break_prefers_the_highest_single_round() {
    check(Target(10), &[&[4, 7], &[6, 3]], "2 1");
    check(Target(10), &[&[7, 4], &[3, 6]], "1 2");
    check(Rounds(2), &[&[-5, -3], &[-1, -3]], "1 2");
    // Only players tied for first place count: seat 2 had the highest round of all.
    check(Rounds(2), &[&[4, 7, 9], &[6, 3, 0]], "2 1 3");
}

#[test]
fn tie_break_prefers_the_earlier_best_round() {
    check(Target(10), &[&[8, 2], &[2, 8]], "1 2");
    check(Target(10), &[&[2, 8], &[8, 2]], "2 1");
}

#[test]
fn tie_break_uses_the_earliest_of_equal_best_rounds() {
    check(Rounds(3), &[&[5, 0], &[5, 5], &[0, 5]], "1 2");
    check(Rounds(3), &[&[0, 5], &[5, 5], &[5, 0]], "2 1");
}

#[test]
fn unbroken_tie_leads_to_an_extra_round() {
    check(Target(10), &[&[10, 10]], "extra");
    check(Rounds(1), &[&[0, 0]], "extra");
    check(Rounds(2), &[&[5, 5, 1], &[5, 5, 1]], "extra");
    check(Target(10), &[&[10, 10], &[0, 1]], "2 1");
    // A second extra round.
    check(Target(10), &[&[10, 10], &[1, 1]], "extra");
    check(Target(10), &[&[10, 10], &[1, 1], &[0, 0], &[2, 1]], "1 2");
    // An extra round counts fully: it can be the best round, and any player can win it.
    check(Target(10), &[&[10, 10, 9], &[0, 0, 5]], "2 2 1");
    check(Target(10), &[&[10, 10, 0], &[3, 3, 12]], "extra");
    check(Target(10), &[&[10, 10, 0], &[2, 2, 12]], "2 2 1");
    check(Rounds(1), &[&[3, 3, 0], &[0, 0, 3]], "extra");
}

#[test]
fn extra_round_compares_totals_even_below_the_target() {
    check(Target(10), &[&[10, 10], &[-1, -2]], "1 2");
    check(Target(10), &[&[10, 10], &[-1, -1]], "extra");
    check(Target(10), &[&[10, 10], &[-1, -1], &[-3, -2]], "2 1");
}

#[test]
fn tie_break_losers_share_second_place() {
    // The example of the rules: 12 in the first round; never more than 11; 12 in a later round.
    check(Target(32), &[&[12, 11, 10], &[10, 11, 12], &[10, 10, 10]], "1 2 2");
    check(Target(32), &[&[12, 11], &[10, 11], &[10, 10]], "1 2");
    check(Target(32), &[&[11, 10], &[11, 10], &[10, 12]], "2 1");
    check(Rounds(2), &[&[6, 5, 4, 1], &[4, 5, 6, 2]], "1 2 2 4");
}

#[test]
fn lower_places_are_shared_on_equal_points() {
    check(Rounds(1), &[&[9, 5, 5, 1]], "1 2 2 4");
    check(Rounds(1), &[&[5, 1, 9, 5, 1, 0]], "2 4 1 2 4 6");
    check(Rounds(2), &[&[9, 5, 1], &[9, 1, 5]], "1 2 2");
    check(Rounds(2), &[&[6, 4, 3, 2], &[4, 6, 2, 3]], "1 2 3 3");
}

/// `count` rounds without points, then these rounds.
fn after_idle(count: usize, rounds: &[&[i32]]) -> Vec<Vec<i32>> {
    let idle = vec![0; rounds[0].len()];
    let played = rounds.iter().map(|round| round.to_vec());
    std::iter::repeat_n(idle, count).chain(played).collect()
}

#[test]
fn game_ends_after_at_most_100_rounds() {
    assert_eq!(MAX_ROUNDS, 100);
    let check = |length, idle, rounds: &[&[i32]], expected| {
        let rounds = after_idle(idle, rounds);
        check(length, &rounds.iter().map(Vec::as_slice).collect::<Vec<_>>(), expected);
    };
    check(Target(u32::MAX), 98, &[&[1, 0]], "on");
    check(Target(u32::MAX), 99, &[&[1, 0]], "1 2");
    check(Rounds(100), 98, &[&[1, 0]], "on");
    check(Rounds(100), 99, &[&[1, 0]], "1 2");
    // Unbroken ties share first place; losers of the tie-break come after them.
    check(Target(30), 99, &[&[0, 0]], "1 1");
    check(Target(30), 98, &[&[5, 5, 3, 1], &[0, 0, 2, 1]], "1 1 3 4");
    check(Rounds(99), 98, &[&[0, 0]], "extra");
    check(Rounds(99), 98, &[&[0, 0], &[0, 0]], "1 1");
    check(Rounds(99), 98, &[&[0, 0], &[0, 1]], "2 1");
}

#[test]
fn best_round_is_the_earliest_maximum() {
    let game = play_rounds(Rounds(4), &[[-3, 0], [-2, 4], [-2, 4]]);
    let best = |points, round| Some(BestRound { points, round });
    assert_eq!(game.best, [best(-2, 1), best(4, 1), None, None, None, None]);
}

#[test]
fn totals_do_not_overflow() {
    let (mut totals, mut best) = ([i32::MAX, i32::MIN, 0, 0, 0, 0], [None; MAX_SEATS]);
    let points = Points::new(2, [1, -1, 9, 9, 9, 9]);
    score::count_round(&mut totals, &mut best, points, 0);
    assert_eq!(totals, [i32::MAX, i32::MIN, 0, 0, 0, 0]);
}
